"""What `sfumato tradeoff` prints for people."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from sfumato.cli import show
from sfumato.errors import several
from sfumato.naming import name_values, value_text
from sfumato.search.space import Point
from sfumato.search.space.trade_off import TradeOff
from sfumato.tradeoff import Recommendation, Region

MOST_NODES = 12
LETTERS = {"epsilon": "ε", "alpha": "α", "gamma": "γ", "delta": "δ"}


def show_tradeoff(found: TradeOff, wrote: Sequence[str]) -> None:
    """The answers for one class, then the nodes, then where it went."""
    answers = found.answers
    if answers.utility:
        _show_recommended(answers.utility, found, "the least utility loss")
    if answers.privacy:
        _show_recommended(answers.privacy, found, "the least privacy loss")
    if answers.region:
        _show_region(answers.region)
    if found.knee is None:
        _show_least(found)
    else:
        _show_nodes(found, found.knee)
    for path in wrote:
        show.out().print(f"wrote {path}", soft_wrap=True)


def _stated(bounds: dict[str, float]) -> str:
    return ", ".join(f"{LETTERS[name]} = {value:g}" for name, value in bounds.items())


def _show_recommended(answer: Recommendation, found: TradeOff, what: str) -> None:
    console, losses = show.out(), answer.chosen.losses
    rows = [
        (value_text(value), before, after)
        for value, (_, before, after) in zip(name_values(found.prior), answer.shares(), strict=True)
    ]
    heads = [found.sensitive, "prior", "recommended"]
    title = f"a single class with {what}, given {_stated(dict(answer.bounds))}"
    console.print(show.table(title, heads, rows, right=heads[1:]))
    console.print("; ".join(f"{name} {value:.4g}" for name, value in losses.items()), soft_wrap=True)
    console.print(
        f"Pareto set of {' and '.join(answer.minimized)}: {several(len(answer.pareto), 'point')}; "
        f"KKT residual {answer.kkt_residual:.1e}",
        soft_wrap=True,
    )


def _show_region(region: Region) -> None:
    said = "a single class can keep all bounds" if region.feasible else "no class can keep all bounds at once"
    rows = [
        (name, bound, least and round(least, 9), "–" if kept is None else "yes" if kept else "no")
        for name, bound, least, kept in region.rows()
    ]
    show.out().print(show.table(said, list(region.heads), rows, right=list(region.heads[1:3])))


def _show_nodes(found: TradeOff, knee: int) -> None:
    console, (x, y) = show.out(), found.axes
    bounds = ", ".join(f"{found.bounds.column(name)} ≤ {value:g}" for name, value in found.bounds.given.items())
    said = ", ".join(part for part in (bounds, *found.space.about.models) if part) or "no bounds, no models"
    console.print(f"{int(found.within.sum()):,} of {several(len(found.space), 'node')} within: {said}", soft_wrap=True)
    step = max(1, -(-len(found.front) // MOST_NODES))
    places = sorted({*found.front[::step].tolist(), knee}, key=found.front.tolist().index)
    heads = ["levels", x, y, "classes", "smallest class", "suppressed", ""]
    rows = [_row(found.point(place), (x, y), place == knee) for place in places]
    title = f"the front: {several(len(found.front), 'node')}" + (
        f", {len(rows):,} of them shown (--json has all)" if step > 1 else ""
    )
    console.print(show.table(title, heads, rows, right=heads[1:-1]))
    console.print(f"knee: {found.point(knee).node}", soft_wrap=True)


def _row(point: Point, axes: tuple[str, str], knee: bool) -> tuple[object, ...]:
    return (
        point.node.brief(),
        *(point[axis] for axis in axes),
        point["classes"],
        point["smallest"],
        point["suppressed"],
        "knee" if knee else "",
    )


def _show_least(found: TradeOff) -> None:
    console = show.out()
    if not found.feasible.any():
        said = f"no node satisfies {', '.join(found.space.about.models)}; 'sfumato anonymize' says which bounds would work"
        console.print(said, soft_wrap=True)
        return
    console.print(f"no node is within {_stated(found.bounds.given)} ({found.bounds.scope} scope)", soft_wrap=True)
    heads = ["bound", "on", "given", "least feasible, the others kept", "at levels"]
    rows = []
    for each in found.least:
        levels = "" if each.place is None else found.point(each.place).node.brief()
        # Rounded up: the bound that is told must be one that works.
        least = None if each.least is None else f"{ceil(each.least * 1e4 - 1e-5) / 1e4:g}"
        rows.append((LETTERS[each.parameter], each.column, each.bound, least, levels))
    console.print(show.table(None, heads, rows, right=heads[2:4]))

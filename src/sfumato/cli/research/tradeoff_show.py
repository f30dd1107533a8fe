"""The text output of `sfumato tradeoff`."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from sfumato.cli import show
from sfumato.errors import several
from sfumato.naming import name_values, value_text
from sfumato.reporting.explorer.naming import named_node
from sfumato.search.space import Point
from sfumato.search.space.trade_off import TradeOff
from sfumato.tradeoff import Recommendation, Region

MOST_NODES = 12
LETTERS = {"epsilon": "ε", "alpha": "α", "gamma": "γ", "delta": "δ"}


def show_tradeoff(result: TradeOff, wrote: Sequence[str]) -> None:
    """Print the answers for one class, then the nodes, then the files."""
    answers = result.answers
    if answers.utility:
        _show_recommended(answers.utility, result, "the least utility loss")
    if answers.privacy:
        _show_recommended(answers.privacy, result, "the least privacy loss")
    if answers.region:
        _show_region(answers.region)
    if result.knee is None:
        _show_least(result)
    else:
        _show_nodes(result, result.knee)
    for path in wrote:
        show.line(f"wrote {path}")


def _stated(bounds: dict[str, float]) -> str:
    return ", ".join(f"{LETTERS[name]} = {value:g}" for name, value in bounds.items())


def _show_recommended(answer: Recommendation, result: TradeOff, what: str) -> None:
    console, losses = show.out(), answer.chosen.losses
    rows = [
        (value_text(value), before, after)
        for value, (_, before, after) in zip(name_values(result.prior), answer.shares(), strict=True)
    ]
    heads = [result.sensitive, "prior", "recommended"]
    title = f"a single class with {what}, given {_stated(dict(answer.bounds))}"
    console.print(show.table(title, heads, rows, right=heads[1:]))
    show.line("; ".join(f"{name} {value:.4g}" for name, value in losses.items()))
    show.line(
        f"Pareto set of {' and '.join(answer.minimized)}: {several(len(answer.pareto), 'point')}; "
        f"KKT residual {answer.kkt_residual:.1e}",
    )


def _show_region(region: Region) -> None:
    title = "a single class can keep all bounds" if region.feasible else "no class can keep all bounds at once"
    rows = [
        (name, bound, least and round(least, 9), "–" if kept is None else "yes" if kept else "no")
        for name, bound, least, kept in region.rows()
    ]
    show.out().print(show.table(title, list(region.heads), rows, right=list(region.heads[1:3])))


def _show_nodes(result: TradeOff, knee: int) -> None:
    console, (x, y) = show.out(), result.axes
    bounds = ", ".join(f"{result.bounds.column(name)} ≤ {value:g}" for name, value in result.bounds.given.items())
    conditions = ", ".join(part for part in (bounds, *result.space.about.models) if part) or "no bounds, no models"
    show.line(f"{int(result.within.sum()):,} of {several(len(result.space), 'node')} within: {conditions}")
    step = max(1, -(-len(result.front) // MOST_NODES))
    places = sorted({*result.front[::step].tolist(), knee}, key=result.front.tolist().index)
    heads = ["levels", x, y, "classes", "smallest class", "suppressed", ""]
    rows = [_row(result.point(place), (x, y), place == knee) for place in places]
    title = f"the front: {several(len(result.front), 'node')}" + (
        f", {len(rows):,} of them shown (--json has all)" if step > 1 else ""
    )
    console.print(show.table(title, heads, rows, right=heads[1:-1]))
    show.line(f"knee: {named_node(result, knee)}")
    show.line(f"publish it: --node {result.point(knee).node}")


def _row(point: Point, axes: tuple[str, str], knee: bool) -> tuple[object, ...]:
    return (
        point.node.brief(),
        *(point[axis] for axis in axes),
        point["classes"],
        point["smallest"],
        point["suppressed"],
        "knee" if knee else "",
    )


def _show_least(result: TradeOff) -> None:
    console = show.out()
    if not result.feasible.any():
        show.line(f"no node satisfies {', '.join(result.space.about.models)}; 'sfumato anonymize' says which bounds would work")
        return
    show.line(f"no node is within {_stated(result.bounds.given)} ({result.bounds.scope} scope)")
    heads = ["bound", "on", "given", "least feasible, the others kept", "at levels"]
    rows = []
    for each in result.least:
        levels = "" if each.place is None else result.point(each.place).node.brief()
        # Rounded up, so that the printed bound works.
        least = None if each.least is None else f"{ceil(each.least * 1e4 - 1e-5) / 1e4:g}"
        rows.append((LETTERS[each.parameter], each.column, each.bound, least, levels))
    console.print(show.table(None, heads, rows, right=heads[2:4]))

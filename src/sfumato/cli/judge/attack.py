"""`sfumato attack`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options, show
from sfumato.errors import UsageError, argument, several

if TYPE_CHECKING:
    from sfumato.attacks import Attacked, Attempt

_LISTED = 10


def holding(
    attacker: Annotated[
        str | None,
        typer.Option("--attacker", help="Who attacks: neighbor, journalist, insider or data-broker.", show_default=False),
    ] = None,
    holds: Annotated[
        str | None,
        typer.Option("--holds", help="The QIDs that the attacker knows of people, as in age,sex.", show_default="all"),
    ] = None,
    external: Annotated[
        str | None,
        typer.Option("--external", help="A table about people that the attacker holds.", show_default="that of the original"),
    ] = None,
    control: Annotated[
        str | None,
        typer.Option("--control", help="A table of people like these who are not in the release.", show_default=False),
    ] = None,
    other: Annotated[
        list[Path] | None,
        typer.Option("--other", help="A further release with people of the same table. Repeatable.", show_default=False),
    ] = None,
    naive: Annotated[
        bool,
        typer.Option("--naive", help="Take published values at their word, although the certificate says how they were changed."),
    ] = False,
) -> options.Request:
    """What the attacker has."""
    given = {"attacker": attacker, "holds": options.names(holds), "external": external, "control": control}
    return {**given, "others": other or [], "naive": naive}


def trying(
    attack: Annotated[
        list[str] | None,
        typer.Option(
            "--attack", "-a", help="An attack and its parameters, as in record-linkage:marketer. Repeatable.", show_default=False
        ),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario",
            metavar="prosecutor|journalist|marketer",
            help="Who links records: knows that a person is there, wants to name any row, or names all.",
            show_default="each of them",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every attack, which is also what is tried if none is named.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of all that is random.", min=0)] = 0,
) -> options.Request:
    """What to try."""
    if attack and every:
        raise UsageError("name attacks, or try all of them; not both", where=argument("attacks"))
    return {"attacks": attack or None, "scenario": scenario, "seed": seed}


@options.takes(options.published, holding, trying, options.reading, options.judging)
def attack(request: options.Request, certificate: options.CertificateFile = None, json: options.Json = False) -> None:
    """Attack a release: how often is an attacker right, and how often without the release?

    Every attack has a rate with its 95 % interval, the baseline of the same attacker without the release, and the classes and rows of the
    release on which it succeeds. It is stopped if the interval does not lie above the baseline; that is not shown if the attacker sees
    fewer than nine in ten of the people. Where values were changed, the attacker knows how, by the certificate, or takes the nearest rows.
    What the satisfied models claim to stop is shown beside what was observed. Models come from the certificate, and from --model.

    Attacks: record-linkage, homogeneity, background, skewness, similarity, table-linkage, probabilistic, minimality, intersection,
    learned, singling-out, linkability, inference.

    Example: `sfumato attack out.parquet -s adult.toml --original adult.parquet --attacker neighbor`
    """
    from sfumato.attacks import attack as attack_release

    if "original" not in request:
        raise UsageError("name the original table: only with it can be said who is right", where=argument("original"))
    with show.watching() as watch:
        found = attack_release(**request, certificate=certificate, watch=watch)
    if json:
        show.emit(found.as_dict())
    else:
        _show(found, named=request["attacks"] is not None)


def _show(found: Attacked, *, named: bool) -> None:
    known = ", ".join(found.held)
    show.line(
        f"{found.attacker or 'an attacker'} who knows {known}; {several(found.classes, 'class', 'classes')}, {found.rows:,} rows"
    )
    tried = [each for each in found.attempts if each.tried]
    if tried:
        show.out().print(_table(tried))
    for each in tried:
        for line in _remarks(each, named=named):
            show.line(line)
    _show_lacking(found)
    if found.remark:
        show.line(found.remark)
    if not named:
        _show_claims(found)


def _show_lacking(found: Attacked) -> None:
    """What was not tried, by what it lacks."""
    lacking: dict[str | None, list[str]] = {}
    for each in found.attempts:
        if not each.tried:
            lacking.setdefault(each.reason, []).append(each.attack)  # the reason names the column, if it is about one
    for reason, attacks in lacking.items():
        show.line(f"not tried: {', '.join(attacks)}: {reason}")


def _table(tried: list[Attempt]) -> Any:
    """One row per attempt; where there is little room, without the classes."""
    heads = ["attack", "threat", "about", "rate", "interval", "baseline", "outcome", "succeeds on"]
    rows = [_row(each) for each in tried]
    whole = show.table(None, heads, rows, right=heads[3:6])
    if show.fits(whole):
        return whole
    return show.unbroken(show.table(None, heads[:-1], [row[:-1] for row in rows], right=heads[3:6]))


def _row(each: Attempt) -> tuple[Any, ...]:
    from sfumato.results import percentage

    low, high = each.interval
    where = f"{several(len(each.classes), 'class', 'classes')}, {several(each.rows, 'row')}" if each.classes else ""
    ends = f"{percentage(low)} to {percentage(high)}"
    return each.attack, each.threat, each.about or "", percentage(each.rate), ends, percentage(each.baseline), each.outcome, where


def _remarks(each: Attempt, *, named: bool) -> list[str]:
    """What is remarkable about an attempt; its classes, rows and figures if it was asked for by name."""
    lines = [each.remark] if each.remark else []
    if named:
        lines += [f"of {several(each.tries, 'try', 'tries')} ({each.unit}), {show.cell(each.hits)} right"]
        lines += [f"{name} {show.cell(value)}" for name, value in each.figures.items()]
        if each.classes:
            lines.append(f"classes {_listed(each.classes)}; rows of the file {_listed(each.positions, each.rows)}")
    name = f"{each.attack} about {each.about}" if each.about else each.attack
    return [f"{name}: {line}" for line in lines]


def _listed(numbers: tuple[int, ...], total: int | None = None) -> str:
    more = (len(numbers) if total is None else total) - _LISTED
    return ", ".join(map(str, numbers[:_LISTED])) + (f" and {more:,} more" if more > 0 else "")


def _show_claims(found: Attacked) -> None:
    """What the satisfied models claim to stop, beside what was observed."""
    from sfumato.models.about import ATTACKS

    if not found.claims:
        show.line("no model claims to stop anything here; name models with --model to compare what they claim")
        return
    rows = [[each.model, *(f"✓ {each.observed[t]}" if t in each.observed else "" for t in ATTACKS)] for each in found.claims]
    heads = ["satisfied model", *(about.partition(":")[0] for about in ATTACKS.values())]
    show.line("what models claim to stop (✓), and what was observed:")
    show.out().print(show.unbroken(show.table(None, heads, rows)))

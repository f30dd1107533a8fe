"""`sfumato ato collaborate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show

if TYPE_CHECKING:
    from sfumato.applications.ato.collaborating import Collaborated
    from sfumato.results import Rows


@options.takes(options.running)
def collaborate(
    request: options.Request,
    logs: Annotated[
        list[str],
        typer.Argument(
            metavar="LOGS",
            help="The log of each owner, or one log and --owners: tables of events, or folders of 'ato generate'.",
            show_default=False,
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.", show_default=False)],
    owners: Annotated[
        int | None,
        typer.Option("--owners", help="Among how many owners the organizations of one log are divided.", show_default=False),
    ] = None,
    good: Annotated[
        Path | None,
        typer.Option("--good", help="Addresses known to be good, one a line.", show_default="known-good.txt in LOGS"),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option("--truth", help="What is really fraudulent; it scores, and decides nothing.", show_default="truth in LOGS"),
    ] = None,
    level: Annotated[str, typer.Option("--level", help="What is counted by: ip, or subnet (/24 and /64).")] = "ip",
    period: Annotated[int, typer.Option("--period", help="Days that are counted together.")] = 7,
    days: Annotated[int, typer.Option("--days", help="Days after which a count expires.")] = 14,
    threshold: Annotated[int, typer.Option("--threshold", help="Share only cells with at least so many people; 1 for all.")] = 5,
    private: Annotated[
        float | None,
        typer.Option("--private", help="Add noise: the privacy loss epsilon of a person in a period.", show_default="no noise"),
    ] = None,
    delta: Annotated[
        float, typer.Option("--delta", help="With noise: the chance that it fails to hide a person, over all periods.")
    ] = 1e-5,
    visits: Annotated[int, typer.Option("--visits", help="With noise: in how many cells of a period a person counts.")] = 2,
    allow: Annotated[
        Path | None,
        typer.Option("--allow", help="Addresses and subnets that are never bad, one a line.", show_default=False),
    ] = None,
    detector: Annotated[
        str, typer.Option("--detector", help="What is learned: mistakes, a test, or forest, trained on its labels.")
    ] = "mistakes",
    measure: Annotated[str, typer.Option("--measure", help="What owners are paid for: f1, or campaigns.")] = "f1",
    pay: Annotated[float, typer.Option("--pay", help="The sum that is divided by contribution.")] = 100.0,
    permutations: Annotated[
        int, typer.Option("--permutations", help="Orders that are drawn if there are more than 8 owners.")
    ] = 200,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            help="The seed of everything random; whoever has it can subtract the noise.",
            show_default="noise of the system",
        ),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Find takeovers together without sharing logs: what it finds, what it gives away, and who is paid what.

    Every owner shares counts of people by address and period, protected. The folder gets the shares, collaboration.json and report.html.

    Example: `sfumato ato collaborate logs --owners 4 -o together`
    """
    from sfumato.applications.ato.collaborating import collaborate as do

    request.pop("loops")
    protection: options.Request = {"threshold": threshold, "private": private, "delta": delta, "visits": visits}
    known: options.Request = {"good": good, "truth": truth, "allow": allow, "level": level, "period": period, "days": days}
    paid: options.Request = {"detector": detector, "measure": measure, "pay": pay, "permutations": permutations, "seed": seed}
    with show.watching() as watch:
        progress = show.progress(watch, "trying coalitions")
        done = do(
            logs, output, owners=owners, **known, **protection, **paid, force=force, watch=watch, progress=progress, **request
        )
    if json:
        show.emit(done.as_dict() | {"written": str(output)})
    else:
        _show(done, output)


def _show(done: Collaborated, output: Path) -> None:
    for way, score in done.together.items():
        precision, recall = (
            f"{show.cell(part.value)} ({show.cell(part.low)} to {show.cell(part.high)})"
            for part in (score.precision, score.recall)
        )
        show.line(f"{way}: precision {precision}, recall {recall}, F1 {show.cell(score.f1)}")
    show.out().print(show.rows(_owners(done), title="each owner"))
    attempts = done.attempts().only(("attack", "counts", "rate", "low", "baseline", "outcome"))
    show.out().print(show.rows(attempts, title="what owners learn of each other"))
    for warning in done.warnings():
        show.amber(warning)
    show.line(f"wrote shares, collaboration.json and report.html to {output}")


def _owners(done: Collaborated) -> Rows:
    """F1 in each way, the share of the people who are in the shared counts, and what follows from them."""
    from sfumato.results import Rows

    heads = ("owner", "F1 alone", "F1 raw", "F1 protected", "people shared", "value", "payment")
    rows = [
        (
            str(each.number),
            *(score.f1 for score in each.scores.values()),
            f"{each.shared.people:,} of {each.raw.people:,}",
            each.value,
            each.payment,
        )
        for each in done.owners
    ]
    return Rows(heads, tuple(rows))

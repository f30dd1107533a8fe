"""`sfumato ato run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.ato.given import Budget, Fraudulent, Grid, Legitimate, Seed, Truth
from sfumato.errors import several

if TYPE_CHECKING:
    from sfumato.applications.ato.running.run import Run


@options.takes(options.running)
def run(
    request: options.Request,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The folder of the run: a new one, or that of an earlier run.", show_default=False),
    ],
    logs: Annotated[
        str | None,
        typer.Argument(
            metavar="[LOGS]",
            help="A table of events, or the folder of 'ato generate'. Without it, a log is generated.",
            show_default=False,
        ),
    ] = None,
    bad: Annotated[
        Path | None,
        typer.Option("--bad", help="Addresses in LOGS known to be bad, one a line.", show_default="known-bad.txt in LOGS"),
    ] = None,
    good: Annotated[
        Path | None,
        typer.Option("--good", help="Addresses in LOGS known to be good, one a line.", show_default="known-good.txt in LOGS"),
    ] = None,
    truth: Truth = None,
    rows: Annotated[
        int | None, typer.Option("--rows", help="How many events are generated, as in 5_000_000.", show_default="200,000")
    ] = None,
    days: Annotated[int | None, typer.Option("--days", help="How many days they cover.", show_default="30")] = None,
    seed: Seed = 0,
    legitimate: Legitimate = 100_000,
    fraudulent: Fraudulent = 13_000,
    grid: Grid = "coarse",
    budget: Budget = 100,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", help="Threads that grow trees.", show_default="all cores", min=1, max=options.MOST_THREADS),
    ] = None,
    json: options.Json = False,
) -> None:
    """Do everything, from a log to a report: generate or take logs, count, judge addresses, train, detect, and write a page.

    A run that was stopped goes on where it was. A step is done again only if its settings, its inputs or its files have changed.

    Example: `sfumato ato run -o takeovers --rows 20_000 --grid none`
    """
    from sfumato.applications.ato.running.run import run as do

    request.pop("loops")
    known: options.Request = {"bad": bad, "good": good, "truth": truth, "rows": rows, "days": days, "seed": seed}
    sizes: options.Request = {"legitimate": legitimate, "fraudulent": fraudulent, "grid": grid, "budget": budget, "jobs": jobs}
    with show.watching() as watch:
        done = do(output, logs, **known, **sizes, watch=watch, progress=show.progress(watch, "at work"), **request)
    if json:
        show.emit(done.as_dict())
    else:
        _show(done)


def _show(done: Run) -> None:
    if not done.done:
        show.line(f"nothing to do: every step was done before, and nothing has changed; the report is {done.report}")
        return
    show.out().print(show.rows(done.table()))
    found = done.results["detect"]
    show.line(
        f"{several(found['logins'], 'login')} in {several(found['days'], 'day')}: {found['suspicious']:,} suspicious, from "
        f"{several(found['keys'], 'address', 'addresses')} in {several(found['campaigns'], 'campaign')}"
    )
    if found["doubt"]:
        show.amber(found["doubt"])
    show.line(f"wrote {done.report}")

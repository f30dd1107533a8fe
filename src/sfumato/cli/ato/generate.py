"""`sfumato ato generate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.errors import several


def generate(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.", show_default=False)],
    rows: Annotated[int, typer.Option("--rows", help="How many events, as in 5_000_000.")] = 200_000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same files.")] = 0,
    days: Annotated[int, typer.Option("--days", help="How many days the log covers.")] = 30,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Make a sign-in log with a known truth: people with habits, shared addresses, mistakes, and campaigns that guess passwords.

    The truth is in a folder of its own, which no other command but a score reads. Nobody has the addresses in it.

    Example: `sfumato ato generate --rows 20_000 --seed 7 -o logs`
    """
    from sfumato.applications.ato.generating.making import generate as make

    with show.watching() as watch:
        made = make(output, rows=rows, seed=seed, days=days, force=force, progress=show.progress(watch, "generating"))
    if json:
        show.emit(made.as_dict())
        return
    people = f"{several(made.people, 'person', 'people')} in {several(made.organizations, 'organization')}"
    show.line(f"wrote {made.folder / 'events.parquet'}: {several(made.events, 'event')} of {people}")
    show.line(
        f"wrote {made.folder / 'truth'}: {several(made.fraudulent, 'fraudulent event')}, {several(made.campaigns, 'campaign')}, "
        f"{several(made.takeovers, 'takeover')}"
    )
    show.line(
        f"wrote {made.folder / 'known-bad.txt'} and {made.folder / 'known-good.txt'}: addresses that an incident team knows"
    )

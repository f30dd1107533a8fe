"""`sfumato searchlog generate` and `import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.searchlog.given import Seed, texts
from sfumato.errors import several


def generate(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to write to.", show_default=False)],
    rows: Annotated[int, typer.Option("--rows", help="How many rows, as in 10_000_000.")] = 200_000,
    seed: Seed = 0,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Make a search log with a known truth: people with interests, a town, an age, some with an illness, some who search for themselves.

    Everybody in it is invented. The truth is in a folder of its own.

    Example: `sfumato searchlog generate --rows 20_000 --seed 7 -o searches`
    """
    from sfumato.searchlog import generate as make

    with show.watching() as watch:
        made = make(output, rows=rows, seed=seed, force=force, progress=show.progress(watch, "generating"))
    if json:
        show.emit(made.as_dict())
        return
    show.line(f"wrote {made.folder / 'log.parquet'}: {several(made.rows, 'row')} of {several(made.people, 'person', 'people')}")
    planted = f"{several(made.planted, 'identifying query', 'identifying queries')} of {several(made.planted_people, 'person', 'people')}"
    show.line(f"wrote {made.folder / 'truth'}: {planted}, {several(made.bots, 'program')}")


@options.takes(options.running, texts)
def import_(
    request: options.Request,
    logs: Annotated[list[Path], typer.Argument(metavar="LOGS", help="The files of a log.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="The log as a table, a Parquet file.", show_default=False)],
    format: Annotated[  # noqa: A002  the word of the option
        str, typer.Option("--format", help="lecture, aol, yandex, or columns (any table).", show_default=False)
    ],
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns", help="Which column is what, as in user=Who,query=Text,time=When; also rank, url.", show_default=False
        ),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Make a table of searches from a log as it comes: queries normalized, rows in the order of people and times.

    What cannot be read is counted by reason and set aside in NAME.aside.jsonl, which is for you alone.

    Example: `sfumato searchlog import searches.csv --format lecture -o log.parquet`
    """
    from sfumato.searchlog import import_log

    request.pop("loops")
    with show.watching() as watch:
        made = import_log(list(logs), output, format=format, columns=columns, force=force, watch=watch, **request)
    if json:
        show.emit(made.as_dict())
        return
    show.line(f"wrote {made.file}: {several(made.rows, 'row')} of {several(made.people, 'person', 'people')}")
    if made.unordered:
        show.line(f"rows earlier than the one before them, now in order: {made.unordered:,}")
    if made.unranked:
        show.amber(f"ranks left out, not a number from 1 with a URL: {made.unranked:,}")
    for reason, count in made.rejected.items():
        show.amber(f"set aside in {made.aside}: {reason}: {count:,}")

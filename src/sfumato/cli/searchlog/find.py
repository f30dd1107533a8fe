"""`sfumato searchlog find`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.cli.searchlog.given import Log, People
from sfumato.errors import several

if TYPE_CHECKING:
    from sfumato.searchlog.finding.making import Findings


@options.takes(options.running)
def find(
    request: options.Request,
    log: Log,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="A Parquet file of the findings, for you alone: it names people.", show_default=False
        ),
    ] = None,
    threshold: Annotated[int, typer.Option("--threshold", help="A query with fewer people is rare.")] = 10,
    names: Annotated[Path | None, typer.Option("--names", help="A file of names, one a line.", show_default=False)] = None,
    people: People = None,
    known: Annotated[str, typer.Option("--known", help="The columns of --people to look for.")] = "LastName",
    truth: Annotated[
        Path | None,
        typer.Option("--truth", help="The planted queries of 'generate', to score what was found.", show_default=False),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Count the queries by which somebody can be recognized: rare ones, and what these look like.

    It prints counts. The queries are only in the file that -o names.

    Example: `sfumato searchlog find searches -o findings.parquet`
    """
    from sfumato.searchlog import find as look

    request.pop("loops")
    given: options.Request = {
        "threshold": threshold,
        "names": names,
        "people": people,
        "known": options.names(known) or (),
        "truth": truth,
    }
    with show.watching() as watch:
        found = look(log, output, **given, force=force, watch=watch, **request)
    if json:
        show.emit(found.as_dict())
    else:
        _show(found)


def _show(found: Findings) -> None:
    people = several(found.people, "person", "people")
    show.line(f"{several(found.rows, 'row')} of {people}, {several(found.queries, 'different query', 'different queries')}")
    heads = ("people of a query", "queries", "rows")
    bands = [(_band(low, high), queries, rows) for low, high, queries, rows in found.bands]
    show.out().print(show.table(None, heads, bands, right=heads[1:]))
    show.line(f"rare, fewer than {found.threshold} people: {found.rare:,} queries, {found.rare_rows:,} rows")
    if found.kinds:
        show.line("rare queries that look like something:")
        show.out().print(show.rows(found.table()))
    show.line(
        f"people with a query that nobody else has: {found.unique_people:,}; with findings of two kinds: {found.several_kinds:,}"
    )
    if found.scores:
        columns = ("planted", "queries", "rare", "of a kind")
        show.line("against the truth:")
        show.out().print(show.table(None, columns, found.scores, right=columns[1:]))
    if found.file is not None:
        show.amber(f"wrote {found.file}: it names people and queries, and is for you alone")


def _band(low: int, high: int | None) -> str:
    return str(low) if low == high else f"{low} or more" if high is None else f"{low} to {high}"

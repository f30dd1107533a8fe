"""`sfumato reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options, show
from sfumato.errors import UsageError, argument, several

if TYPE_CHECKING:
    from sfumato_studies.run import Reproduction

_UNEXPLAINED = 1


def reproduce(
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="An exhibit, as in leakage-fig-2 or thesis-example-8 (repeatable).", show_default="all"),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All exhibits; the same as neither this nor --only.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The folder to write to.", show_default=False)] = None,
    png: Annotated[bool, typer.Option("--png", help="Draw the figures as PNG too.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="Only list the exhibits and all their names.")] = False,
    force: options.Force = False,
    json: options.Json = False,
) -> None:
    """Reproduce the tables and figures of the sources from bundled data and a generated log: their printed values beside ours.

    Writes every figure as SVG, summary.md and summary.json. Exit 1 if a value differs without an explanation.

    Example: `sfumato reproduce --only leakage-fig-2 --only thesis-example-8 -o out/`
    """
    if everything and only:
        raise UsageError(f"is everything; leave it or {argument('only')} out", where=argument("all"))
    if listed:
        _list(only or [], json=json)
        return
    from sfumato_studies.run import reproduce as make
    from sfumato_studies.run import require_place, write

    if output is None and not json:
        raise UsageError("name the folder to write to, as in -o out/, or ask for --list or --json", where=argument("output"))
    if output is not None:
        require_place(output, force)
    with show.watching() as watch:
        watch("reproducing", None)
        result = make(only or [], progress=show.progress(watch, "reproducing"))
        written = write(result, output, force=force, png=png) if output is not None else []
    if json:
        show.emit({**result.as_dict(), "written": [str(path) for path in written]})
    else:
        _print(result, written)
    if result.unexplained:
        raise typer.Exit(_UNEXPLAINED)


def _list(only: list[str], *, json: bool) -> None:
    from sfumato_studies.registry import chosen

    entries = chosen(only)
    if json:
        records = [
            {"name": entry.name, "also": list(entry.also), "source": entry.source, "title": entry.title} for entry in entries
        ]
        show.emit({"exhibits": records})
        return
    rows = [[entry.name, ", ".join(entry.also), entry.title] for entry in entries]
    show.out().print(show.table(None, ["exhibit", "also known as", "what it shows"], rows))


def _print(result: Reproduction, written: list[Path]) -> None:
    """A line per exhibit, the differences and their reasons, and the counts."""
    console = show.out()
    numbers = ["values", "agree", "differ"]
    rows = [
        [each.name, len(each.rows), sum(row.agrees for row in each.rows), sum(not row.agrees for row in each.rows)]
        for each in result.exhibits
    ]
    console.print(show.table(None, ["exhibit", *numbers], rows, right=numbers))
    differing = [[row.where, row.what, row.printed, row.ours, row.reason] for row in result.values if not row.agrees]
    if differing:
        console.print(show.table("what differs", ["where", "value", "printed", "ours"], [row[:4] for row in differing]))
        for reason in dict.fromkeys(row[4] for row in differing):
            console.print(f"- {reason}", soft_wrap=True)
    if written:
        figures = sum(path.suffix != ".md" and path.suffix != ".json" for path in written)
        console.print(f"wrote summary.md, summary.json and {several(figures, 'figure')} to {written[0].parent}", soft_wrap=True)
    console.print(result.counts(), soft_wrap=True)

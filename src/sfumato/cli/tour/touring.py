"""`sfumato demo --all`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from sfumato.cli import show
from sfumato.cli.tour.page import page
from sfumato.cli.tour.running import Visited, visit
from sfumato.cli.tour.stops import STOPS
from sfumato.errors import OutputError, several

PAGE = "tour.html"
_FAILED = 1


def tour(folder: Path, json: bool) -> None:
    """Visit all stops and write the page. Exit 1 if a command failed."""
    from sfumato.commit.places import made_folder
    from sfumato.commit.writing import write_text

    if any(made_folder(folder).iterdir()):
        raise OutputError("is not empty; a tour begins in a new folder: name one with --output", where=str(folder))
    visited = []
    with show.watching() as watch:
        for each in visit(STOPS, folder, lambda step, engine: watch(step, engine)):
            visited.append(each)
            if not json:
                show.line(_line(len(visited), each))
    write_text(folder / PAGE, page(visited, folder), force=True)
    if json:
        show.emit(_record(visited, folder))
    else:
        show.line("")
        show.line(_end(visited, folder))
    if any(each.failed for each in visited):
        raise typer.Exit(_FAILED)


def _line(place: int, visited: Visited) -> str:
    if visited.left_out:
        return f"– {place:2} of {len(STOPS)}  {visited.stop.title}: left out, {visited.left_out}"
    sign = "✗" if visited.failed else "✓"
    last = f": 'sfumato {visited.ran[-1].command.line}' failed" if visited.failed else ""
    return f"{sign} {place:2} of {len(STOPS)}  {visited.stop.title}{last} ({visited.seconds:.1f} s)"


def _end(visited: list[Visited], folder: Path) -> str:
    ran = [each for each in visited if each.left_out is None]
    seconds = sum(each.seconds for each in ran)
    return f"{several(len(ran), 'stop')} in {seconds:.0f} seconds. Open {folder / PAGE} for pictures, and all that was made."


def _record(visited: list[Visited], folder: Path) -> dict[str, Any]:
    stops = [
        {
            "title": each.stop.title,
            "commands": [{"line": f"sfumato {ran.command.line}", "expected": ran.expected} for ran in each.ran],
            "seconds": round(each.seconds, 3),
            "left_out": each.left_out,
        }
        for each in visited
    ]
    return {"stops": stops, "failed": sum(each.failed for each in visited), "page": str(folder / PAGE)}

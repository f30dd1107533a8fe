"""What the commands print: tables and short lines for people, one JSON object for machines, progress on standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from sfumato.engines.base import Engine

SCHEMA_VERSION = 1
MOST_CLASSES = 50
WIDE = 140


def out() -> Console:
    """Standard output. Labels such as `[20, 30)` are text, not markup; in a file or pipe there is room for wide tables."""
    roomy = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(markup=False, highlight=False, width=WIDE if roomy else None)


def emit(told: dict[str, Any]) -> None:
    """One JSON object on standard output."""
    json.dump({"schema_version": SCHEMA_VERSION, **told}, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def table(title: str | None, heads: Sequence[str], rows: Sequence[Sequence[object]], *, right: Sequence[str] = ()) -> Table:
    """A table for people; the columns in `right` hold numbers."""
    made = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    for head in heads:
        made.add_column(head, justify="right" if head in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(f"{cell:,}" if isinstance(cell, int) else "–" if cell is None else str(cell) for cell in row))
    return made


@contextmanager
def watching() -> Iterator[Callable[[str, Engine | None], None]]:
    """Show the step that runs and how far it is, if a person is looking."""
    if not sys.stderr.isatty():
        yield lambda step, engine: None
        return
    from sfumato.cli.progress import EngineProgress

    with EngineProgress() as progress:
        yield progress.watch

"""What the commands print: tables and short lines for people, one JSON object for machines, progress on standard error."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from sfumato.engines.base import Engine
    from sfumato.results import Rows

SCHEMA_VERSION = 1
MOST_CLASSES = 50
MANY = 10_000
WIDE = 140


def out() -> Console:
    """Standard output. Labels such as `[20, 30)` are text, not markup; in a file or pipe there is room for wide tables."""
    roomy = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(markup=False, highlight=False, width=WIDE if roomy else None)


def line(text: str) -> None:
    """One line for people, however long."""
    out().print(text, soft_wrap=True)


def emit(told: dict[str, Any]) -> None:
    """One JSON object on standard output; an infinite number is null, for JSON has none."""
    plain = (sys.stdout.encoding or "ascii").lower().replace("-", "") != "utf8"
    text = json.dumps(_finite({"schema_version": SCHEMA_VERSION, **told}), indent=2, ensure_ascii=plain, allow_nan=False)
    sys.stdout.write(text + "\n")


def _finite(told: Any) -> Any:
    if isinstance(told, dict):
        return {name: _finite(value) for name, value in told.items()}
    if isinstance(told, list | tuple):
        return [_finite(value) for value in told]
    return None if isinstance(told, float) and not math.isfinite(told) else told


def table(title: str | None, heads: Sequence[str], rows: Sequence[Sequence[object]], *, right: Sequence[str] = ()) -> Table:
    """A table for people; the columns in `right` hold numbers."""
    made = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    for head in heads:
        made.add_column(head, justify="right" if head in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(cell(each) for each in row))
    return made


def cell(value: object) -> str:
    """Counts with commas, other numbers with four digits."""
    if value is None:
        return "–"
    if isinstance(value, float):
        if not math.isfinite(value):
            return "infinite"
        return f"{value:,.0f}" if abs(value) >= MANY else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def rows(found: Rows, *, title: str | None = None, most: int | None = None) -> Table:
    """A result's table for people: numbers to the right."""
    shown = found.rows if most is None else found.rows[:most]
    numeric = [head for place, head in enumerate(found.heads) if any(isinstance(row[place], int | float) for row in shown)]
    return table(title, found.heads, shown, right=numeric)


@contextmanager
def watching() -> Iterator[Callable[[str, Engine | None], None]]:
    """Show the step that runs and how far it is, if a person is looking."""
    if not sys.stderr.isatty():
        yield lambda step, engine: None
        return
    from sfumato.cli.progress import EngineProgress

    with EngineProgress() as progress:
        yield progress.watch


def progress(watch: Callable[[str, Any], None], step: str) -> Callable[[int, int], None] | None:
    """How far a search is, for the bar; nothing to tell where nobody looks."""
    if not sys.stderr.isatty():
        return None

    class Search:
        """What the bar asks, like an engine."""

        share: float | None = None

        def progress(self) -> float | None:
            return self.share

    search = Search()

    def tell(done: int, total: int) -> None:
        if search.share is None:
            watch(step, search)
        search.share = done / total

    return tell

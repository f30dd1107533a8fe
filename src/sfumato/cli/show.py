"""The output of the commands: tables and short lines, one JSON object, progress on standard error.

What is printed for people goes through `visible`: names and labels come from files, and a terminal would obey their control characters.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from sfumato.errors import visible

if TYPE_CHECKING:
    from sfumato.engines.base import Engine
    from sfumato.models import Verdict
    from sfumato.results import Rows

SCHEMA_VERSION = 1
MOST_CLASSES = 50
MANY = 10_000
WIDE = 140


class _Console(Console):
    """A console that shows control characters instead of sending them."""

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*(visible(each) if isinstance(each, str) else each for each in objects), **options)


def out() -> Console:
    """Standard output. Labels such as `[20, 30)` or `a:b:c` are text, neither markup nor emoji. In a file or pipe, tables may be wide."""
    roomy = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return _Console(markup=False, emoji=False, highlight=False, width=WIDE if roomy else None)


def line(text: str) -> None:
    """Print one line, however long."""
    out().print(text, soft_wrap=True)


def amber(text: str) -> None:
    """Print one line that deserves a second look."""
    out().print(Text(visible(text), style="yellow"), soft_wrap=True)


def warning(text: str) -> None:
    """Print one line on standard error that deserves a second look."""
    console = _Console(file=sys.stderr, markup=False, emoji=False, highlight=False)
    console.print(Text(visible(f"sfumato: warning: {text}"), style="yellow"), soft_wrap=True)


def if_incomplete(complete: bool) -> None:
    """Say that a search ended before every node was evaluated."""
    if not complete:
        amber("it ended before every node was evaluated: there may be better ones")


def emit(record: dict[str, Any]) -> None:
    """Print one JSON object. JSON has no infinity, so infinite numbers become null."""
    plain = (sys.stdout.encoding or "ascii").lower().replace("-", "") != "utf8"
    text = json.dumps(_finite({"schema_version": SCHEMA_VERSION, **record}), indent=2, ensure_ascii=plain, allow_nan=False)
    sys.stdout.write(text + "\n" if text.isascii() else "".join(map(_safe, text)) + "\n")


def _safe(character: str) -> str:
    """A character of JSON text, which escapes the control characters of ASCII by itself and not the others."""
    return character if character.isascii() or visible(character) == character else json.dumps(character)[1:-1]


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table(title: str | None, heads: Sequence[str], rows: Sequence[Sequence[object]], *, right: Sequence[str] = ()) -> Table:
    """A table; the columns in `right` are aligned right."""
    result = Table(title=title and visible(title), title_justify="left", title_style="bold", header_style="bold")
    for head in heads:
        result.add_column(visible(head), justify="right" if head in right else "left", overflow="fold")
    for row in rows:
        result.add_row(*(cell(each) for each in row))
    return result


def verdict_lines(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """What each model says of a written file; about which sensitive attribute, where there are several."""
    several = len({each.sensitive for each in verdicts if each.sensitive}) > 1
    for each in verdicts:
        about = f" of {each.sensitive}" if several and each.sensitive else ""
        sign = "≥" if each.direction == "at_least" else "≤"
        value = each.reason if each.value is None else f"{cell(each.value)} {sign} {cell(each.threshold)}"
        yield f"{each.model}{about}: {value}, judged on the written file"


def fits(table: Table) -> bool:
    """Whether a table can be shown without breaking words."""
    console = out()
    return Measurement.get(console, console.options.update(width=sys.maxsize), table).maximum <= console.width


def unbroken(table: Table) -> Table:
    """A table that has less room between columns where it must, then breaks the first column, and never a figure."""
    for column in table.columns[1:]:
        column.no_wrap = True
    if not fits(table):
        table.collapse_padding, table.pad_edge, table.show_edge = True, False, False
    return table


def cell(value: object) -> str:
    """Counts with commas, other numbers with four digits."""
    if value is None:
        return "–"
    if isinstance(value, float):
        if not math.isfinite(value):
            return "infinite"
        return f"{value:,.0f}" if abs(value) >= MANY else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else visible(str(value))


def rows(result: Rows, *, title: str | None = None, most: int | None = None) -> Table:
    """The table of a result, with numbers aligned right."""
    shown = result.rows if most is None else result.rows[:most]
    numeric = [head for place, head in enumerate(result.heads) if any(isinstance(row[place], int | float) for row in shown)]
    return table(title, result.heads, shown, right=numeric)


@contextmanager
def watching() -> Iterator[Callable[[str, Engine | None], None]]:
    """Show the current step and its progress if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda step, engine: None
        return
    from sfumato.cli.progress import EngineProgress

    with EngineProgress() as progress:
        yield progress.watch


def progress(watch: Callable[[str, Any], None], step: str) -> Callable[[int, int], None] | None:
    """The progress of a search, for the bar; None if standard error is not a terminal."""
    if not sys.stderr.isatty():
        return None

    class Search:
        """The bar reads the progress from this object as from an engine."""

        share: float | None = None

        def progress(self) -> float | None:
            return self.share

    search = Search()

    def update(done: int, total: int) -> None:
        if search.share is None:
            watch(step, search)
        search.share = done / total

    return update

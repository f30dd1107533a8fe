"""The tables of docs/growth.md, from what `growth_rows.py` has measured: what was seen, and what follows for more rows.

What reads or writes rows (count, publish, verify) is taken to grow as between the two largest tables that were measured. The search
works on the cells of one machine and is taken to grow by the power that it had between these two. What is left, starting and ending, is
taken to stay as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
BY_ROWS = ("count", "publish", "verify")
WANTED = {"the thesis's log": 700_000_000, "ten billion": 10_000_000_000}
CORES = 2  # of the machine that measures
EFFICIENCY = 0.7  # of further cores: what a cluster loses by shuffling, waiting and stragglers
HOUR = 3600


def tables(found: Sequence[Row]) -> dict[str, str]:
    """Markdown by file name."""
    return {"growth-rows.md": _measured(found), "growth-beyond.md": _beyond(found)}


def write(found: Sequence[Row], folder: Path) -> None:
    """Both tables, to be included by the page."""
    for name, text in tables(found).items():
        (folder / name).write_text(text, encoding="utf-8")
        print(f"wrote {folder / name}")


def _measured(found: Iterable[Row]) -> str:
    heads = ("rows", "engine", "count", "search", "publish", "verify", "in all", "× plain COPY", "memory", "source", "release")
    lines = []
    for row in found:
        copied = f"{row['publish'] / row['copy']:.1f}" if "copy" in row else ""
        seconds = [f"{row[step]:,.1f} s" for step in ("count", "search", "publish", "verify")]
        sizes = [_bytes(row[name]) for name in ("peak_bytes", "source_bytes", "release_bytes")]
        lines.append((f"{row['rows']:,}", row["engine"], *seconds, f"{_whole(row):,.1f} s", copied, *sizes))
    return _table(heads, lines)


def _beyond(found: Sequence[Row]) -> str:
    heads = ("rows", "engine", "count", "search", "publish", "verify", f"in all, on {CORES} cores", "cores for an hour")
    lines = []
    for engine in dict.fromkeys(row["engine"] for row in found):
        known = sorted((row for row in found if row["engine"] == engine), key=lambda row: int(row["rows"]))[-2:]
        if len(known) < 2:
            continue
        for name, rows in WANTED.items():
            steps = extrapolated(known, rows)
            spans = [_span(steps[step]) for step in ("count", "search", "publish", "verify")]
            # One machine has the cores it has: only Spark takes more of them.
            cores = "" if engine == "duckdb" else _cores(steps)
            lines.append((f"{rows:,} ({name})", engine, *spans, _span(sum(steps.values())), cores))
    return _table(heads, lines)


def extrapolated(known: Sequence[Row], rows: int) -> Row:
    """Seconds of every step for more rows, from two measurements, the smaller first.

    >>> few = {"rows": 10, "count": 1, "publish": 2, "verify": 1, "search": 1, "seconds": 5}
    >>> many = {"rows": 20, "count": 2, "publish": 4, "verify": 1, "search": 2, "seconds": 9}
    >>> extrapolated([few, many], 40)
    {'count': 4.0, 'publish': 8.0, 'verify': 1.0, 'search': 4.0, 'rest': 1}
    """
    few, many = known
    steps = {}
    for step in BY_ROWS:
        slope = max(many[step] - few[step], 0) / (many["rows"] - few["rows"])
        steps[step] = many[step] + slope * (rows - many["rows"])
    power = math.log(many["search"] / few["search"]) / math.log(many["rows"] / few["rows"])
    steps["search"] = many["search"] * (rows / many["rows"]) ** max(power, 0)
    steps["rest"] = max(many["seconds"] - many["count"] - many["search"] - many["publish"], 0)
    return steps


def _cores(steps: Row) -> str:
    """How many cores finish within an hour, if the steps over rows are divided among them and the rest is not."""
    left = HOUR - steps["search"] - steps["rest"]
    if left <= 0:
        return "no number"
    work = sum(steps[step] for step in BY_ROWS) * CORES
    return f"{max(CORES, math.ceil(work / left / EFFICIENCY)):,}"


def _whole(row: Row) -> float:
    return float(row["seconds"] + row["verify"])


def _span(seconds: float) -> str:
    if seconds < 600:
        return f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 3 * HOUR else f"{seconds / HOUR:,.1f} h"


def _bytes(count: int) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:,.0f} MB"


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [heads, ["---"] * len(heads), *lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)

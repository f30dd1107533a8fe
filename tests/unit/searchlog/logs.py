"""Small logs for tests, and a plain publisher that looks at one row after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from sfumato.searchlog.log import LOG

BEGIN = datetime(2026, 3, 2)
Row = tuple[str, str, datetime, int | None, str | None]


def at(minutes: float) -> datetime:
    return BEGIN + timedelta(minutes=minutes)


def searched(user: str, query: str, minutes: float, rank: int | None = None, url: str | None = None) -> Row:
    return user, query, at(minutes), rank, url


def table_of(rows: Sequence[Row]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(LOG.names, row, strict=True)) for row in rows], schema=LOG)


def write(path: Path, rows: Sequence[Row]) -> Path:
    pq.write_table(table_of(rows), path)
    return path


@st.composite
def logs(draw: st.DrawFn) -> list[Row]:
    """Few people, few queries, times within some days, so that thresholds, sessions and periods all matter."""
    one = st.tuples(
        st.sampled_from("abcde"),
        st.sampled_from(["tax", "mail", "news", "a very rare one", "o'hara 70%"]),
        st.integers(0, 6_000),
        st.sampled_from([None, 1, 2]),
        st.sampled_from(["x.example", "y.example", "z.example"]),
    )
    rows = draw(st.lists(one, min_size=1, max_size=40))
    return [searched(user, query, minutes, rank, url if rank else None) for user, query, minutes, rank, url in rows]


def plainly_published(
    rows: Sequence[Row], *, threshold: int, sessions: int | None, bundle: int | None, urls: bool, periods: Sequence[datetime] = ()
) -> set[tuple[str, tuple[Any, ...]]]:
    """The bundles of a release with whole hours, each with the person whose it is. What is asked is looked up row by row."""
    kept = [(row, _period(row[2], periods)) for row in rows]
    kept = [(row, period) for row, period in kept if period]
    kept = [(row, period) for row, period in kept if _people(kept, period, 1, row[1]) >= threshold]
    shown = [
        (row if row[4] and urls and _people(kept, period, 4, row[4]) >= threshold else (*row[:3], None, None), period)
        for row, period in kept
    ]
    whose: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row, period in shown:
        whose[row[0], period].append(row)
    return {(user, each) for (user, period), own in whose.items() for each in _bundles(own, period, sessions, bundle)}


def _period(time: datetime, bounds: Sequence[datetime]) -> int:
    if not bounds:
        return 1
    return next((place for place in range(1, len(bounds)) if bounds[place - 1] <= time < bounds[place]), 0)


def _people(rows: Any, period: int, column: int, value: str) -> int:
    return len({row[0] for row, when in rows if when == period and row[column] == value})


def _bundles(own: list[Row], period: int, sessions: int | None, bundle: int | None) -> list[tuple[Any, ...]]:
    ordered = sorted(own, key=lambda row: (row[2], row[1], row[4] or "", row[3] or 0))
    parts: list[list[Row]] = []
    for place, row in enumerate(ordered):
        new = place == 0 or (sessions is not None and row[2] > ordered[place - 1][2] + timedelta(seconds=sessions))
        if new or (bundle is not None and len(parts[-1]) == bundle):
            parts.append([])
        parts[-1].append(row)
    hours = [[(row[1], row[2].replace(minute=0), row[3], row[4]) for row in part] for part in parts]
    return [(period, number, *sorted(part, key=str)) for number, part in enumerate(hours)]

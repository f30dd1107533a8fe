"""Opening a table of events; refuses one that lacks a column, has one of another type, has no row, or holds the truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import sfumato as sf
from sfumato.applications.ato.events import EVENTS, OPERATIONS, TRUTH
from sfumato.commit.call import one_call
from sfumato.errors import DataError, argument, several

FILE = "events.parquet"  # in a folder that `generate` has written
_OLD, _NEW = "[0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}[.][0-9]{1,3}", "[0-9a-f]*:[0-9a-f:]*:[0-9a-f]*"  # the two kinds of addresses


def file_of(logs: Any) -> Any:
    """The events in a folder of `generate`; anything else as it is."""
    if isinstance(logs, str | PathLike) and (Path(logs) / FILE).is_file():
        return str(Path(logs) / FILE)
    return logs


@contextmanager
def opened_events(logs: Any, options: Mapping[str, Any]) -> Iterator[sf.Queries]:
    """The events, as the table `events` of plain SQL."""
    with one_call(), sf.Queries(file_of(logs), "events", **options) as queries:
        _require_columns(queries)
        _require_sound(queries)
        yield queries


def _require_columns(queries: sf.Queries) -> None:
    where, kinds = queries.source.name, {name: str(kind.value) for name, kind in queries.columns.items()}
    truth = [name for name in TRUTH.names if name in kinds and name not in EVENTS.names]
    if truth:
        raise DataError(f"holds the truth (column {truth[0]!r}), which only scores may read; name the events", where=where)
    missing = [name for name in EVENTS.names if name not in kinds]
    if missing:
        raise DataError(
            f"no table of sign-in events: no column {', '.join(map(repr, missing))}; 'sfumato ato import' makes one from a log",
            where=where,
        )
    for name, kind in kinds.items():
        expected = "timestamp" if name == "CreationTime" else "text"
        if name in EVENTS.names and kind != expected:
            raise DataError(f"is of type {kind}, not {expected}; 'sfumato ato import' makes it so", where=f"column {name!r}")


def _require_sound(queries: sf.Queries) -> None:
    """What SQL would silently leave out or misread: missing values, unknown operations, addresses that are not in canonical form."""
    required = [field.name for field in EVENTS if not field.nullable]
    known = ", ".join(f"'{each}'" for each in OPERATIONS)
    odd = f"regexp_replace(ClientIP, '^({_OLD}|{_NEW})$', '') <> ''"
    tests = [f"{name} IS NULL" for name in required] + [f"Operation NOT IN ({known})", odd]
    counts = ", ".join(f"count(CASE WHEN {test} THEN 1 END) AS n{place}" for place, test in enumerate(tests))
    row = next(iter(queries.batches(f"SELECT count(*) AS n, {counts} FROM events"))).to_pylist()[0]
    if row["n"] == 0:
        raise DataError("no event in it; is it the right file?", where=queries.source.name)
    for place, name in enumerate([*required, "Operation", "ClientIP"]):
        if row[f"n{place}"]:
            kind = "a missing value" if place < len(required) else "a value that is not as the table of events has it"
            raise DataError(
                f"{several(row[f'n{place}'], 'row')} with {kind}; 'sfumato ato import' with {argument('format', 'columns')} sets such "
                "rows aside",
                where=f"column {name!r}",
            )


def each_once(queries: sf.Queries) -> tuple[str, int]:
    """The table in which every event is once, and how many were doubled. Logs that were imported one by one may share events."""
    count = "SELECT count(*) AS Ids, CAST(sum(n) AS BIGINT) AS Rows FROM (SELECT Id, count(*) AS n FROM events GROUP BY Id) AS each_one"
    row = next(iter(queries.batches(count))).to_pylist()[0]
    doubled = int(row["Rows"]) - int(row["Ids"])
    if not doubled:
        return "events", 0
    order = ", ".join(f"coalesce({name}, '')" if name != "CreationTime" else name for name in EVENTS.names[1:])
    names = ", ".join(EVENTS.names)
    turns = f"SELECT {names}, row_number() OVER (PARTITION BY Id ORDER BY CreationTime, {order}) AS Turn FROM events"
    queries.keep("once", f"SELECT {names} FROM ({turns}) AS turns WHERE Turn = 1")
    return "once", doubled

"""`ato features`: from events to a table of features per level, as files that take their places together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

import sfumato as sf
from sfumato.applications.ato.events import FEATURES, LEVELS
from sfumato.applications.ato.features.sql import keyed, logins, meetings, of_keys, of_logins
from sfumato.applications.ato.files import write_rows
from sfumato.applications.ato.opening import each_once, opened_events
from sfumato.commit.writing import written_together
from sfumato.errors import UsageError, argument, unknown

Watch = Callable[[str, Any], None]
LOGINS = pa.schema([pa.field("Id", pa.string(), nullable=False), *FEATURES])


@dataclass(frozen=True, slots=True)
class Features:
    """The files, by level, and how many rows each has; how many doubled events were counted once; `online` says that a row is a login,
    and counts what was before it."""

    files: Mapping[str, Path]
    rows: Mapping[str, int]
    doubled: int
    online: bool

    def as_dict(self) -> dict[str, Any]:
        levels = {level: {"file": str(path), "rows": self.rows[level]} for level, path in self.files.items()}
        return {"online": self.online, "doubled": self.doubled, "levels": levels}


def features(
    logs: Any,
    output: str | PathLike[str],
    *,
    levels: Sequence[str] = tuple(LEVELS),
    online: bool = False,
    force: bool = False,
    watch: Watch | None = None,
    **options: Any,
) -> Features:
    """Write the features of every address, subnet and country, or of every login from what was before it.

    Parameters
    ----------
    logs : path, frame or Arrow table
        The events; also a folder that `generate` has written.
    output : path
        The folder for `features-ip.parquet`, `features-subnet.parquet` and `features-country.parquet` (online: `logins-ip.parquet`, …).
    levels : list of str
        Which of `ip`, `subnet` and `country`.
    online : bool
        One row per login, whose counts are of strictly earlier events at its key.
    force : bool
        Replace what is there.
    watch : function, optional
        Called with each step and the engine.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.
    """
    for level in levels:
        if level not in LEVELS:
            raise UsageError(unknown("level", level, LEVELS, within="this version"), where=argument("levels"))
    if not levels:
        raise UsageError("names no level; ip,subnet,country would work", where=argument("levels"))
    watching = watch or (lambda step, engine: None)
    stem, schema = ("logins", LOGINS) if online else ("features", FEATURES)
    folder, rows = Path(output), {}
    names = tuple(f"{stem}-{level}.parquet" for level in levels)
    with opened_events(logs, options) as events, written_together(folder, names, force=force) as hidden:
        watching("looking for doubled events", events.engine)
        table, doubled = each_once(events)
        if not online:
            watching("counting who met whom", events.engine)
            events.keep("meetings", meetings(table))
        for level, path in zip(levels, hidden, strict=True):
            watching(f"features by {level}", events.engine)
            rows[level] = write_rows(path, schema, _asked(events, table, level, online=online))
    return Features({level: folder / name for level, name in zip(levels, names, strict=True)}, rows, doubled, online)


def _asked(events: sf.Queries, table: str, level: str, *, online: bool) -> Iterator[pa.RecordBatch]:
    """The features of a level. What they are made from is kept meanwhile: to plan a query that says it several times takes seconds."""
    name, made, query = ("logins", logins(level, table), of_logins()) if online else ("keyed", keyed(level), of_keys())
    events.keep(name, made)
    yield from events.batches(query)
    events.drop(name)

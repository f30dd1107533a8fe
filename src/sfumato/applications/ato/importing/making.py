"""`ato import`: records become rows, in pieces; then an engine removes doubled events and puts all in the order of time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

import sfumato as sf
from sfumato.applications.ato.events import EVENTS
from sfumato.applications.ato.features.making import Watch
from sfumato.applications.ato.files import write_rows
from sfumato.applications.ato.importing.columns import mapping_of, reader
from sfumato.applications.ato.importing.formats import FORMATS
from sfumato.applications.ato.importing.records import files_of, records
from sfumato.applications.ato.importing.rows import NO_OUTCOME, NO_TIME, Aside, Row, Said
from sfumato.commit.call import note_inputs, one_call
from sfumato.commit.writing import written_together
from sfumato.errors import DataError, UsageError, argument, several, unknown
from sfumato.temporary import TemporaryFolder

COLUMNS = "columns"
_BATCH = 1 << 16
_PLACED = EVENTS.append(pa.field("Place", pa.int64()))
_FIRSTS = (
    f"SELECT {', '.join(EVENTS.names)} FROM (SELECT *, row_number() OVER (PARTITION BY Id ORDER BY Place) AS Turn FROM parsed) AS turns "
    "WHERE Turn = 1 ORDER BY CreationTime, Id"
)


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the records: every one is an event, doubled, ignored as no sign-in, or set aside for a reason."""

    file: Path
    aside: Path
    records: int
    events: int
    doubled: int
    ignored: Mapping[str, int]
    rejected: Mapping[str, int]
    no_country: int
    no_agent: int

    def as_dict(self) -> dict[str, Any]:
        counts = {name: getattr(self, name) for name in self.__slots__}
        return {**counts, "file": str(self.file), "aside": str(self.aside)}


class _Sorting:
    """Sorts records into rows and those set aside, and counts both."""

    def __init__(self, aside: IO[str], now: datetime) -> None:
        self._aside, self._now = aside, now
        self.records = 0
        self.ignored: Counter[str] = Counter()
        self.rejected: Counter[str] = Counter()

    def row(self, said: Said | Aside, where: Mapping[str, Any], text: Any) -> Row | None:
        self.records += 1
        found = said if isinstance(said, Aside) else said.row(self._now)
        if not isinstance(found, Aside):
            return found
        (self.ignored if found.ignored else self.rejected)[found.reason] += 1
        if not found.ignored:
            kept = text.decode(errors="replace") if isinstance(text, bytes) else text
            self._aside.write(json.dumps({**where, "reason": found.reason, "record": kept}, default=str) + "\n")
        return None


def import_logs(
    logs: str | PathLike[str] | Sequence[str | PathLike[str]],
    output: str | PathLike[str],
    *,
    format: str,  # noqa: A002  the word of the command
    columns: Mapping[str, str] | str | None = None,
    now: datetime | None = None,
    force: bool = False,
    watch: Watch | None = None,
    **options: Any,
) -> Imported:
    """Make a table of events from a log.

    Parameters
    ----------
    logs : path, or list of paths
        Files or folders; events may be late, and doubled among all of them.
    output : path
        The Parquet file of events. Beside it, `NAME.aside.jsonl` has what could not be read, with reasons.
    format : str
        `o365`, `entra`, `okta` (JSON lines or one list), or `columns` (any table).
    columns : dict or str, optional
        For `columns`: which column is what.
    now : datetime, optional
        Events later than a day after it are set aside. The present if None.
    force : bool
        Replace what is there.
    watch : function, optional
        Called with each step and the engine.
    **options
        Those of a `Source`: `engine`, `memory`, `temp`, …; for `columns` also how a CSV file is read.
    """
    if format not in (*FORMATS, COLUMNS):
        raise UsageError(unknown("format", format, (*FORMATS, COLUMNS), within="this version"), where=argument("format"))
    for name in ("columns", *_WRITTEN):
        if format != COLUMNS and (columns if name == "columns" else options.get(name)) is not None:
            raise UsageError(f"only {argument('format', COLUMNS)} has this; leave it out", where=argument(name))
    paths = [Path(each) for each in ([logs] if isinstance(logs, str | PathLike) else logs)]
    mapping = mapping_of(columns) if format == COLUMNS else {}
    file = Path(output)
    if file.suffix != ".parquet":
        raise UsageError("events are written as Parquet; name a file that ends in .parquet", where=argument("output"))
    names = (file.name, f"{file.stem}.aside.jsonl")
    watching, today = watch or (lambda step, engine: None), now or datetime.now(UTC).replace(tzinfo=None)
    with (
        one_call(),
        written_together(file.parent, names, force=force) as (hidden, aside),
        TemporaryFolder(options.get("temp")) as spill,
    ):
        with aside.open("w", encoding="utf-8") as opened:
            sorting = _Sorting(opened, today)
            watching("reading", None)
            rows = _of_columns(paths, mapping, options, sorting) if mapping else _of_json(paths, format, sorting)
            parsed = write_rows(spill / "parsed.parquet", _PLACED, _batches(rows))
        without: Counter[str] = Counter()
        _require_events(parsed, sorting, paths, format)
        plain = {name: value for name, value in options.items() if name in _RUNNING}
        with sf.Queries(spill / "parsed.parquet", "parsed", **plain) as queries:
            watching("removing doubled events", queries.engine)
            events = write_rows(hidden, EVENTS, _counted(queries.batches(_FIRSTS), without))
    counts = (dict(sorting.ignored), dict(sorting.rejected), without["Country"], without["UserAgent"])
    return Imported(file, file.parent / names[1], sorting.records, events, parsed - events, *counts)


def _counted(batches: Iterator[pa.RecordBatch], without: Counter[str]) -> Iterator[pa.RecordBatch]:
    """The batches; counts on the way how many events lack a country and a user agent."""
    for batch in batches:
        for name in ("Country", "UserAgent"):
            without[name] += batch.column(name).null_count
        yield batch


_RUNNING = ("engine", "memory", "threads", "temp", "master", "conf")
_WRITTEN = ("encoding", "delimiter", "header", "decimal", "thousands", "dates", "sheet", "table", "query")


def _of_json(paths: Sequence[Path], name: str, sorting: _Sorting) -> Iterator[Row]:
    read, files = FORMATS[name], files_of(paths)
    note_inputs(files)
    for path in files:
        for record in records(path):
            event = record.value if isinstance(record.value, Aside) else read(record.value)
            row = sorting.row(event, {"file": record.file, record.unit: record.number}, record.text)
            if row is not None:
                yield row


def _of_columns(
    paths: Sequence[Path], mapping: Mapping[str, str], options: Mapping[str, Any], sorting: _Sorting
) -> Iterator[Row]:
    place = 0
    for path in paths:
        source = sf.Source(str(path), **options)
        days = source.dialect.days()
        read = reader(mapping, days.get(mapping["time"], days.get(None)))
        engine = source.open_engine()
        try:
            _require_columns(mapping, list(engine.kinds), source.name)
            for batch in engine.rows(list(dict.fromkeys(mapping.values()))):
                for values in batch.to_pylist():
                    place += 1
                    row = sorting.row(read(values, place), {"file": path.name, "row": place}, values)
                    if row is not None:
                        yield row
        finally:
            engine.close()


def _require_columns(mapping: Mapping[str, str], columns: Sequence[str], where: str) -> None:
    """The columns are not listed: in a table without a header their names are the values of its first row."""
    for column in mapping.values():
        if column not in columns:
            header = f"the first line of {where}, which names {several(len(columns), 'column')}"
            raise DataError(f"no column {column!r} in {header}; is it the header?", where=argument("columns"))


def _batches(rows: Iterator[Row]) -> Iterator[pa.RecordBatch]:
    waiting: list[Row] = []
    done = 0
    for row in rows:
        waiting.append(row)
        if len(waiting) == _BATCH:
            yield _batch(waiting, done)
            done += len(waiting)
            waiting = []
    if waiting:
        yield _batch(waiting, done)


def _batch(rows: Sequence[Row], first: int) -> pa.RecordBatch:
    columns = [pa.array(values, field.type) for values, field in zip(zip(*rows, strict=True), EVENTS, strict=True)]
    return pa.record_batch([*columns, pa.array(range(first, first + len(rows)), pa.int64())], schema=_PLACED)


def _require_events(parsed: int, sorting: _Sorting, paths: Sequence[Path], form: str) -> None:
    if parsed:
        return
    counts = (sorting.ignored + sorting.rejected).most_common()
    reasons = ", ".join(f"{reason}: {count:,}" for reason, count in counts)
    found = f"{several(sorting.records, 'record')} ({reasons})" if sorting.records else "nothing in it"
    where = str(paths[0]) if len(paths) == 1 else several(len(paths), "file")
    question = f"is {argument('format')} right?"
    hint = _HINTS.get(counts[0][0], question) if form == COLUMNS and counts else question
    raise DataError(f"no sign-in: {found}; {hint}", where=where)


_HINTS = {
    NO_TIME.reason: "2026-03-02T08:00:00Z or seconds since 1970 would work, and 3/2/2026 8:00 AM with "
    + argument("dates", "'mm/dd/yyyy'"),
    NO_OUTCOME.reason: "success and failure, true and false, or 1 and 0 would work",
}

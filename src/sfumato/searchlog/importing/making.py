"""`searchlog import`: rows are cleaned in batches; then an engine puts all in the order of people and times."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from sfumato.commit.call import note_inputs, one_call
from sfumato.commit.writing import written_together
from sfumato.errors import DataError, UsageError, argument, several
from sfumato.options import divided
from sfumato.searchlog.files import require_suffix, write_rows
from sfumato.searchlog.importing.cleaning import REASONS, Cleaned, cleaned
from sfumato.searchlog.importing.columns import AOL, COLUMNS, REQUIRED, YANDEX, mapping_of, present
from sfumato.searchlog.importing.layout import times_of
from sfumato.searchlog.importing.mending import OTHER
from sfumato.searchlog.importing.texts import Readable, readable
from sfumato.searchlog.importing.yandex import rows_of
from sfumato.searchlog.log import LOG, Watch
from sfumato.table.queries import Queries
from sfumato.table.source import SOURCE_OPTIONS, Source
from sfumato.temporary import TemporaryFolder
from sfumato.vocabulary.kinds import Kind

_BATCH = 1 << 16
_ORDERED = "SELECT * FROM parsed ORDER BY UserId, Time, Query, coalesce(Rank, 0), coalesce(URL, '')"
_RUNNING = ("engine", "memory", "threads", "temp", "master", "conf")
_NUMBERS = ("decimal", "thousands")
_WRITTEN = ("encoding", "delimiter", "header", "dates", "sheet", "table", "query")


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of the records: every one is a row or set aside for a reason. `unordered` are rows that were earlier than the one before
    them, and are in order now; `unranked` those whose rank was none."""

    file: Path
    aside: Path
    records: int
    rows: int
    people: int
    unordered: int
    unranked: int
    rejected: Mapping[str, int]

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__} | {"file": str(self.file), "aside": str(self.aside)}


class _Sorting:
    """Sorts records into rows and those set aside, and counts."""

    def __init__(self, aside: IO[str]) -> None:
        self._aside = aside
        self.records = self.unranked = self.unordered = 0
        self.rejected: Counter[str] = Counter()
        self._last: tuple[Any, Any] = (None, None)

    def reject(self, where: Mapping[str, Any], reason: str, record: Any) -> None:
        self.rejected[reason] += 1
        self._aside.write(json.dumps({**where, "reason": reason, "record": record}, default=str) + "\n")

    def line(self, file: str, number: int, reason: str, line: bytes) -> None:
        """A line of a text that is no record."""
        self.records += 1
        self.reject({"file": file, "line": number}, reason, line.decode(errors="replace"))

    def rows(
        self, found: Cleaned, batch: pa.RecordBatch, file: str, place_of: Callable[[int], int], first: int
    ) -> pa.RecordBatch:
        """The rows of a batch, which comes after the `first` records of a file; `place_of` says where a record stood before some of them
        were set aside."""
        wrong = np.flatnonzero(found.reasons >= 0)
        for place, record in zip(wrong, batch.take(pa.array(wrong)).to_pylist(), strict=True):
            self.reject({"file": file, "row": place_of(first + int(place) + 1)}, REASONS[found.reasons[place]], record)
        self.records += batch.num_rows
        self.unranked += found.unranked
        self._order(found.rows)
        return found.rows

    def _order(self, rows: pa.RecordBatch) -> None:
        if not rows.num_rows:
            return
        users, times = rows.column("UserId"), rows.column("Time")
        same = np.asarray(users[1:].to_numpy(zero_copy_only=False) == users[:-1].to_numpy(zero_copy_only=False))
        moments = times.cast(pa.int64()).to_numpy()
        first = self._last[0] == users[0].as_py() and moments[0] < self._last[1]
        self.unordered += int((same & (np.diff(moments) < 0)).sum()) + int(first)
        self._last = users[-1].as_py(), moments[-1]


def import_log(
    log: str | PathLike[str] | Sequence[str | PathLike[str]],
    output: str | PathLike[str],
    *,
    format: str,  # noqa: A002  the word of the command
    columns: Mapping[str, str] | str | None = None,
    force: bool = False,
    watch: Watch | None = None,
    **options: Any,
) -> Imported:
    """Make a table of searches from a log.

    Parameters
    ----------
    log : path, or list of paths
        Files; rows may be in any order.
    output : path
        The Parquet file. Beside it, `NAME.aside.jsonl` has what could not be read, with reasons: it is for the owner alone.
    format : str
        `lecture`, `aol`, `yandex`, or `columns` (any table).
    columns : dict or str, optional
        For `columns`: which column is what.
    force : bool
        Replace what is there.
    watch : function, optional
        Called with each step and the engine.
    **options
        Those of a `Source`: `engine`, `memory`, `temp`, …; also how a CSV file is read, and how `dates` are written.
    """
    mapping = mapping_of(format, columns)
    _require_sound(options, format)
    paths = [Path(each) for each in ([log] if isinstance(log, str | PathLike) else log)]
    file, step = Path(output), watch or (lambda name, engine: None)
    require_suffix(file, ".parquet")
    names = (file.name, f"{file.stem}.aside.jsonl")
    plain = {name: value for name, value in options.items() if name in _RUNNING}
    with (
        one_call(),
        written_together(file.parent, names, force=force, private=names[1:]) as (hidden, aside),
        TemporaryFolder(options.get("temp")) as spill,
    ):
        with aside.open("w", encoding="utf-8") as opened:
            sorting = _Sorting(opened)
            step("reading", None)
            log_of = _Tables(mapping, format, options, spill, sorting)
            batches = _of_yandex(paths, sorting) if format == YANDEX else log_of.batches(paths)
            parsed = write_rows(spill / "parsed.parquet", LOG, batches)
        _require_rows(parsed, sorting, paths, format)
        with Queries(spill / "parsed.parquet", "parsed", **plain) as queries:
            step("putting rows in order", queries.engine)
            counted = next(iter(queries.batches("SELECT count(DISTINCT UserId) AS n FROM parsed"))).to_pylist()[0]["n"]
            rows = write_rows(hidden, LOG, queries.batches(_ORDERED))
    counts = sorting.records, rows, counted, sorting.unordered, sorting.unranked, dict(sorting.rejected)
    return Imported(file, file.parent / names[1], *counts)


def _require_sound(options: Mapping[str, Any], form: str) -> None:
    """Refuse options that nothing would come of."""
    divided(options, SOURCE_OPTIONS)
    given = [name for name, value in options.items() if value is not None]
    for name in given:
        if name in _NUMBERS:
            raise UsageError("the numbers of a log are whole, and written in one way; leave it out", where=argument(name))
        if name in _WRITTEN and form == YANDEX:
            raise UsageError("this layout is written in one way; leave it out", where=argument(name))
    Source("", **options).dialect.require_sound()


@dataclass(frozen=True, slots=True)
class _Tables:
    """Reads files that are tables: texts as they were meant, anything else as engines read it."""

    mapping: Mapping[str, str]
    form: str
    options: Mapping[str, Any]
    spill: Path
    sorting: _Sorting

    def batches(self, paths: Sequence[Path]) -> Iterator[pa.RecordBatch]:
        """The rows of all files."""
        for number, path in enumerate(paths):
            dialect = Source(str(path), **self.options).dialect
            reject = partial(self.sorting.line, path.name)
            # People of AOL typed the marks that are in its queries.
            text = readable(path, self.spill / str(number), self.mapping, dialect, reject, typed=self.form == AOL)
            yield from self._rows(path, text)

    def _rows(self, path: Path, text: Readable) -> Iterator[pa.RecordBatch]:
        source, records = Source(str(text.path), **{**self.options, **text.options}), 0
        needed = self.mapping if self.form == COLUMNS else REQUIRED  # what somebody names is there; layouts may lack clicks
        engine = source.open_engine()
        try:
            chosen = present(self.mapping, list(engine.kinds), path.name, needed)
            times = times_of(source.dialect, chosen["time"])
            if times.days is not None and engine.kinds[chosen["time"]] is not Kind.TEXT:
                raise UsageError(f"the times of {path.name} are no texts; leave it out", where=argument("dates"))
            for batch in engine.rows(list(dict.fromkeys(chosen.values()))):
                yield self.sorting.rows(cleaned(batch, chosen, times), batch, path.name, text.place, records)
                records += batch.num_rows
        finally:
            engine.close()
        if text.records not in (None, records):
            read = f"{several(records, 'record')} of {text.records:,} can be read"
            raise DataError(f"{read}; is a quotation mark not closed?", where=str(path))


def _of_yandex(paths: Sequence[Path], sorting: _Sorting) -> Iterator[pa.RecordBatch]:
    note_inputs(paths)
    waiting: list[Any] = []
    for path in paths:
        for number, row, line in rows_of(path):
            if row is None:
                sorting.records += 1
                sorting.reject({"file": path.name, "line": number}, OTHER, line)
                continue
            waiting.append(row)
            if len(waiting) == _BATCH:
                yield _batch(waiting, sorting)
                waiting = []
    if waiting:
        yield _batch(waiting, sorting)


def _batch(rows: Sequence[Any], sorting: _Sorting) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    sorting.records += len(rows)
    return pa.record_batch([pa.array(list(values), field.type) for values, field in zip(columns, LOG, strict=True)], schema=LOG)


def _require_rows(parsed: int, sorting: _Sorting, paths: Sequence[Path], form: str) -> None:
    if parsed:
        return
    reasons = ", ".join(f"{reason}: {count:,}" for reason, count in sorting.rejected.most_common())
    found = f"{several(sorting.records, 'record')} ({reasons})" if sorting.records else "an empty log"
    hint = f"is {argument('format', form)} right?"
    if form != YANDEX and REASONS[2] in sorting.rejected:
        hint = f"times as 2026-03-02 08:00:00 or counted since 1970 would work, and 2.3.2026 8:00 with {argument('dates', 'dd.mm.yyyy')}"
    raise DataError(f"no search in it: {found}; {hint}", where=str(paths[0]) if len(paths) == 1 else several(len(paths), "file"))

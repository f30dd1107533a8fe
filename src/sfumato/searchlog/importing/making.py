"""`searchlog import`: rows are cleaned in batches; then an engine puts all in the order of people and times."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa

from sfumato.commit.call import note_inputs, one_call
from sfumato.commit.writing import written_together
from sfumato.errors import DataError, argument, several
from sfumato.searchlog.files import require_suffix, write_rows
from sfumato.searchlog.importing.aol import readable
from sfumato.searchlog.importing.cleaning import REASONS, Cleaned, cleaned
from sfumato.searchlog.importing.columns import AOL, COLUMNS, REQUIRED, YANDEX, mapping_of, present
from sfumato.searchlog.importing.yandex import rows_of
from sfumato.searchlog.log import LOG, Watch
from sfumato.table.queries import Queries
from sfumato.table.source import Source
from sfumato.temporary import TemporaryFolder

_BATCH = 1 << 16
_ORDERED = "SELECT * FROM parsed ORDER BY UserId, Time, Query, coalesce(Rank, 0), coalesce(URL, '')"
_RUNNING = ("engine", "memory", "threads", "temp", "master", "conf")
_OTHER = "not a line of this layout"


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

    def rows(self, found: Cleaned, batch: pa.RecordBatch, file: str, first: int) -> pa.RecordBatch:
        """The rows of a batch, of a file that begins after the `first` records."""
        wrong = np.flatnonzero(found.reasons >= 0)
        for place, record in zip(wrong, batch.take(pa.array(wrong)).to_pylist(), strict=True):
            self.reject({"file": file, "row": self.records - first + int(place) + 1}, REASONS[found.reasons[place]], record)
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
        Those of a `Source`: `engine`, `memory`, `temp`, …; also how a CSV file is read.
    """
    mapping = mapping_of(format, columns)
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
            tables = [readable(path, spill, number) for number, path in enumerate(paths)] if format == AOL else paths
            needed = mapping if format == COLUMNS else REQUIRED  # what somebody names is there; layouts may lack clicks
            batches = _of_yandex(paths, sorting) if format == YANDEX else _of_tables(tables, mapping, needed, options, sorting)
            parsed = write_rows(spill / "parsed.parquet", LOG, batches)
        _require_rows(parsed, sorting, paths, format)
        with Queries(spill / "parsed.parquet", "parsed", **plain) as queries:
            step("putting rows in order", queries.engine)
            counted = next(iter(queries.batches("SELECT count(DISTINCT UserId) AS n FROM parsed"))).to_pylist()[0]["n"]
            rows = write_rows(hidden, LOG, queries.batches(_ORDERED))
    counts = sorting.records, rows, counted, sorting.unordered, sorting.unranked, dict(sorting.rejected)
    return Imported(file, file.parent / names[1], *counts)


def _of_tables(
    paths: Sequence[Path], mapping: Mapping[str, str], needed: Collection[str], options: Mapping[str, Any], sorting: _Sorting
) -> Iterator[pa.RecordBatch]:
    for path in paths:
        first = sorting.records
        source = Source(str(path), **options)
        engine = source.open_engine()
        try:
            chosen = present(mapping, list(engine.kinds), source.name, needed)
            for batch in engine.rows(list(dict.fromkeys(chosen.values()))):
                yield sorting.rows(cleaned(batch, chosen), batch, path.name, first)
        finally:
            engine.close()


def _of_yandex(paths: Sequence[Path], sorting: _Sorting) -> Iterator[pa.RecordBatch]:
    note_inputs(paths)
    waiting: list[Any] = []
    for path in paths:
        for number, row, line in rows_of(path):
            if row is None:
                sorting.records += 1
                sorting.reject({"file": path.name, "line": number}, _OTHER, line)
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
        hint = "times as 2026-03-02 08:00:00 or seconds since 1970 would work"
    raise DataError(f"no search in it: {found}; {hint}", where=str(paths[0]) if len(paths) == 1 else several(len(paths), "file"))

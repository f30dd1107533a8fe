"""A copy of rows, and how it is written: batch by batch, so that no source has to fit into memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa

from sfumato.errors import DataError, UsageError, argument, raise_alone, several, unknown, visible
from sfumato.vocabulary.dialect import Dialect

BATCH = 20_000
_EXACT = 2**53  # whole numbers up to here are exact as floats
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Copied:
    """Rows in a Parquet file of our own. `files` are those they come from, none if they come from a server; `where` is for messages."""

    copy: Path
    rows: int
    where: str
    dialect: Dialect
    files: tuple[Path, ...] = ()
    by_rows: bool = False  # whether the digest is one of rows: a database is more than its table

    @property
    def digested(self) -> tuple[Path, ...]:
        """The files whose bytes say whether it is the same table."""
        return () if self.by_rows else self.files


def write_copy(copy: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch], expected: int | None, where: str) -> int:
    """Write batches into a file; refuses another number of rows than the source says it has."""
    import pyarrow.parquet as pq

    rows = 0
    with pq.ParquetWriter(copy, schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)
            rows += batch.num_rows
    if expected is not None and rows != expected:
        raise DataError(f"the source has {several(expected, 'row')} and {rows:,} were read; is it damaged?", where=where)
    return rows


def needs(extra: str, library: str, where: str) -> NoReturn:
    """Refuse a source whose reader is not installed."""
    raise_alone(DataError(f'reading this needs {library}: pip install "sfumato[{extra}]"', where=where))


def chosen(names: Sequence[str], wanted: str | None, option: str, what: str, where: str) -> str:
    """The sheet or table that is wanted, or the only one."""
    listed = [visible(name) for name in names[:_SHOWN]] + ["…"] * (len(names) > _SHOWN)
    if wanted is not None:
        if wanted not in names:
            raise UsageError(unknown(what, wanted, listed, within=where), where=argument(option))
        return wanted
    if not names:
        raise DataError(f"no {what} with data in it", where=where)
    if len(names) > 1:
        raise DataError(
            f"there are {several(len(names), what)}; say {argument(option)} and one of {', '.join(listed)}", where=where
        )
    return names[0]


def type_of(values: Iterable[Any]) -> pa.DataType:
    """The narrowest type that holds all values of a column; texts if they differ."""
    kinds = {_kind(value) for value in values if value is not None}
    for type_, of in (
        (pa.null(), set[str]()),
        (pa.bool_(), {"boolean"}),
        (pa.int64(), {"whole"}),
        (pa.float64(), {"whole", "fraction", "large"}),
        (pa.date32(), {"day"}),
        (pa.timestamp("us"), {"day", "moment"}),
    ):
        if kinds <= of:
            return type_
    return pa.string()


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "whole" if -(2**63) <= value < 2**63 else "large"
    if isinstance(value, float):
        return "whole" if value.is_integer() and abs(value) <= _EXACT else "fraction"
    if isinstance(value, datetime):
        return "day" if value.time() == value.time().min else "moment"
    return "day" if isinstance(value, date) else "text"


def common_type(types: Iterable[pa.DataType]) -> pa.DataType:
    """The type that holds the values of all parts of a column."""
    found = {each for each in types if each != pa.null()}
    if len(found) <= 1:
        return next(iter(found), pa.string())
    if found == {pa.int64(), pa.float64()}:
        return pa.float64()
    return pa.timestamp("us") if found == {pa.date32(), pa.timestamp("us")} else pa.string()


def array_of(values: Iterable[Any], kind: pa.DataType) -> pa.Array:
    """Values as a column of a type that holds them."""
    cast: Callable[[Any], Any] = _CASTS.get(kind, _text)
    return pa.array([None if value is None else cast(value) for value in values], kind)


def _text(value: Any) -> str:
    """A value as text that is read as the same value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) <= _EXACT else repr(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == value.time().min else value.isoformat(" ")
    return value.hex() if isinstance(value, bytes) else str(value)


def _day(value: date) -> date:
    return value.date() if isinstance(value, datetime) else value


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


_CASTS: dict[pa.DataType, Callable[[Any], Any]] = {
    pa.bool_(): bool,
    pa.int64(): int,
    pa.float64(): float,
    pa.date32(): _day,
    pa.timestamp("us"): _moment,
}


def is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)

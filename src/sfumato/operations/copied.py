"""The rows that an operation works on: a private copy of a table, its values of their declared types, in an order that does not depend on
the engine. An operation reads batches of it or whole columns, and yields other batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import fsum, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato.errors import DataError, UsageError, argument, raise_alone
from sfumato.vocabulary.kinds import Kind

if TYPE_CHECKING:
    import pyarrow as pa

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Change = Callable[["pa.RecordBatch", int], "pa.RecordBatch"]
NUMERIC = (Kind.INTEGER, Kind.DECIMAL)
_BATCH = 1 << 16
_EXACT = 1 << 53  # beyond this, a binary fraction does not have every whole number


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column as codes: the place of each row's value among the distinct `values`, in the order in which they first occur; one past the
    last for a missing value."""

    codes: Codes
    values: pa.Array

    @property
    def width(self) -> int:
        """How many codes there are, the missing value included."""
        return len(self.values) + 1

    def counts(self) -> npt.NDArray[np.int64]:
        """Rows per code."""
        return np.bincount(self.codes, minlength=self.width)

    def counted(self) -> Counted:
        """How often each value occurs."""
        return Counted(self.values, self.counts())


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The distinct values of a column, and how many rows have each; the last count is that of the missing value."""

    values: pa.Array
    counts: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Copy:
    """A Parquet file that only its owner can read: its rows, the types of its QIDs and sensitive attributes, and, in a file of their own,
    the numbers of the people whose the rows are, if people may have several."""

    path: Path
    rows: int
    kinds: Mapping[str, Kind]
    people: Path | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in order."""
        from pyarrow import parquet

        return tuple(parquet.read_schema(self.path).names)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The rows in order."""
        from pyarrow import parquet

        with parquet.ParquetFile(self.path) as file:
            for batch in file.iter_batches(_BATCH, columns=None if columns is None else list(columns)):
                yield self._typed(batch)

    def changed(self, change: Change) -> Iterator[pa.RecordBatch]:
        """The rows, batch by batch, each changed given the number of its first row."""
        start = 0
        for batch in self.batches():
            yield change(batch, start)
            start += batch.num_rows

    def column(self, name: str) -> pa.Array:
        """One column as a whole."""
        import pyarrow as pa

        parts = [batch.column(0) for batch in self.batches([name])]
        return pa.concat_arrays(parts) if len(parts) > 1 else parts[0]

    def coded(self, name: str) -> Coded:
        """One column as codes."""
        encoded = self.column(name).dictionary_encode()
        return Coded(_filled(encoded.indices, len(encoded.dictionary)).astype(np.int32), encoded.dictionary)

    def owners(self) -> npt.NDArray[np.int64] | None:
        """The number of each row's person, if people may have several rows; from 0, no number is left out."""
        from pyarrow import parquet

        if self.people is None:
            return None
        column = parquet.read_table(self.people, columns=["o"])["o"].to_numpy()
        return np.asarray(np.unique(column, return_inverse=True)[1], np.int64)

    def numbers(self, name: str) -> Floats:
        """One numeric column; NaN where a value is missing. It stays within the operation."""
        return numbers_of(self.column(name), name)

    def moments(self, name: str) -> tuple[float, float]:
        """Mean and standard deviation of a numeric column, added up exactly, so that they do not depend on how the rows are divided."""
        present = self.numbers(name)
        present = present[~np.isnan(present)]
        if not len(present):
            return 0.0, 0.0
        mean = fsum(present) / len(present)
        return mean, sqrt(fsum((present - mean) ** 2) / len(present))

    def _typed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        import pyarrow as pa

        columns = [self._cast(name, column) for name, column in zip(batch.schema.names, batch.columns, strict=True)]
        return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)

    def _cast(self, name: str, column: pa.Array) -> pa.Array:
        return column.cast(arrow_type(self.kinds[name])) if name in self.kinds else column


def arrow_type(kind: Kind) -> pa.DataType:
    """How values of a type stand in the copy."""
    import pyarrow as pa

    return {
        Kind.TEXT: pa.string(),
        Kind.INTEGER: pa.int64(),
        Kind.DECIMAL: pa.float64(),
        Kind.DATE: pa.date32(),
        Kind.TIMESTAMP: pa.timestamp("us"),
        Kind.BOOLEAN: pa.bool_(),
    }[kind]


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Whose the rows are: how many people there are, and the number of each row's person, from 0; None if every row is a person of its
    own."""

    count: int
    owners: npt.NDArray[np.int64] | None = None

    @classmethod
    def of(cls, copy: Copy) -> People:
        """The people of a copy."""
        owners = copy.owners()
        return cls(copy.rows if owners is None else int(owners.max(initial=-1)) + 1, owners)

    def per_group(self, rows: npt.NDArray[np.int64], groups: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
        """How many people have rows in each of so many groups, given the group of some rows."""
        if self.owners is None:
            return np.bincount(groups, minlength=count)
        pairs = np.unique(groups * self.count + self.owners[rows])
        return np.bincount(pairs // self.count, minlength=count)


def numbers_of(column: pa.Array, name: str) -> Floats:
    """A numeric column as numbers, NaN where a value is missing; refuses whole numbers that would be rounded."""
    import pyarrow as pa

    try:
        return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)
    except pa.ArrowInvalid:  # it quotes the value
        raise_alone(
            DataError(f"whole numbers beyond {_EXACT:,} cannot be changed exactly; leave it out", where=f"column {name!r}")
        )


def as_numbers(values: Floats, kind: Kind) -> pa.Array:
    """Numbers as a column of their type: whole ones rounded to the nearest, NaN missing; refuses whole ones that have no exact type."""
    import pyarrow as pa

    missing = np.isnan(values)
    if kind is Kind.INTEGER:
        if (np.abs(values) > _EXACT).any():
            raise UsageError(f"whole numbers beyond {_EXACT:,} would come out; take smaller parameters", where=argument("method"))
        return pa.array(np.where(missing, 0, np.rint(values)).astype(np.int64), pa.int64(), mask=missing)
    return pa.array(values, pa.float64(), mask=missing)


def replaced(batch: pa.RecordBatch, columns: Mapping[str, pa.Array]) -> pa.RecordBatch:
    """A batch with other values in some of its columns."""
    import pyarrow as pa

    names = batch.schema.names
    return pa.RecordBatch.from_arrays([columns.get(name, batch.column(name)) for name in names], names=names)


def taken(values: pa.Array, codes: npt.NDArray[np.integer]) -> pa.Array:
    """The values of some codes; the code one past the last is a missing value."""
    import pyarrow as pa

    return values.take(pa.array(codes, mask=codes == len(values)))


def sliced(arrays: Mapping[str, pa.Array]) -> Change:
    """The change that puts whole columns in the place of others."""

    def change(batch: pa.RecordBatch, start: int) -> pa.RecordBatch:
        return replaced(batch, {name: array.slice(start, batch.num_rows) for name, array in arrays.items()})

    return change


def canonical_texts(values: pa.Array) -> list[str | None]:
    """Typed values as canonical texts, and the missing value after them."""
    texts: list[str | None] = []
    for value in values.to_pylist():
        match value:
            case bool():
                texts.append(str(value).lower())
            case float():
                texts.append(repr(value + 0.0))
            case datetime():
                texts.append(value.isoformat(sep=" "))
            case _:
                texts.append(str(value))
    return [*texts, None]


def _filled(indices: pa.Array, missing: int) -> npt.NDArray[np.int64]:
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(indices, missing).to_numpy(zero_copy_only=False), np.int64)

"""Distinct values of a column and how often each occurs, counted batch by batch: memory follows the distinct values, not the rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from sfumato.engines.arrays import plain_array
from sfumato.engines.kernels import value_counts

_TOGETHER = 1 << 20
_BATCH = 65_536


class Tally:
    """Distinct values and counts of a column, merged as it goes so that memory follows the distinct values."""

    def __init__(self) -> None:
        self._waiting: list[pa.Array] = []
        self._parts: list[pa.Table] = []
        self._fresh = 0  # bytes that wait, that were counted since the last merge, and of what is merged
        self._counted = 0
        self._merged = 0

    @property
    def size(self) -> int:
        return self._fresh + self._counted + self._merged

    def add(self, column: pa.Array) -> None:
        """Take the values of a batch; some batches are counted together."""
        self._waiting.append(plain_array(column))
        self._fresh += self._waiting[-1].nbytes
        if self._fresh > _TOGETHER:
            self._count()
            if self._counted > self._merged:
                self._merge()

    def distinct(self) -> Iterator[pa.RecordBatch]:
        """The distinct values, `value`, and how often each occurs, `n`."""
        self._count()
        if self._parts:
            self._merge()
            (table,) = self._parts
            self._parts = []
            yield from table.to_batches(_BATCH)

    def _count(self) -> None:
        if self._waiting:
            self._parts.append(_counts_of(pa.chunked_array(self._waiting)))
            self._counted += self._parts[-1].nbytes
            self._waiting, self._fresh = [], 0

    def _merge(self) -> None:
        if len(self._parts) > 1:
            parts, self._parts = pa.concat_tables(self._parts), []
            self._parts = [_counted(parts)]
        self._merged, self._counted = self._parts[0].nbytes, 0


def _counts_of(column: pa.ChunkedArray) -> pa.Table:
    """The distinct values of some batches; for texts and whole numbers the quicker way."""
    if pa.types.is_string(column.type) or pa.types.is_integer(column.type):
        counted = value_counts(column)
        return pa.table({"value": counted.field("values"), "n": counted.field("counts")})
    return _counted(pa.table({"value": column, "n": np.ones(len(column), np.int64)}))


def _counted(table: pa.Table) -> pa.Table:
    return (
        table.group_by("value", use_threads=False).aggregate([("n", "sum")]).rename_columns({"n_sum": "n"}).select(["value", "n"])
    )

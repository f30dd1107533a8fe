"""The cells of a source between two floors, put aside once, so that floors in between are tried without reading the rows again.

Every label is a number here: what SQL computes from a value, or has joined to it, is worked out once for each distinct value. A floor is
then counted over a few columns of numbers, in memory or on the engine's disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import duckdb
import numpy as np
import numpy.typing as npt

from sfumato.engines.relational.book import EncodingBook
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute

_SAMPLE = 15_000  # cells that an estimate looks at
_MUCH_MORE = 4  # to take the first of so many rows costs about as much as to count as many times that
_CELLS = "cells_between"


class DuckDBCells:
    """The distinct cells of the lowest floor; `labels` names, per QID and level, the column of its labels, `values` those of the sensitive
    attributes."""

    def __init__(
        self, run: Callable[[str], duckdb.DuckDBPyConnection], labels: dict[tuple[int, int], str], values: list[str]
    ) -> None:
        self._run, self._labels, self._values = run, labels, values
        self.cells = int(run(f"SELECT count(*) FROM {_CELLS}").fetchall()[0][0])
        self._sample: dict[str, npt.NDArray[np.int64]] | None = None

    def has_more(self, levels: Sequence[int], most: int) -> bool:
        """Whether there are more cells at a floor than so many, of one of the sensitive attributes at least."""
        if self.cells <= most:
            return False
        part = 2 * most  # of very many cells a part shows most of the time that there are too many
        parts = [f"{_CELLS} LIMIT {part}", _CELLS] if _MUCH_MORE * part < self.cells else [_CELLS]
        return any(self._count(columns, rows) > most for rows in parts for columns in self._columns(levels))

    def about(self, levels: Sequence[int]) -> float:
        """How many there are about: from those of a sample and of its half, as if they went on to grow as they did from one to the other,
        and ever more slowly."""
        sample = self._sampled()
        size = len(next(iter(sample.values())))
        return max(_extended(_packed([sample[name] for name in columns], size), self.cells) for columns in self._columns(levels))

    def _columns(self, levels: Sequence[int]) -> list[list[str]]:
        """The columns that make a cell, one list per sensitive attribute. A QID at its root has none."""
        labels = [self._labels[place, level] for place, level in enumerate(levels) if (place, level) in self._labels]
        return [[*labels, value] for value in self._values] or [labels]

    def _count(self, columns: Sequence[str], rows: str) -> int:
        chosen = ", ".join(columns) or "0"
        return int(self._run(f"SELECT count(*) FROM (SELECT DISTINCT {chosen} FROM (FROM {rows}))").fetchall()[0][0])

    def _sampled(self) -> dict[str, npt.NDArray[np.int64]]:
        if self._sample is None:
            drawn = self._run(f"SELECT * FROM {_CELLS} USING SAMPLE reservoir({_SAMPLE} ROWS) REPEATABLE (1)").fetchnumpy()
            self._sample = {name: np.asarray(column).astype(np.int64) for name, column in drawn.items()}
        return self._sample


@contextmanager
def cells_between(
    connection: duckdb.DuckDBPyConnection, book: EncodingBook, low: Node, high: Sequence[int], sensitive: Sequence[str]
) -> Iterator[DuckDBCells]:
    """Put the cells aside until the end of the `with` statement."""
    spans = [(book.schema[name], range(level, top + 1)) for (name, level), top in zip(low.as_dict().items(), high, strict=True)]
    spans += [(book.schema[name], range(1)) for name in sensitive]
    made: list[str] = []
    joins: list[str] = []
    labels: dict[tuple[int, int], str] = {}
    try:
        for place, (attribute, levels) in enumerate(spans):
            below = [level for level in levels if level < attribute.height() or place >= len(high)]
            if below:
                table, raw = f"labels_{place}", book.columns.raw(attribute.name)
                connection.execute(_labels(book, attribute, below, table))
                made.append(table)
                joins.append(f"JOIN {table} ON {table}.raw IS NOT DISTINCT FROM {raw}")
                labels |= {(place, level): f"l{place}_{level}" for level in below}
        chosen = ", ".join(f"labels_{place}.l{level} AS {name}" for (place, level), name in labels.items()) or "0 AS l"
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {_CELLS} AS SELECT DISTINCT {chosen} FROM source {' '.join(joins)}")
        made.append(_CELLS)
        values = [name for (place, _), name in labels.items() if place >= len(high)]
        of_qids = {(place, level): name for (place, level), name in labels.items() if place < len(high)}
        yield DuckDBCells(connection.execute, of_qids, values)
    finally:
        for table in made:
            connection.execute(f"DROP TABLE {table}")


def _labels(book: EncodingBook, attribute: Attribute, levels: Sequence[int], table: str) -> str:
    """A table of the distinct values of a column, with a number for the label of each on every level."""
    keys = [book.key(attribute, level) for level in levels]
    numbers = ", ".join(
        f"(dense_rank() OVER (ORDER BY {key.sql}) - 1)::INTEGER AS l{level}" for key, level in zip(keys, levels, strict=True)
    )
    distinct = f"(SELECT DISTINCT {book.columns.place(attribute.name)} FROM source) AS source"
    joins = " ".join(key.join for key in keys)
    return f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {book.columns.raw(attribute.name)} AS raw, {numbers} FROM {distinct} {joins}"


def _packed(columns: Sequence[npt.NDArray[np.int64]], size: int) -> npt.NDArray[np.int64]:
    """One number per cell of a sample."""
    keys = np.zeros(size, np.int64)
    for column in columns:
        keys = keys * np.int64(0x1F3D5B79) + column  # an estimate may take two cells for one
    return keys


def _extended(keys: npt.NDArray[np.int64], cells: int) -> float:
    """How many distinct ones there are among so many, if these are some of them."""
    whole, half = len(np.unique(keys)), len(np.unique(keys[: len(keys) // 2]))
    if len(keys) >= cells or half == 0:
        return float(whole)
    found, size, exponent = float(whole), float(len(keys)), np.log2(whole / half)
    while size < cells:
        step = min(2.0, cells / size)
        found *= step**exponent
        size, exponent = size * step, exponent * exponent if exponent < 1 else exponent
    return float(found)

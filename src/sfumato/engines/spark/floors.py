"""How many cells a floor has, without bringing one to the driver; and the cells between two floors, put aside once, so that many floors
are tried without a job for each.

The executors write the distinct cells of the lowest floor, each with its labels on every level, to a folder. Unless they are very many,
the driver reads them as numbers, column by column, and counts floors by itself: a job takes longer than that.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato.engines.arrays import to_numpy
from sfumato.engines.relational.book import EncodingBook
from sfumato.engines.spark.arrow import to_arrow
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Codes = tuple[npt.NDArray[np.int64], int]

MOST = 1_000_000  # cells that the driver counts
_VIEW = "cells_between"
_LARGEST = 1 << 62


def distinct_cells(book: EncodingBook, attributes: Sequence[tuple[Attribute, int]]) -> str:
    """A query for how many combinations of keys of some attributes, each at a level, occur."""
    keys = [book.key(attribute, level) for attribute, level in attributes]
    chosen, joins = ", ".join(f"{key.sql} AS k{place}" for place, key in enumerate(keys)), " ".join(key.join for key in keys)
    return f"SELECT count(*) AS n FROM (SELECT DISTINCT {chosen} FROM source {joins})"


class SparkCells:
    """The distinct cells of the lowest floor; `labels` names, per QID and level, the column of its labels, `values` those of the sensitive
    attributes. `count` counts the combinations in some columns; it is `quick` if that is no job."""

    def __init__(
        self, count: Callable[[tuple[str, ...]], int], labels: dict[tuple[int, int], str], values: list[str], *, quick: bool
    ) -> None:
        self._count, self._labels, self._values, self.quick = count, labels, values, quick

    def has_more(self, levels: Sequence[int], most: int) -> bool:
        """Whether there are more cells at a floor than so many, of one of the sensitive attributes at least."""
        return any(self._count(columns) > most for columns in self._columns(levels))

    def about(self, levels: Sequence[int]) -> float | None:
        """How many there are, if it is known without a job."""
        return float(max(map(self._count, self._columns(levels)))) if self.quick else None

    def _columns(self, levels: Sequence[int]) -> list[tuple[str, ...]]:
        """The columns that make a cell, once per sensitive attribute. A QID at its root has none."""
        labels = tuple(self._labels[place, level] for place, level in enumerate(levels) if (place, level) in self._labels)
        return [(*labels, value) for value in self._values] or [labels]


@contextmanager
def cells_between(
    session: SparkSession, book: EncodingBook, low: Node, high: Sequence[int], sensitive: Sequence[str], folder: Path
) -> Iterator[SparkCells]:
    """Put the cells aside in a folder until the end of the `with` statement."""
    spans = [(book.schema[name], range(level, top + 1)) for (name, level), top in zip(low.as_dict().items(), high, strict=True)]
    labels = {
        (place, level): book.key(attribute, level)
        for place, (attribute, levels) in enumerate(spans)
        for level in levels
        if level < attribute.height()
    }
    values = {f"v{place}": book.key(book.schema[name], 0) for place, name in enumerate(sensitive)}
    keys = {f"l{place}_{level}": key for (place, level), key in labels.items()} | values
    chosen = ", ".join(f"{key.sql} AS {name}" for name, key in keys.items()) or "0 AS l"
    joins = " ".join(key.join for key in keys.values())
    try:
        session.sql(f"SELECT DISTINCT {chosen} FROM source {joins}").write.parquet(f"file://{folder}")
        quick = _rows_in(folder) <= MOST
        count = _counted_here(folder) if quick else _counted_there(session, folder)
        yield SparkCells(cache(count), {at: f"l{at[0]}_{at[1]}" for at in labels}, list(values), quick=quick)
    finally:
        session.catalog.dropTempView(_VIEW)
        shutil.rmtree(folder, ignore_errors=True)


def _rows_in(folder: Path) -> int:
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))


def _counted_here(folder: Path) -> Callable[[tuple[str, ...]], int]:
    import pyarrow.parquet as pq

    files = sorted(folder.glob("*.parquet"))

    @cache
    def codes(name: str) -> Codes:
        column = pq.read_table(files, columns=[name])[name].combine_chunks().dictionary_encode(null_encoding="encode")
        return to_numpy(column.indices).astype(np.int64), max(1, len(column.dictionary))

    return lambda columns: _combinations([codes(name) for name in columns])


def _counted_there(session: SparkSession, folder: Path) -> Callable[[tuple[str, ...]], int]:
    session.read.parquet(f"file://{folder}").createOrReplaceTempView(_VIEW)

    def count(columns: tuple[str, ...]) -> int:
        query = f"SELECT count(*) AS n FROM (SELECT DISTINCT {', '.join(columns) or '0'} FROM {_VIEW})"
        return int(to_arrow(session.sql(query))["n"][0].as_py())

    return count


def _combinations(columns: Sequence[Codes]) -> int:
    """How many combinations of some columns' numbers occur; those of a column are below the second of the pair.

    >>> _combinations([(np.array([0, 1, 1]), 2), (np.array([2, 0, 0]), 3)]), _combinations([])
    (2, 1)
    """
    keys, below = np.zeros(len(columns[0][0]) if columns else 1, np.int64), 1
    for codes, size in columns:
        if below * size >= _LARGEST:
            distinct, keys = np.unique(keys, return_inverse=True)
            below = len(distinct)
        keys, below = keys * size + codes, below * size
    return len(np.unique(keys))

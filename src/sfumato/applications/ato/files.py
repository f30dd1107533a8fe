"""Parquet files whose bytes depend on their rows alone, not on the engine or the pieces that the rows came in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 1 << 17  # in a row group


def write_rows(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Write rows in groups of one size; returns how many there are."""
    rows = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for group in regrouped(schema, batches):
            writer.write_table(group, row_group_size=ROWS)
            rows += group.num_rows
    return rows


def regrouped(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Rows in tables of `ROWS` rows, the last one smaller; each column in one piece, of the type that the schema says."""
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        waiting.append(batch)
        count += batch.num_rows
        if count >= ROWS:
            whole = pa.Table.from_batches(waiting)
            full = count // ROWS * ROWS
            yield from (_typed(whole.slice(start, ROWS), schema) for start in range(0, full, ROWS))
            waiting, count = whole.slice(full).to_batches(), count - full
    if count:
        yield _typed(pa.Table.from_batches(waiting), schema)


def _typed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    chosen = table.select(schema.names).combine_chunks()
    return pa.table([column.cast(field.type) for column, field in zip(chosen.columns, schema, strict=True)], schema=schema)

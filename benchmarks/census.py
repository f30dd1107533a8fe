"""Synthetic census rows of any number: the sample drawn with replacement, each cell redrawn from its column with probability 0.1."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import sfumato.data

SAMPLE = Path(sfumato.data.__file__).parent / "adult.parquet"
SCHEMA = SAMPLE.with_suffix(".toml")
ROWS = 10_000_000
_CHUNK = 1_000_000


def write(path: Path, rows: int, seed: int = 0) -> Path:
    """Write a Parquet file of perturbed census rows."""
    sample = pq.read_table(SAMPLE)
    encoded = [column.combine_chunks().dictionary_encode() for column in sample.columns]
    rng = np.random.default_rng(seed)
    with pq.ParquetWriter(path, sample.schema, compression="zstd") as writer:
        for start in range(0, rows, _CHUNK):
            writer.write_table(_chunk(sample, encoded, rng, min(_CHUNK, rows - start)))
    return path


def _chunk(sample: pa.Table, encoded: list[pa.DictionaryArray], rng: np.random.Generator, rows: int) -> pa.Table:
    drawn = rng.integers(sample.num_rows, size=rows)
    columns = []
    for column in encoded:
        codes = column.indices.to_numpy()
        redrawn = rng.random(rows) < 0.1
        picked = np.where(redrawn, codes[rng.integers(sample.num_rows, size=rows)], codes[drawn])
        columns.append(pa.DictionaryArray.from_arrays(picked, column.dictionary).cast(column.dictionary.type))
    return pa.table(columns, schema=sample.schema)

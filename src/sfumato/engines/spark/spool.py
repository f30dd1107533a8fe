"""Results that may be large: the executors write them to a folder, and the driver reads that piece by piece."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_BATCH = 65_536


def spooled(frame: DataFrame, folder: Path) -> Iterator[pa.RecordBatch]:
    """The rows of a frame in the order of its partitions, through a folder that is removed afterwards."""
    try:
        frame.write.parquet(f"file://{folder.absolute()}")
        yield from batches_in(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def batches_in(folder: Path) -> Iterator[pa.RecordBatch]:
    """The rows of the Parquet files in a folder, in the order of their names."""
    import pyarrow.parquet as pq

    for file in sorted(folder.glob("*.parquet")):
        with pq.ParquetFile(file) as opened:
            yield from opened.iter_batches(_BATCH)

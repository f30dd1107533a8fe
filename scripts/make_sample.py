"""Make the bundled census sample from the training part of UCI Adult: python scripts/make_sample.py adult_train.csv"""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

COLUMNS = ["age", "workclass", "education", "native-country", "marital-status", "race", "sex", "occupation", "income"]
TARGET = Path(__file__).parent.parent / "src" / "sfumato" / "data" / "adult.parquet"


def main(source: str) -> None:
    """Keep the complete records (no `?` in any of the 15 columns) and nine columns."""
    table = pa.csv.read_csv(source)
    complete = pa.array([True] * table.num_rows)
    for column in table.columns:
        if pa.types.is_string(column.type):
            complete = pc.and_(complete, pc.not_equal(column, "?"))
    sample = table.filter(complete).select(COLUMNS)
    sample = sample.set_column(0, "age", sample["age"].cast(pa.int16()))
    pq.write_table(sample, TARGET, compression="zstd", compression_level=19)
    print(f"{TARGET.name}: {sample.num_rows:,} rows, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1])

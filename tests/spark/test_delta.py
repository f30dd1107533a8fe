"""A Delta table as a path. Spark's package for it cannot be had here: what is tested is that its files are never read past its log, and
that Spark is asked for it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.readwriter import DataFrameReader

import sfumato as sf
from sfumato.errors import DataError, UsageError

TABLE = sf.Schema.parse('[attributes.q]\nrole="quasi"\n')


@pytest.fixture
def delta(tmp_path: Path) -> Path:
    """Two files, of which the log would say that one is deleted."""
    (tmp_path / "visits" / "_delta_log").mkdir(parents=True)
    for name in ("now", "deleted"):
        pq.write_table(pa.table({"q": [name] * 3}), tmp_path / "visits" / f"{name}.parquet")
    return tmp_path / "visits"


def test_without_the_package_one_line_says_so(delta: Path) -> None:
    with pytest.raises(UsageError, match="a table of Delta, and Spark does not have the package that reads it"):
        sf.Table.open(delta, TABLE, engine="spark")


def test_what_spark_reads_is_the_table(delta: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def as_the_package_would(reader: DataFrameReader, source: str) -> DataFrameReader:
        assert source == "delta"
        return reader

    monkeypatch.setattr(DataFrameReader, "format", as_the_package_would)
    monkeypatch.setattr(DataFrameReader, "load", lambda reader, path: reader.parquet(f"{path}/now.parquet"))
    with sf.Table.open(str(delta), TABLE, engine="spark") as table:
        assert table.count().total_rows == 3


@pytest.mark.parametrize("path", ["", "*.parquet", "../*/*.parquet"])
def test_the_embedded_engine_does_not_read_past_the_log(delta: Path, path: str) -> None:
    with pytest.raises(
        DataError, match="a table of Delta, whose files may hold rows that were deleted since; engine=spark reads it"
    ):
        sf.Table.open(f"{delta}/{path}", TABLE)

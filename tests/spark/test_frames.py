"""Frames of Spark are tables like any other, with the engine that they come with."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines.base import Settings
from sfumato.engines.spark.session import session_for
from sfumato.errors import BadInput, DataError
from tests.spark.tables import SCHEMA, rows, written


def frame(path: Path) -> object:
    return session_for(Settings()).read.parquet(str(written(path)))


def test_a_frame_is_published_by_its_own_engine(tmp_path: Path) -> None:
    options = {"node": [1, 0, 1, 3], "seed": 4}
    release = sf.publish(frame(tmp_path / "in.parquet"), SCHEMA, **options)  # type: ignore[arg-type]
    assert release.certificate.engine["name"] == "spark"
    plain = sf.publish(tmp_path / "in.parquet", SCHEMA, **options)  # type: ignore[arg-type]
    assert release.to_arrow().to_pylist() == plain.to_arrow().to_pylist()


def test_the_rows_and_the_digest_of_a_frame(tmp_path: Path) -> None:
    with sf.Table.open(frame(tmp_path / "in.parquet"), SCHEMA) as table:
        assert [row["who"] for batch in table.rows(["who"]) for row in batch.to_pylist()] == rows(300)["who"].to_pylist()
        first = table.digest()
    with sf.Table.open(frame(tmp_path / "in.parquet").limit(299), SCHEMA) as fewer:  # type: ignore[attr-defined]
        assert fewer.digest() != first
    assert sf.profile(frame(tmp_path / "in.parquet")).rows == 300


def test_a_frame_that_changes_is_found_out(tmp_path: Path) -> None:
    changing = frame(tmp_path / "in.parquet")
    with sf.Table.open(changing, SCHEMA) as table:
        pq.write_table(rows(200), tmp_path / "in.parquet")
        with pytest.raises(BadInput, match=r"has it changed, or is it damaged|where it failed is in"):
            table.count()


def test_a_column_of_a_type_that_spark_reads_otherwise_is_refused_where_it_is_used(tmp_path: Path) -> None:
    table = rows(20).append_column("list", [[[1, 2]] * 20])
    pq.write_table(table, tmp_path / "in.parquet")
    schema = sf.Schema.of(tmp_path / "in.parquet", quasi=["age"], sensitive="disease")
    assert sf.publish(tmp_path / "in.parquet", schema, node=[0], engine="spark").certificate.rows == 20
    with pytest.raises(DataError, match=r"column 'list': Spark does not read the type .* engine=duckdb"):
        sf.publish(tmp_path / "in.parquet", schema.with_role("list", "plain"), node=[0], engine="spark")

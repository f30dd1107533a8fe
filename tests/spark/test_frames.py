"""Frames of Spark are tables like any other, with the engine that they come with."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
import pyspark
import pytest

import sfumato as sf
from sfumato.engines.base import Settings
from sfumato.engines.spark import session as sessions
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


def test_a_frame_leaves_nothing_behind_that_other_sessions_see(tmp_path: Path) -> None:
    table = frame(tmp_path / "in.parquet")
    sf.publish(table, SCHEMA, node=[1, 0, 1, 3])
    assert table.sparkSession.sql("SHOW TABLES IN global_temp").where("isTemporary").collect() == []  # type: ignore[attr-defined]


def test_texts_that_a_collation_takes_for_one_are_several() -> None:
    texts = session_for(Settings()).sql("SELECT x COLLATE UNICODE_CI AS q FROM VALUES ('a'), ('A'), ('a') AS t(x)")
    with sf.Table.open(texts, {"attributes": {"q": {"role": "quasi"}}}) as table:
        assert table.count().classes == 2


def test_a_stream_is_refused() -> None:
    with pytest.raises(DataError, match="the frame: a stream, which has no end; write it to a table, and publish that"):
        sf.profile(session_for(Settings()).readStream.format("rate").load())


def test_the_session_of_another_thread_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, running = written(tmp_path / "in.parquet"), sessions._running
    monkeypatch.setattr(sessions, "_running", None)
    with ThreadPoolExecutor(1) as other:
        made = other.submit(sf.publish, source, SCHEMA, node=[1, 0, 1, 3], engine="spark").result()
    assert made.certificate.rows == 300
    assert running is not None
    assert sessions._running is None, "nothing was started beside it"
    assert running.session.range(3).count() == 3, "it goes on"


@pytest.mark.own_spark
@pytest.mark.slow
def test_a_program_under_spark_submit_uses_the_spark_that_it_was_given(tmp_path: Path) -> None:
    source, program = written(tmp_path / "in.parquet"), tmp_path / "program.py"
    program.write_text(
        "import sys, sfumato as sf\n"
        "from pyspark.sql import SparkSession\n"
        "made = sf.profile(sys.argv[1], engine='spark')\n"
        "print(made.rows, SparkSession.active().sparkContext.master)\n"
    )
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    words = [submit, "--master", "local[1]", "--conf", "spark.log.level=OFF", program, source]
    ended = subprocess.run(
        words, capture_output=True, encoding="utf-8", check=False, env={**os.environ, "PYSPARK_PYTHON": sys.executable}
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "300 local[1]\n"
    assert "Traceback" not in ended.stderr

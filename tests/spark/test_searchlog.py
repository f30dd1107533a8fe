"""Search logs on Spark: the same SQL, and the files and figures of one machine."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sfumato.searchlog import attack, find, generate, publish, utility


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("searchlog") / "log"
    generate(folder, rows=2_000, seed=3)
    return folder


@pytest.mark.slow
def test_a_release_made_on_spark_is_that_of_one_machine_byte_for_byte(log: Path, tmp_path: Path) -> None:
    for engine in ("duckdb", "spark"):
        declared = {"begin": "2026-03-05", "period": "30d", "periods": 2, "per_person": 30, "bundle": 3}
        publish(
            log,
            tmp_path / f"{engine}.parquet",
            threshold=4,
            seed=5,
            owners=tmp_path / f"{engine}-owners.parquet",
            engine=engine,
            **declared,
        )
    assert (tmp_path / "spark.parquet").read_bytes() == (tmp_path / "duckdb.parquet").read_bytes()
    assert (tmp_path / "spark-owners.parquet").read_bytes() == (tmp_path / "duckdb-owners.parquet").read_bytes()
    assert pq.read_metadata(tmp_path / "spark.parquet").num_rows > 100


@pytest.mark.slow
def test_what_is_found_attacked_and_compared_on_spark_is_the_same(log: Path, tmp_path: Path) -> None:
    publish(log, tmp_path / "out.parquet", threshold=4, seed=5, owners=tmp_path / "owners.parquet")
    figures = []
    for engine in ("duckdb", "spark"):
        ways = {"engine": engine}
        found = find(log, tmp_path / f"{engine}.parquet", threshold=4, people=log / "truth", truth=log / "truth", **ways)
        attacked = attack(log, tmp_path / "out.parquet", owners=tmp_path / "owners.parquet", targets=20, **ways)
        useful = utility(log, tmp_path / "out.parquet", **ways)
        figures.append((found.as_dict() | {"file": None}, attacked.as_dict(), useful.as_dict()))
    assert figures[0] == figures[1]
    assert (tmp_path / "spark.parquet").read_bytes() == (tmp_path / "duckdb.parquet").read_bytes()

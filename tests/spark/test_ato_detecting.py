"""Drawing and detecting on Spark: what one machine gives, byte for byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.applications.ato.detecting import detect
from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.tables import read_all_features
from sfumato.applications.ato.training.drawing import drawn, fraudulent_addresses
from tests.unit.ato.making import some_events, some_model


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, pa.Table]:
    events, truth = some_events(people=60, days=3)
    path = tmp_path_factory.mktemp("log") / "log.parquet"
    pq.write_table(events, path)
    return path, truth


@pytest.mark.parametrize("online", [False, True])
def test_scores_and_alerts_on_spark_are_those_of_one_machine(online: bool, log: tuple[Path, pa.Table], tmp_path: Path) -> None:
    path, truth = log
    found = [
        detect(path, some_model(), tmp_path / engine, truth=truth, online=online, engine=engine) for engine in ("duckdb", "spark")
    ]
    assert found[0].as_dict() == found[1].as_dict()
    assert found[0].suspicious > 0
    for name in ("scores.parquet", "alerts.parquet"):
        assert (tmp_path / "spark" / name).read_bytes() == (tmp_path / "duckdb" / name).read_bytes()


@pytest.mark.parametrize("online", [False, True])
def test_the_same_logins_are_drawn_on_spark(online: bool, log: tuple[Path, pa.Table], tmp_path: Path) -> None:
    path, truth = log
    features(path, tmp_path)
    tables = read_all_features(tmp_path)
    keys = tables["ip"].column("Key")
    bad = ["Bad" if key.startswith("203") else "Good" for key in keys.to_pylist()]
    reputed = pa.table({"Key": keys, "Reputation": bad})
    one, two = (
        drawn(path, reputed, tables, (100, 50), 3, truth=truth, online=online, options={"engine": engine})
        for engine in ("duckdb", "spark")
    )
    assert all(np.array_equal(one.rows[level], two.rows[level]) for level in tables)
    assert np.array_equal(one.keys["country"], two.keys["country"])
    assert sorted(fraudulent_addresses(path, truth, {"engine": "spark"})) == sorted(fraudulent_addresses(path, truth))

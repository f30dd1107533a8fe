"""Features and imports on Spark: the files of the embedded engine, byte for byte."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.importing.making import import_logs
from sfumato.errors import DataError
from tests.unit.ato.logs import random_log, table_of


@pytest.mark.parametrize("online", [False, True])
def test_features_on_spark_are_those_of_one_machine_byte_for_byte(online: bool, tmp_path: Path) -> None:
    log = random_log(3, 120)
    pq.write_table(table_of([*log, *log[:5]]), tmp_path / "log.parquet")
    made = {
        engine: features(tmp_path / "log.parquet", tmp_path / engine, online=online, engine=engine)
        for engine in ("duckdb", "spark")
    }
    assert made["spark"].rows == made["duckdb"].rows
    assert made["spark"].doubled == made["duckdb"].doubled == 5
    for level, path in made["spark"].files.items():
        assert path.read_bytes() == made["duckdb"].files[level].read_bytes()


def test_a_table_that_holds_no_events_is_refused_on_spark_too(tmp_path: Path) -> None:
    pq.write_table(table_of(random_log(3, 12)).drop(["UserAgent"]), tmp_path / "log.parquet")
    with pytest.raises(DataError, match="no column 'UserAgent'"):
        features(tmp_path / "log.parquet", tmp_path / "out", engine="spark")


def test_events_imported_on_spark_are_those_of_one_machine_byte_for_byte(tmp_path: Path) -> None:
    records = [
        {
            "Id": f"{number % 20}",
            "CreationTime": f"2026-03-02T08:{59 - number:02d}:00",
            "Operation": "UserLoggedIn",
            "UserId": f"u{number}",
            "ClientIP": "::1",
        }
        for number in range(30)
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    made = {
        engine: import_logs(
            tmp_path / "log.jsonl", tmp_path / f"{engine}.parquet", format="o365", now=datetime(2026, 6, 1), engine=engine
        )
        for engine in ("duckdb", "spark")
    }
    assert made["spark"].doubled == made["duckdb"].doubled == 10
    assert made["spark"].file.read_bytes() == made["duckdb"].file.read_bytes()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_imported_on_spark_has_the_ids_and_bytes_of_one_machine(ending: str, tmp_path: Path) -> None:
    table = pa.table(
        {
            "When": ["2026-03-02T08:00:00Z", "2026-03-02 10:00:00.5+02:00", "never", "2026-03-02T08:00:00Z"],
            "Who": ["Ann@a.example", "bob", "cy", "ann@a.example"],
            "From": ["192.0.2.7:1", "2001:db8::1", "192.0.2.9", "[2001:DB8::7%3]:443"],
            "Result": ["failed", "success", "failed", "ok"],
        }
    )
    if ending == "csv":
        csv.write_csv(table, tmp_path / "log.csv")
    else:
        pq.write_table(table, tmp_path / "log.parquet")
    given = {"format": "columns", "columns": "time=When,user=Who,ip=From,outcome=Result", "now": datetime(2026, 6, 1)}
    made = {
        engine: import_logs(tmp_path / f"log.{ending}", tmp_path / f"{engine}.parquet", engine=engine, **given)
        for engine in ("duckdb", "spark")
    }
    assert made["spark"].rejected == made["duckdb"].rejected == {"no time, or a malformed one": 1}
    assert made["spark"].file.read_bytes() == made["duckdb"].file.read_bytes()

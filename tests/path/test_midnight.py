"""A day is a day, whatever the source stores it as: a timestamp at midnight that is declared a date is accepted by every verb."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError

DAYS = [datetime(2020, 1, day) for day in (1, 1, 2, 2, 31, 31)]
SCHEMA = """
[attributes.born]
role = "quasi"
type = "date"
hierarchy = { builder = "dates", units = ["month", "year"] }
[attributes.seen]
role = "plain"
type = "date"
[attributes.ill]
role = "sensitive"
type = "date"
"""


def table(unit: str, zone: str | None = None, hour: int = 0) -> pa.Table:
    moments = pa.array([moment.replace(hour=hour) for moment in DAYS], pa.timestamp(unit)).cast(pa.timestamp(unit, zone))
    return pa.table(dict.fromkeys(("born", "seen", "ill"), moments))


def as_text(folder: Path) -> Path:
    file = folder / "days.csv"
    rows = [f"{moment},{moment:%Y-%m-%dT%H:%M},{moment:%Y-%m-%d %H:%M:%S}.000000" for moment in DAYS]
    file.write_text("\n".join(["born,seen,ill", *rows]) + "\n")
    return file


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_midnight_is_a_date_in_every_verb(tmp_path: Path, unit: str, zone: str | None) -> None:
    _require_dates(tmp_path, table(unit, zone))


def test_midnight_is_a_date_in_a_text_file(tmp_path: Path) -> None:
    _require_dates(tmp_path, as_text(tmp_path))


def _require_dates(folder: Path, data: pa.Table | Path) -> None:
    schema = sf.Schema.parse(SCHEMA)
    assert sf.hierarchies(data, schema)["born"].classes == 3
    sf.publish(data, schema, node=[0], output=folder / "out.parquet")
    assert sorted(pq.read_table(folder / "out.parquet")["born"].to_pylist()) == [moment.date() for moment in DAYS]
    release = sf.anonymize(data, schema, models=["k-anonymity:6"], output=folder / "found.parquet")
    assert release.release.certificate.node == {"born": 1}
    for name in ("seen", "ill"):
        assert sorted(pq.read_table(folder / "found.parquet")[name].to_pylist()) == [moment.date() for moment in DAYS]
    assert set(pq.read_table(folder / "found.parquet")["born"].to_pylist()) == {date(2020, 1, 1).strftime("%Y-%m")}


@pytest.mark.parametrize("verb", [sf.hierarchies, lambda data, schema: sf.publish(data, schema, node=[1])])
def test_another_time_of_day_is_no_date(verb: object, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="3 distinct values do not fit type 'date'"):
        verb(table("us", hour=1), sf.Schema.parse(SCHEMA))  # type: ignore[operator]
    file = as_text(tmp_path)
    file.write_text(file.read_text().replace("00:00", "00:01"))
    with pytest.raises(DataError, match="3 distinct values do not fit type 'date'"):
        verb(file, sf.Schema.parse(SCHEMA))  # type: ignore[operator]

"""Tables that the steps hand to each other: another type, a doubled key or an impossible number is refused, and no value is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.applications.ato.events import FEATURES, TRUTH
from sfumato.applications.ato.reputation import read_known
from sfumato.applications.ato.tables import read_features, read_reputation, read_truth
from sfumato.errors import DataError

ROW = {"Key": "192.0.2.1", **dict.fromkeys(FEATURES.names[1:], 1)}


def stored(path: Path, rows: list[dict[str, Any]]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ROW, ROW], "column 'Key' is in several rows"),
        ([{**ROW, "IPBadUsers": "ann@a.example"}], "column 'IPBadUsers' is of another type"),
        ([{**ROW, "IPBadUsers": 1.5}], "column 'IPBadUsers' is of another type"),
        ([{**ROW, "IPBadUsers": -1}], "a count below 0"),
        ([{**ROW, "Key": "192.0.2.0/24"}], "not the features of level 'ip'"),
        ([{**ROW, "Key": "DE"}], "not the features of level 'ip'"),
        ([{**ROW, "IPBadUsers": None}, {**ROW, "Key": "192.0.2.2"}], "a missing value in column 'IPBadUsers'"),
    ],
)
def test_features_that_do_not_fit_are_refused_without_a_value(rows: list[dict[str, Any]], message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message) as refused:
        read_features(stored(tmp_path / "features", rows), "ip")
    assert not [secret for secret in ("ann@", "192.0.2") if secret in str(refused.value)]


def test_columns_may_be_in_any_order_and_in_wider_types(tmp_path: Path) -> None:
    wide = pa.Table.from_pylist([dict(reversed(ROW.items()))]).set_column(7, "Key", pa.array(["192.0.2.1"], pa.large_string()))
    pq.write_table(wide, tmp_path / "features")
    assert read_features(tmp_path / "features", "ip").to_pylist() == [ROW]


def test_a_doubled_key_of_reputation_or_truth_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'Key' is in several rows"):
        read_reputation(stored(tmp_path / "reputation", [{"Key": "a", "Reputation": "Bad"}, {"Key": "a", "Reputation": "Good"}]))
    twice = pa.Table.from_pylist([{"Id": "e", "Campaign": 1, "Takeover": False}] * 2, schema=TRUTH)
    pq.write_table(twice, tmp_path / "truth")
    with pytest.raises(DataError, match="'Id' is in several rows"):
        read_truth(tmp_path / "truth")


def test_known_addresses_come_in_the_spelling_of_the_events(tmp_path: Path) -> None:
    lines = "::ffff:192.0.2.1\n[2001:DB8::0001]:443  # a remark\n192.0.2.9:80\n\n"
    (tmp_path / "known").write_text(lines, encoding="utf-8")
    assert read_known(tmp_path / "known") == {"192.0.2.1", "2001:db8::1", "192.0.2.9"}
    (tmp_path / "known").write_text("192.0.2.1\nann@a.example\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2 is no IPv4 or IPv6 address") as refused:
        read_known(tmp_path / "known")
    assert "ann@" not in str(refused.value)


def test_features_of_another_level_are_refused_and_those_of_their_own_are_read(tmp_path: Path) -> None:
    keys = {
        "ip": ("192.0.2.1", "2001:db8::1"),
        "subnet": ("192.0.2.0/24", "2001:db8::/64"),
        "country": ("DE", "ZZ", "St. Helena"),
    }
    for level, own in keys.items():
        path = stored(tmp_path / level, [{**ROW, "Key": key} for key in own])
        for asked in keys:
            if asked == level:
                assert read_features(path, asked)["Key"].to_pylist() == list(own)
            else:
                with pytest.raises(DataError, match=f"not the features of level '{asked}'"):
                    read_features(path, asked)

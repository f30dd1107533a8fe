"""A release as a frame: labels are never cast to the types of the source, and values keep them."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import UsageError

SCHEMA = """
[attributes.born]
role = "quasi"
type = "timestamp"
hierarchy = { builder = "dates", units = ["year"] }
[attributes.job]
role = "quasi"
hierarchy = { builder = "tree", tree = { health = ["nurse", "doctor"], office = ["clerk", "buyer"] } }
[attributes.smoker]
role = "quasi"
[attributes.disease]
role = "sensitive"
"""
BORN = ["1980-03-04", "1980-07-08", "1991-01-02", "1991-12-24"]
JOBS = ["nurse", "doctor", "clerk", "buyer"]
SMOKES = [True, False, True, False]
DISEASES = ["flu", "cold", "flu", "gout"]


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "born": pd.to_datetime(BORN),
            "job": pd.Categorical(JOBS),
            "smoker": SMOKES,
            "disease": pd.Categorical(DISEASES),
        }
    )


def schema() -> sf.Schema:
    return sf.Schema.parse(SCHEMA)


def test_labels_of_a_pandas_frame_stay_labels() -> None:
    released = sf.publish(people(), schema(), node=[1, 1, 1]).to_pandas()
    assert Counter(released["born"]) == {"1980": 2, "1991": 2}
    assert Counter(released["job"]) == {"health": 2, "office": 2}
    assert Counter(released["smoker"]) == {"*": 4}
    assert Counter(released["disease"]) == Counter(DISEASES)
    assert released["disease"].dtype == people()["disease"].dtype


def test_values_of_a_pandas_frame_keep_their_types() -> None:
    released = sf.publish(people(), schema(), node=[0, 0, 0]).to_pandas()
    assert released.dtypes.to_dict() == people().dtypes.to_dict()
    rows = people().sort_values("born", ignore_index=True)
    pd.testing.assert_frame_equal(released.sort_values("born", ignore_index=True), rows)


def test_a_frame_beside_stars_has_labels_and_no_false_for_what_was_withheld() -> None:
    """Who is starred loses the sensitive value where it would be disclosed: a missing bool must not come back as False."""
    frame = pd.DataFrame({"age": [30] * 5 + [70], "ill": [True, False, True, False, True, True]})
    text = '[table]\nsuppressed = "star"\n[attributes.age]\nrole = "quasi"\n[attributes.ill]\nrole = "sensitive"\n'
    found = sf.anonymize(frame, sf.Schema.parse(text), models="k-anonymity:2", suppress="20%")
    assert isinstance(found, sf.Anonymized)
    released = found.release.to_pandas()
    assert Counter(released["age"]) == {"30": 5, "*": 1}
    starred = released[released["age"] == "*"]["ill"]
    stored = found.release.to_arrow().to_pandas()
    assert starred.tolist() == stored[stored["age"] == "*"]["ill"].tolist()
    assert starred.isna().all()


ONE = '[attributes.g]\nrole = "quasi"\n[attributes.v]\nrole = "plain"\n'
MOMENTS = pd.to_datetime(["2020-01-01 10:00", None, "2021-06-01 00:00", "2022-01-01 00:00"])
TYPES: dict[str, Any] = {
    "bool": pd.Series([True, False, True, True]),
    "boolean with missing": pd.Series([True, None, False, True], dtype="boolean"),
    "Int64 with missing": pd.Series([1, None, 3, 4], dtype="Int64"),
    "UInt16 with missing": pd.Series([1, None, 3, 4], dtype="UInt16"),
    "int8": pd.Series([1, 2, 3, 4], dtype="int8"),
    "float with missing": pd.Series([0.5, None, 2.5, 3.0]),
    "float32": pd.Series([0.1, 0.2, 2.5, 3.0], dtype="float32"),
    "Float64 with missing": pd.Series([0.5, None, 2.5, 3.0], dtype="Float64"),
    "text": pd.Series(["a", "b", None, "d"]),
    "string": pd.Series(["a", "b", None, "d"], dtype="string"),
    "category": pd.Series(["a", "b", None, "a"], dtype="category"),
    "ordered category": pd.Series(pd.Categorical(["low", "high", "low", "mid"], ["low", "mid", "high"], ordered=True)),
    "moments": pd.Series(MOMENTS),
    "moments with a zone": pd.Series(MOMENTS.tz_localize("Europe/Berlin")),
}


@pytest.mark.parametrize("role", ["plain", "sensitive", "quasi"])
@pytest.mark.parametrize("kind", TYPES)
def test_every_type_of_pandas_comes_back_where_nothing_was_generalized(kind: str, role: str) -> None:
    frame = pd.DataFrame({"g": ["x"] * 4, "v": TYPES[kind]})
    node = {"g": 0, "v": 0} if role == "quasi" else {"g": 0}
    released = sf.publish(frame, sf.Schema.parse(ONE.replace("plain", role)), node=node).to_pandas()
    assert released["v"].dtype == frame["v"].dtype
    assert Counter(map(str, released["v"])) == Counter(map(str, frame["v"]))


@pytest.mark.parametrize("kind", TYPES)
def test_no_type_of_pandas_is_put_on_labels(kind: str) -> None:
    frame = pd.DataFrame({"g": ["x"] * 4, "v": TYPES[kind]})
    released = sf.publish(frame, sf.Schema.parse(ONE.replace("plain", "quasi")), node={"g": 0, "v": 1}).to_pandas()
    assert released["v"].tolist() == ["*"] * 4


@pytest.mark.parametrize("values", [pd.period_range("2020-01", periods=4, freq="M"), pd.to_timedelta(["1d", "2d", "3d", "25h"])])
def test_types_that_a_file_does_not_have_stay_as_the_file_has_them(values: Any) -> None:
    frame = pd.DataFrame({"g": ["x"] * 4, "v": values})
    release = sf.publish(frame, sf.Schema.parse(ONE), node=[0])
    stored = release.to_arrow().column("v").to_pylist()
    assert release.to_pandas()["v"].tolist() == stored
    assert len(set(stored)) == 4


def test_numeric_labels_are_texts() -> None:
    text = '[attributes.g]\nrole = "quasi"\nhierarchy = { builder = "paths", paths = [["1", "10"], ["2", "10"], ["3", "30"]] }\n'
    frame = pd.DataFrame({"g": [1, 2, 3, 3]})
    assert Counter(sf.publish(frame, sf.Schema.parse(text), node=[1]).to_pandas()["g"]) == {"10": 2, "30": 2}


@pytest.mark.parametrize(
    "index",
    [
        pd.Index([7, 3, 9, 1], name="key"),
        pd.DatetimeIndex(pd.to_datetime(BORN), name="day"),
        pd.Index([2, 4, 6, 8]),
        pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1), ("b", 2)], names=["ward", "bed"]),
    ],
)
def test_a_named_index_comes_back_with_its_type_and_an_unnamed_one_is_left_out(index: pd.Index) -> None:
    frame = pd.DataFrame({"g": ["x"] * 4, "v": range(4)}, index=index)
    names = [name for name in index.names if name]
    text = ONE + "".join(f'[attributes.{name}]\nrole = "plain"\n' for name in names)
    released = sf.publish(frame, sf.Schema.parse(text), node=[0]).to_pandas()
    if names:
        assert list(released.index.names) == names
        assert [released.index.get_level_values(n).dtype for n in names] == [index.get_level_values(n).dtype for n in names]
        assert dict(zip(released.index, released["v"], strict=True)) == dict(zip(index, range(4), strict=True))
    else:
        assert released.index.tolist() == [0, 1, 2, 3]


def test_labels_and_values_of_a_polars_frame() -> None:
    frame = pl.DataFrame(people()).with_columns(
        pl.col("born").dt.replace_time_zone("Europe/Berlin"), pl.col("job").cast(pl.Categorical)
    )
    labels = sf.publish(frame, schema(), node=[1, 1, 1])
    assert Counter(labels.to_polars()["born"]) == {"1980": 2, "1991": 2}
    assert Counter(labels.to_polars()["job"]) == {"health": 2, "office": 2}
    assert Counter(labels.to_polars()["smoker"]) == {"*": 4}
    values = sf.publish(frame.lazy(), schema(), node=[0, 0, 0]).to_polars()
    assert dict(values.schema) == dict(frame.schema)
    assert values.sort("born").rows() == frame.sort("born").rows()


def test_metadata_of_pandas_is_neither_carried_over_nor_obeyed(tmp_path: Path) -> None:
    """An Arrow table or a Parquet file that pandas made says of every column which type pandas gave it: not true of labels."""
    table = pa.Table.from_pandas(people())
    assert table.schema.metadata
    pq.write_table(table, tmp_path / "people.parquet")
    for data in (table, tmp_path / "people.parquet"):
        release = sf.publish(data, schema(), node=[1, 1, 1], output=tmp_path / "out.parquet", force=True)
        kept = sf.publish(data, schema(), node=[1, 1, 1])
        for read in (pd.read_parquet(tmp_path / "out.parquet"), release.to_pandas(), kept.to_pandas(), kept.frame.to_pandas()):
            assert Counter(read["born"]) == {"1980": 2, "1991": 2}
            assert Counter(read["job"]) == {"health": 2, "office": 2}
            assert Counter(read["smoker"]) == {"*": 4}
        assert b"pandas" not in (pq.read_schema(tmp_path / "out.parquet").metadata or {})
        assert kept.to_arrow().schema.metadata is None


def test_the_frame_of_a_release_is_of_the_library_that_was_given(tmp_path: Path) -> None:
    frame = people()
    frame.to_parquet(tmp_path / "people.parquet")
    given = {
        pd.DataFrame: [frame],
        pl.DataFrame: [pl.DataFrame(frame), pl.DataFrame(frame).lazy()],
        pa.Table: [pa.Table.from_pandas(frame), tmp_path / "people.parquet"],
    }
    for kind, tables in given.items():
        for data in tables:
            released = sf.publish(data, schema(), node=[1, 1, 1]).frame
            assert type(released) is kind
            assert Counter(list(pa.table(released)["job"].to_pylist())) == {"health": 2, "office": 2}


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_library_that_is_not_installed_is_named_in_one_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release = sf.publish(pa.table({"g": ["x"] * 4, "v": [1, 2, 3, 4]}), sf.Schema.parse(ONE), node=[0])
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match=f"to_{name}: needs {name}, which is not installed.*to_arrow"):
        getattr(release, f"to_{name}")()
    if name == "pandas":
        with pytest.raises(UsageError, match="to_pandas: needs pandas"):
            sf.check(release, sf.Schema.parse(ONE), models="k-anonymity:2").to_pandas()

"""Counts and releases are those of the embedded engine, the order of the rows included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines.spark import release as release_module
from sfumato.errors import DataError
from sfumato.vocabulary.kinds import Kind
from tests.spark.tables import SCHEMA, rows, written

NODES: dict[str, dict[str, Any]] = {
    "values": {"node": {"age": 0, "weight": 0, "zip": 0, "born": 0}},
    "labels": {"node": {"age": 1, "weight": 1, "zip": 1, "born": 3}},
    "roots": {"node": {"age": 3, "weight": 2, "zip": 2, "born": 5}},
}


def table_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a file or a folder, in order."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def alike(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> bool:
    """Whether rows are the same, NaN and the sign of zero included."""
    return [list(map(repr, row.items())) for row in one] == [list(map(repr, row.items())) for row in other]


@pytest.mark.parametrize(
    ("node", "owner"), [("values", "owner"), ("labels", "identifier"), ("labels", "owner"), ("roots", "identifier")]
)
def test_a_folder_holds_the_rows_of_the_other_engine_in_their_order(
    node: str, owner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_module, "ROWS", 100)
    source, schema = written(tmp_path / "in.parquet"), SCHEMA.with_role("who", owner)
    plain = sf.publish(source, schema, **NODES[node], seed=7, output=tmp_path / "plain.parquet")
    spread = sf.publish(source, schema, **NODES[node], seed=7, output=tmp_path / "spread", engine="spark")
    assert len(list((tmp_path / "spread").iterdir())) == 3
    assert alike(table_of(tmp_path / "spread"), table_of(tmp_path / "plain.parquet"))
    assert spread.classes.same_as(plain.classes)
    record, other = spread.certificate.as_dict(), plain.certificate.as_dict()
    for name in ("people", "rows", "classes", "smallest_class", "node", "suppressed", "prior", "order", "types", "columns"):
        assert record[name] == other[name]
    assert record.get("owners") == other.get("owners")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_one_file_is_the_other_engines_byte_for_byte(suffix: str, tmp_path: Path) -> None:
    source = written(tmp_path / "in.parquet")
    for engine in ("duckdb", "spark"):
        sf.publish(source, SCHEMA, node=[1, 0, 1, 2], seed=3, output=tmp_path / f"{engine}.{suffix}", engine=engine)
    one, other = ((tmp_path / f"{engine}.{suffix}").read_bytes() for engine in ("duckdb", "spark"))
    assert one == other


def test_suppression_and_local_recoding_agree(tmp_path: Path) -> None:
    schema = SCHEMA.with_role(["who", "zoned"], "identifier").with_role("share", "plain")
    source = written(tmp_path / "in.parquet", 400)
    for name, options in {
        "suppressed": {"models": "k-anonymity:3", "suppress": "40%"},
        "local": {"models": "k-anonymity:5", "algorithm": "mondrian", "relaxed": True},
    }.items():
        made = [
            sf.anonymize(source, schema, quasi=["age", "zip"], **options, output=tmp_path / to, engine=engine)  # type: ignore[arg-type]
            for to, engine in ((f"{name}.parquet", "duckdb"), (name, "spark"))
        ]
        assert made[0].release.certificate.suppressed == made[1].release.certificate.suppressed
        assert alike(table_of(tmp_path / name), table_of(tmp_path / f"{name}.parquet"))


def test_texts_that_are_not_plain_are_read_alike(tmp_path: Path) -> None:
    texts = {
        "n": ["1.234,5", "1234,5", " 7 ", "x", None, "1.5"],
        "d": ["31.12.1999", "1.2.2000 3:04 PM", "29.2.1900", "2000-01-01", None, "01.01.2000"],
    }
    pq.write_table(pa.table({**texts, "q": ["a"] * 6}), tmp_path / "in.parquet")
    schema = sf.Schema.parse(
        '[attributes.q]\nrole="quasi"\n[attributes.n]\nrole="quasi"\ntype="decimal"\nformat="1.234,5"\nmissing=["x"]\n'
        '[attributes.d]\nrole="quasi"\ntype="timestamp"\nformat="dd.mm.yyyy"\n'
    )
    views = []
    for engine in ("duckdb", "spark"):
        with sf.Table.open(tmp_path / "in.parquet", schema, engine=engine) as table:
            found = [
                {row["value"]: row["n"] for batch in table.engine.distinct(name) for row in batch.to_pylist()} for name in "nd"
            ]
        views.append(found)
    assert views[0] == views[1]
    assert "1999-12-31" in views[0][1]


def test_a_partitioned_folder_is_read_alike(tmp_path: Path) -> None:
    table = rows(60)
    table = table.filter(pc.fill_null(pc.not_equal(table["zip"], ""), True))  # Spark refuses a folder `zip=`
    pq.write_to_dataset(table, tmp_path / "parts", partition_cols=["small", "zip"])
    schema = sf.Schema.parse(
        '[attributes.small]\nrole="quasi"\n[attributes.zip]\nrole="quasi"\n[attributes.disease]\nrole="sensitive"\n'
    )
    counts = []
    for engine in ("duckdb", "spark"):
        with sf.Table.open(tmp_path / "parts", schema, engine=engine) as opened:
            counts.append(opened.count())
    assert counts[0].same_as(counts[1])


def test_letters_in_the_names_of_folders_are_read_alike(tmp_path: Path) -> None:
    """Whoever writes a folder spells other letters than those of ASCII by their bytes in UTF-8, or as they are."""
    table = pa.table({"city": ["Köln", "Bad Tölz / Süd", "Bonn", "50%", "a'b"], "disease": list("abcab")})
    pq.write_to_dataset(table, tmp_path / "parts", partition_cols=["city"])
    (tmp_path / "parts" / "city=Fürth").mkdir()
    pq.write_table(pa.table({"disease": ["c"]}), tmp_path / "parts" / "city=Fürth" / "0.parquet")
    schema = sf.Schema.parse('[attributes.city]\nrole="quasi"\n[attributes.disease]\nrole="sensitive"\n')
    counts = []
    for engine in ("duckdb", "spark"):
        with sf.Table.open(tmp_path / "parts", schema, engine=engine) as opened:
            counts.append(opened.count())
    cities = ["50%", "Bad Tölz / Süd", "Bonn", "Fürth", "Köln", "a'b"]
    assert [counts[1].labels(number) for number in range(1, 7)] == [(city,) for city in cities]
    assert counts[0].same_as(counts[1])


def test_moments_in_nanoseconds_are_read_alike(tmp_path: Path) -> None:
    moments = pa.array([0, 1_500_000_001, -1, None], pa.timestamp("ns"))
    pq.write_table(pa.table({"t": moments}), tmp_path / "in.parquet")
    schema = sf.Schema.parse('[attributes.t]\nrole="quasi"\n')
    counts = []
    for engine in ("duckdb", "spark"):
        with sf.Table.open(tmp_path / "in.parquet", schema, engine=engine) as opened:
            counts.append(opened.count())
    assert counts[0].same_as(counts[1])


def test_moments_finer_than_a_microsecond_are_not_published_as_others(tmp_path: Path) -> None:
    schema = sf.Schema.parse('[attributes.q]\nrole="quasi"\n[attributes.t]\nrole="plain"\n[attributes.z]\nrole="plain"\n')
    for fine in (0, 1):
        moments = [1_500_000_000, 2_000 + fine, -1_000, None]
        columns = {"t": pa.array(moments, pa.timestamp("ns")), "z": pa.array(moments[::-1], pa.timestamp("ns", "UTC"))}
        pq.write_table(pa.table({"q": list("abcd"), **columns}), tmp_path / f"{fine}.parquet")
    sf.publish(tmp_path / "0.parquet", schema, node=[0], output=tmp_path / "plain.csv")
    sf.publish(tmp_path / "0.parquet", schema, node=[0], output=tmp_path / "out.csv", engine="spark")
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
    with pytest.raises(DataError, match=r"column 't': 1 moment with a part of a microsecond, which Spark does not have"):
        sf.publish(tmp_path / "1.parquet", schema, node=[0], output=tmp_path / "fine.csv", engine="spark")


def test_a_column_without_any_value_is_text_on_either_engine(tmp_path: Path) -> None:
    pq.write_table(pa.table({"q": ["a"], "nothing": pa.nulls(1)}), tmp_path / "in.parquet")
    schema = sf.Schema.parse('[attributes.q]\nrole="quasi"\n[attributes.nothing]\nrole="plain"\n')
    for engine in ("duckdb", "spark"):
        with sf.Table.open(tmp_path / "in.parquet", schema, engine=engine) as table:
            assert table.engine.kinds["nothing"] is Kind.TEXT

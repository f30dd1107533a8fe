"""From a table to a published release, through the command line and through Python."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.errors import BadInput, NotVerified, SchemaError
from tests.conftest import Ended
from tests.contracts import people as plain
from tests.contracts.test_engine import arrow
from tests.forging import forge

Run = Callable[..., Ended]


def publish_census(sfumato: Run, census: Path, output: Path, *more: object) -> Ended:
    node = ["--quasi", "age,workclass", "--node", "age=2,workclass=1"]
    return sfumato("publish", census / "adult.parquet", "--schema", census / "adult.toml", *node, "-o", output, *more)


def test_the_census_release_has_eight_classes_and_verifies(sfumato: Run, census: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.parquet"
    ended = publish_census(sfumato, census, output, "--json")
    assert ended.status == 0
    record = ended.json
    assert (record["schema_version"], record["status"]) == (1, "published")
    assert (record["node"], record["classes"], record["smallest_class"]) == ({"age": 2, "workclass": 1}, 8, 22)
    assert (record["people"], record["rows"], record["basis"]) == (30162, 30162, "row")
    assert record["suppressed"] == {"people": 0, "rows": 0, "classes": 0, "as": "drop"}
    read = pq.read_table(output)
    assert read.column_names == ["age", "workclass", "occupation", "income"]
    sizes = Counter(zip(read["age"].to_pylist(), read["workclass"].to_pylist(), strict=True))
    assert (len(sizes), min(sizes.values()), sizes["[75, 100]", "Gov"]) == (8, 22, 22)
    verified = sfumato("verify", output, "--json")
    assert (verified.status, verified.json["status"], verified.json["classes"]) == (0, "verified", 8)


def test_people_see_the_classes_as_a_table(sfumato: Run, census: Path, tmp_path: Path) -> None:
    ended = publish_census(sfumato, census, tmp_path / "out.parquet")
    assert ended.status == 0
    assert "│     7 │ [75, 100] │ Gov       │     22 │                   6 │" in ended.out
    assert f"release:     {tmp_path / 'out.parquet'}" in ended.out
    assert "fits its certificate" in sfumato("verify", tmp_path / "out.parquet").out


def test_the_demo_does_the_main_job_and_can_be_run_again(sfumato: Run, tmp_path: Path) -> None:
    ended = sfumato("demo", "-o", tmp_path / "demo")
    assert ended.status == 0
    assert f"Open {tmp_path / 'demo' / 'report.html'}" in ended.out
    record = sfumato("demo", "-o", tmp_path / "demo", "--json").json
    assert all(Path(name).is_file() for name in record["written"])
    assert all(model["satisfied"] for model in record["models"])
    assert sfumato("verify", tmp_path / "demo" / "release.parquet").status == 0


def test_the_certificate_says_what_was_published_and_holds_no_rare_value(sfumato: Run, tmp_path: Path) -> None:
    rare = ["Noma"] * 2
    frame = pd.DataFrame({"age": [30] * 12, "disease": ["flu"] * 10 + rare, "name": [f"Person {i}" for i in range(12)]})
    schema = sf.Schema.parse(
        '[attributes.age]\nrole="quasi"\n[attributes.disease]\nrole="sensitive"\n[attributes.name]\nrole="identifier"\n'
    )
    now = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)
    release = sf.publish(frame, schema, node=[0], output=tmp_path / "out.parquet", seed=7, now=now)
    text = (tmp_path / "out.parquet.certificate.json").read_text()
    record = json.loads(text)
    assert "Noma" not in text
    assert "Person" not in text
    assert record["prior"] == {"of": "file"}
    assert (record["seed"], record["time"], record["version"]) == (7, "2031-02-03T04:05:06+00:00", sf.__version__)
    assert record["withheld"] == {"name": "identifier"}
    assert record["engine"]["name"] == "duckdb"
    assert record["schema_sha256"] == release.certificate.schema_sha256 == schema.digest()
    assert "input_sha256" not in record


def test_the_owners_copy_adds_the_digest_of_the_input(sfumato: Run, census: Path, tmp_path: Path) -> None:
    import hashlib

    ended = publish_census(sfumato, census, tmp_path / "out.parquet", "--ledger", tmp_path / "mine", "--json")
    (entry,) = (tmp_path / "mine").iterdir()
    assert ended.json["ledger"] == str(entry)
    record = json.loads(entry.read_text())
    owner = record.pop("owner")
    assert owner.pop("input_sha256") == hashlib.sha256((census / "adult.parquet").read_bytes()).hexdigest()
    assert owner.pop("output") == str(tmp_path / "out.parquet")
    assert owner.pop("input") == str((census / "adult.parquet").resolve())
    assert sum(entry["people"] for entry in owner.pop("prior")["occupation"]) == 30162
    assert owner == {}
    assert record["certificate"]["prior"] == {"of": "file"}
    assert record["certificate"] == json.loads((tmp_path / "out.parquet.certificate.json").read_text())


def test_the_recoding_can_be_exported_value_by_value(sfumato: Run, census: Path, tmp_path: Path) -> None:
    ended = publish_census(sfumato, census, tmp_path / "out.csv", "--map", tmp_path / "map.csv", "--json")
    assert ended.json["map"] == str(tmp_path / "map.csv")
    with (tmp_path / "map.csv").open() as file:
        rows = list(csv.DictReader(file))
    found = {(row["attribute"], row["value"]): row["label"] for row in rows}
    assert found["age", "39"] == "[25, 50)"
    assert found["workclass", "Private"] == "Non-Gov"
    assert len(rows) == 101 + 8


def test_the_map_lists_the_values_of_computed_hierarchies_too(tmp_path: Path) -> None:
    where = {"output": tmp_path / "out.parquet", "mapping": tmp_path / "map.csv"}
    sf.publish(arrow(), plain.schema(), quasi=["zip", "seen"], node={"zip": 1, "seen": 3}, **where)
    with (tmp_path / "map.csv").open() as file:
        found = {(row["attribute"], row["value"]): row["label"] for row in csv.DictReader(file)}
    assert found["zip", "12399"] == "123**"
    assert found["seen", "2024-02-29"] == "2024"


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.csv.gz"])
def test_every_format_verifies_and_reads_back(name: str, tmp_path: Path) -> None:
    node = {"age": 1, "zip": 1, "seen": 2, "ip": 1}
    release = sf.publish(arrow(), plain.schema(), node=node, output=tmp_path / name)
    assert sf.verify(tmp_path / name).classes == len(plain.classes(node))
    assert sorted(map(str, release.to_arrow()["age"].to_pylist())) == sorted(
        str(plain.labels_of(row, {"age": 1})[0]) for row in plain.ROWS
    )


def test_force_replaces_a_release_and_its_stale_certificate(sfumato: Run, census: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.parquet"
    assert publish_census(sfumato, census, output).status == 0
    assert publish_census(sfumato, census, output).status == 2
    assert publish_census(sfumato, census, output, "--force", "--seed", "3").status == 0
    assert json.loads((tmp_path / "out.parquet.certificate.json").read_text())["seed"] == 3
    assert sfumato("verify", output).status == 0


def test_a_changed_file_does_not_verify(sfumato: Run, census: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    publish_census(sfumato, census, output)
    output.write_bytes(output.read_bytes().replace(b"Gov", b"gov", 1))
    ended = sfumato("verify", output)
    assert (ended.status, ended.err.count("\n")) == (1, 1)
    assert "its digest differs" in ended.err


def test_a_certificate_that_lies_about_the_classes_does_not_verify(sfumato: Run, census: Path, tmp_path: Path) -> None:
    publish_census(sfumato, census, tmp_path / "out.parquet")
    path = tmp_path / "out.parquet.certificate.json"
    forge(path, {"classes": 9})
    ended = sfumato("verify", tmp_path / "out.parquet")
    assert ended.status == 1
    assert "30,162 rows in 8 classes, the certificate says 30,162 in 9" in ended.err


def test_a_file_with_other_columns_than_certified_does_not_verify(sfumato: Run, census: Path, tmp_path: Path) -> None:
    publish_census(sfumato, census, tmp_path / "out.parquet")
    path = tmp_path / "out.parquet.certificate.json"
    forge(path, {"columns": ["age", "workclass", "occupation"]})
    ended = sfumato("verify", tmp_path / "out.parquet")
    assert (ended.status, "does not have the columns" in ended.err) == (1, True)


@pytest.mark.parametrize("content", [None, "not json", '{"file": 1}', "[]", "wrong types"])
def test_a_missing_or_damaged_certificate_is_bad_input(sfumato: Run, census: Path, tmp_path: Path, content: str | None) -> None:
    publish_census(sfumato, census, tmp_path / "out.parquet")
    path = tmp_path / "out.parquet.certificate.json"
    record = json.loads(path.read_text())
    path.unlink()
    if content == "wrong types":
        path.write_text(json.dumps(record))
        forge(path, {"rows": "30162"})
    elif content is not None:
        path.write_text(content)
    assert sfumato("verify", tmp_path / "out.parquet").status == 2


def test_verifying_a_missing_file_is_bad_input(sfumato: Run, tmp_path: Path) -> None:
    assert sfumato("verify", tmp_path / "none.parquet").status == 2


def test_a_file_that_is_not_as_promised_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recode = DuckDBEngine.recode

    def lying(self: DuckDBEngine, schema: sf.Schema, recoding: object, target: object) -> int:
        written = recode(self, schema, recoding, target)  # type: ignore[arg-type]
        table = pq.read_table(target.path)  # type: ignore[attr-defined]
        pq.write_table(table.slice(1), target.path)  # type: ignore[attr-defined]
        return written

    monkeypatch.setattr(DuckDBEngine, "recode", lying)
    with pytest.raises(NotVerified):
        sf.publish(arrow(), plain.schema(), quasi=["age"], node=[1], output=tmp_path / "out.parquet", ledger=tmp_path / "ledger")
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_a_file_with_unpromised_labels_is_not_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recode = DuckDBEngine.recode

    def leaking(self: DuckDBEngine, schema: sf.Schema, recoding: object, target: object) -> int:
        written = recode(self, schema, recoding, target)  # type: ignore[arg-type]
        table = pq.read_table(target.path)  # type: ignore[attr-defined]
        pq.write_table(table.set_column(0, "age", pa.array(["17"] * table.num_rows)), target.path)  # type: ignore[attr-defined]
        return written

    monkeypatch.setattr(DuckDBEngine, "recode", leaking)
    with pytest.raises(NotVerified) as caught:
        sf.publish(arrow(), plain.schema(), quasi=["age"], node=[1], output=tmp_path / "out.parquet", ledger=tmp_path / "ledger")
    assert "17" not in str(caught.value)
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_identifiers_owner_and_other_quasi_identifiers_are_withheld() -> None:
    release = sf.publish(arrow(), plain.schema(name="owner"), quasi=["age"], node=[1])
    assert release.to_arrow().column_names == ["age", "disease", "ward", "note"]
    assert dict(release.certificate.withheld) == {"name": "owner", "zip": "quasi", "seen": "quasi", "ip": "quasi"}


def test_the_certificate_carries_the_people_that_the_file_cannot_show() -> None:
    release = sf.publish(arrow(), plain.schema(name="owner"), quasi=["age"], node=[2])
    certificate = release.certificate
    assert (certificate.basis, certificate.people, certificate.rows) == ("owner", 7, 8)
    # below 50: Ann (twice), Ben, Cy, Di; 50 and above: Ed, Gus; age missing: Flo
    assert certificate.owners == {
        "people_per_class": [4, 2, 1],
        "people_per_value": {"disease": [[2, 2], [1, 1], [1]], "ward": [[2, 2], [1, 1], [1]]},
    }


def test_suppressed_classes_are_counted_and_leave_or_stay_as_stars(tmp_path: Path) -> None:
    dropped = sf.publish(arrow(), plain.schema(), quasi=["age"], node=[1], suppress=[3, 4], output=tmp_path / "drop.parquet")
    assert dropped.certificate.suppressed == {"people": 2, "rows": 2, "classes": 2, "as": "drop"}
    assert (dropped.certificate.classes, dropped.certificate.rows, dropped.to_arrow().num_rows) == (3, 6, 6)
    text = plain.SCHEMA.replace("[table]", '[table]\nsuppressed = "star"')
    starred = sf.publish(
        arrow(), sf.Schema.parse(text), quasi=["age"], node=[1], suppress=[3, 4], output=tmp_path / "star.parquet"
    )
    # nothing was promised about the two, so their sensitive values are left out
    assert starred.certificate.suppressed == {"people": 2, "rows": 2, "classes": 2, "as": "star", "sensitive": "withheld"}
    stars = starred.to_arrow().to_pandas().query("age == '*'")
    assert (len(stars), stars["disease"].isna().all()) == (2, True)
    assert (starred.certificate.classes, starred.certificate.rows, starred.to_arrow().num_rows) == (3, 6, 8)
    assert starred.to_arrow()["age"].to_pylist().count("*") == 2
    for name in ("drop", "star"):
        assert sf.verify(tmp_path / f"{name}.parquet").classes == 3


def test_stars_beside_a_quasi_identifier_at_its_root(tmp_path: Path) -> None:
    schema = sf.Schema.parse(plain.SCHEMA.replace("[table]", '[table]\nsuppressed = "star"'))
    node = {"age": 0, "zip": 3}
    release = sf.publish(arrow(), schema, quasi=["age", "zip"], node=node, suppress=[1, 6], output=tmp_path / "star.parquet")
    assert sorted(map(str, release.to_arrow()["age"].to_pylist())) == ["*", "*", "*", "25", "25", "49", "50", "75"]
    assert sf.verify(tmp_path / "star.parquet").classes == 4


def test_suppressing_everything_is_no_release() -> None:
    with pytest.raises(BadInput, match="every class would be suppressed"):
        sf.publish(arrow(), plain.schema(), quasi=["age"], node=[3], suppress=[1])
    with pytest.raises(BadInput, match="no class 2; the node has 1 class"):
        sf.publish(arrow(), plain.schema(), quasi=["age"], node=[3], suppress=[2])


def test_all_people_may_be_suppressed_at_a_node_that_was_chosen(sfumato: Run, census: Path, tmp_path: Path) -> None:
    ended = publish_census(sfumato, census, tmp_path / "most.csv", "-m", "k-anonymity:100", "--suppress", "100%")
    assert (ended.status, ended.err) == (0, "")


def test_a_source_needs_a_schema() -> None:
    with pytest.raises(SchemaError, match="a table needs a schema"):
        sf.publish(arrow(), node=[1])


def test_a_named_index_comes_back_as_the_index() -> None:
    frame = arrow().to_pandas().set_index("note")
    release = sf.publish(frame, plain.schema(), quasi=["age"], node=[1])
    published = release.to_pandas()
    assert published.index.name == "note"
    assert Counter(map(str, published.index)) == Counter(map(str, frame.index))
    assert list(published.columns) == ["age", "disease", "ward"]


def test_the_release_stands_beside_the_original_row_by_row_with_its_index() -> None:
    frame = arrow().to_pandas()
    frame.index = pd.Index(np.arange(8) * 10 + 3)
    release = sf.publish(frame, plain.schema(), quasi=["age", "seen"], node=[1, 2])
    beside = release.beside_original()
    assert beside.index.tolist() == frame.index.tolist()
    wanted = [plain.labels_of(row, {"age": 1, "seen": 2}) for row in plain.ROWS]
    assert list(zip(beside["age"], beside["seen"], strict=True)) == wanted
    assert beside["note"].tolist() == frame["note"].tolist()
    assert Counter(map(str, beside.itertuples(index=False))) == Counter(map(str, release.to_pandas().itertuples(index=False)))


def test_rows_that_left_are_not_beside_the_original() -> None:
    frame = pl.DataFrame(arrow())
    release = sf.publish(frame, plain.schema(), quasi=["age"], node=[1], suppress=[5])
    beside = release.beside_original()
    assert isinstance(beside, pl.DataFrame)
    assert beside["age"].to_list() == [plain.labels_of(row, {"age": 1})[0] for row in plain.ROWS if row[1] is not None]
    assert isinstance(release.to_polars(), pl.DataFrame)


def test_a_class_of_few_people_is_shown_by_number_only(sfumato: Run, tmp_path: Path) -> None:
    pq.write_table(arrow(), tmp_path / "people.parquet")
    (tmp_path / "schema.toml").write_text(plain.SCHEMA)
    where = ["-s", tmp_path / "schema.toml", "--quasi", "age", "--node", "[0]"]
    ended = sfumato("publish", tmp_path / "people.parquet", *where, "-o", tmp_path / "out.parquet")
    assert ended.status == 0
    assert "(fewer than 5 people)" in ended.out
    assert "49" not in ended.out.split("people in")[0]


def test_the_bundled_sample_is_written_once(sfumato: Run, tmp_path: Path) -> None:
    first = sfumato("data", "adult", "-o", tmp_path / "census", "--json")
    assert first.status == 0
    assert {Path(path).name for path in first.json["written"]} >= {"adult.parquet", "adult.toml", "education.csv"}
    assert sfumato("data", "adult", "-o", tmp_path / "census").status == 2
    assert sfumato("data", "adult", "-o", tmp_path / "census", "--force").status == 0


@pytest.mark.slow
def test_a_table_larger_than_the_memory_limit_is_published(census: Path, tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect() as connection:
        many = f"SELECT s.* FROM '{census / 'adult.parquet'}' s, range(100)"
        connection.execute(f"COPY ({many}) TO '{tmp_path / 'big.csv'}' (HEADER)")
    assert (tmp_path / "big.csv").stat().st_size > 240_000_000
    with sf.Table.open(tmp_path / "big.csv", census / "adult.toml", memory="200MB") as table:
        release = sf.publish(table, node=[1, 1, 1, 1, 1, 0, 0], output=tmp_path / "out.parquet")
    with sf.data.adult() as sample:
        once = sample.count().roll_up(release.classes.node)
    assert release.classes.rows.tolist() == (once.rows * 100).tolist()


def test_the_sign_of_zero_is_not_published(tmp_path: Path) -> None:
    """Rows that differ in nothing but it are counted as equal, so one of them would take the place of the other."""
    table = pa.table({"q": ["a"] * 4, "x": [0.0, -0.0, 0.0, -0.0], "y": pa.array([-0.0, 1.0, -0.0, 1.0], pa.float32())})
    schema = sf.Schema.parse({"attributes": {"q": {"role": "quasi"}, "x": {"role": "plain"}, "y": {"role": "plain"}}})
    for suffix in ("parquet", "csv"):
        release = sf.publish(table, schema, node=[0], output=tmp_path / f"out.{suffix}")
        values = {str(value) for name in "xy" for value in release.to_arrow()[name].to_pylist()}
        assert values == {"0.0", "1.0"}
    assert pq.read_schema(tmp_path / "out.parquet").field("y").type == pa.float32()

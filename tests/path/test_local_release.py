"""Local recodings from the search to the certified file and back."""

from __future__ import annotations

import csv
import itertools
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import NotVerified, UsageError
from sfumato.models import model_of
from sfumato.search.mondrian.rounds import Local, mondrian
from sfumato.search.problem import Problem
from tests.contracts import people as plain
from tests.contracts.test_engine import arrow
from tests.forging import forge


def problem(table: sf.Table, models: Sequence[str], quasi: Sequence[str] | None = None) -> Problem:
    counts = table.count(quasi)
    sensitive = {name: table.schema[name] for name in table.schema.sensitive}
    priors = {name: sf.Prior.of(counts, name) for name in sensitive}
    return Problem(counts, sensitive, priors, tuple(map(model_of, models)))


def search(table: sf.Table, *models: str, quasi: Sequence[str] | None = None, **options: Any) -> Local:
    kinds = {attribute.name: attribute.kind for attribute in table.schema.attributes if attribute.kind}
    found = mondrian(problem(table, models, quasi), kinds=kinds, **options)
    assert isinstance(found, Local)
    return found


def local(table: sf.Table, found: Local, *models: str, search: Mapping[str, Any] | None = None) -> sf.Policy:
    """What Mondrian found, with the models that the file must satisfy."""
    return replace(sf.Policy.local(table, found.recoding), question=sf.Question(models), search=search)


def test_a_census_release_verifies_checks_and_measures(tmp_path: Path, census: Path) -> None:
    models = ["k-anonymity:5", "distinct-diversity:2"]
    with sf.data.adult() as table:
        found = search(table, *models)
        settings = {"algorithm": "mondrian", "limit": 0}
        output = tmp_path / "out.parquet"
        release = sf.publish(table, policy=local(table, found, *models, search=settings), output=output)
        measured = sf.measure(output, original=table)
    certificate = json.loads((tmp_path / "out.parquet.certificate.json").read_text())
    assert (certificate["recoding"], certificate["node"], certificate["search"]) == ("local", {}, settings)
    assert list(certificate["heights"]) == list(table.schema.quasi)
    assert [(entry["model"], entry["satisfied"]) for entry in certificate["models"]] == [(model, True) for model in models]
    assert sf.verify(output).classes == found.classes == release.certificate.classes > 1000
    checked = sf.check(output, census / "adult.toml", models=[*models, "k-anonymity:50"])
    assert [verdict.satisfied for verdict in checked.verdicts] == [True, True, False]
    assert checked.verdicts[0].witness == certificate["models"][0]["witness"]["class"]
    assert (measured.node, measured.classes, measured.people) == (None, found.classes, 30162)
    assert measured.information["loss"] == pytest.approx(found.loss)
    assert measured.information["class-size"] == pytest.approx(30162 / found.classes)
    assert 0 < measured.attributes[0].losses["utility-distribution"].people_mean < 1


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.csv.gz"])
def test_a_relaxed_release_divides_people_and_passes_the_same_checks(tmp_path: Path, census: Path, name: str) -> None:
    quasi = ["age", "marital-status", "sex"]
    with sf.data.adult() as table:
        strict = search(table, "k-anonymity:20", quasi=quasi)
        found = search(table, "k-anonymity:20", quasi=quasi, strict=False, seed=4)
        assert found.recoding.division is not None
        assert found.classes > strict.classes
        sf.publish(table, policy=local(table, found, "k-anonymity:20"), output=tmp_path / name)
        measured = sf.measure(tmp_path / name, original=table)
    assert sf.verify(tmp_path / name).classes == found.classes
    assert sf.check(tmp_path / name, census / "adult.toml", models=["k-anonymity:20"]).satisfied
    assert measured.information["loss"] == pytest.approx(found.loss)
    assert sf.check(tmp_path / name, census / "adult.toml", models=["k-anonymity:20"]).rows == 30162


def test_there_are_more_classes_than_at_the_best_node() -> None:
    quasi = ["age", "workclass", "race", "sex"]
    with sf.data.adult() as table:
        counts = table.count(quasi)
        heights = [range(hierarchy.height + 1) for hierarchy in counts.hierarchies]
        nodes = (counts.roll_up(table.node(levels, quasi)) for levels in itertools.product(*heights))
        most = max(classes.classes for classes in nodes if classes.people.min() >= 5)
        assert search(table, "k-anonymity:5", quasi=quasi).classes > 2 * most


def test_a_damaged_file_does_not_verify(tmp_path: Path) -> None:
    with sf.data.adult() as table:
        found = search(table, "k-anonymity:100", quasi=["age", "sex"])
        sf.publish(table, policy=local(table, found), output=tmp_path / "out.parquet")
    read = pq.read_table(tmp_path / "out.parquet")
    pq.write_table(read.slice(1), tmp_path / "out.parquet")
    with pytest.raises(NotVerified, match="digest differs"):
        sf.verify(tmp_path / "out.parquet")


@pytest.mark.parametrize("lie", [{"node": {"age": 1, "sex": 0}}, {"classes": 3}, {"smallest_class": 7}])
def test_a_certificate_that_lies_does_not_verify(tmp_path: Path, lie: dict[str, Any]) -> None:
    with sf.data.adult() as table:
        found = search(table, "k-anonymity:100", quasi=["age", "sex"])
        sf.publish(table, policy=local(table, found), output=tmp_path / "out.parquet")
    path = tmp_path / "out.parquet.certificate.json"
    forge(path, lie)
    with pytest.raises(NotVerified):
        sf.verify(tmp_path / "out.parquet")


@pytest.mark.parametrize("at_node", [True, False])
def test_what_is_not_satisfied_by_the_written_file_is_not_published(tmp_path: Path, at_node: bool) -> None:
    with sf.data.adult() as table:
        policy = local(table, search(table, "k-anonymity:100", quasi=["age", "sex"]))
        policy = sf.Policy.at_node(table, [1, 0], ["age", "sex"]) if at_node else policy
        policy = replace(policy, question=sf.Question("k-anonymity:9000"))
        with pytest.raises(NotVerified, match="k-anonymity:9000 is violated by the written file"):
            sf.publish(table, policy=policy, output=tmp_path / "out.parquet", ledger=tmp_path / "ledger")
        with pytest.raises(UsageError, match="k-map:2 cannot be judged here: no public table"):
            sf.publish(table, policy=replace(policy, question=sf.Question("k-map:2")), output=tmp_path / "out.parquet")
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_a_release_at_a_node_records_its_models_and_search_too(tmp_path: Path) -> None:
    with sf.data.adult() as table:
        policy = sf.Policy.at_node(table, [2, 1], ["age", "workclass"], suppress=[1])
        policy = replace(policy, question=sf.Question("k-anonymity:22"), search={"algorithm": "optimal"})
        release = sf.publish(table, policy=policy, output=tmp_path / "out.parquet")
    assert [(verdict.value, verdict.satisfied) for verdict in release.verdicts] == [(22, True)]
    certificate = json.loads((tmp_path / "out.parquet.certificate.json").read_text())
    assert certificate["models"] == [verdict.as_dict() for verdict in release.verdicts]
    assert certificate["search"] == {"algorithm": "optimal"}
    assert certificate["recoding"] == "full-domain"
    assert sf.verify(tmp_path / "out.parquet").classes == 7


def test_a_policy_for_another_table_or_schema_is_refused(tmp_path: Path) -> None:
    with sf.data.adult() as table:
        policy = sf.Policy.at_node(table, [2, 1], ["age", "workclass"])
        for agreed, message in (({"table": "0" * 64}, "for another table"), ({"schema": "0" * 64}, "for another schema")):
            with pytest.raises(NotVerified, match=message):
                sf.publish(table, policy=replace(policy, **agreed), output=tmp_path / "out.parquet")
        fitting = replace(policy, table=table.digest(), schema=table.declared.digest())
        assert sf.publish(table, policy=fitting).certificate.classes == 8
    assert not any(tmp_path.iterdir())


def test_people_with_several_rows_are_counted_once(tmp_path: Path) -> None:
    with sf.Table.open(arrow(), plain.schema(name="owner")) as table:
        found = search(table, "k-anonymity:2", quasi=["age", "zip"])
        sf.publish(table, policy=local(table, found, "k-anonymity:2"), output=tmp_path / "out.parquet")
    certificate = json.loads((tmp_path / "out.parquet.certificate.json").read_text())
    checked = sf.check(tmp_path / "out.parquet", plain.schema(name="owner"), models=["k-anonymity:2"])
    assert (checked.basis, checked.people, checked.rows, checked.satisfied) == ("owner", 7, 8, True)
    assert checked.verdicts[0].value == min(certificate["owners"]["people_per_class"])
    assert sf.verify(tmp_path / "out.parquet").rows == 8


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
def test_numbers_are_numbered_by_size_whoever_reads_the_file(tmp_path: Path, name: str) -> None:
    text = '[attributes.age]\nrole="quasi"\ntype="integer"\n[attributes.v]\nrole="sensitive"\n[attributes.who]\nrole="owner"\n'
    schema = sf.Schema.parse(text)
    source = pa.table({"age": [5, 5, 5, 10, 10, 10, 10], "v": list("aabbabb"), "who": [1, 2, 3, 4, 4, 4, 5]})
    with sf.Table.open(source, schema) as table:
        for what in ({"node": [0]}, {"policy": local(table, search(table, "k-anonymity:2"))}):
            sf.publish(table, **what, output=tmp_path / name, force=True)
            measured = sf.measure(tmp_path / name, original=table)
            assert [row[1] for row in measured.attributes[0].per_class.rows] == [3, 2]


def test_missing_values_dates_and_computed_labels_come_back(tmp_path: Path) -> None:
    with sf.Table.open(arrow(), plain.schema()) as table:
        found = search(table, "k-anonymity:2")
        sf.publish(table, policy=local(table, found, "k-anonymity:2"), output=tmp_path / "out.csv")
        measured = sf.measure(tmp_path / "out.csv", original=table)
    assert measured.information["loss"] == pytest.approx(found.loss)
    assert sf.check(tmp_path / "out.csv", plain.schema(), models=["k-anonymity:2"]).satisfied


def test_the_people_of_a_larger_table_are_not_counted_for_local_classes(tmp_path: Path, census: Path) -> None:
    with sf.data.adult() as table:
        found = search(table, "k-anonymity:100", quasi=["age", "workclass"])
        sf.publish(table, policy=local(table, found), output=tmp_path / "out.parquet")
    with pytest.raises(UsageError, match="not those of one level"):
        sf.check(tmp_path / "out.parquet", census / "adult.toml", models=["k-map:5"], population=census / "adult.parquet")


def test_the_map_tells_the_labels_of_every_cell(tmp_path: Path) -> None:
    with sf.Table.open(arrow(), plain.schema()) as table:
        found = search(table, "k-anonymity:3", quasi=["age", "zip"])
        sf.publish(table, policy=local(table, found), output=tmp_path / "out.parquet", mapping=tmp_path / "map.csv")
    with (tmp_path / "map.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["age", "zip", "age label", "zip label"]
    assert len(rows) == len({row[1:3] for row in plain.ROWS})
    labels = {(row["age"], row["zip"]): (row["age label"], row["zip label"]) for row in rows}
    read = pq.read_table(tmp_path / "out.parquet")
    published = Counter(zip(*(map(str, read[name].to_pylist()) for name in ("age", "zip")), strict=True))
    mapped = Counter(tuple(label or "None" for label in labels[str(row[1] or ""), row[2] or ""]) for row in plain.ROWS)
    assert published == mapped


def test_a_strict_release_stands_beside_the_original_and_a_relaxed_one_does_not() -> None:
    frame = arrow().to_pandas()
    frame.index = pd.Index(np.arange(8) * 10 + 3)
    with sf.Table.open(frame, plain.schema()) as table:
        release = sf.publish(table, policy=local(table, search(table, "k-anonymity:2", quasi=["age", "zip"])))
        beside = release.beside_original()
    assert beside.index.tolist() == frame.index.tolist()
    assert beside["note"].tolist() == frame["note"].tolist()
    assert Counter(map(str, beside.itertuples(index=False))) == Counter(map(str, release.to_pandas().itertuples(index=False)))
    with sf.data.adult() as table:
        relaxed = search(table, "k-anonymity:3000", quasi=["age"], strict=False)
        release = sf.publish(table, policy=local(table, relaxed))
        with pytest.raises(UsageError, match="publish a strict one"):
            release.beside_original()


def test_what_does_not_fit_together_is_refused(tmp_path: Path) -> None:
    with sf.data.adult() as table, sf.Table.open(arrow(), plain.schema()) as other:
        policy = local(table, search(table, "k-anonymity:100", quasi=["age", "sex"]))
        small = replace(local(other, search(other, "k-anonymity:2", quasi=["age"])), schema=None)
        for options, message in [
            ({}, "give a node or a policy"),
            ({"policy": policy, "node": [1, 0]}, "give a node or a policy"),
            ({"policy": policy, "suppress": [1]}, "the policy says it"),
            ({"policy": policy, "quasi": ["age"]}, "the policy says it"),
            ({"policy": small}, "its cells are others"),
        ]:
            with pytest.raises(UsageError, match=message):
                sf.publish(table, **options, output=tmp_path / "out.parquet")
        relaxed = replace(local(table, search(table, "k-anonymity:3000", quasi=["age"], strict=False)), schema=None)
        bare = sf.Table.open(table.source.data, _without_sensitive(table.schema))
        with bare, pytest.raises(UsageError, match="divides cells by other sensitive values"):
            sf.publish(bare, policy=relaxed, output=tmp_path / "out.parquet")
    assert not any(tmp_path.iterdir())


def _without_sensitive(schema: sf.Schema) -> sf.Schema:
    return sf.Schema.parse(schema.to_toml().replace('role = "sensitive"', 'role = "plain"'))


SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"

[attributes.height]
role = "quasi"
type = "decimal"

[attributes.job]
role = "quasi"
hierarchy = { builder = "prefix", keep = [1] }

[attributes.value]
role = "sensitive"

[attributes.note]
role = "plain"
"""
rows_of = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.none() | st.integers(-3, 12),
            "height": st.none() | st.sampled_from([0.5, 1e-7, 2.0, 1e20]),
            "job": st.none() | st.sampled_from(["aa", "ab", "b", "[1, 2]", "7"]),
            "value": st.none() | st.sampled_from(["x", "y"]),
            "note": st.none() | st.sampled_from(["n", "m"]),
        }
    ),
    min_size=2,
    max_size=20,
)


@given(rows_of, st.booleans(), st.integers(0, 5))
@settings(max_examples=40)
def test_any_table_comes_back_as_promised(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], strict: bool, seed: int
) -> None:
    types = {"age": pa.int64(), "height": pa.float64(), "job": pa.string(), "value": pa.string(), "note": pa.string()}
    source = pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in types.items()})
    output = tmp_path_factory.mktemp("local") / "out.parquet"
    with sf.Table.open(source, sf.Schema.parse(SCHEMA)) as table:
        found = search(table, "k-anonymity:2", strict=strict, seed=seed)
        sf.publish(table, policy=local(table, found, "k-anonymity:2"), output=output, seed=seed)
        measured = sf.measure(output, original=table)
    read = pq.read_table(output)
    beside = Counter(zip(read["value"].to_pylist(), read["note"].to_pylist(), strict=True))
    assert beside == Counter((row["value"], row["note"]) for row in rows)
    assert sf.verify(output).classes == found.classes
    checked = sf.check(output, sf.Schema.parse(SCHEMA), models=["k-anonymity:2"])
    assert (checked.satisfied, checked.classes) == (True, found.classes)
    assert (
        checked.verdicts[0].witness
        == json.loads(output.with_name("out.parquet.certificate.json").read_text())["models"][0]["witness"]["class"]
    )
    assert measured.classes == found.classes


def test_a_policy_is_judged_with_the_population_that_it_names(census: Path, tmp_path: Path) -> None:
    with sf.data.adult() as table:
        policy = sf.Policy.at_node(table, [2, 1], ["age", "workclass"])
        asked = replace(policy, question=sf.Question("k-map:22", population=census / "adult.parquet"))
        assert sf.publish(table, policy=asked).verdicts[0].value == 22
        stricter = replace(asked, question=sf.Question("k-map:23", population=census / "adult.parquet"))
        with pytest.raises(NotVerified, match="k-map:23 is violated"):
            sf.publish(table, policy=stricter, output=tmp_path / "out.parquet")


def test_the_oldest_do_not_end_a_range(tmp_path: Path) -> None:
    """Six people of every age from 20 to 84, and one each of 85, 86, 90, 97 and 113: these five are a class, and 84 is where it begins."""
    ages = [age for age in range(20, 85) for _ in range(6)] + [85, 86, 90, 97, 113]
    source = pa.table({"age": ages, "v": ["x", "y"] * (len(ages) // 2) + ["x"] * (len(ages) % 2)})
    schema = sf.Schema.parse('[attributes.age]\nrole="quasi"\ntype="integer"\n[attributes.v]\nrole="sensitive"\n')
    sf.anonymize(source, schema, models="k-anonymity:5", algorithm="mondrian", output=tmp_path / "out.csv")
    with (tmp_path / "out.csv").open() as file:
        labels = Counter(row["age"] for row in csv.DictReader(file))
    assert labels[">=84"] == 5
    assert not any(age in label for age in ("85", "86", "90", "97", "113") for label in labels)
    assert sf.verify(tmp_path / "out.csv").rows == len(ages)
    assert sf.check(tmp_path / "out.csv", schema, models=["k-anonymity:5"]).satisfied

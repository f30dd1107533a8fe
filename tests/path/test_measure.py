"""Measuring what a node or a file gives away, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.assessment.risk import risk
from sfumato.errors import SchemaError, UsageError
from sfumato.losses import LOSSES, ClassLoss
from tests.conftest import Ended

Run = Callable[..., Ended]
NODE = ["--quasi", "age,workclass", "--node", "[2,1]"]


def test_the_census_node_is_measured_as_the_papers_say(sfumato: Run, census: Path) -> None:
    ended = sfumato("measure", census / "adult.parquet", "-s", census / "adult.toml", *NODE, "--json", "--per-class")
    assert ended.status == 0
    record = ended.json
    assert (record["node"], record["classes"], record["prior"]) == ({"age": 2, "workclass": 1}, 8, "the original table")
    assert record["losses"]["distribution"]["max"] == pytest.approx(0.2878, abs=5e-5)
    assert record["losses"]["entropy"]["max"] == pytest.approx(1.0046, abs=5e-5)
    assert record["losses"]["distribution"]["worst"] == 7
    assert record["losses"]["precision"] == {"total": 0.5}
    assert record["risk"]["prosecutor_max"] == pytest.approx(1 / 22)
    seventh = record["per_class"]["occupation"][6]
    assert (seventh["class"], seventh["people"]) == (7, 22)


def test_a_published_file_measures_like_its_node(census: Path, tmp_path: Path) -> None:
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        sf.publish(table, quasi=["age", "workclass"], node=[2, 1], output=tmp_path / "out.parquet")
        node = sf.measure(table, node=[2, 1], quasi=["age", "workclass"])
    file = sf.measure(tmp_path / "out.parquet", census / "adult.toml", original=census / "adult.parquet")
    assert file.as_dict() == node.as_dict()


def test_suppressed_people_are_charged_the_loss_of_the_prior(census: Path, tmp_path: Path) -> None:
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        whole = sf.measure(table, node=[2, 1], quasi=["age", "workclass"])
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        sf.publish(table, quasi=["age", "workclass"], node=[2, 1], suppress=[7], output=tmp_path / "out.parquet")
    less = sf.measure(tmp_path / "out.parquet", census / "adult.toml", original=census / "adult.parquet")
    assert (less.classes, less.suppressed, less.people) == (7, 22, 30140)
    before, after = whole.attributes[0].losses["distribution"], less.attributes[0].losses["distribution"]
    assert after.max < before.max
    # the loss of the prior itself is 0: the sum over people falls by what class 7 had
    assert after.people_mean * 30162 == pytest.approx(before.people_mean * 30162 - 22 * before.max)
    assert less.information["loss"] > whole.information["loss"]


def test_every_subset_of_the_quasi_identifiers_is_profiled(sfumato: Run, census: Path) -> None:
    arguments = ["measure", census / "adult.parquet", "-s", census / "adult.toml", "--node", "[2,1,2,1,1,0,0]", "--combinations"]
    record = sfumato(*arguments, "--json").json["sensitive"][0]
    assert len(record["combinations"]) == 127
    losses = [each["distribution_max"] for each in record["combinations"]]
    assert losses == sorted(losses, reverse=True)
    pair = next(each for each in record["combinations"] if each["attributes"] == ["age", "workclass"])
    assert (pair["classes"], pair["smallest_class"]) == (8, 22)
    assert pair["distribution_max"] == pytest.approx(0.2878, abs=5e-5)
    every = next(each for each in record["combinations"] if len(each["attributes"]) == 7)
    without_age = next(each for each in record["combinations"] if set(every["attributes"]) - set(each["attributes"]) == {"age"})
    fall = {share["attribute"]: share["share"] for share in record["shares"]}
    assert fall["age"] == pytest.approx(every["distribution_people_mean"] - without_age["distribution_people_mean"])
    assert set(fall) == set(every["attributes"])
    shown = sfumato(*arguments)
    assert "more combinations" in shown.out


def test_combinations_may_take_some_time_only(sfumato: Run, census: Path) -> None:
    arguments = ["measure", census / "adult.parquet", "-s", census / "adult.toml", *NODE, "--combinations", "--time-limit"]
    some = sfumato(*arguments, "0.000000001")
    assert some.status == 0
    assert "the time was up before every combination was measured: these are 1 of 3" in some.out
    assert "left out alone" not in some.out
    every = sfumato(*arguments, "600")
    assert "the time was up" not in every.out
    assert "left out alone" in every.out
    assert every.out == sfumato(*arguments[:-1]).out
    assert (
        "--time-limit: it limits --combinations; give both, or leave it out" in sfumato(*arguments[:-2], "--time-limit", "5").err
    )


def test_an_attribute_that_tells_nothing_has_no_share() -> None:
    frame = pd.DataFrame({"a": ["x", "y"] * 4, "b": ["u"] * 8, "s": ["p", "q"] * 4})
    schema = sf.Schema.parse('[attributes.a]\nrole="quasi"\n[attributes.b]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n')
    found = sf.measure(frame, schema=schema, node=[0, 0], combinations=True)
    shares = {share.attribute: share.share for share in found.attributes[0].shares}
    # alone, a turns the prior (1/2, 1/2) into certainty: sqrt(1/2)
    assert shares == {"a": pytest.approx(np.sqrt(0.5)), "b": 0}


def test_a_sensitive_attribute_with_one_value_loses_nothing() -> None:
    frame = pd.DataFrame({"a": ["x", "y", "y"], "s": ["p"] * 3})
    schema = sf.Schema.parse('[attributes.a]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n')
    found = sf.measure(frame, schema=schema, node=[0])
    assert {(loss.max, loss.people_mean) for loss in found.attributes[0].losses.values()} == {(0.0, 0.0)}


def test_risks_are_those_of_the_definitions() -> None:
    frame = pd.DataFrame({"a": ["x"] + ["y"] * 4 + ["z"] * 5})
    schema = sf.Schema.parse('[attributes.a]\nrole="quasi"\n')
    with sf.Table.open(frame, schema) as table:
        found = risk(table.count(), population_size=100)
    assert (found.prosecutor_max, found.prosecutor_mean, found.marketer) == (1, 0.3, 0.3)
    assert (found.unique, found.at_risk) == (0.1, 0.5)
    assert found.journalist_max == pytest.approx(0.1)
    assert found.journalist_mean == pytest.approx(0.03)


def test_a_population_gives_the_risk_of_the_journalist(census: Path) -> None:
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        ages = table.count(["age"]).roll_up(table.node([2], ["age"]))
    half = pd.read_parquet(census / "adult.parquet").iloc[::2]
    found = sf.measure(half, schema=census / "adult.toml", quasi=["age"], node=[2], population=census / "adult.parquet")
    assert found.risk.journalist_max == pytest.approx(1 / ages.people.min())
    assert found.risk.prosecutor_max > found.risk.journalist_max


def test_without_a_node_the_table_is_measured_as_it_is(sfumato: Run, census: Path) -> None:
    table = [census / "adult.parquet", "-s", census / "adult.toml"]
    record = sfumato("measure", *table, "--json").json
    assert record["losses"]["loss"]["total"] == 0
    assert record["risk"]["prosecutor_max"] == 1
    assert record == sfumato("measure", *table, "--node", "[0,0,0,0,0,0,0]", "--json").json


def test_a_node_and_a_file_at_once_are_refused(sfumato: Run, census: Path) -> None:
    table = census / "adult.parquet"
    ended = sfumato("measure", table, "-s", census / "adult.toml", "--node", "[0,0,0,0,0,0,0]", "--original", table)
    assert ended.status == 2
    assert "give --node to measure a node of a table, or --original to measure a published file" in ended.err
    with pytest.raises(SchemaError, match="needs a schema"):
        sf.measure(census / "adult.parquet", node=[0])


def test_a_table_without_sensitive_attributes_is_measured_too() -> None:
    frame = pd.DataFrame({"a": ["x", "y", "y"]})
    found = sf.measure(frame, schema=sf.Schema.parse('[attributes.a]\nrole="quasi"\n'), node=[1])
    assert (found.attributes, found.information["loss"], found.classes) == ((), 1.0, 1)


def test_a_measurement_prints_in_a_terminal_and_in_a_notebook(census: Path) -> None:
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        found = sf.measure(table, node=[2, 1], quasi=["age", "workclass"])
    assert "distribution          occupation  0.2878" in str(found)
    assert "<td>distribution</td>" in found._repr_html_()
    assert found.table().to_pandas().shape == (16, 7)
    assert found.attributes[0].per_class.to_arrow().num_rows == 8


def test_the_entropy_loss_is_the_only_metric_that_is_independent(sfumato: Run, tmp_path: Path) -> None:
    record = sfumato("compare-metrics", "-o", tmp_path / "fig1.svg", "--json").json
    place = record["metrics"].index("entropy")
    correlation = np.array(record["correlation"])
    others = np.delete(np.delete(correlation, place, 0), place, 1)
    assert others.min() > 0.99
    assert np.abs(np.delete(correlation[place], place)).max() < 0.05
    assert (tmp_path / "fig1.svg").read_text().startswith("<svg")
    assert sfumato("compare-metrics", "-o", tmp_path / "fig1.svg").status == 2
    assert sfumato("compare-metrics", "-o", tmp_path / "fig1.png").status == 0
    assert sfumato("compare-metrics", "-o", tmp_path / "fig1.xyz").status == 2


def test_a_new_loss_is_registered_once_and_tested_for_independence() -> None:
    twice = ClassLoss("twice-l1", "2 * l1", "this test", lambda statistics: 2 * LOSSES["l1"].of(statistics))
    found = sf.losses.independence(twice)
    assert found.nearest in ("l1", "emd")
    assert found.correlations["l1"] == pytest.approx(1)
    assert abs(sf.losses.independence("entropy").correlations["distribution"]) < 0.9
    sf.losses.register(twice)
    try:
        with pytest.raises(UsageError, match="exists already"):
            sf.losses.register(twice)
        assert sf.losses.loss_named("twice-l1") is twice
    finally:
        del LOSSES["twice-l1"]
    with pytest.raises(UsageError, match="did you mean"):
        sf.losses.loss_named("distributions")


def test_starred_releases_measure_like_dropped_ones(census: Path, tmp_path: Path) -> None:
    text = (census / "adult.toml").read_text()
    (census / "star.toml").write_text(text.replace('suppressed = "drop"', 'suppressed = "star"'))
    found = []
    for name in ("adult", "star"):
        with sf.Table.open(census / "adult.parquet", census / f"{name}.toml") as table:
            sf.publish(table, quasi=["age", "workclass"], node=[2, 1], suppress=[7, 8], output=tmp_path / f"{name}.parquet")
        found.append(sf.measure(tmp_path / f"{name}.parquet", census / f"{name}.toml", original=census / "adult.parquet"))
    assert found[0].as_dict() == found[1].as_dict()
    assert found[0].suppressed == 203


@pytest.mark.parametrize("style", ["drop", "star"])
def test_who_is_missing_from_a_foreign_file_counts_as_suppressed(census: Path, tmp_path: Path, style: str) -> None:
    (census / "own.toml").write_text(
        (census / "adult.toml").read_text().replace('suppressed = "drop"', f'suppressed = "{style}"')
    )
    with sf.Table.open(census / "adult.parquet", census / "own.toml") as table:
        sf.publish(table, quasi=["age", "workclass"], node=[2, 1], suppress=[7, 8], output=tmp_path / "out.parquet")
    certified = sf.measure(tmp_path / "out.parquet", census / "own.toml", original=census / "adult.parquet")
    (tmp_path / "out.parquet.certificate.json").unlink()
    foreign = sf.measure(tmp_path / "out.parquet", census / "own.toml", original=census / "adult.parquet")
    assert (foreign.suppressed, foreign.classes) == (203, 6)
    assert foreign.information == certified.information


def test_the_node_is_the_certificates_where_labels_stand_at_two_levels(census: Path, tmp_path: Path) -> None:
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        counts = table.count(["native-country", "sex"]).roll_up(table.node([1, 0], ["native-country", "sex"]))
        other = [number for number in range(1, counts.classes + 1) if counts.labels(number)[0] == "Other"]
        output = tmp_path / "out.parquet"
        release = sf.publish(table, quasi=["native-country", "sex"], node=[1, 0], suppress=other, output=output)
    found = sf.measure(release, census / "adult.toml", original=census / "adult.parquet")
    assert found.node == {"native-country": 1, "sex": 0}
    kept = found.people / 30162
    assert found.information["precision"] == pytest.approx((0.5 + 0) / 2 * kept + 1 - kept)


def test_a_published_file_takes_no_choice_of_quasi_identifiers(sfumato: Run, census: Path) -> None:
    where = [census / "adult.parquet", "--original", census / "adult.parquet", "-s", census / "adult.toml"]
    assert "leave --quasi out" in sfumato("measure", *where, "--quasi", "sex").err


def test_a_population_smaller_than_the_release_is_refused(sfumato: Run, census: Path) -> None:
    ended = sfumato("measure", census / "adult.parquet", "-s", census / "adult.toml", *NODE, "--population-size", "100")
    assert (ended.status, "100 people cannot hold a release of 30,162" in ended.err) == (2, True)


def test_a_measurement_cannot_be_changed(census: Path) -> None:
    with sf.Table.open(census / "adult.parquet", census / "adult.toml") as table:
        found = sf.measure(table, node=[2, 1], quasi=["age", "workclass"])
    with pytest.raises(TypeError):
        found.information["loss"] = 0.0  # type: ignore[index]
    assert found.to_pandas().equals(found.table().to_pandas())

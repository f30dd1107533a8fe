"""A search starts at a floor, given or chosen by how many cells there may be; above it everything is as without one."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import FloorWarning, NodeError, UsageError
from sfumato.question.floors import MANY, floor_of
from tests.conftest import Ended

Run = Callable[..., Ended]
SCHEMA = """
[attributes.seen]
role = "quasi"
type = "timestamp"
hierarchy = { builder = "dates" }
[attributes.ip]
role = "quasi"
hierarchy = { builder = "addresses" }
[attributes.zip]
role = "quasi"
type = "text"
hierarchy = { builder = "prefix", keep = [3, 1] }
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [5, 20] }
[attributes.illness]
role = "sensitive"
"""
HEIGHTS = {"seen": 6, "ip": 3, "zip": 3, "age": 3}


def visits(rows: int = 400, people: int = 0) -> pd.DataFrame:
    """Visits with a moment, an address, a postcode and an age, a few of them missing; with people, each visit is somebody's."""
    rng = np.random.default_rng(rows)
    moments = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 400 * 86_400, rows), "s")
    frame = pd.DataFrame(
        {
            "seen": moments.where(rng.random(rows) > 0.02, pd.NaT),
            "ip": [f"10.{a}.{b}.{c}" for a, b, c in rng.integers(0, [2, 3, 50], (rows, 3))],
            "zip": [None if code % 41 == 0 else f"{code:05d}" for code in rng.integers(10_000, 10_400, rows)],
            "age": rng.integers(18, 90, rows),
            "illness": rng.choice(["flu", "cold", "gout"], rows),
        }
    )
    return frame.assign(who=rng.integers(0, people, rows)) if people else frame


def schema(*, owned: bool = False) -> sf.Schema:
    return sf.Schema.parse(SCHEMA + ('[attributes.who]\nrole = "owner"\n' if owned else ""))


# Above the floor everything is as without it


@pytest.mark.parametrize("owned", [False, True], ids=["rows", "owners"])
@pytest.mark.parametrize("floor", [{"seen": 1, "ip": 1}, {"seen": 4, "zip": 2, "age": 1}, {"ip": 3, "seen": 6}])
def test_the_nodes_above_a_floor_are_those_of_the_whole_space(floor: dict[str, int], owned: bool) -> None:
    table, asked = visits(people=120 if owned else 0), {"models": ["k-anonymity:3", "t-closeness:0.5"], "suppress": "20%"}
    whole, part = (sf.explore(table, schema(owned=owned), **asked, **more) for more in ({}, {"floor": floor}))
    assert part.floor.as_dict() == {**dict.fromkeys(HEIGHTS, 0), **floor}
    above = np.flatnonzero((whole.evaluations.levels >= np.array(part.lattice.floors)).all(axis=1))
    assert part.evaluations.levels.tolist() == whole.evaluations.levels[above].tolist()
    left_out = set(whole.evaluations.named()) - set(part.evaluations.named())
    assert left_out == {"nonuniform-entropy"}
    for name, column in part.evaluations.named().items():
        np.testing.assert_allclose(column.astype(float), whole[name][above].astype(float), rtol=1e-12, atol=1e-12, err_msg=name)


def test_the_optimum_above_a_floor_is_released_with_it_in_the_certificate(tmp_path: Path) -> None:
    floor = {"seen": 2, "ip": 1}
    result = sf.anonymize(visits(), schema(), k=3, floor=floor, output=tmp_path / "out.csv", ledger=tmp_path)
    best = sf.explore(visits(), schema(), models="k-anonymity:3", floor=floor).best("loss")
    assert best is not None
    assert dict(result.release.certificate.node) == best.node.as_dict()
    assert result.loss == pytest.approx(best["loss"], rel=1e-12)
    assert result.information["loss"] == pytest.approx(best["loss"], rel=1e-12)
    record = json.loads((tmp_path / "out.csv.certificate.json").read_text())
    assert record["search"]["floor"] == {**dict.fromkeys(HEIGHTS, 0), **floor}
    assert result.floor == record["search"]["floor"]
    sf.verify(tmp_path / "out.csv")


def test_without_a_floor_the_certificate_names_none(tmp_path: Path) -> None:
    result = sf.anonymize(visits(), schema(), k=3, quasi=["age", "zip"], output=tmp_path / "out.csv", ledger=tmp_path)
    assert result.floor is None
    assert "floor" not in result.release.certificate.search


@pytest.mark.parametrize("owned", [False, True], ids=["rows", "owners"])
def test_a_floor_where_everything_is_withheld_leaves_one_node(owned: bool) -> None:
    table, asked = visits(people=120 if owned else 0), {"models": "k-anonymity:3", "floor": HEIGHTS}
    assert [each.node.as_dict() for each in sf.explore(table, schema(owned=owned), **asked)] == [HEIGHTS]
    found = sf.anonymize(table, schema(owned=owned), **asked)
    assert dict(found.release.certificate.node) == HEIGHTS
    none = sf.anonymize(table, schema(owned=owned), models="k-anonymity:5000", floor=HEIGHTS)
    assert [each.nearest for each in none.explanation.nearest] == [table["who"].nunique() if owned else len(table)]


def test_every_search_starts_there() -> None:
    given: dict[str, Any] = {"models": "k-anonymity:3", "floor": "seen=4,ip=2,zip=1"}
    nodes = 3 * 2 * 3 * 4
    assert len(sf.trade_off(visits(), schema(), **given).space) == nodes
    subsets = sf.subsets(visits(), schema(), **given)
    assert sum(subset.nodes for subset in subsets.subsets) == nodes
    steps = sf.dimensions(visits(), schema(), **given).steps
    assert [step.nodes for step in steps] == [3, 3 * 2, 3 * 2 * 3, nodes]
    found = sf.anonymize(visits(), schema(), k=3, floor="seen=4,ip=2,zip=1", algorithm="incognito")
    assert all(node["seen"] >= 4 and node["ip"] >= 2 and node["zip"] >= 1 for node in found.minimal)


def test_a_population_is_counted_from_the_floor_on() -> None:
    larger = pd.concat([visits(), visits(700)])
    asked = {"models": "k-map:4", "population": larger}
    whole, part = (sf.explore(visits(), schema(), **asked, **more) for more in ({}, {"floor": "seen=2,ip=1,age=1"}))
    above = np.flatnonzero((whole.evaluations.levels >= np.array(part.lattice.floors)).all(axis=1))
    assert part["value:k-map:4"].tolist() == whole["value:k-map:4"][above].tolist()


# A floor that is chosen


def cells(table: pd.DataFrame, levels: tuple[int, ...]) -> int:
    with sf.Table.open(table, schema()) as opened:
        counts = opened.count(floor=dict(zip(HEIGHTS, levels, strict=True)))
    return len(counts.payloads["illness"].values)


@pytest.mark.parametrize("budget", [300, 100, 30, 5])
def test_the_cheapest_floor_within_a_budget_is_chosen(budget: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By precision, found by trying every floor; here all QIDs count as having many values."""
    monkeypatch.setattr("sfumato.question.floors.MANY", 1)
    table = visits(300).drop(columns=["zip"])
    narrow = sf.Schema(tuple(each for each in schema().attributes if each.name != "zip"))
    with sf.Table.open(table, narrow) as opened:
        sizes = {}
        for levels in itertools.product(range(7), range(4), range(4)):
            counts = opened.count(floor=dict(zip(("seen", "ip", "age"), levels, strict=True)))
            sizes[levels] = len(counts.payloads["illness"].values)
        fitting = [levels for levels, size in sizes.items() if size <= budget]
        right = min(fitting, key=lambda n: (round(n[0] / 6 + n[1] / 3 + n[2] / 3, 9), sum(n), n))
        if sizes[0, 0, 0] <= budget:
            assert floor_of(opened, sf.Question(cells=budget), ["illness"]).levels == right
            return
        with pytest.warns(FloorWarning, match="cells"):
            assert floor_of(opened, sf.Question(cells=budget), ["illness"]).levels == right


def test_qids_with_few_values_are_raised_only_if_the_others_do_not_help() -> None:
    table = visits(3_000)
    assert len(set(table["seen"])) > MANY > len(set(table["age"]))
    with sf.Table.open(table, schema()) as opened:
        with pytest.warns(FloorWarning):
            found = floor_of(opened, sf.Question(cells=72 * 3, quasi=["seen", "age"]), ["illness"])
        assert found["age"] == 0
        with pytest.warns(FloorWarning):
            found = floor_of(opened, sf.Question(cells=20, quasi=["seen", "age"]), ["illness"])
        assert found["age"] > 0


def test_a_given_floor_is_where_the_choice_starts() -> None:
    with sf.Table.open(visits(3_000), schema()) as opened:
        assert floor_of(opened, sf.Question(floor={"zip": 1}), ["illness"]).levels == (0, 0, 1, 0)
        with pytest.warns(FloorWarning):
            found = floor_of(opened, sf.Question(floor={"zip": 1}, cells=1_000), ["illness"])
        assert found["zip"] >= 1
        assert cells(visits(3_000), found.levels) <= 1_000


def test_what_was_chosen_is_said_in_one_line_and_kept_in_the_recipe(sfumato: Run, tmp_path: Path) -> None:
    visits(3_000).to_csv(tmp_path / "visits.csv", index=False)
    (tmp_path / "schema.toml").write_text(SCHEMA)
    given = ("anonymize", tmp_path / "visits.csv", "-s", tmp_path / "schema.toml", "-m", "k-anonymity:3", "--cells", "1e3")
    ended = sfumato(*given, "-o", tmp_path / "out.csv", "--recipe", tmp_path / "recipe.toml", "--ledger", tmp_path / "ledger")
    assert ended.status == 0, ended.err
    [line] = ended.err.strip().splitlines()
    assert line.startswith("sfumato: warning: more than 1,000 cells at [0,0,0,0], so the search starts at seen=")
    assert "--floor" in line
    assert "--cells" in line
    floor = json.loads((tmp_path / "out.csv.certificate.json").read_text())["search"]["floor"]
    recipe = tomllib.loads((tmp_path / "recipe.toml").read_text())
    assert recipe["question"]["floor"] == floor
    first = (tmp_path / "out.csv").read_bytes()
    again = sfumato("anonymize", "--recipe", tmp_path / "recipe.toml", "--force")
    assert (again.status, again.err) == (0, "")
    assert (tmp_path / "out.csv").read_bytes() == first


def test_a_space_file_knows_its_floor(sfumato: Run, tmp_path: Path) -> None:
    visits().to_csv(tmp_path / "visits.csv", index=False)
    (tmp_path / "schema.toml").write_text(SCHEMA)
    given = ("explore", tmp_path / "visits.csv", "-s", tmp_path / "schema.toml", "-m", "k-anonymity:3")
    ended = sfumato(*given, "--floor", "seen=3,ip=1", "-o", tmp_path / "space.parquet")
    assert "from seen=3,ip=1,zip=0,age=0 on" in ended.out
    record = sfumato("space", tmp_path / "space.parquet", "--json").json
    assert record["floor"] == {"seen": 3, "ip": 1, "zip": 0, "age": 0}


# Bad input


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"floor": {"age": 9}}, "floor: level 9 of 'age' does not exist; it has 0 to 3"),
        ({"floor": "agee=1"}, "floor: no attribute 'agee' in the QIDs to publish; did you mean 'age'?"),
        ({"floor": "illness=1"}, "floor: no attribute 'illness' in the QIDs to publish"),
        ({"floor": "age=1", "quasi": ["zip"]}, "floor: no attribute 'age' in the QIDs to publish"),
        ({"floor": "[1,2]"}, "floor: write the levels to start at by name, as in age=1,time=2"),
        ({"floor": "age=one"}, "floor: write the levels to start at by name"),
        ({"floor": {"age": 1.5}}, "floor: write the levels to start at by name"),
        ({"floor": {"age": -1}}, "floor: level -1 of 'age' does not exist"),
        ({"cells": 0}, "cells: a number of cells is a whole number of 1 or more"),
        ({"cells": "many"}, "cells: a number of cells is a whole number of 1 or more"),
        ({"cells": 2.5}, "cells: a number of cells is a whole number of 1 or more"),
        ({"cells": float("nan")}, "cells: a number of cells is a whole number of 1 or more"),
        ({"cells": 2}, "cells: no floor has as few cells as 2: with every QID withheld, a sensitive attribute has more values"),
    ],
)
def test_bad_input_is_refused_in_one_line(given: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, NodeError)) as refused:
        sf.explore(visits(), schema(), models="k-anonymity:3", **given)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_a_loss_that_needs_level_0_is_refused() -> None:
    with pytest.raises(UsageError, match="is measured from level 0, and the search starts at seen=1"):
        sf.anonymize(visits(), schema(), k=3, floor="seen=1", minimize="nonuniform-entropy")


def test_mondrian_refuses_a_floor() -> None:
    with pytest.raises(UsageError, match="Mondrian splits from level 0"):
        sf.anonymize(visits(), schema(), k=3, floor="age=1", algorithm="mondrian")


def test_too_many_floors_to_compare_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.question.floors.MOST_FLOORS", 3)
    with pytest.raises(UsageError, match="floors are too many to find the cheapest of; name one with floor"):
        sf.explore(visits(), schema(), models="k-anonymity:3", cells=10)


def test_a_node_that_was_chosen_is_counted_as_ever(tmp_path: Path) -> None:
    """A budget is for searches: whoever names a node gets that node."""
    question = sf.Question("k-anonymity:1", cells=3)
    release = sf.publish(visits(), schema(), node=[0, 0, 0, 0], question=question, output=tmp_path / "out.csv", ledger=tmp_path)
    assert dict(release.certificate.node) == dict.fromkeys(HEIGHTS, 0)

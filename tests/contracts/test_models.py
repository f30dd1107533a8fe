"""What every model keeps: it agrees with a plain reading of the rows, does not depend on their order, and says what it is."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.models import MODELS, Context, Population, Verdict, model_of
from sfumato.statistics import Held
from tests.contracts.model_oracle import ORACLES, OTHERS, answer, close
from tests.contracts.model_world import World, release, worlds_with_levels
from tests.strategies import Levels

SETTINGS = (*ORACLES, *OTHERS)
ESTIMATES = ("population-uniqueness:0.1", "population-uniqueness:0.1,snb")
# Where neither the order nor the tree of the sensitive values matters.
NOMINAL = [name for name in SETTINGS if not re.match(r"ke-|em-|personalized|.*;|t-closeness:0.3$|t-closeness.*ordered", name)]
# Where the order of a QID's values does not matter.
UNORDERED = [name for name in SETTINGS if not name.startswith("ct-isolation")]


def verdicts(world: World, levels: Levels, names: tuple[str, ...] | list[str] = SETTINGS) -> list[Verdict]:
    judged = world.judged(levels)
    return [model_of(name).judge(judged) for name in names]


def test_every_model_has_a_setting_here() -> None:
    assert {name.split(":")[0] for name in SETTINGS} == set(MODELS)


@given(worlds_with_levels())
@settings(max_examples=300)
def test_every_model_agrees_with_a_plain_reading_of_the_rows(drawn: tuple[World, list[Levels]]) -> None:
    world, [levels] = drawn
    for result, name in zip(verdicts(world, levels), SETTINGS, strict=True):
        if name not in ESTIMATES:
            value, satisfied = answer(name, world, levels)
            assert close(result.value, value), (result, value)
            assert result.satisfied is satisfied, (result, value)


@given(worlds_with_levels())
@settings(max_examples=60)
def test_a_witness_is_a_class_of_the_release(drawn: tuple[World, list[Levels]]) -> None:
    world, [levels] = drawn
    people = world.judged(levels).counts.people
    for result in verdicts(world, levels):
        if result.witness is not None:
            assert result.witness_size == people[result.witness - 1]
        if result.value is not None:
            assert np.isfinite(result.value)
            assert type(result.value) in (int, float)


@given(worlds_with_levels(), st.integers())
@settings(max_examples=60)
def test_the_order_of_the_rows_changes_nothing(drawn: tuple[World, list[Levels]], seed: int) -> None:
    world, [levels] = drawn
    order = list(range(len(world.values)))
    Random(seed).shuffle(order)
    table = replace(world.table, rows=tuple(world.table.rows[place] for place in order))
    moved = [tuple(marks[place] for place in order) for marks in (world.values, world.guards)]
    assert verdicts(World(table, *moved, world.others), levels) == verdicts(world, levels)


@given(worlds_with_levels(), st.permutations(range(4)))
@settings(max_examples=60)
def test_relabelling_the_sensitive_values_changes_nothing_where_order_and_tree_do_not_matter(
    drawn: tuple[World, list[Levels]], order: list[int]
) -> None:
    world, [levels] = drawn
    other = replace(world, values=tuple(None if value is None else order[value] for value in world.values))
    for one, two in zip(verdicts(world, levels, NOMINAL), verdicts(other, levels, NOMINAL), strict=True):
        assert one.satisfied is two.satisfied
        assert close(one.value, two.value)


@given(worlds_with_levels())
@settings(max_examples=60)
def test_relabelling_the_values_of_a_qid_changes_nothing_where_their_order_does_not_matter(
    drawn: tuple[World, list[Levels]],
) -> None:
    world, [levels] = drawn
    lasts = [len(paths) - 1 for paths in world.table.paths]

    def turned(rows: tuple) -> tuple:
        return tuple(
            row._replace(
                leaves=tuple(None if leaf is None else last - leaf for leaf, last in zip(row.leaves, lasts, strict=True))
            )
            for row in rows
        )

    table = replace(world.table, paths=tuple(paths[::-1] for paths in world.table.paths), rows=turned(world.table.rows))
    other = replace(world, table=table, others=turned(world.others))
    for one, two in zip(verdicts(world, levels, UNORDERED), verdicts(other, levels, UNORDERED), strict=True):
        assert one.satisfied is two.satisfied
        assert close(one.value, two.value)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_says_its_definition_its_blind_spot_whether_it_is_monotone_and_an_example(name: str) -> None:
    model = MODELS[name]
    text = model.__doc__ or ""
    assert "Blind to: " in text
    assert "Example: " in text
    assert re.search(r"Not monotone: " if not model.monotone else r"(?<!Not )Monotone: ", text)
    assert not model.monotone_with_owners or model.monotone
    assert set(model.stops.split(",")) <= {"R", "A", "T", "P", ""}


@pytest.mark.parametrize(
    "text", [*SETTINGS, "t-closeness:0.12345678901", "confidence-bounding:0.5,a, b;c", "recursive-diversity:0.1,2"]
)
def test_a_model_written_and_read_again_is_the_same(text: str) -> None:
    assert str(model_of(text)) == text
    assert model_of(str(model_of(text))) == model_of(text)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_release_of_nobody_is_not_judged(name: str) -> None:
    judged = release([(1, 1), (0, 1)])
    nobody = judged.counts.keep(np.array([False, False]))
    assert judged.statistics is not None
    offsets = nobody.payloads["value"].offsets
    empty = replace(
        judged.statistics,
        sizes=nobody.people,
        cells=Held(offsets, np.zeros(0, np.int32), nobody.people),
        _column_cache={},
    )
    numbered = replace(empty, domain=replace(empty.domain, numbers=np.array([1.0, 2.0])))
    payloads = {**nobody.payloads, "guard": nobody.payloads["value"]}
    context = Context(population=Population(np.zeros(0, np.int64)), population_size=10)
    named = name.replace("2;9", "a;b")
    result = model_of(named).judge(
        replace(judged, counts=replace(nobody, payloads=payloads), statistics=numbered, context=context)
    )
    assert (result.value, result.satisfied, result.witness) == (None, None, None)
    assert result.as_dict()["satisfied"] == "not_applicable"
    assert result.reason

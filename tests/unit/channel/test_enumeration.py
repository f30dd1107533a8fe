"""A generalization mechanism, input by input."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.channel.enumeration import Choice, Universe, count_outputs, enumerate_mechanism
from sfumato.channel.enumeration.judging import Judge, satisfied_plainly
from sfumato.channel.enumeration.multisets import all_multisets, binomials, how_many, multiset_of, numbers
from sfumato.errors import SchemaError, UsageError
from sfumato.models import models_of
from tests.unit.channel.small import PAPER, QUASI_ONLY, UNEVEN, paper

MODELS = ["distinct-diversity:2", "entropy-diversity:2", "recursive-diversity:2,2", "probabilistic-diversity:2"]
MODELS += ["t-closeness:0.4,hierarchical", "distribution-loss:0.5", "entropy-loss:0.5,total", "average-risk:0.5"]


@given(st.integers(1, 5), st.integers(1, 4))
def test_all_multisets_are_those_of_the_standard_library_and_their_numbers_are_all_different(kinds: int, size: int) -> None:
    found = all_multisets(kinds, size)
    assert [tuple(row) for row in found.tolist()] == list(combinations_with_replacement(range(kinds), size))
    places = numbers(found, binomials(kinds, size))
    assert sorted(places.tolist()) == list(range(how_many(kinds, size)))
    assert all(multiset_of(int(place), kinds, size) == tuple(row) for place, row in zip(places, found.tolist(), strict=True))


@pytest.mark.parametrize(
    ("k", "choice", "error"),
    [
        (2, "uniform", 0.987383),
        (2, "deterministic", 0.944231),
        (3, "uniform", 0.998575),
        (3, "deterministic", 0.995513),
    ],
)
def test_the_papers_example_has_the_specified_errors(k: int, choice: str, error: float) -> None:
    mechanism = enumerate_mechanism(paper(5), f"k-anonymity:{k}", choice=choice)
    assert mechanism.channel.inputs == 98_280
    assert mechanism.map_error == pytest.approx(error, abs=5e-7)


@pytest.mark.parametrize("k", [2, 3])
def test_publishing_deterministically_leaks_more(k: int) -> None:
    uniform, least = (enumerate_mechanism(paper(4), f"k-anonymity:{k}", choice=choice) for choice in Choice)
    assert least.map_error < uniform.map_error


def _by_hand(universe: Universe, models: list[str], deterministic: bool) -> dict[tuple[int, ...], dict[object, float]]:
    """The channel by the definitions: tables as sorted tuples of labels, one after the other."""
    shape = [range(len(each.at(0))) for each in universe.hierarchies]
    rows = [(*cell, value) for cell in product(*shape) for value in range(universe.spread)]
    wanted, channel = models_of(models), {}
    for table in combinations_with_replacement(range(len(rows)), universe.rows):
        nodes = [node for node in universe.nodes if satisfied_plainly(universe, wanted, table, node)]
        if deterministic:
            nodes = sorted(nodes, key=lambda node: (sum(node.levels), node.levels))[:1]
        outputs: dict[object, float] = {} if nodes else {None: 1.0}
        for node in nodes:
            shown = []
            for row in table:
                *cell, value = rows[row]
                ups = zip(universe.hierarchies, node.levels, cell, strict=True)
                labels = tuple(each.label(level, int(each.ancestors(0, level)[code])) for each, level, code in ups)
                shown.append((labels, value))
            outputs[(node.levels, tuple(sorted(shown)))] = 1 / len(nodes)
        channel[table] = outputs
    return channel


@pytest.mark.parametrize("schema", [PAPER, UNEVEN, QUASI_ONLY])
@pytest.mark.parametrize("choice", list(Choice))
@pytest.mark.parametrize("models", [["k-anonymity:2"], ["k-anonymity:2", "distinct-diversity:2"]])
def test_the_channel_is_that_of_the_definitions(schema: dict[str, object], choice: Choice, models: list[str]) -> None:
    universe = Universe.of(schema, 2)
    models = models[:1] if universe.values is None else models
    plain = _by_hand(universe, models, choice is Choice.DETERMINISTIC)
    mechanism = enumerate_mechanism(universe, models, choice=choice)
    dense = mechanism.channel.dense()
    assert [tuple(row) for row in mechanism.tables.tolist()] == list(plain)
    assert mechanism.channel.outputs == len({output for each in plain.values() for output in each})
    for row, outputs in zip(dense, plain.values(), strict=True):
        assert Counter(row[row > 0].tolist()) == Counter(outputs.values())
    best = {}
    for outputs in plain.values():
        for output, probability in outputs.items():
            best[output] = max(best.get(output, 0.0), probability)
    assert mechanism.map_error == pytest.approx(1 - sum(best.values()) / len(plain), abs=1e-12)
    assert mechanism.unpublished == sum(None in outputs for outputs in plain.values())


@pytest.mark.parametrize("text", MODELS)
def test_the_quick_verdicts_are_those_of_the_plain_ones(text: str) -> None:
    universe, models = Universe.of(UNEVEN, 3), models_of(text)
    tables, judge = all_multisets(universe.kinds(), 3)[::7], Judge(universe, models_of(text))
    assert judge.by_profile == models
    for node in universe.nodes:
        quick = judge(tables, node)
        assert quick.tolist() == [satisfied_plainly(universe, models, table, node) for table in tables.tolist()]


def test_a_model_that_reads_labels_is_asked_about_published_tables() -> None:
    universe, models = Universe.of(UNEVEN, 3), models_of(["k-anonymity:2 for place=north", "ct-isolation:1.5,2"])
    tables, judge = all_multisets(universe.kinds(), 3)[::5], Judge(universe, models)
    assert judge.by_labels == models
    for node in universe.nodes:
        quick = judge(tables, node)
        assert quick.tolist() == [satisfied_plainly(universe, models, table, node) for table in tables.tolist()]


@settings(max_examples=30)
@given(st.data())
def test_an_output_names_what_its_inputs_are_published_as(data: st.DataObject) -> None:
    mechanism = enumerate_mechanism(Universe.of(UNEVEN, 2), "distinct-diversity:2")
    place = data.draw(st.integers(0, mechanism.channel.inputs - 1))
    universe = mechanism.universe
    for output in mechanism.channel.rows[[place], :].indices:
        shown = mechanism.output(int(output))
        if shown is None:
            assert not mechanism.satisfied[place].any()
            continue
        node, rows = shown
        released = universe.released(node)[[universe.row_of(row) for row in mechanism.input(place)]]
        assert sorted(rows) == sorted(universe.labels(int(row), node) for row in released)


def test_where_no_node_satisfies_nothing_is_published() -> None:
    mechanism = enumerate_mechanism(paper(2), "k-anonymity:3")
    assert mechanism.unpublished == mechanism.channel.inputs == 300
    assert mechanism.channel.outputs == 1
    assert mechanism.output(0) is None
    assert mechanism.map_error == pytest.approx(1 - 1 / 300, abs=1e-12)


def test_every_k_anonymous_table_is_an_output() -> None:
    assert enumerate_mechanism(paper(4), "k-anonymity:2").channel.outputs == count_outputs(paper(4), 2)


def test_too_many_inputs_are_refused_with_their_number_and_what_to_do() -> None:
    with pytest.raises(UsageError, match=rf"{comb(31, 8):,} inputs .* enumerate_orbits.* estimate_map_error"):
        enumerate_mechanism(Universe.of(PAPER, 8), "k-anonymity:2")


def test_what_cannot_be_enumerated_is_refused() -> None:
    with pytest.raises(SchemaError, match="its values are not listed"):
        Universe.of({"attributes": {"age": {"role": "quasi", "type": "integer"}}}, 2)
    with pytest.raises(UsageError, match="at least one row"):
        Universe.of(PAPER, 0)
    with pytest.raises(UsageError, match="write uniform or deterministic"):
        enumerate_mechanism(paper(2), "k-anonymity:2", choice="best")
    with pytest.raises(UsageError, match="cannot be judged on a table by itself"):
        enumerate_mechanism(paper(2), "k-map:2")
    with pytest.raises(UsageError, match="at most one sensitive attribute"):
        Universe.of({"attributes": {**PAPER["attributes"], "job": {"role": "sensitive", "values": ["x", "y"]}}}, 2)

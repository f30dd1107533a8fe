"""The counts of the channel paper, without enumerating, are those of the enumeration."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.channel.enumeration import (
    Universe,
    count_behind,
    count_generalizations,
    count_inputs,
    count_k_anonymous,
    count_outputs,
    enumerate_mechanism,
)
from sfumato.errors import UsageError
from tests.unit.channel.small import PAPER, QUASI_ONLY, UNEVEN, paper


def test_the_papers_example_has_98280_inputs_and_6_generalizations() -> None:
    assert count_inputs(paper(5)) == 98_280
    assert count_generalizations(paper(5)) == len(paper(5).nodes) == 6


def test_the_corrected_coefficient_at_the_lowest_node_of_the_example() -> None:
    assert count_k_anonymous(8, 3, 5, 2) == 3_528


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 4), st.integers(1, 5))
def test_the_coefficient_counts_the_k_anonymous_tables(cells: int, values: int, rows: int, k: int) -> None:
    tables = combinations_with_replacement([(cell, value) for cell in range(cells) for value in range(values)], rows)
    wanted = 0
    for table in tables:
        people = [cell for cell, _ in table]
        wanted += all(people.count(cell) >= k for cell in people)
    assert count_k_anonymous(cells, values, rows, k) == wanted


@pytest.mark.parametrize("schema", [PAPER, UNEVEN, QUASI_ONLY])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_outputs_are_counted_as_they_are_enumerated(schema: dict[str, object], k: int) -> None:
    universe = Universe.of(schema, 3)
    assert enumerate_mechanism(universe, f"k-anonymity:{k}").channel.outputs == count_outputs(universe, k)


def test_as_many_inputs_stand_behind_an_output_as_are_counted() -> None:
    for schema in (PAPER, UNEVEN, QUASI_ONLY):
        mechanism = enumerate_mechanism(Universe.of(schema, 3), "k-anonymity:2")
        universe, columns = mechanism.universe, mechanism.channel.columns
        for place, behind in enumerate(columns.indptr[1:] - columns.indptr[:-1]):
            node = universe.nodes[mechanism.node_of[place]]
            table = mechanism.tables[columns.indices[columns.indptr[place]]]
            assert count_behind(universe, node, universe.released(node)[table]) == behind


def test_numbers_below_one_are_refused() -> None:
    with pytest.raises(UsageError, match="at least 1"):
        count_k_anonymous(8, 3, 5, 0)

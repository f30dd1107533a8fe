"""The utility of tables and mechanisms, against its formulas written out."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.channel.enumeration import Choice, Universe, enumerate_mechanism
from sfumato.channel.matrix import ChannelMatrix
from sfumato.channel.utility import (
    User,
    attribute_utility,
    expected_degradation,
    mechanism_utility,
    table_utility,
    utility_degradation,
    utility_steps,
)
from sfumato.errors import UsageError
from sfumato.vocabulary.node import Node
from tests.unit.channel.small import QUASI_ONLY, UNEVEN, paper

TABLES = st.lists(st.integers(0, 23), min_size=1, max_size=8)
NAMES = ("age", "gender", "disease")


def _entropy(items: list[tuple[str, ...]]) -> float:
    return -sum(n / len(items) * log2(n / len(items)) for n in Counter(items).values())


def _rows(table: list[int]) -> list[tuple[str, ...]]:
    return [paper(1).labels(row) for row in table]


def _open(table: list[int], place: int, given_places: list[int]) -> float:
    """H(A | given) by the chain rule over tuples of labels."""
    rows = _rows(table)
    with_it = [tuple(row[each] for each in (*given_places, place)) for row in rows]
    return _entropy(with_it) - _entropy([tuple(row[each] for each in given_places) for row in rows])


@pytest.mark.slow
@given(TABLES)
def test_u1_u2_u3_are_the_formulas(table: list[int]) -> None:
    counts = paper(1).counted(table)
    most = {"age": 2.0, "gender": 1.0, "disease": log2(3)}
    for place, name in enumerate(NAMES):
        others = [each for each in range(3) if each != place]
        steps = utility_steps(counts, name, [NAMES[each] for each in others])
        for used, step in enumerate(steps):
            assert step.utility == pytest.approx(most[name] - _open(table, place, others[:used]), abs=1e-9)
        assert attribute_utility(counts, name) == pytest.approx(steps[-1].utility, abs=1e-9)
        assert attribute_utility(counts, name, ()) == pytest.approx(steps[0].utility, abs=1e-9)


@given(TABLES)
def test_gains_are_mutual_information_and_never_negative(table: list[int]) -> None:
    steps = utility_steps(paper(1).counted(table), "disease", ["age", "gender"])
    rows = _rows(table)
    age, disease, both = ([tuple(row[place] for place in places) for row in rows] for places in ([0], [2], [0, 2]))
    assert steps[1].gain == pytest.approx(_entropy(age) + _entropy(disease) - _entropy(both), abs=1e-9)
    assert all(later.utility >= earlier.utility - 1e-9 for earlier, later in pairwise(steps))


def test_a_table_by_hand() -> None:
    """Four people, young men with a cold, old women with diabetes: each attribute tells all about gender and disease, half about age."""
    universe = paper(1)
    table = [universe.row_of(row) for row in (("20", "male", "cold"), ("30", "male", "cold"))]
    table += [universe.row_of(row) for row in (("40", "female", "diabetes"), ("50", "female", "diabetes"))]
    counts = universe.counted(table)
    assert attribute_utility(counts, "gender") == pytest.approx(1)
    assert attribute_utility(counts, "disease") == pytest.approx(log2(3))
    assert attribute_utility(counts, "age") == pytest.approx(1)
    assert table_utility(counts) == pytest.approx((2 + log2(3)) / 3)
    assert table_utility(counts, {"age": 1.0}) == pytest.approx(1)
    bands = counts.roll_up(Node(("age", "gender"), (1, 0)))
    assert utility_degradation(counts, bands, {"age": 1.0}) == pytest.approx(0)  # of 2 bits 1 was open, of 1 bit none is
    top = counts.roll_up(Node(("age", "gender"), (2, 1)))
    assert attribute_utility(top, "age") == attribute_utility(top, "gender") == 0
    assert utility_degradation(counts, top) == pytest.approx((2 + log2(3)) / 3 - (log2(3) - 1) / 3)


def test_somebody_who_knows_the_table_gains_nothing_and_a_population_is_a_mean() -> None:
    universe = paper(1)
    counts = universe.counted([0, 5, 9, 9, 17, 23])
    node = Node(("age", "gender"), (1, 0))
    knowing, ignorant = User((counts,)), User()
    assert table_utility(counts, users=knowing) == pytest.approx(0, abs=1e-12)
    assert table_utility(counts.roll_up(node), users=knowing) == pytest.approx(0, abs=1e-12)
    assert table_utility(counts, users=ignorant) == table_utility(counts)
    mixed = (User((counts,), 0.25), User((), 0.75))
    assert table_utility(counts, users=mixed) == pytest.approx(0.75 * table_utility(counts))
    assert utility_degradation(counts, counts.roll_up(node), users=mixed) == pytest.approx(
        0.75 * utility_degradation(counts, counts.roll_up(node))
    )


def test_what_a_user_knows_of_some_attributes_counts_for_these_alone() -> None:
    universe = paper(1)
    counts = universe.counted([0, 1, 3, 3, 8, 14, 20])
    ages = counts.project(["age"])
    user = User((ages,))  # age and disease, not gender
    assert table_utility(counts, {"gender": 1.0}, user) == table_utility(counts, {"gender": 1.0})
    utility, known = attribute_utility(counts, "age"), attribute_utility(counts, "age", ["disease"])
    assert table_utility(counts, {"age": 1.0}, user) == pytest.approx(utility - known, abs=1e-12)


@pytest.mark.parametrize("schema", [UNEVEN, QUASI_ONLY])
@pytest.mark.parametrize("choice", list(Choice))
def test_the_utility_of_a_mechanism_is_the_mean_over_its_channel(schema: dict[str, object], choice: Choice) -> None:
    universe = Universe.of(schema, 2)
    model = "distinct-diversity:2" if universe.values else "k-anonymity:2"
    mechanism = enumerate_mechanism(universe, model, choice=choice)
    background = universe.counted([0, 1, 1, universe.kinds() - 1])
    interest = {universe.names[0]: 1.0}
    for users in ((User(),), (User((background,), 0.5), User((), 0.5))):
        before = after = 0.0
        for table, row in zip(mechanism.tables, mechanism.channel.dense(), strict=True):
            counts = universe.counted(table)
            before += table_utility(counts, interest, users) / len(mechanism.tables)
            for output in np.flatnonzero(row):
                shown = mechanism.output(int(output))
                if shown is not None:
                    after += row[output] * table_utility(counts.roll_up(shown[0]), interest, users) / len(mechanism.tables)
        found = mechanism_utility(mechanism, interest, users)
        assert found.before == pytest.approx(before, abs=1e-12)
        assert found.after == pytest.approx(after, abs=1e-12)
        assert found.degradation == pytest.approx(before - after, abs=1e-12)


def test_publishing_the_least_generalization_keeps_more_utility_than_any_of_them() -> None:
    """The price of the paper's claim: what leaks more is worth more."""
    uniform, least = (enumerate_mechanism(paper(3), "k-anonymity:2", choice=choice) for choice in Choice)
    assert mechanism_utility(least).degradation < mechanism_utility(uniform).degradation


def test_expected_degradation_by_hand() -> None:
    channel = ChannelMatrix.of([[1, 0], [0.5, 0.5]])
    found = expected_degradation(channel, np.array([2.0, 4.0]), np.array([1.0, 3.0]), [0.25, 0.75])
    assert (found.before, found.after) == (3.5, pytest.approx(0.625 * 1 + 0.375 * 3))


def test_what_does_not_fit_is_refused() -> None:
    counts = paper(1).counted([0, 1])
    with pytest.raises(UsageError, match=r"add up to 0\.5 and not to 1"):
        table_utility(counts, users=User((), 0.5))
    with pytest.raises(UsageError, match="from one table only"):
        User((counts, counts))
    with pytest.raises(UsageError, match="coarser than the table"):
        table_utility(counts, users=User((counts.roll_up(Node(("age", "gender"), (1, 0))),)))
    with pytest.raises(UsageError, match="did you mean 'age'"):
        attribute_utility(counts, "ages")
    with pytest.raises(UsageError, match="add up to 1"):
        table_utility(counts, {"age": 0.4})
    with pytest.raises(UsageError, match="each other attribute once"):
        utility_steps(counts, "age", ["gender", "gender"])
    with pytest.raises(UsageError, match="one utility for every input"):
        expected_degradation(ChannelMatrix.of([[1.0]]), np.ones(2), np.ones(1))

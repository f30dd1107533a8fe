"""Utility losses against a plain mean over the people of a class."""

from __future__ import annotations

from fractions import Fraction
from math import dist, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.losses import loss_named, summarize
from tests.golden import exact
from tests.unit.losses.classes import Classes, classes, counts_of, statistics, total


def by_person(counts: list[int]) -> list[float]:
    """The distance of every person's own value from the class's distribution."""
    x = [count / sum(counts) for count in counts]
    people = [value for value, count in enumerate(counts) for _ in range(count)]
    return [dist([float(value == own) for value in range(len(x))], x) for own in people]


@given(classes())
def test_distribution_utility_loss_is_the_mean_over_the_people_of_the_class(drawn: Classes) -> None:
    result = loss_named("utility-distribution").of(statistics(drawn)).tolist()
    assert result == pytest.approx([sum(by_person(each)) / sum(each) for each in drawn], abs=1e-13)


@given(classes())
def test_over_the_table_it_is_the_mean_over_all_people(drawn: Classes) -> None:
    known = statistics(drawn)
    summary = summarize(loss_named("utility-distribution").of(known), known.sizes)
    everybody = [loss for each in drawn for loss in by_person(each)]
    assert summary.people_mean == pytest.approx(sum(everybody) / len(everybody), abs=1e-13)


@given(classes())
def test_entropy_utility_loss_is_the_entropy_of_the_class(drawn: Classes) -> None:
    result = loss_named("utility-entropy").of(statistics(drawn)).tolist()
    assert result == pytest.approx([float(exact.entropy(exact.shares(each))) for each in drawn], abs=1e-14)


@given(classes())
def test_map_error_counts_those_who_do_not_have_the_most_frequent_value(drawn: Classes) -> None:
    result = loss_named("map-error").of(statistics(drawn)).tolist()
    assert result == pytest.approx([(sum(each) - max(each)) / sum(each) for each in drawn], abs=1e-15)


@given(st.integers(1, 6).flatmap(lambda m: st.tuples(counts_of(m), st.integers(0, m - 1))))
def test_a_class_of_one_value_costs_nothing(drawn: tuple[list[int], int]) -> None:
    prior, own = drawn
    known = statistics([[7 * (value == own) for value in range(len(prior))]], prior)
    assert loss_named("utility-distribution").of(known).tolist() == loss_named("utility-entropy").of(known).tolist() == [0]


@pytest.mark.parametrize("m", [2, 3, 100])
def test_a_uniform_class_costs_most(m: int) -> None:
    known = statistics([[5] * m])
    assert loss_named("utility-distribution").of(known)[0] == pytest.approx(sqrt((m - 1) / m), abs=1e-14)


@given(classes())
def test_a_suppressed_person_is_charged_the_loss_of_one_class_of_everybody(drawn: Classes) -> None:
    for name in ("utility-distribution", "utility-entropy", "map-error"):
        known, together = statistics(drawn), statistics([total(drawn)])
        assert loss_named(name).of_prior(known) == pytest.approx(float(loss_named(name).of(together)[0]), abs=1e-13)
    for name in ("distribution", "entropy", "emd", "kl"):
        assert loss_named(name).of_prior(statistics(drawn)) == 0


@pytest.mark.parametrize("people", [100, 10**7, 10**9])
def test_one_person_among_many_with_another_value_costs_what_the_definition_says(people: int) -> None:
    """1 - 2x + sum x^2 loses its digits when x is nearly one; nine of them must stay."""
    counts = [people - 1, 1]
    right = float(exact.utility_distribution(exact.shares(counts)))
    assert right == pytest.approx(2 * sqrt(2) * float(Fraction(people - 1, people**2)), rel=1e-12)
    known = statistics([counts])
    assert loss_named("utility-distribution").of(known)[0] == pytest.approx(right, rel=1e-9, abs=0)
    assert loss_named("utility-distribution").of_prior(known) == pytest.approx(right, rel=1e-9, abs=0)

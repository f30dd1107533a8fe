"""The theorems about distribution loss and entropy loss, and what no privacy loss may depend on."""

from __future__ import annotations

from math import log2, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.losses import loss_named
from sfumato.losses.distances import emd
from tests.golden import exact
from tests.unit.losses.classes import Classes, classes, counts_of, pairs, statistics, total, trees

PRIVACY = ("distribution", "entropy", "emd", "l1", "kl", "js", "hellinger", "chi2")
OF_SHARES_ALONE = (*PRIVACY, "utility-distribution", "utility-entropy")


def loss(name: str, prior: list[int], *posteriors: list[int]) -> list[float]:
    result: list[float] = loss_named(name).of(statistics(posteriors, prior)).tolist()
    return result


@given(counts_of(7, most=1000))
def test_distribution_loss_of_a_uniform_class_is_the_deviation_of_the_prior_times_root_m(prior: list[int]) -> None:
    """Theorem 1 of the leakage paper and of the thesis."""
    m = len(prior)
    [result] = loss("distribution", prior, [1] * m)
    deviation = float(np.std(np.array(prior) / sum(prior)))
    assert result == pytest.approx(deviation * sqrt(m), abs=1e-14)
    assert result <= sqrt((m - 1) / m) + 1e-15


@pytest.mark.parametrize("m", [1, 2, 3, 10, 1000])
def test_a_prior_of_one_value_has_the_largest_distance_from_uniform(m: int) -> None:
    [result] = loss("distribution", [1] + [0] * (m - 1), [1] * m)
    assert result == pytest.approx(sqrt((m - 1) / m), abs=1e-14)


@given(pairs(most=8))
def test_distribution_loss_is_at_most_root_two(pair: tuple[list[int], list[int]]) -> None:
    prior, posterior = pair
    assert 0 <= loss("distribution", prior, posterior)[0] <= sqrt(2) + 1e-15


def test_root_two_is_reached_where_prior_and_class_have_nothing_in_common() -> None:
    assert loss("distribution", [0, 9, 0], [5, 0, 0]) == [pytest.approx(sqrt(2), abs=1e-15)]


@given(pairs(most=8))
def test_both_losses_agree_with_their_definitions(pair: tuple[list[int], list[int]]) -> None:
    prior, posterior = pair
    a, x = exact.shares(prior), exact.shares(posterior)
    assert loss("distribution", prior, posterior)[0] == pytest.approx(
        float(exact.root(exact.distribution_squared(a, x))), abs=1e-14
    )
    assert loss("entropy", prior, posterior)[0] == pytest.approx(float(exact.entropy_loss(a, x)), abs=1e-14)


@given(st.integers(1, 6).flatmap(lambda m: st.tuples(counts_of(m), counts_of(m), counts_of(m))))
def test_entropy_loss_obeys_the_triangle_inequality(three: tuple[list[int], list[int], list[int]]) -> None:
    """Theorem 2."""
    x, y, z = three
    assert loss("entropy", x, z)[0] <= loss("entropy", x, y)[0] + loss("entropy", y, z)[0] + 1e-14


@given(pairs())
def test_entropy_loss_is_symmetric_and_never_negative(pair: tuple[list[int], list[int]]) -> None:
    one, other = pair
    assert loss("entropy", one, other)[0] == pytest.approx(loss("entropy", other, one)[0], abs=1e-14)
    assert loss("entropy", one, other)[0] >= 0


@given(counts_of(6).flatmap(lambda prior: st.tuples(st.just(prior), st.permutations(prior))))
def test_a_permutation_of_the_prior_has_no_entropy_loss(pair: tuple[list[int], list[int]]) -> None:
    """It is a pseudo-metric only: Theorem 3 of the thesis claims more."""
    prior, turned = pair
    assert loss("entropy", prior, turned)[0] <= 1e-14


@pytest.mark.slow
@given(pairs(most=8))
def test_the_largest_entropy_loss_is_that_of_one_value_or_of_the_uniform_class(pair: tuple[list[int], list[int]]) -> None:
    prior, posterior = pair
    h = float(exact.entropy(exact.shares(prior)))
    m = len(prior)
    largest = max(h, log2(m) - h)
    assert loss("entropy", prior, posterior)[0] <= largest + 1e-14
    assert max(loss("entropy", prior, [1] + [0] * (m - 1), [1] * m)) == pytest.approx(largest, abs=1e-14)


@given(classes(), st.integers(2, 1_000_003))
def test_repeating_every_record_changes_no_loss_at_all(drawn: Classes, times: int) -> None:
    """Not even in the last digit: shares are single divisions."""
    repeated = [[times * count for count in each] for each in drawn]
    for name in OF_SHARES_ALONE:
        assert loss_named(name).of(statistics(repeated)).tolist() == loss_named(name).of(statistics(drawn)).tolist()


@given(st.integers(1, 9).flatmap(counts_of))
def test_a_table_of_one_class_leaks_nothing(everybody: list[int]) -> None:
    for name in PRIVACY:
        assert loss(name, everybody, everybody) == [0]


@given(
    st.integers(1, 6).flatmap(
        lambda m: st.tuples(counts_of(m), trees(m), st.lists(st.integers(1, 10**6), min_size=1, max_size=4))
    )
)
def test_classes_equal_to_the_prior_leak_nothing(drawn: tuple[list[int], list[list[int]], list[int]]) -> None:
    base, tree, factors = drawn
    known = statistics([[factor * count for count in base] for factor in factors], tree=tree)
    assert loss_named("distribution").of(known).max() < 1e-14
    for name in PRIVACY:
        assert loss_named(name).of(known).max() < 1e-14
    for distance in ("equal", "ordered", "hierarchical"):
        assert emd(known, distance).max() < 1e-14


@pytest.mark.parametrize("values", [3, 7, 1_000, 30_011])
def test_classes_equal_to_the_prior_leak_nothing_with_awkward_denominators_and_many_values(values: int) -> None:
    base = [1 + (value * 7919) % 97 for value in range(values)]
    known = statistics([[factor * count for count in base] for factor in (1, 3, 7, 49, 999_983)])
    for name in ("distribution", "l1", "kl", "js", "hellinger", "chi2"):
        assert loss_named(name).of(known).max() < 1e-14
    assert loss_named("entropy").of(known).max() < 1e-12
    assert all(emd(known, distance).max() < 1e-14 for distance in ("equal", "ordered", "hierarchical"))


@given(classes(values=2), st.data())
def test_the_order_of_values_is_irrelevant_where_there_is_none(drawn: Classes, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(drawn[0]))))
    turned = [[each[value] for value in order] for each in drawn]
    for name in OF_SHARES_ALONE:
        one, other = loss_named(name).of(statistics(drawn)), loss_named(name).of(statistics(turned))
        assert one.tolist() == pytest.approx(other.tolist(), abs=1e-13)


@given(classes(least=2), st.data())
def test_the_order_of_classes_is_irrelevant(drawn: Classes, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(drawn))))
    turned = statistics([drawn[place] for place in order])
    for name in OF_SHARES_ALONE:
        assert loss_named(name).of(turned).tolist() == loss_named(name).of(statistics(drawn))[order].tolist()


@given(classes())
def test_a_value_that_nobody_has_changes_no_loss_without_order(drawn: Classes) -> None:
    wider = [[*each, 0] for each in drawn]
    for name in OF_SHARES_ALONE:
        one, other = loss_named(name).of(statistics(drawn)), loss_named(name).of(statistics(wider))
        assert one.tolist() == pytest.approx(other.tolist(), abs=1e-14)


@given(classes())
def test_the_prior_is_that_of_all_classes_together(drawn: Classes) -> None:
    assert statistics(drawn).prior[0].tolist() == [float(share) for share in exact.shares(total(drawn))]

"""All classes at once: together they are the prior, each keeps its bounds, and it is worth it."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.tradeoff import JointRecommendation, recommend_jointly
from sfumato.tradeoff.formulas import NAMES, UTILITY, losses_of
from tests.unit.tradeoff.grids import grid


def checked(result: JointRecommendation) -> None:
    plan, shares = np.array([point.shares for point in result.classes]), np.array(result.sizes) / sum(result.sizes)
    assert np.abs(shares @ plan - np.array(result.prior)).max() < 1e-9
    assert (plan >= 0).all()
    assert plan.sum(axis=1) == pytest.approx(1, abs=1e-12)
    for point in result.classes:
        assert point.losses["distribution"] <= result.bounds.get("epsilon", inf) + 1e-9
        assert point.losses["entropy"] <= result.bounds.get("alpha", inf) + 1e-9
    mean = shares @ np.array([point.losses[result.minimized] for point in result.classes])
    assert result.value == pytest.approx(mean, abs=1e-12)
    assert result.improvement >= 0


@pytest.mark.slow
@settings(max_examples=6)
@given(
    st.lists(st.integers(1, 50), min_size=2, max_size=5),
    st.lists(st.integers(1, 50), min_size=1, max_size=4),
    st.sampled_from([(0.2, None), (None, 0.2), (0.05, 0.05), (0.3, 0.1)]),
    st.sampled_from(UTILITY),
)
def test_the_classes_are_the_prior_together_and_keep_the_bounds(
    people: list[int], sizes: list[int], limits: tuple[float | None, float | None], loss: str
) -> None:
    result = recommend_jointly(people, sizes, epsilon=limits[0], alpha=limits[1], loss=loss)
    checked(result)
    # The entropy is strictly concave: any two classes that differ are better than two that do not.
    if len(sizes) > 1 and loss == "utility-entropy":
        assert result.improvement > 1e-6


@pytest.mark.slow
@settings(max_examples=10)
@given(
    st.lists(st.integers(1, 50), min_size=2, max_size=3),
    st.tuples(st.integers(1, 9), st.integers(1, 9)),
    st.floats(0.05, 0.6),
    st.sampled_from(UTILITY),
)
def test_two_classes_against_a_grid(people: list[int], sizes: tuple[int, int], epsilon: float, loss: str) -> None:
    """One class may be any grid point; the other is then what is left."""
    prior, shares = np.array(people) / sum(people), np.array(sizes) / sum(sizes)
    one = grid(len(prior))
    other = (prior - shares[0] * one) / shares[1]
    one, other = (each[(other >= 0).all(axis=1)] for each in (one, other))
    losses = np.stack([losses_of(one, prior), losses_of(other, prior)])
    fine = (losses[:, :, 0] <= epsilon).all(axis=0)
    best = (shares @ losses[:, fine, NAMES.index(loss)]).min(initial=inf)
    result = recommend_jointly(people, sizes, epsilon=epsilon, loss=loss)
    assert result.value <= best + 1e-6


def test_two_equal_classes_of_two_values_by_hand() -> None:
    result = recommend_jointly((1, 1), (10, 10), epsilon=0.2)
    firsts = sorted(point.shares[0] for point in result.classes)
    assert firsts == pytest.approx([0.5 - 0.2 / 2**0.5, 0.5 + 0.2 / 2**0.5], abs=1e-8)
    assert result.improvement > 0.01


def test_without_bounds_classes_are_as_pure_as_their_sizes_allow() -> None:
    for loss in UTILITY:
        result = recommend_jointly((30, 20, 10), (20, 30, 10), loss=loss)
        assert result.value == pytest.approx(0, abs=1e-9)
        assert sorted(max(point.shares) for point in result.classes) == pytest.approx([1, 1, 1], abs=1e-9)


def test_one_class_no_distance_or_one_value_leave_the_prior() -> None:
    for result in (
        recommend_jointly((3, 2), (10,), epsilon=1),
        recommend_jointly((3, 2), (10, 5), epsilon=0),
        recommend_jointly((3, 2), (10, 5), alpha=0),
    ):
        checked(result)
        assert all(point.shares == pytest.approx((0.6, 0.4), abs=1e-4) for point in result.classes)
    assert recommend_jointly((3,), (10, 5)).value == 0


def test_values_that_nobody_holds_are_in_no_class() -> None:
    result = recommend_jointly((3, 0, 2), (10, 5), epsilon=0.2)
    checked(result)
    assert all(point.shares[1] == 0 for point in result.classes)


@pytest.mark.slow
def test_looser_bounds_are_never_worse() -> None:
    for loss in UTILITY:
        values = [recommend_jointly((5, 3, 2), (4, 6), epsilon=epsilon, loss=loss).value for epsilon in (0.02, 0.1, 0.3, 0.8)]
        assert all(later <= earlier + 1e-7 for earlier, later in pairwise(values))


@pytest.mark.slow
def test_more_values_and_classes() -> None:
    prior = np.random.default_rng(4).integers(5, 60, 6)
    result = recommend_jointly(prior, (10, 20, 40), epsilon=0.15, alpha=0.3)
    checked(result)
    assert result.improvement > 0.01
    assert result.rows()[0][:2] == (1, 10)
    assert all(len(row) == len(result.heads) for row in result.rows())


def test_a_seed_reproduces_everything() -> None:
    assert recommend_jointly((5, 3, 2), (4, 6), epsilon=0.2, seed=3) == recommend_jointly((5, 3, 2), (4, 6), epsilon=0.2, seed=3)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"sizes": (1, 0)}, "sizes: give the people of each class as whole numbers of at least 1"),
        ({"sizes": ()}, "sizes: give the people of each class as whole numbers of at least 1"),
        ({"sizes": (1.5, 2)}, "sizes: give the people of each class as whole numbers of at least 1"),
        ({"sizes": (1, 2), "epsilon": -1}, "epsilon: a bound is a number of at least 0, or None for no bound; got -1"),
        (
            {"sizes": (1, 2), "loss": "utility-entropie"},
            "loss: no loss 'utility-entropie' in the utility losses; did you mean 'utility-entropy'? "
            "(have: utility-distribution, utility-entropy)",
        ),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(arguments: dict[str, object], line: str) -> None:
    with pytest.raises(UsageError) as caught:
        recommend_jointly((1, 2), **arguments)  # type: ignore[arg-type]
    assert str(caught.value) == line

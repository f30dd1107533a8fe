"""The losses against the definitions in exact numbers, and the gradients against differences."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.statistics import entropy_of
from sfumato.tradeoff.formulas import largest, losses_of, signed, utility_distribution
from tests.golden import exact
from tests.unit.tradeoff.grids import grid

counts = st.lists(st.integers(1, 500), min_size=2, max_size=8)


@given(counts, st.randoms())
def test_the_losses_are_those_of_the_definitions(people: list[int], random: object) -> None:
    other = list(people)
    random.shuffle(other)  # type: ignore[attr-defined]
    other[0] += 3
    a, x = exact.shares(people), exact.shares(other)
    result = losses_of(np.array([float(share) for share in x]), np.array([float(share) for share in a]))
    wanted = [
        float(exact.root(exact.distribution_squared(a, x))),
        float(exact.entropy_loss(a, x)),
        float(exact.utility_distribution(x)),
        float(exact.entropy(x)),
    ]
    assert result == pytest.approx(wanted, abs=1e-12)


@given(counts, counts)
def test_gradients_are_those_of_differences(people: list[int], other: list[int]) -> None:
    size = min(len(people), len(other))
    a, x = (np.array(each[:size]) / sum(each[:size]) for each in (people, other))
    a = a if np.abs(a - x).max() > 1e-3 else np.full(size, 1 / size) + np.eye(1, size)[0] * 0.1 - 0.1 / size
    if np.abs(a - x).max() < 1e-3:
        return
    _, slopes = signed(x, a, float(entropy_of(a)))
    for place in range(size):
        step = np.zeros(size)
        step[place] = 1e-6 * x[place]
        above, below = (signed(x + sign * step, a, float(entropy_of(a)))[0] for sign in (1, -1))
        assert slopes[:, place] == pytest.approx((above - below) / (2e-6 * x[place]), rel=1e-4, abs=1e-4)


def test_the_slope_stays_finite_up_to_a_vertex() -> None:
    for far in (0.0, 1e-300, 1e-18, 1e-9):
        value, slope = utility_distribution(np.array([1 - far, far / 2, far / 2]))
        assert np.isfinite(slope).all()
        assert value == pytest.approx((np.sqrt(1.5) + np.sqrt(2)) * far, rel=1e-6)


def test_no_loss_passes_its_largest_value_and_each_reaches_it() -> None:
    a = np.array([0.6, 0.3, 0.1])
    losses = losses_of(grid(3), a)
    assert (losses <= largest(a) + 1e-12).all()
    corners = losses_of(np.array([[0, 0, 1.0], [1, 0, 0], [1 / 3, 1 / 3, 1 / 3]]), a)
    assert corners.max(axis=0) == pytest.approx(largest(a), abs=1e-12)


def test_a_loss_written_out_by_hand() -> None:
    # The class (1/4, 1/4, 2/4) against (7, 3, 2)/12: sqrt(32)/12.
    a, x = [Fraction(7, 12), Fraction(3, 12), Fraction(2, 12)], [0.25, 0.25, 0.5]
    assert losses_of(np.array(x), np.array([float(share) for share in a]))[0] == pytest.approx(32**0.5 / 12)

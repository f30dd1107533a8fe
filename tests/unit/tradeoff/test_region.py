"""The region within bounds on both sides: whether there is one, and what it would take."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.tradeoff import feasible_region
from sfumato.tradeoff.formulas import NAMES, PARAMETERS, losses_of
from tests.unit.tradeoff.grids import TOLERANCE, bounds, least_on_grid, priors


@pytest.mark.slow
@settings(max_examples=6)
@given(st.data())
def test_a_region_that_a_grid_point_lies_in_is_found(data: st.DataObject) -> None:
    prior = data.draw(priors())
    limits = data.draw(bounds(prior, (0, 1, 2, 3)))
    keywords = {name: float(bound) for name, bound in zip(PARAMETERS, limits, strict=True) if bound < inf}
    result = feasible_region(prior, sample=5, **keywords)  # type: ignore[arg-type]
    if least_on_grid(prior, np.zeros(4), limits) is not None:
        assert result.feasible
    for place, name in enumerate(NAMES):
        others = limits.copy()
        others[place] = inf
        least = least_on_grid(prior, np.eye(4)[place], others)
        here = result.least[name]
        assert least is None or (here is not None and here <= least + TOLERANCE)
        assert not result.feasible or (here is not None and here <= limits[place] + 1e-9)
        assert result.feasible or here is None or here > limits[place]
    for point in (*result.pareto, *result.sample):
        assert (losses_of(np.array(point.shares), prior) <= limits + 2e-9).all()


def test_an_empty_region_says_what_it_would_take() -> None:
    """Over (1/2, 1/2) within the distance 0.1 no entropy is below that of x = 1/2 + 0.1 / sqrt(2)."""
    result = feasible_region((1, 1), epsilon=0.1, gamma=0.5)
    assert not result.feasible
    assert (result.pareto, result.sample) == ((), ())
    first = 0.5 + 0.1 / 2**0.5
    entropy = -first * np.log2(first) - (1 - first) * np.log2(1 - first)
    assert result.least["utility-entropy"] == pytest.approx(entropy, abs=1e-9)
    needed = result.least["distribution"]
    assert needed is not None
    assert needed > 0.1
    assert feasible_region((1, 1), epsilon=needed + 1e-8, gamma=0.5).feasible
    assert not feasible_region((1, 1), epsilon=needed - 1e-6, gamma=0.5).feasible
    assert result.rows()[0] == ("distribution", 0.1, needed, False)


def test_bounds_that_conflict_among_themselves_leave_no_least_value() -> None:
    result = feasible_region((1, 1), epsilon=0.1, gamma=0.5, alpha=1.0)
    assert result.least["entropy"] is None
    assert {row[0]: row[3] for row in result.rows()}["entropy"] is None


def test_a_region_is_sampled_and_its_best_points_are_told() -> None:
    result = feasible_region((5, 3, 2), epsilon=0.3, alpha=0.4, delta=0.6, gamma=1.4, sample=60)
    assert result.feasible
    assert len(result.sample) == 60
    assert len({point.shares for point in result.sample}) > 40
    assert len(result.pareto) > 5
    best = np.array([list(point.losses.values()) for point in result.pareto])
    for row in best:
        assert not ((best <= row - 1e-7).all(axis=1)).any()
    assert all(len(row) == len(result.heads) for row in result.rows())


def test_one_value_and_no_bounds_are_always_feasible() -> None:
    assert feasible_region((4,), epsilon=0, gamma=0).feasible
    assert feasible_region((4, 1), sample=0).feasible


@pytest.mark.slow
def test_the_same_seed_gives_the_same_region() -> None:
    keywords = {"epsilon": 0.3, "gamma": 1.4, "seed": 2, "sample": 10}
    assert feasible_region((5, 3, 2), **keywords) == feasible_region((5, 3, 2), **keywords)


def test_a_sample_is_a_number_of_points() -> None:
    with pytest.raises(UsageError, match="sample: a whole number of points"):
        feasible_region((1, 1), sample=-1)


@pytest.mark.slow
def test_without_sample_and_front_the_rest_of_the_answer_is_the_same() -> None:
    whole = feasible_region((5, 3, 2), epsilon=0.3, gamma=1.4)
    quick = feasible_region((5, 3, 2), epsilon=0.3, gamma=1.4, sample=0, pareto=0)
    assert (quick.sample, quick.pareto) == ((), ())
    assert (quick.feasible, quick.least) == (whole.feasible, whole.least)
    assert whole.pareto

"""The recommended distribution of one class: against grids, closed forms, and itself under other bounds."""

from __future__ import annotations

from math import inf, log2, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.beliefs import Prior
from sfumato.errors import UsageError
from sfumato.tradeoff import Recommendation, recommend
from sfumato.tradeoff.formulas import NAMES, PARAMETERS, losses_of
from sfumato.tradeoff.solver import Solver
from tests.unit.tradeoff.grids import TOLERANCE, Floats, bounds, grid, least_on_grid, priors


def asked(prior: Floats, result: Floats, **others: object) -> Recommendation:
    keywords = {name: float(bound) for name, bound in zip(PARAMETERS, result, strict=True) if bound < inf}
    return recommend(prior, **keywords, **others)  # type: ignore[arg-type]


@pytest.mark.slow
@settings(max_examples=25)
@given(st.data())
def test_no_grid_point_is_better(data: st.DataObject) -> None:
    prior = data.draw(priors())
    places = data.draw(st.sampled_from([(0, 1), (2, 3)]))
    limits = data.draw(bounds(prior, places))
    result = asked(prior, limits)
    losses = losses_of(np.array(result.chosen.shares), prior)
    assert (losses <= limits + 1e-9).all()
    assert list(result.chosen.losses.values()) == pytest.approx(losses, abs=1e-12)
    for place, weight in enumerate(result.weights):
        name = result.minimized[place]
        single = least_on_grid(prior, np.eye(4)[NAMES.index(name)], limits)
        assert single is None or min(point.losses[name] for point in result.pareto) <= single + TOLERANCE
        assert weight == 1
    weights = np.zeros(4)
    for name, scale in zip(result.minimized, result.scales, strict=True):
        weights[NAMES.index(name)] = 1 / scale
    best = least_on_grid(prior, weights, limits, near=np.array(result.chosen.shares))
    assert best is None or result.value <= best + TOLERANCE


@pytest.mark.slow
@settings(max_examples=15)
@given(st.data())
def test_no_grid_point_beats_the_pareto_set(data: st.DataObject) -> None:
    prior = data.draw(priors())
    limits = data.draw(bounds(prior, data.draw(st.sampled_from([(0, 1), (2, 3)]))))
    result = asked(prior, limits)
    losses = losses_of(grid(len(prior)), prior)
    pair = [NAMES.index(name) for name in result.minimized]
    within = losses[(losses <= limits).all(axis=1)][:, pair]
    for point in result.pareto:
        here = np.array([point.losses[name] for name in result.minimized])
        assert not (within < here - 1e-6).all(axis=1).any()
    front = np.array([[point.losses[name] for name in result.minimized] for point in result.pareto])
    assert (np.diff(front[:, 0]) > 0).all()
    assert (np.diff(front[:, 1]) < 0).all()
    assert result.chosen in result.pareto


@pytest.mark.slow
@settings(max_examples=8)
@given(st.data())
def test_looser_bounds_are_never_worse(data: st.DataObject) -> None:
    prior = data.draw(priors(most=6))
    limits = data.draw(bounds(prior, data.draw(st.sampled_from([(0, 1), (2, 3)]))))
    looser = limits * np.array([data.draw(st.floats(1, 3)) for _ in limits])
    tight, loose = asked(prior, limits), asked(prior, looser)
    if tight.minimized == loose.minimized:
        assert loose.value <= tight.value + TOLERANCE


def test_two_values_by_hand() -> None:
    """Over two values the best x within the distance moves epsilon / sqrt(2) toward the more frequent value."""
    result = recommend((0.6, 0.4), epsilon=0.1)
    first = 0.6 + 0.1 / sqrt(2)
    assert result.chosen.shares == pytest.approx((first, 1 - first), abs=1e-9)
    assert result.chosen.losses["utility-distribution"] == pytest.approx(2 * sqrt(2) * first * (1 - first), abs=1e-9)
    assert len(result.pareto) == 1
    assert result.kkt_residual < 1e-6


def test_the_entropy_bound_by_hand() -> None:
    """With a bound on the entropy loss alone, the least entropy is that of the prior less the bound."""
    entropy = -sum(share * log2(share) for share in (0.5, 0.3, 0.2))
    result = recommend((0.5, 0.3, 0.2), alpha=0.25, weights=(0, 1))
    assert result.chosen.losses["utility-entropy"] == pytest.approx(entropy - 0.25, abs=1e-8)


def test_without_bounds_a_pure_class_of_the_most_frequent_value_is_best() -> None:
    result = recommend((3, 1, 6))
    assert result.chosen.shares == (0, 0, 1)
    assert (result.value, result.chosen.losses["utility-distribution"], result.chosen.losses["utility-entropy"]) == (0, 0, 0)
    assert recommend((3, 1, 6), epsilon=2, alpha=inf).chosen.shares == (0, 0, 1)


def test_no_distance_leaves_the_prior_itself() -> None:
    for keywords in ({"epsilon": 0}, {"epsilon": 0, "alpha": 0.5}):
        result = recommend((5, 2, 3), **keywords)
        assert result.chosen.shares == (0.5, 0.2, 0.3)
        assert result.kkt_residual == 0


def test_no_utility_loss_leaves_a_pure_class() -> None:
    for keywords in ({"delta": 0}, {"gamma": 0}):
        assert recommend((5, 2, 3), **keywords).chosen.shares == pytest.approx((1, 0, 0), abs=1e-8)


def test_a_prior_within_the_bounds_has_no_privacy_loss() -> None:
    result = recommend((5, 2, 3), gamma=1.6, delta=0.9)
    assert result.chosen.shares == (0.5, 0.2, 0.3)
    assert (result.value, len(result.pareto)) == (0, 1)


def test_no_entropy_loss_still_leaves_other_distributions() -> None:
    """A permutation of the prior, or another distribution with its entropy, is as good as the prior to the entropy loss."""
    result = recommend((0.5, 0.3, 0.2), alpha=0)
    assert result.chosen.losses["entropy"] <= 1e-9
    best = recommend((0.5, 0.3, 0.2), epsilon=0).chosen.losses["utility-distribution"]
    assert result.chosen.losses["utility-distribution"] < best - 1e-3


def test_one_value_has_one_distribution() -> None:
    for keywords in ({}, {"epsilon": 0.1}, {"gamma": 0.1}, {"alpha": 0.0}):
        result = recommend((0, 12), **keywords)
        assert result.chosen.shares == (0, 1)
        assert set(result.chosen.losses.values()) == {0}


def test_values_that_nobody_holds_stay_at_zero() -> None:
    with_zeros, without = recommend((4, 0, 3, 0, 2), epsilon=0.1, alpha=0.2), recommend((4, 3, 2), epsilon=0.1, alpha=0.2)
    assert [with_zeros.chosen.shares[place] for place in (1, 3)] == [0, 0]
    assert [with_zeros.chosen.shares[place] for place in (0, 2, 4)] == list(without.chosen.shares)
    assert with_zeros.value == without.value


def test_the_order_of_the_values_does_not_matter() -> None:
    forward, backward = recommend((5, 3, 2), epsilon=0.2), recommend((2, 3, 5), epsilon=0.2)
    assert forward.chosen.shares == backward.chosen.shares[::-1]


def test_a_seed_reproduces_everything() -> None:
    keywords = {"epsilon": 0.2, "alpha": 0.3, "seed": 5}
    assert recommend((7, 3, 2, 1), **keywords) == recommend((7, 3, 2, 1), **keywords)
    other = recommend((7, 3, 2, 1), **(keywords | {"seed": 6}))
    assert other.value == pytest.approx(recommend((7, 3, 2, 1), **keywords).value, abs=TOLERANCE)


def test_weights_move_along_the_pareto_set() -> None:
    prior = (0.5, 0.25, 0.15, 0.1)
    first, second = recommend(prior, epsilon=0.1, weights=(1, 0)), recommend(prior, epsilon=0.1, weights=(0, 1))
    assert first.chosen.losses["utility-distribution"] <= second.chosen.losses["utility-distribution"]
    assert second.chosen.losses["utility-entropy"] <= first.chosen.losses["utility-entropy"]
    assert len(first.pareto) > 5


def test_a_prior_of_a_table_brings_its_labels() -> None:
    result = recommend(Prior("illness", ("flu", None), np.array([3, 1])), epsilon=0.1)
    assert result.values == ("flu", None)
    assert [row[0] for row in result.shares()] == ["flu", None]
    assert len(result.rows()) == len(result.pareto)
    assert all(len(row) == len(result.heads) for row in result.rows())
    assert sum(row[0] for row in result.rows()) == 1


@pytest.mark.slow
def test_tiny_bounds() -> None:
    for epsilon in (1e-8, 1e-6, 1e-4):
        result = recommend((0.5, 0.3, 0.2), epsilon=epsilon)
        assert result.chosen.losses["distribution"] == pytest.approx(epsilon, abs=1e-9)
    for delta in (1e-6, 1e-4):
        assert recommend((0.5, 0.3, 0.2), delta=delta).chosen.losses["utility-distribution"] == pytest.approx(delta, abs=2e-9)


def test_fifty_values_are_solved_to_the_optimality_conditions() -> None:
    prior = np.random.default_rng(3).dirichlet(np.ones(50))
    result = recommend(prior, epsilon=0.2, alpha=0.3)
    assert result.kkt_residual < 1e-4
    assert result.chosen.losses["distribution"] <= 0.2 + 1e-9
    assert result.chosen.losses["entropy"] <= 0.3 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("keywords", [{"epsilon": 0.05}, {"gamma": 1.0, "delta": 0.4}])
def test_fifteen_values_and_a_whole_pareto_set(keywords: dict[str, float]) -> None:
    prior = np.random.default_rng(3).dirichlet(np.ones(15))
    result = recommend(prior, **keywords)
    assert all(result.chosen.losses[NAMES[PARAMETERS.index(name)]] <= bound + 1e-9 for name, bound in keywords.items())


def test_more_starts_find_nothing_better() -> None:
    rng = np.random.default_rng(11)
    for values in (5, 9):
        prior = -np.sort(-rng.dirichlet(np.ones(values)))
        solver = Solver(prior, np.array([0.15, 0.2, inf, inf]), rng)
        for loss in (2, 3):
            problem = solver.problem(np.eye(4)[loss])
            few, many = solver.least(problem), solver.least(problem, starts=150)
            assert few is not None
            assert many is not None
            assert few.value <= many.value + TOLERANCE


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"prior": (1, 2), "epsilon": -0.1}, "epsilon: a bound is a number of at least 0, or None for no bound; got -0.1"),
        ({"prior": (1, 2), "alpha": float("nan")}, "alpha: a bound is a number of at least 0, or None for no bound; got nan"),
        ({"prior": (1, 2), "gamma": "1"}, "gamma: a bound is a number of at least 0, or None for no bound; got '1'"),
        (
            {"prior": (1, 2), "gamma": 1, "epsilon": 1},
            "bounds: bound the privacy losses or the utility losses; feasible_region takes both",
        ),
        ({"prior": ()}, "prior: give one share or count per value, and at least one"),
        ({"prior": "flu"}, "prior: give a prior, or a list of shares or counts"),
        ({"prior": (0, 0)}, "prior: shares or counts must be finite, none below 0 and at least one above 0"),
        ({"prior": (1, -1)}, "prior: shares or counts must be finite, none below 0 and at least one above 0"),
        (
            {"prior": (1, 2), "weights": (0, 0)},
            "weights: give two weights, none below 0 and at least one above 0, such as (1, 1)",
        ),
        ({"prior": (1, 2), "weights": (1,)}, "weights: give two weights, none below 0 and at least one above 0, such as (1, 1)"),
        ({"prior": (1, 2), "seed": -1}, "seed: a seed is a whole number of at least 0; got -1"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(arguments: dict[str, object], line: str) -> None:
    with pytest.raises(UsageError) as caught:
        recommend(**arguments)  # type: ignore[arg-type]
    assert str(caught.value) == line


def test_without_scipy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "scipy.optimize", None)
    with pytest.raises(UsageError, match=r'pip install "sfumato\[tradeoff\]"'):
        recommend((1, 2, 3), epsilon=0.1)

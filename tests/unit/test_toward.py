"""Guided generalization finds the nearest feasible node, and the table withheld altogether is never farther than another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data import adult
from sfumato.errors import UsageError
from sfumato.question import Question, problem_of
from sfumato.search.algorithms.guided import nearest, recommended
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import Found, NotFound
from sfumato.search.problem import Problem
from sfumato.tradeoff import recommend
from tests.unit.search.problems import Case, cases, plainly

BOUNDS = st.sampled_from(
    ["privacy-loss:0.2,0.5", "privacy-loss:0.6,1.5", "distribution-loss:0.4", "utility-distribution-loss:0.7"]
)


def distances(problem: Problem, target: Any) -> dict[tuple[int, ...], float]:
    """By the definition, class by class: the mean over people of the distance of their class to the target."""
    lattice, found = Lattice.of(problem.counts), {}
    for levels in lattice.levels().tolist():
        counts = problem.counts.roll_up(lattice.node(levels))
        statistics = problem.statistics(counts)["value"]
        total = 0.0
        for place in range(counts.classes):
            cells = slice(statistics.offsets[place], statistics.offsets[place + 1])
            shares = np.zeros(statistics.domain.size)
            shares[statistics.values[cells]] = statistics.people[cells] / statistics.sizes[place]
            total += counts.people[place] * float(np.sqrt(((shares - target) ** 2).sum()))
        found[tuple(levels)] = total / counts.total_people
    return found


@pytest.mark.slow
@given(case=cases(), bound=BOUNDS, more=st.sampled_from([[], ["k-anonymity:3"], ["utility-entropy-loss:1.2"]]))
@settings(max_examples=40)
def test_the_node_is_the_nearest_of_all_feasible_ones(case: Case, bound: str, more: list[str]) -> None:
    problem = case.problem([bound, *more])
    found = nearest(problem, "utility-distribution")
    everything = plainly(problem, ["utility-distribution"])
    feasible = [tuple(row) for row, fine in zip(everything.levels.tolist(), everything["feasible"], strict=True) if fine]
    if not feasible:
        assert isinstance(found, NotFound)
        return
    assert isinstance(found, Found)
    target = np.array([each["recommended"] for each in found.trace.details.as_dict()["distribution"]])
    far = distances(problem, target)
    least = min(far[levels] for levels in feasible)
    assert found.trace.details.as_dict()["distance"] == pytest.approx(least, abs=1e-9)
    assert far[found.node.levels] == pytest.approx(least, abs=1e-9)
    assert found.trace.details.as_dict()["optimum"]["distance"] >= least - 1e-9


@given(case=cases(), seed=st.integers(0, 10**6))
@settings(max_examples=40)
def test_merging_never_takes_a_table_farther_away_from_any_target(case: Case, seed: int) -> None:
    """So where the top is feasible it is the answer, whatever is recommended."""
    problem = case.problem([])
    values = len(problem.priors["value"].values)
    far = distances(problem, np.random.default_rng(seed).dirichlet(np.ones(values)))
    lattice = Lattice.of(problem.counts)
    for levels, distance in far.items():
        assert all(far[below] >= distance - 1e-12 for below in lattice.predecessors(levels))


def test_on_the_census_guidance_withholds_everything_and_the_optimum_does_not() -> None:
    with adult() as table:
        problem, _ = problem_of(table, Question(["k-anonymity:5", "privacy-loss:0.3,1"]))
    found = nearest(problem, "utility-distribution")
    assert isinstance(found, Found)
    assert found.node.levels == Lattice.of(problem.counts).heights
    more = found.trace.details.as_dict()
    # With everything withheld every class is the prior, and the recommended distribution lies on the bound.
    assert more["distance"] == pytest.approx(0.3, abs=1e-6)
    assert found.trace.visited == 1
    assert more["optimum"]["value"] < found.evaluation["utility-distribution"] - 0.01
    assert more["optimum"]["distance"] > more["distance"]


@pytest.mark.slow
def test_the_recommendation_is_for_the_tightest_bounds_on_every_class() -> None:
    with adult() as table:
        problem, _ = problem_of(
            table, Question(["privacy-loss:0.3,1", "distribution-loss:0.2", "entropy-loss:0.5,total", "utility-entropy-loss:3"])
        )
    prior = problem.priors["occupation"]
    assert recommended(problem, prior).chosen == recommend(prior, epsilon=0.2, alpha=1).chosen


@pytest.mark.slow
def test_without_bounds_on_privacy_those_on_utility_pose_the_problem() -> None:
    with adult() as table:
        problem, _ = problem_of(table, Question(["utility-loss:3,0.9"]))
    assert recommended(problem, problem.priors["occupation"]).minimized == ("distribution", "entropy")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"models": ()}, "nothing to recommend for"),
        ({"limit": 3}, "guidance suppresses nobody"),
        ({"population": lambda counts: {}}, "guidance needs rows that are people"),
        ({"sensitive": {}}, "one sensitive attribute"),
    ],
)
def test_what_cannot_be_guided_is_refused(changed: dict[str, Any], said: str) -> None:
    with adult() as table:
        problem, _ = problem_of(table, Question(["distribution-loss:0.3"], quasi=["sex"]))
    with pytest.raises(UsageError, match=said):
        nearest(replace(problem, **changed), "utility-distribution")

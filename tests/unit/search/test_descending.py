"""A descent that has the time to end finds the optimum; and outward, every node is evaluated once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.search.algorithms.descending import descend
from sfumato.search.algorithms.optimal import optimal
from sfumato.search.compiled.evaluator import evaluator_of
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import Found, Interrupted, NotFound
from sfumato.search.problem import Problem
from sfumato.search.space.outward import outward
from tests.unit.search.problems import assert_same, problems


def never(done: int, total: int) -> None:
    """There is time enough."""


@settings(deadline=None)
@given(problems(), st.sampled_from(["loss", "precision", "discernibility"]))
def test_a_descent_that_ends_has_found_the_optimum(problem: Problem, loss: str) -> None:
    found, best = descend(problem, loss, never), optimal(problem, loss)
    assert type(found) is type(best)
    if isinstance(found, Found) and isinstance(best, Found):
        assert found.evaluation[loss] == pytest.approx(best.evaluation[loss], rel=1e-9, abs=1e-12)
        assert found.trace.complete


@settings(deadline=None)
@given(problems())
def test_a_descent_that_is_stopped_tells_of_the_best_so_far(problem: Problem) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    try:
        found: Found | NotFound | None = descend(problem, "loss", stop)
    except Interrupted as stopped:
        found = stopped.best
    if isinstance(found, Found):
        assert found.evaluation["feasible"]
        assert found.trace.visited == 1


@settings(deadline=None)
@given(problems())
def test_outward_every_node_is_evaluated_once_the_coarse_ones_first(problem: Problem) -> None:
    lattice = Lattice.of(problem.counts)
    evaluator = evaluator_of(problem, ["loss"], lattice.size)
    found = outward(evaluator, lattice, lattice.size, None)
    released = (found.levels < np.array(lattice.heights)).sum(axis=1)
    assert (np.diff(released) >= 0).all()
    ordered = found.only(lattice.in_order(found.levels))
    assert (lattice.numbers(ordered.levels) == np.arange(lattice.size)).all()
    assert_same(ordered, evaluator.evaluate(lattice.levels()))
    assert len(outward(evaluator, lattice, 1, None)) == 1

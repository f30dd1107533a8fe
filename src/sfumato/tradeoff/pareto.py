"""The Pareto set of two losses: at each of its points, neither loss can be reduced without raising the other.

Its ends minimize one loss, and then the other without raising the first. Between the ends the first loss is minimized under bounds on
the second. This also finds the parts of the set that bulge inward; no weighted sum of the losses does (Haimes, Lasdon and Wismer 1971).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.tradeoff.problem import ClassProblem
from sfumato.tradeoff.solver import Optimum, Solver

POINTS = 15
_FEW_STARTS = 5
# How much the first loss may rise for the second at an end of the set; points closer than _SAME are one point.
_GIVE = 1e-10
_SAME = 1e-8
# Between ends that differ by less, the tolerance cannot distinguish any points.
_WIDE = 1e-6


def pareto_set(solver: Solver, first: int, second: int, points: int = POINTS, also: Sequence[Optimum] = ()) -> list[Optimum]:
    """Points of the set by rising first loss, at even steps of the second; empty if no distribution keeps the bounds."""
    low, high = _end(solver, first, second, also), _end(solver, second, first, also)
    if low is None or high is None:
        return []
    between: list[Optimum] = []
    if low.losses[second] - high.losses[second] > _WIDE:
        for bound in np.linspace(low.losses[second], high.losses[second], points)[1:-1]:
            near = [each.x for each in (low, high, *between[-1:], *also)]
            problem = _only(solver, first).bounded(second, float(bound))
            least = solver.least(problem, near, _FEW_STARTS)
            between += [least] if least is not None else []
    return undominated([low, high, *between, *also], first, second)


def undominated(optima: Sequence[Optimum], first: int, second: int) -> list[Optimum]:
    """The optima that no other one beats in both losses, by rising first loss; of those that agree in the first, the better one."""
    kept: list[Optimum] = []
    for each in sorted(optima, key=lambda each: (each.losses[first], each.losses[second])):
        gain = kept[-1].losses[second] - each.losses[second] if kept else np.inf
        if kept and gain > 0 and each.losses[first] - kept[-1].losses[first] < _SAME:
            kept[-1] = each
        elif gain > _SAME:
            kept.append(each)
    return kept


def _end(solver: Solver, first: int, second: int, also: Sequence[Optimum]) -> Optimum | None:
    """The least first loss, and under it the least second one."""
    near = [each.x for each in also]
    least = solver.least(_only(solver, first), near)
    if least is None:
        return None
    problem = _only(solver, second).bounded(first, float(least.losses[first]) + _GIVE)
    return solver.least(problem, [least.x, *near], _FEW_STARTS) or least


def _only(solver: Solver, loss: int) -> ClassProblem:
    return solver.problem(np.eye(4)[loss])

"""The Pareto set of two losses: of any point on it, neither loss can be made smaller without making the other larger.

Its ends minimize one loss, and then the other as far as that is free. Between them the first is minimized under bounds on the second,
which finds the parts of the set that bulge inward too; no weighted sum of the losses does (Haimes, Lasdon and Wismer 1971).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.tradeoff.problem import Problem
from sfumato.tradeoff.solver import Optimum, Solver

POINTS = 15
_FEW_STARTS = 5
# What the first loss may give way for the second at an end of the set; points nearer than the second number are one.
_GIVE = 1e-10
_SAME = 1e-8
# Ends that differ by less have nothing between them that the tolerance would tell apart.
_WIDE = 1e-6


def pareto_set(solver: Solver, first: int, second: int, points: int = POINTS, also: Sequence[Optimum] = ()) -> list[Optimum]:
    """Points of the set by rising first loss, at even steps of the second; empty if the bounds allow nothing."""
    low, high = _end(solver, first, second, also), _end(solver, second, first, also)
    if low is None or high is None:
        return []
    between: list[Optimum] = []
    if low.losses[second] - high.losses[second] > _WIDE:
        for bound in np.linspace(low.losses[second], high.losses[second], points)[1:-1]:
            near = [each.x for each in (low, high, *between[-1:], *also)]
            problem = _only(solver, first).bounded(second, float(bound))
            found = solver.least(problem, near, _FEW_STARTS)
            between += [found] if found is not None else []
    return undominated([low, high, *between, *also], first, second)


def undominated(found: Sequence[Optimum], first: int, second: int) -> list[Optimum]:
    """Those that no other one beats in both losses, by rising first loss; of points that agree in the first one, the better."""
    kept: list[Optimum] = []
    for each in sorted(found, key=lambda each: (each.losses[first], each.losses[second])):
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


def _only(solver: Solver, loss: int) -> Problem:
    return solver.problem(np.eye(4)[loss])

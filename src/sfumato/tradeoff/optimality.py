"""How far a distribution is from the first-order conditions of an optimum (Karush 1939, Kuhn and Tucker 1951).

With the best multipliers, the slope g of the Lagrangian must vanish for every value that has a share and may only be positive for the
others. Shares count by their size: the residual is the largest of x_i |g_i|, and of -g_i where there is no share. Small is
necessary for an optimum and not sufficient: the problems are not convex.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.statistics import Floats
from sfumato.tradeoff.descent import scipy_part, slacks
from sfumato.tradeoff.formulas import DISTRIBUTION, ENTROPY, TOLERANCE, signed
from sfumato.tradeoff.problem import Problem

# Bounds this near are taken as met, and shares this small as none.
_MET = 1e-7
_SHARE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Conditions:
    """The slope of the objective, the slopes that multipliers may add to it, and the least and largest multiplier of each."""

    slope: Floats
    added: Floats
    least: Floats
    most: Floats


def residual(problem: Problem, x: Floats) -> float:
    """Of one distribution."""
    if len(x) == 1 or problem.only_prior():
        return 0.0
    found = conditions(problem, x)
    sums = Conditions(
        found.slope,
        np.concatenate([found.added, np.ones((1, len(x)))]),
        np.append(found.least, -np.inf),
        np.append(found.most, np.inf),
    )
    return remaining(sums, x)


def conditions(problem: Problem, x: Floats) -> Conditions:
    """All but the condition that shares add up to one."""
    # A share of zero counts as the least share, where the slope of the entropy is finite.
    values, _ = signed(x, problem.prior, problem.entropy)
    _, slopes = signed(np.maximum(x, _SHARE), problem.prior, problem.entropy)
    side = np.sign(values[ENTROPY]) if abs(values[ENTROPY]) > TOLERANCE else 0.0
    weights = problem.weights * np.array([values[DISTRIBUTION] > TOLERANCE, side, 1, 1])
    left, rise = slacks(problem, values, slopes, 0)
    added: list[Floats] = list(-rise[left < _MET])
    most = [np.inf] * len(added)
    least = [0.0] * len(added)
    if problem.weights[ENTROPY] and not side:
        # Where the entropies agree, any slope between those of the two sides is one of the entropy loss.
        added, least, most = _kinked(problem, slopes, added, least, most)
    return Conditions(weights @ slopes, np.array(added).reshape(len(added), len(x)), np.array(least), np.array(most))


def _kinked(
    problem: Problem, slopes: Floats, added: Sequence[Floats], least: Sequence[float], most: Sequence[float]
) -> tuple[list[Floats], list[float], list[float]]:
    weight = float(problem.weights[ENTROPY])
    return [*added, slopes[ENTROPY]], [*least, -weight], [*most, weight]


def remaining(found: Conditions, x: Floats) -> float:
    """The residual r with the multipliers that make it least: a linear program, |x_i g_i| <= r where there is a share, else -g_i <= r."""
    held = x > _SHARE
    size = np.where(held, x, 1.0)
    rows, sides = (found.added * size).T, found.slope * size
    over = np.concatenate([-rows, rows[held]])
    fitted = scipy_part("linprog")(
        np.append(np.zeros(rows.shape[1]), 1.0),
        A_ub=np.column_stack([over, -np.ones(len(over))]),
        b_ub=np.concatenate([sides, -sides[held]]),
        bounds=[*zip(found.least, found.most, strict=True), (0, None)],
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if fitted.x is None:
        return float("inf")
    slope = sides + rows @ fitted.x[:-1]
    return float(max(np.abs(slope[held]).max(), np.maximum(-slope, 0).max(initial=0.0)))

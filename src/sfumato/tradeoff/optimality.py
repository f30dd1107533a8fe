"""How far a distribution is from the first-order conditions of an optimum (Karush 1939, Kuhn and Tucker 1951).

With the best multipliers, the slope g of the Lagrangian must vanish for every value with a share above zero, and must not be negative
for the others. Shares are weighted by their size: the residual is the largest of x_i |g_i|, and of -g_i where the share is zero. A
small residual is necessary for an optimum but not sufficient: the problems are not convex.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.statistics import TOLERANCE, Floats
from sfumato.tradeoff.descent import scipy_part, slacks
from sfumato.tradeoff.formulas import DISTRIBUTION, ENTROPY, signed
from sfumato.tradeoff.problem import ClassProblem

# A bound within _MET counts as met, and a share below _SHARE as zero.
_MET = 1e-7
_SHARE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Conditions:
    """The slope of the objective, the slopes that multipliers can add to it, and the least and the largest value of each multiplier."""

    slope: Floats
    added: Floats
    least: Floats
    most: Floats


def residual(problem: ClassProblem, x: Floats) -> float:
    """The residual of one distribution."""
    if len(x) == 1 or problem.only_prior():
        return 0.0
    own = conditions(problem, x)
    with_sum = Conditions(
        own.slope,
        np.concatenate([own.added, np.ones((1, len(x)))]),
        np.append(own.least, -np.inf),
        np.append(own.most, np.inf),
    )
    return remaining(with_sum, x)


def conditions(problem: ClassProblem, x: Floats) -> Conditions:
    """All conditions except that the shares add up to one."""
    # A share of zero counts as _SHARE, where the slope of the entropy is finite.
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
    problem: ClassProblem, slopes: Floats, added: Sequence[Floats], least: Sequence[float], most: Sequence[float]
) -> tuple[list[Floats], list[float], list[float]]:
    weight = float(problem.weights[ENTROPY])
    return [*added, slopes[ENTROPY]], [*least, -weight], [*most, weight]


def remaining(conditions: Conditions, x: Floats) -> float:
    """The least residual r over all multipliers: a linear program, |x_i g_i| <= r where the share is above zero, else -g_i <= r."""
    positive = x > _SHARE
    size = np.where(positive, x, 1.0)
    rows, sides = (conditions.added * size).T, conditions.slope * size
    over = np.concatenate([-rows, rows[positive]])
    fitted = scipy_part("linprog")(
        np.append(np.zeros(rows.shape[1]), 1.0),
        A_ub=np.column_stack([over, -np.ones(len(over))]),
        b_ub=np.concatenate([sides, -sides[positive]]),
        bounds=[*zip(conditions.least, conditions.most, strict=True), (0, None)],
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if fitted.x is None:
        return float("inf")
    slope = sides + rows @ fitted.x[:-1]
    return float(max(np.abs(slope[positive]).max(), np.maximum(-slope, 0).max(initial=0.0)))

"""Starts for the joint problem: classes that together have the distribution of the prior.

People stand in a row, ordered by their value, and are cut into classes of the given sizes. Each order of values and classes gives
another plan, as pure as the sizes allow (the northwest-corner rule, Dantzig 1951). On the way from the prior to a plan the classes
together still have the distribution of the prior; the last step that keeps the bounds is a start.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.statistics import TOLERANCE, Floats
from sfumato.tradeoff.given import Places
from sfumato.tradeoff.problem import ClassProblem

_STEPS = np.linspace(0, 1, 65)
_HALVINGS = 40


def plans(problem: ClassProblem, shares: Floats, count: int, rng: np.random.Generator) -> list[Floats]:
    """Starts from the four orders by size, then from random orders of values and classes."""
    values, classes = np.arange(len(problem.prior)), np.argsort(-shares, kind="stable")
    orders = [(values, classes), (values[::-1], classes), (values, classes[::-1]), (values[::-1], classes[::-1])]
    orders += [(rng.permutation(values), rng.permutation(classes)) for _ in range(count - len(orders))]
    return [_farthest(problem, cut(problem.prior, shares, *order)) for order in orders]


def cut(prior: Floats, shares: Floats, values: Places, classes: Places) -> Floats:
    """The distribution of each class if people stand in this order of values and classes; `shares` are those of the classes."""
    ends, cuts = np.cumsum(prior[values]), np.cumsum(shares[classes])
    low = np.maximum.outer(cuts - shares[classes], ends - prior[values])
    overlap = np.maximum(np.minimum.outer(cuts, ends) - low, 0)
    plan = np.empty(overlap.shape)
    plan[np.ix_(classes, values)] = overlap / overlap.sum(axis=1, keepdims=True)
    return plan


def _farthest(problem: ClassProblem, plan: Floats) -> Floats:
    """The farthest step toward a plan that keeps the bounds."""
    last = np.flatnonzero(_allowed(problem, plan, _STEPS))[-1]
    low, high = _STEPS[last], _STEPS[min(last + 1, len(_STEPS) - 1)]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _allowed(problem, plan, np.array([middle]))[0] else (low, middle)
    return np.asarray(problem.prior + low * (plan - problem.prior))


def _allowed(problem: ClassProblem, plan: Floats, steps: Floats) -> npt.NDArray[np.bool_]:
    points = problem.prior + steps[:, None, None] * (plan - problem.prior)
    # Half the tolerance; later steps may use the rest.
    return np.asarray((problem.excess(problem.losses(points)) <= TOLERANCE / 2).all(axis=1))

"""Classes that together are the prior: where the joint problem starts.

People stand in a row, ordered by their value, and are cut into classes of the given sizes; each order of values and classes gives
another plan, as pure as the sizes allow (the northwest-corner rule, Dantzig 1951). On the way from the prior to a plan the classes
still are the prior together, and the last step that keeps the bounds is a start.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.statistics import Floats
from sfumato.tradeoff.formulas import TOLERANCE
from sfumato.tradeoff.given import Places
from sfumato.tradeoff.problem import Problem

_STEPS = np.linspace(0, 1, 65)
_HALVINGS = 40


def plans(problem: Problem, shares: Floats, count: int, rng: np.random.Generator) -> list[Floats]:
    """Starts in random order of values and classes, after the four orders by size."""
    values, classes = np.arange(len(problem.prior)), np.argsort(-shares, kind="stable")
    orders = [(values, classes), (values[::-1], classes), (values, classes[::-1]), (values[::-1], classes[::-1])]
    orders += [(rng.permutation(values), rng.permutation(classes)) for _ in range(count - len(orders))]
    return [_kept(problem, cut(problem.prior, shares, *order)) for order in orders]


def cut(prior: Floats, shares: Floats, values: Places, classes: Places) -> Floats:
    """The distribution of each class if people stand in this order of values and classes; `shares` are those of the classes."""
    ends, cuts = np.cumsum(prior[values]), np.cumsum(shares[classes])
    low = np.maximum.outer(cuts - shares[classes], ends - prior[values])
    overlap = np.maximum(np.minimum.outer(cuts, ends) - low, 0)
    plan = np.empty(overlap.shape)
    plan[np.ix_(classes, values)] = overlap / overlap.sum(axis=1, keepdims=True)
    return plan


def _kept(problem: Problem, plan: Floats) -> Floats:
    """The farthest step toward a plan that keeps the bounds."""
    fine = np.flatnonzero(_keeps(problem, plan, _STEPS))[-1]
    low, high = _STEPS[fine], _STEPS[min(fine + 1, len(_STEPS) - 1)]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _keeps(problem, plan, np.array([middle]))[0] else (low, middle)
    return np.asarray(problem.prior + low * (plan - problem.prior))


def _keeps(problem: Problem, plan: Floats, steps: Floats) -> npt.NDArray[np.bool_]:
    points = problem.prior + steps[:, None, None] * (plan - problem.prior)
    # Half the tolerance: what follows may use the rest.
    return np.asarray((problem.excess(problem.losses(points)) <= TOLERANCE / 2).all(axis=1))

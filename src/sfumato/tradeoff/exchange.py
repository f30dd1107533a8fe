"""Improve classes that together have the distribution of the prior: two classes exchange people, or all of them change at once.

An exchange moves d into one class and N_1 d / N_2 out of the other, so their mean never changes; the shares bound d by a box. Where
the problem is small, a descent over all classes follows, since no exchange between two classes finds a gain that needs three.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sfumato.statistics import TOLERANCE, Floats
from sfumato.tradeoff.descent import LastValue, scipy_part, slacks
from sfumato.tradeoff.formulas import ENTROPY, signed
from sfumato.tradeoff.problem import ClassProblem

_ROUNDS = 60
_FRACTIONS = (1.0, 1 - 1e-9, 1 - 1e-6, 0.999, 0.9, 0.5)


def step_size(problem: ClassProblem) -> float:
    """How far classes can move. A small bound on the entropy loss limits it too: their entropies cannot all equal that of the prior."""
    return float(np.clip(min(problem.scale, np.sqrt(problem.bounds[ENTROPY])), 1e-6, 1.0))


def exchange(problem: ClassProblem, plan: Floats, shares: Floats, one: int, other: int) -> Floats:
    """The plan after two classes have exchanged people, if that is better and keeps the bounds."""
    one, other = (one, other) if shares[one] <= shares[other] else (other, one)
    pair, ratio = np.array([one, other]), shares[one] / shares[other]
    shifts = np.array([1.0, -ratio])
    scale = step_size(problem)
    box = np.stack([-plan[one], plan[other] / ratio], axis=1) / scale
    classes = _Classes(problem, plan[pair], shares[pair], lambda y: shifts[:, None] * y * scale)
    step = _solve(
        classes,
        np.zeros(plan.shape[1]),
        box,
        lambda slopes: np.einsum("q,qm->m", shifts, slopes),
        lambda rise: np.concatenate([shift * each for shift, each in zip(shifts, rise, strict=True)]),
        np.ones((1, plan.shape[1])),
    )
    moved = np.zeros_like(plan)
    moved[pair] = shifts[:, None] * step * scale
    return apply_move(problem, plan, moved, shares)


def descend_together(problem: ClassProblem, plan: Floats, shares: Floats) -> Floats:
    """The plan after a descent over all classes at once, if that improves it."""
    count, values = plan.shape
    scale = step_size(problem)
    sums = np.kron(np.eye(count), np.ones(values))
    # The last value's sum follows from the others.
    margins = np.kron(shares, np.eye(values))[:-1]
    classes = _Classes(problem, plan, shares, lambda y: y.reshape(plan.shape) * scale)
    box = np.stack([-plan.ravel(), 1 - plan.ravel()], axis=1) / scale
    step = _solve(classes, np.zeros(plan.size), box, np.ravel, _block_diagonal, np.concatenate([sums, margins]))
    return apply_move(problem, plan, step.reshape(plan.shape) * scale, shares)


def _block_diagonal(rise: list[Floats]) -> Floats:
    """The gradients of the classes as one block-diagonal matrix."""
    values = rise[0].shape[1]
    whole = np.zeros((sum(len(each) for each in rise), len(rise) * values))
    row = 0
    for place, each in enumerate(rise):
        whole[row : row + len(each), place * values : (place + 1) * values] = each
        row += len(each)
    return whole


class _Classes:
    """The losses and gradients of some classes after a move; y is where the solver is, and `moved(y)` the move."""

    def __init__(self, problem: ClassProblem, plan: Floats, shares: Floats, moved: Callable[[Floats], Floats]) -> None:
        entropy = problem.entropy
        self.problem, self.shares = problem, shares
        self.at = LastValue(lambda y: [signed(x, problem.prior, entropy) for x in np.maximum(plan + moved(y), 0.0)])

    def value(self, y: Floats) -> float:
        pairs = zip(self.shares, self.at(y), strict=True)
        return float(sum(share * (self.problem.weights @ values) for share, (values, _) in pairs))

    def slopes(self, y: Floats) -> Floats:
        pairs = zip(self.shares, self.at(y), strict=True)
        return np.stack([share * (self.problem.weights @ slopes) for share, (_, slopes) in pairs])

    def slacks(self, y: Floats) -> tuple[Floats, list[Floats]]:
        left, rise = zip(*(slacks(self.problem, *each, 0) for each in self.at(y)), strict=True)
        return np.concatenate(left), list(rise)


def _solve(classes: _Classes, start: Floats, box: Floats, gather: Any, spread: Any, fixed: Floats) -> Floats:
    """Sequential least squares: `gather` turns the slopes of the classes into those of y; `fixed @ y` stays zero."""
    unit = step_size(classes.problem) * float(classes.shares.min())
    size = step_size(classes.problem)
    solution = scipy_part("minimize")(
        lambda y: classes.value(y) / unit,
        start,
        jac=lambda y: gather(classes.slopes(y)) * size / unit,
        bounds=box,
        constraints=[
            {"type": "eq", "fun": lambda y: fixed @ y, "jac": lambda y: fixed},
            {"type": "ineq", "fun": lambda y: classes.slacks(y)[0] / size, "jac": lambda y: spread(classes.slacks(y)[1])},
        ],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": _ROUNDS},
    )
    return np.where(np.isfinite(solution.x), solution.x, 0.0)


def apply_move(problem: ClassProblem, plan: Floats, moved: Floats, shares: Floats) -> Floats:
    """The plan after the largest fraction of a move that is better and keeps the bounds; the old plan if no fraction does."""
    before = cost(problem, plan, shares)
    for fraction in _FRACTIONS:
        tried = np.maximum(plan + fraction * moved, 0.0)
        losses = problem.losses(tried)
        deviation = float(np.abs(shares @ tried - problem.prior).max() + np.abs(tried.sum(axis=1) - 1).max())
        if deviation < TOLERANCE / 1e3 and problem.excess(losses).max() <= TOLERANCE and cost(problem, tried, shares) < before:
            return tried
    return plan


def cost(problem: ClassProblem, plan: Floats, shares: Floats) -> float:
    """The mean of the minimized loss over people."""
    return float(shares @ (problem.losses(plan) @ problem.weights))

"""Improving classes while they stay the prior together: two of them exchange people, or all of them at once.

An exchange moves d into one class and takes N_1 d / N_2 out of the other, so their mean never changes; the shares bound d by a box. Where
the problem is small, a descent over all classes follows, since no exchange between two finds a gain that needs three.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.statistics import Floats
from sfumato.tradeoff.descent import scipy_part, slacks
from sfumato.tradeoff.formulas import ENTROPY, TOLERANCE, signed
from sfumato.tradeoff.problem import Problem

_ROUNDS = 60
_FRACTIONS = (1.0, 1 - 1e-9, 1 - 1e-6, 0.999, 0.9, 0.5)


def step_size(problem: Problem) -> float:
    """How far classes can move: a small bound on the entropy loss holds them too, since their entropies cannot all be that of the prior."""
    return float(np.clip(min(problem.scale, np.sqrt(problem.bounds[ENTROPY])), 1e-6, 1.0))


def exchanged(problem: Problem, plan: Floats, shares: Floats, one: int, other: int) -> Floats:
    """A plan in which two classes have exchanged people, if that is better and keeps the bounds."""
    one, other = (one, other) if shares[one] <= shares[other] else (other, one)
    pair, ratio = np.array([one, other]), shares[one] / shares[other]
    shifts = np.array([1.0, -ratio])
    scale = step_size(problem)
    box = np.stack([-plan[one], plan[other] / ratio], axis=1) / scale
    seen = _Seen(problem, plan[pair], shares[pair], lambda y: shifts[:, None] * y * scale)
    found = _solved(
        seen,
        np.zeros(plan.shape[1]),
        box,
        lambda slopes: np.einsum("q,qm->m", shifts, slopes),
        lambda rise: np.concatenate([shift * each for shift, each in zip(shifts, rise, strict=True)]),
        np.ones((1, plan.shape[1])),
    )
    moved = np.zeros_like(plan)
    moved[pair] = shifts[:, None] * found * scale
    return taken(problem, plan, moved, shares)


def together(problem: Problem, plan: Floats, shares: Floats) -> Floats:
    """A plan that a descent over all classes at once improves, if it does."""
    classes, values = plan.shape
    scale = step_size(problem)
    sums = np.kron(np.eye(classes), np.ones(values))
    # The last value's sum follows from the others.
    margins = np.kron(shares, np.eye(values))[:-1]
    seen = _Seen(problem, plan, shares, lambda y: y.reshape(plan.shape) * scale)
    box = np.stack([-plan.ravel(), 1 - plan.ravel()], axis=1) / scale
    found = _solved(seen, np.zeros(plan.size), box, np.ravel, _blocks, np.concatenate([sums, margins]))
    return taken(problem, plan, found.reshape(plan.shape) * scale, shares)


def _blocks(rise: list[Floats]) -> Floats:
    """The gradients of each class beside those of the others."""
    values = rise[0].shape[1]
    whole = np.zeros((sum(len(each) for each in rise), len(rise) * values))
    row = 0
    for place, each in enumerate(rise):
        whole[row : row + len(each), place * values : (place + 1) * values] = each
        row += len(each)
    return whole


class _Seen:
    """The losses and gradients of some classes at the last point asked about, y being where the solver is."""

    def __init__(self, problem: Problem, plan: Floats, shares: Floats, moved: Any) -> None:
        self.problem, self.plan, self.shares, self.moved, self.entropy = problem, plan, shares, moved, problem.entropy
        self._at: Floats | None = None
        self._found: list[tuple[Floats, Floats]] = []

    def at(self, y: Floats) -> list[tuple[Floats, Floats]]:
        if self._at is None or not np.array_equal(self._at, y):
            self._at = y.copy()
            points = np.maximum(self.plan + self.moved(y), 0.0)
            self._found = [signed(x, self.problem.prior, self.entropy) for x in points]
        return self._found

    def value(self, y: Floats) -> float:
        found = self.at(y)
        return float(sum(share * (self.problem.weights @ values) for share, (values, _) in zip(self.shares, found, strict=True)))

    def slopes(self, y: Floats) -> Floats:
        found = self.at(y)
        return np.stack([share * (self.problem.weights @ slopes) for share, (_, slopes) in zip(self.shares, found, strict=True)])

    def slacks(self, y: Floats) -> tuple[Floats, list[Floats]]:
        left, rise = zip(*(slacks(self.problem, *each, 0) for each in self.at(y)), strict=True)
        return np.concatenate(left), list(rise)


def _solved(seen: _Seen, start: Floats, box: Floats, gather: Any, spread: Any, fixed: Floats) -> Floats:
    """Sequential least squares: the slopes of the classes are gathered into those of y; `fixed @ y` stays zero."""
    unit = step_size(seen.problem) * float(seen.shares.min())
    size = step_size(seen.problem)
    found = scipy_part("minimize")(
        lambda y: seen.value(y) / unit,
        start,
        jac=lambda y: gather(seen.slopes(y)) * size / unit,
        bounds=box,
        constraints=[
            {"type": "eq", "fun": lambda y: fixed @ y, "jac": lambda y: fixed},
            {"type": "ineq", "fun": lambda y: seen.slacks(y)[0] / size, "jac": lambda y: spread(seen.slacks(y)[1])},
        ],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": _ROUNDS},
    )
    return np.where(np.isfinite(found.x), found.x, 0.0)


def taken(problem: Problem, plan: Floats, moved: Floats, shares: Floats) -> Floats:
    """The farthest part of a move that is better and keeps the bounds; the plan as it was if none does."""
    before = cost(problem, plan, shares)
    for fraction in _FRACTIONS:
        tried = np.maximum(plan + fraction * moved, 0.0)
        losses = problem.losses(tried)
        off = float(np.abs(shares @ tried - problem.prior).max() + np.abs(tried.sum(axis=1) - 1).max())
        if off < TOLERANCE / 1e3 and problem.excess(losses).max() <= TOLERANCE and cost(problem, tried, shares) < before:
            return tried
    return plan


def cost(problem: Problem, plan: Floats, shares: Floats) -> float:
    """The mean of the minimized loss over people."""
    return float(shares @ (problem.losses(plan) @ problem.weights))

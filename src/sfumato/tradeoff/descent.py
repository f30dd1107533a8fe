"""Descending from one start: sequential least squares in coordinates that are as large as the region, then onto the bounds.

After Kraft 1988 (SLSQP). What comes out is a distribution that may or may not keep the bounds; whoever asks looks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sfumato.errors import UsageError
from sfumato.statistics import Floats
from sfumato.tradeoff.formulas import DISTRIBUTION, ENTROPY, signed
from sfumato.tradeoff.problem import Problem, tidy

# How finely to descend, and in how many rounds at most: first from many starts, then from the best.
QUICK, FINE = (1e-9, 50), (1e-15, 300)
_CORRECTIONS = 4
# Bounds this near are taken as met.
_NEAR = 1e-6
_TIGHT = 1e-14


def scipy_part(name: str) -> Callable[..., Any]:
    """A function of scipy.optimize, which takes a while to load."""
    try:
        import scipy.optimize
    except ImportError:
        raise UsageError('the trade-off needs scipy: pip install "sfumato[tradeoff]"', where="tradeoff") from None
    found: Callable[..., Any] = getattr(scipy.optimize, name)
    return found


def descend(problem: Problem, start: Floats, side: int, effort: tuple[float, int]) -> Floats:
    """A local optimum near a start, on one side of the prior's entropy or on both (0)."""
    scale = problem.scale
    seen = _Seen(problem, start, scale)
    box = np.stack([-start / scale, (1 - start) / scale], axis=1)
    found = scipy_part("minimize")(
        lambda y: _objective(seen, y, side)[0],
        np.zeros_like(start),
        jac=lambda y: _objective(seen, y, side)[1],
        bounds=box,
        constraints=[
            {"type": "eq", "fun": lambda y: np.array([y.sum()]), "jac": lambda y: np.ones((1, len(y)))},
            {"type": "ineq", "fun": lambda y: _slacks(seen, y, side)[0], "jac": lambda y: _slacks(seen, y, side)[1]},
        ],
        method="SLSQP",
        options={"ftol": effort[0], "maxiter": effort[1]},
    )
    x = start + scale * found.x
    return _onto_bounds(problem, tidy(x)) if np.isfinite(x).all() else start


class _Seen:
    """The losses and gradients at the last point asked about: the solver asks for them one by one."""

    def __init__(self, problem: Problem, start: Floats, scale: float) -> None:
        self.problem, self.start, self.scale, self.entropy = problem, start, scale, problem.entropy
        self._at: Floats | None = None
        self._found: tuple[Floats, Floats] = (start, start)

    def at(self, y: Floats) -> tuple[Floats, Floats]:
        if self._at is None or not np.array_equal(self._at, y):
            self._at = y.copy()
            x = np.maximum(self.start + self.scale * y, 0.0)
            self._found = signed(x, self.problem.prior, self.entropy)
        return self._found


def _objective(seen: _Seen, y: Floats, side: int) -> tuple[float, Floats]:
    values, slopes = seen.at(y)
    weights = seen.problem.weights * np.array([1, side, 1, 1])
    return float(weights @ values) / seen.scale, weights @ slopes


def _slacks(seen: _Seen, y: Floats, side: int) -> tuple[Floats, Floats]:
    """What is left up to each bound, and the gradients of that, in the coordinates of the solver."""
    values, slopes = seen.at(y)
    left, rise = slacks(seen.problem, values, slopes, side)
    return left / seen.scale, rise


def slacks(problem: Problem, values: Floats, slopes: Floats, side: int) -> tuple[Floats, Floats]:
    """What is left up to each bound, and its gradients. The bound on the distance is squared: it has a slope at the prior too."""
    bounds = problem.bounds
    left: list[float] = []
    rise: list[Floats] = []
    radius = bounds[DISTRIBUTION]
    if np.isfinite(radius):
        left.append((radius**2 - values[DISTRIBUTION] ** 2) / (2 * radius))
        rise.append(-slopes[DISTRIBUTION] * (values[DISTRIBUTION] / radius))
    for sign in (1, -1):
        if np.isfinite(bounds[ENTROPY]) and side in (0, sign):
            left.append(bounds[ENTROPY] - sign * values[ENTROPY])
            rise.append(-sign * slopes[ENTROPY])
    if side:
        left.append(side * values[ENTROPY])
        rise.append(side * slopes[ENTROPY])
    for loss in (2, 3):
        if np.isfinite(bounds[loss]):
            left.append(bounds[loss] - values[loss])
            rise.append(-slopes[loss])
    return np.array(left), np.array(rise).reshape(len(left), len(problem.prior))


def _onto_bounds(problem: Problem, x: Floats) -> Floats:
    """The smallest steps that undo what little the bounds are passed, by Newton's method over the shares above zero."""
    for _ in range(_CORRECTIONS):
        left, rise = slacks(problem, *signed(x, problem.prior, problem.entropy), 0)
        past = (left < 0) & (left > -_NEAR)
        if not past.any() or (left[past] > -_TIGHT).all():
            break
        held = x > _NEAR
        rows = np.concatenate([rise[past][:, held], np.ones((1, int(held.sum())))])
        step = np.zeros_like(x)
        step[held] = np.linalg.lstsq(rows, np.append(-left[past], 0.0), rcond=1e-12)[0]
        x = tidy(x + step)
    return x

"""Descent from one start: sequential least squares in coordinates scaled to the size of the region, then onto the bounds.

After Kraft 1988 (SLSQP). The result is a distribution that may or may not keep the bounds: the caller checks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from sfumato.errors import UsageError
from sfumato.statistics import Floats
from sfumato.tradeoff.formulas import DISTRIBUTION, ENTROPY, signed
from sfumato.tradeoff.problem import ClassProblem, tidy

# The precision and the most rounds of a descent: first from many starts, then from the best point.
QUICK, FINE = (1e-9, 50), (1e-15, 300)
_CORRECTIONS = 4
# A bound exceeded by less than this is corrected, and one within _TIGHT is met.
_NEAR = 1e-6
_TIGHT = 1e-14
T = TypeVar("T")


def scipy_part(name: str) -> Callable[..., Any]:
    """A function of scipy.optimize, which takes a while to load."""
    try:
        import scipy.optimize
    except ImportError:
        raise UsageError('the trade-off needs scipy: pip install "sfumato[tradeoff]"', where="tradeoff") from None
    function: Callable[..., Any] = getattr(scipy.optimize, name)
    return function


class LastValue(Generic[T]):
    """A function that caches its value at the last point: the solver asks for losses and gradients one by one."""

    def __init__(self, evaluate: Callable[[Floats], T]) -> None:
        self._evaluate = evaluate
        self._point: Floats | None = None
        self._value: T

    def __call__(self, point: Floats) -> T:
        if self._point is None or not np.array_equal(self._point, point):
            self._value = self._evaluate(point)
            self._point = point.copy()
        return self._value


def descend(problem: ClassProblem, start: Floats, side: int, effort: tuple[float, int]) -> Floats:
    """A local optimum near a start, on one side of the prior's entropy or on both (0)."""
    scale, entropy = problem.scale, problem.entropy
    evaluate = LastValue(lambda y: signed(np.maximum(start + scale * y, 0.0), problem.prior, entropy))
    box = np.stack([-start / scale, (1 - start) / scale], axis=1)
    solution = scipy_part("minimize")(
        lambda y: _objective(problem, *evaluate(y), side)[0] / scale,
        np.zeros_like(start),
        jac=lambda y: _objective(problem, *evaluate(y), side)[1],
        bounds=box,
        constraints=[
            {"type": "eq", "fun": lambda y: np.array([y.sum()]), "jac": lambda y: np.ones((1, len(y)))},
            {
                "type": "ineq",
                "fun": lambda y: slacks(problem, *evaluate(y), side)[0] / scale,
                "jac": lambda y: slacks(problem, *evaluate(y), side)[1],
            },
        ],
        method="SLSQP",
        options={"ftol": effort[0], "maxiter": effort[1]},
    )
    x = start + scale * solution.x
    return _onto_bounds(problem, tidy(x)) if np.isfinite(x).all() else start


def _objective(problem: ClassProblem, values: Floats, slopes: Floats, side: int) -> tuple[float, Floats]:
    weights = problem.weights * np.array([1, side, 1, 1])
    return float(weights @ values), weights @ slopes


def slacks(problem: ClassProblem, values: Floats, slopes: Floats, side: int) -> tuple[Floats, Floats]:
    """The slack below each bound, and its gradients. The bound on the distance is squared so that it has a slope at the prior too."""
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


def _onto_bounds(problem: ClassProblem, x: Floats) -> Floats:
    """The smallest steps back within the bounds, where they are exceeded a little: Newton's method over the shares above zero."""
    for _ in range(_CORRECTIONS):
        left, rise = slacks(problem, *signed(x, problem.prior, problem.entropy), 0)
        exceeded = (left < 0) & (left > -_NEAR)
        if not exceeded.any() or (left[exceeded] > -_TIGHT).all():
            break
        positive = x > _NEAR
        rows = np.concatenate([rise[exceeded][:, positive], np.ones((1, int(positive.sum())))])
        step = np.zeros_like(x)
        step[positive] = np.linalg.lstsq(rows, np.append(-left[exceeded], 0.0), rcond=1e-12)[0]
        x = tidy(x + step)
    return x

"""The solver: it descends from many starts, takes the best point that keeps the bounds, and polishes it.

That a point keeps the bounds is certain: its losses are measured. That no better point exists is not, since neither the entropy loss
nor the distribution utility loss is convex; for two and three values the tests compare it with every point of a allowed grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sfumato.statistics import TOLERANCE, Floats
from sfumato.tradeoff.descent import FINE, QUICK, descend
from sfumato.tradeoff.formulas import UTILITY_ENTROPY
from sfumato.tradeoff.problem import ClassProblem
from sfumato.tradeoff.starts import most_promising, pool

STARTS = 14


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """The best distribution found, its losses, and the minimized weighted sum of them."""

    x: Floats
    losses: Floats
    value: float


class Solver:
    """Solves problems over one prior; `starts` counts its descents."""

    def __init__(self, prior: Floats, bounds: Floats, rng: np.random.Generator) -> None:
        self.base = ClassProblem(prior, np.zeros(4), bounds)
        self.starts = 0
        self._inside_points: dict[bytes, Floats | None] = {}
        self._pool = prior[None] if len(prior) == 1 or self.base.only_prior() else pool(self.base, rng)
        self._losses = self.base.losses(self._pool)

    def problem(self, weights: Floats) -> ClassProblem:
        """The problem that minimizes this sum of losses under the bounds."""
        return replace(self.base, weights=weights)

    def least(self, problem: ClassProblem, near: Sequence[Floats] = (), starts: int = STARTS) -> Optimum | None:
        """The best distribution within the bounds; None if none was found. `near` are additional starts, such as nearby optima."""
        best = self._descend(problem, near, starts)
        if best is None:
            inside = self._inside(problem)
            best = None if inside is None else self._descend(problem, [*near, inside], 1)
        return best

    def _inside(self, problem: ClassProblem) -> Floats | None:
        """A point that keeps all bounds, if there is one: it minimizes one bounded loss under the bounds on the others."""
        bounded = np.flatnonzero(np.isfinite(problem.bounds))
        if not len(bounded):
            return None
        key = problem.bounds.tobytes()
        if key not in self._inside_points:
            least = self.least(problem.without(int(bounded[-1])))
            self._inside_points[key] = least.x if least and problem.allows(least.losses) else None
        return self._inside_points[key]

    def _descend(self, problem: ClassProblem, near: Sequence[Floats], starts: int) -> Optimum | None:
        """Descend from the most promising points of the pool and from `near`, then with high precision from the best."""
        best = self._best_known(problem)
        if len(problem.prior) == 1 or problem.only_prior() or _ideal(problem, best):
            return best
        for side in problem.sides:
            here = _on_side(problem, self._losses, side)
            promising = most_promising(problem, self._pool[here], self._losses[here], starts)
            for start in (*(x for x in near if _on_side(problem, problem.losses(x), side)), *promising):
                best = _better(best, self._try(problem, start, side, QUICK))
        return best if best is None else self._polish(problem, best)

    def _try(self, problem: ClassProblem, start: Floats, side: int, effort: tuple[float, int]) -> Optimum | None:
        self.starts += 1
        return _better(_optimum_at(problem, start), _optimum_at(problem, descend(problem, start, side, effort)))

    def _polish(self, problem: ClassProblem, best: Optimum) -> Optimum:
        for side in problem.sides:
            if _on_side(problem, best.losses, side):
                best = _better(best, self._try(problem, best.x, side, FINE)) or best
        return best

    def _best_known(self, problem: ClassProblem) -> Optimum | None:
        """The best point of the pool itself."""
        allowed = np.flatnonzero(problem.excess(self._losses) <= TOLERANCE)
        if not len(allowed):
            return None
        return _optimum_at(problem, self._pool[allowed[(self._losses[allowed] @ problem.weights).argmin()]])


def _optimum_at(problem: ClassProblem, x: Floats) -> Optimum | None:
    losses = problem.losses(x)
    return Optimum(x, losses, float(problem.weights @ losses)) if problem.allows(losses) else None


def _better(one: Optimum | None, other: Optimum | None) -> Optimum | None:
    if one is None or other is None:
        return one or other
    return one if one.value <= other.value else other


def _ideal(problem: ClassProblem, best: Optimum | None) -> bool:
    """Whether nothing can be better: a sum of losses is never below zero."""
    return best is not None and bool((problem.weights >= 0).all()) and best.value <= 0


def _on_side(problem: ClassProblem, losses: Floats, side: int) -> npt.NDArray[np.bool_]:
    """Whether distributions lie on a side of the prior's entropy, or near enough to start from."""
    return np.asarray(side * (losses[..., UTILITY_ENTROPY] - problem.entropy) >= -TOLERANCE)

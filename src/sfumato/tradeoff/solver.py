"""The solver: many starts, descended from and compared; the best that keeps the bounds, polished.

That a point keeps the bounds is certain: its losses are measured. That nothing better exists is not, since neither the entropy loss nor
the distribution utility loss is convex; for two and three values it is tested against every point of a fine grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sfumato.statistics import Floats
from sfumato.tradeoff.descent import FINE, QUICK, descend
from sfumato.tradeoff.formulas import TOLERANCE, UTILITY_ENTROPY
from sfumato.tradeoff.problem import Problem
from sfumato.tradeoff.starts import chosen, pool

STARTS = 14


@dataclass(frozen=True, slots=True, eq=False)
class Optimum:
    """The best distribution found, its losses, and the weighted sum of them that was minimized."""

    x: Floats
    losses: Floats
    value: float


class Solver:
    """Solves problems over one prior; counts how often it descended."""

    def __init__(self, prior: Floats, bounds: Floats, rng: np.random.Generator) -> None:
        self.base = Problem(prior, np.zeros(4), bounds)
        self.starts = 0
        self._known_inside: dict[bytes, Floats | None] = {}
        self._pool = prior[None] if len(prior) == 1 or self.base.only_prior() else pool(self.base, rng)
        self._losses = self.base.losses(self._pool)

    def problem(self, weights: Floats) -> Problem:
        """Minimize this sum of losses under the bounds."""
        return replace(self.base, weights=weights)

    def least(self, problem: Problem, near: Sequence[Floats] = (), starts: int = STARTS) -> Optimum | None:
        """The best distribution within the bounds; None if none was found. `near` are further starts, such as nearby optima."""
        best = self._descended(problem, near, starts)
        if best is None:
            inside = self._inside(problem)
            best = None if inside is None else self._descended(problem, [*near, inside], 1)
        return best

    def _inside(self, problem: Problem) -> Floats | None:
        """A point that keeps all bounds, if there is one: the least value of one bounded loss under the bounds on the others is."""
        bounded = np.flatnonzero(np.isfinite(problem.bounds))
        if not len(bounded):
            return None
        key = problem.bounds.tobytes()
        if key not in self._known_inside:
            least = self.least(problem.without(int(bounded[-1])))
            self._known_inside[key] = least.x if least and problem.allows(least.losses) else None
        return self._known_inside[key]

    def _descended(self, problem: Problem, near: Sequence[Floats], starts: int) -> Optimum | None:
        """Descend from the most promising points of the pool and from the given ones, then once more and finely from the best."""
        best = self._best_known(problem)
        if len(problem.prior) == 1 or problem.only_prior() or _ideal(problem, best):
            return best
        for side in problem.sides:
            ours = _on_side(problem, self._losses, side)
            promising = chosen(problem, self._pool[ours], self._losses[ours], starts)
            for start in (*(x for x in near if _on_side(problem, problem.losses(x), side)), *promising):
                best = _better(best, self._tried(problem, start, side, QUICK))
        return best if best is None else self._polished(problem, best)

    def _tried(self, problem: Problem, start: Floats, side: int, effort: tuple[float, int]) -> Optimum | None:
        self.starts += 1
        return _better(_judged(problem, start), _judged(problem, descend(problem, start, side, effort)))

    def _polished(self, problem: Problem, best: Optimum) -> Optimum:
        for side in problem.sides:
            if _on_side(problem, best.losses, side):
                best = _better(best, self._tried(problem, best.x, side, FINE)) or best
        return best

    def _best_known(self, problem: Problem) -> Optimum | None:
        """The best point of the pool itself."""
        fine = np.flatnonzero(problem.excess(self._losses) <= TOLERANCE)
        if not len(fine):
            return None
        return _judged(problem, self._pool[fine[(self._losses[fine] @ problem.weights).argmin()]])


def _judged(problem: Problem, x: Floats) -> Optimum | None:
    losses = problem.losses(x)
    return Optimum(x, losses, float(problem.weights @ losses)) if problem.allows(losses) else None


def _better(one: Optimum | None, other: Optimum | None) -> Optimum | None:
    if one is None or other is None:
        return one or other
    return one if one.value <= other.value else other


def _ideal(problem: Problem, best: Optimum | None) -> bool:
    """Whether nothing can be better: a sum of losses is never below zero."""
    return best is not None and bool((problem.weights >= 0).all()) and best.value <= 0


def _on_side(problem: Problem, losses: Floats, side: int) -> npt.NDArray[np.bool_]:
    """Whether distributions lie on a side of the prior's entropy, or near enough to start from."""
    return np.asarray(side * (losses[..., UTILITY_ENTROPY] - problem.entropy) >= -TOLERANCE)

"""Which distributions keep bounds on privacy and on utility at once, and what the bounds cost each other.

That the region is not empty is proven by a point of it. That it is empty means that no start led to one: then the least value of each
loss under the other bounds says which bounds are too narrow, and by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.errors import UsageError
from sfumato.statistics import Floats
from sfumato.tradeoff.formulas import NAMES, TOLERANCE, losses_of
from sfumato.tradeoff.given import Given, bounds_of, seed_of
from sfumato.tradeoff.pareto import pareto_set
from sfumato.tradeoff.results import Point, Region, points, stated
from sfumato.tradeoff.solver import Optimum, Solver

_PAIRS = ((0, 2), (0, 3), (1, 2), (1, 3))
_STEPS = 33


def feasible_region(
    prior: Prior | Sequence[float] | npt.NDArray[Any],
    *,
    epsilon: float | None = None,
    alpha: float | None = None,
    delta: float | None = None,
    gamma: float | None = None,
    sample: int = 100,
    pareto: int = 7,
    seed: int = 0,
) -> Region:
    """Whether any distribution keeps all bounds, some that do, and those of them that are Pareto-optimal in the four losses.

    The Pareto-optimal points are those that minimize a privacy loss at some level of a utility loss, up to `pareto` for each pair of
    them. With 0 `sample` or `pareto` they are left out, which is quicker.
    """
    given, bounds = Given.of(prior), bounds_of(epsilon=epsilon, alpha=alpha, delta=delta, gamma=gamma)
    for name, count in (("sample", sample), ("pareto", pareto)):
        if not isinstance(count, int) or count < 0:
            raise UsageError(f"a whole number of points, at least 0; got {count!r}", where=name)
    rng = seed_of(seed)
    solver = Solver(given.falling, bounds, rng)
    least = {loss: solver.least(solver.base.without(loss)) for loss in range(4)}
    inside = [each for each in least.values() if each and solver.base.allows(each.losses)]
    front = _front(solver, inside, pareto) if inside and pareto else []
    starts = [each.x for each in (*inside, *front)]
    drawn = _sample(starts, given.falling, bounds, sample, rng) if inside else []
    return Region(
        values=given.labels,
        prior=tuple(float(share) for share in given.shares),
        bounds=stated(bounds),
        feasible=bool(inside),
        least=MappingProxyType({NAMES[loss]: float(each.losses[loss]) if each else None for loss, each in least.items()}),
        pareto=points(given, front),
        sample=tuple(Point.of(given, x, losses_of(x, given.falling)) for x in drawn),
        starts=solver.starts,
        seed=seed,
    )


def _front(solver: Solver, inside: Sequence[Optimum], points: int) -> list[Optimum]:
    """The Pareto sets of each privacy loss with each utility loss, without what is beaten in all four losses."""
    found: list[Optimum] = []
    for privacy, utility in _PAIRS:
        found += pareto_set(solver, privacy, utility, points, inside)
    rounded = np.round([each.losses for each in found], 8)
    _, first = np.unique(rounded, axis=0, return_index=True)
    return [found[place] for place in first if not _beaten(rounded[place], rounded)]


def _beaten(row: Floats, others: Floats) -> bool:
    return bool(((others <= row).all(axis=1) & (others < row).any(axis=1)).any())


def _sample(starts: Sequence[Floats], prior: Floats, bounds: Floats, count: int, rng: np.random.Generator) -> list[Floats]:
    """A walk through the region: along a random line to a random point of it that keeps the bounds (Smith 1984, hit and run)."""
    walkers, found = list(starts), []
    for turn in range(count):
        place = turn % len(walkers)
        walkers[place] = _moved(walkers[place], prior, bounds, rng)
        found.append(walkers[place])
    return found


def _moved(x: Floats, prior: Floats, bounds: Floats, rng: np.random.Generator) -> Floats:
    if len(x) == 1:
        return x
    way = rng.dirichlet(np.ones(len(x))) - rng.dirichlet(np.ones(len(x)))
    reach = np.divide(x, np.abs(way), out=np.full_like(x, np.inf), where=way != 0)
    most = min(reach[way < 0].min(), 2 * bounds[0])
    # Cubes of even steps: many short ones, for regions that are thin.
    steps = np.append(most * rng.random(_STEPS) ** 3, 0.0)
    line = np.maximum(x + steps[:, None] * way, 0.0)
    line /= line.sum(axis=1, keepdims=True)
    fine = np.flatnonzero((losses_of(line, prior) <= bounds + TOLERANCE).all(axis=1))
    return np.asarray(line[rng.choice(fine)] if len(fine) else x)

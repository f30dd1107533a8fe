"""Which distributions keep bounds on privacy and on utility at once, and what the bounds cost each other.

A point of the region proves that it is not empty. A region reported as empty means that no start led to a point: then the least value
of each loss under the other bounds shows which bounds are too narrow, and by how much.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.errors import UsageError, argument
from sfumato.statistics import TOLERANCE, Floats
from sfumato.tradeoff.formulas import NAMES, losses_of
from sfumato.tradeoff.given import Given, bounds_of, seed_of
from sfumato.tradeoff.pareto import pareto_set
from sfumato.tradeoff.results import Candidate, Region, bounds_by_name, candidates
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

    The Pareto-optimal points are those that minimize a privacy loss at some level of a utility loss.

    Parameters
    ----------
    prior : Prior or list of float
        The prior, as shares or counts.
    epsilon : float, optional
        Bounds the distribution loss.
    alpha : float, optional
        Bounds the entropy loss.
    delta : float, optional
        Bounds the distribution utility loss.
    gamma : float, optional
        Bounds the entropy utility loss.
    sample : int
        How many distributions to draw; 0 is quicker.
    pareto : int
        The most Pareto-optimal points for each pair of losses; 0 is quicker.
    seed : int
        Of the random numbers.

    Returns
    -------
    Region
        Whether there is one, and which.
    """
    given, bounds = Given.of(prior), bounds_of(epsilon=epsilon, alpha=alpha, delta=delta, gamma=gamma)
    for name, count in (("sample", sample), ("pareto", pareto)):
        if not isinstance(count, int) or count < 0:
            raise UsageError(f"a whole number of points, at least 0; got {count!r}", where=argument(name))
    rng = seed_of(seed)
    solver = Solver(given.descending, bounds, rng)
    least = {loss: solver.least(solver.base.without(loss)) for loss in range(4)}
    inside = [each for each in least.values() if each and solver.base.allows(each.losses)]
    front = _front(solver, inside, pareto) if inside and pareto else []
    starts = [each.x for each in (*inside, *front)]
    drawn = _sample(starts, given.descending, bounds, sample, rng) if inside else []
    return Region(
        values=given.labels,
        prior=tuple(float(share) for share in given.shares),
        bounds=bounds_by_name(bounds),
        feasible=bool(inside),
        least=MappingProxyType({NAMES[loss]: float(each.losses[loss]) if each else None for loss, each in least.items()}),
        pareto=candidates(given, front),
        sample=tuple(Candidate.of(given, x, losses_of(x, given.descending)) for x in drawn),
        starts=solver.starts,
        seed=seed,
    )


def _front(solver: Solver, inside: Sequence[Optimum], points: int) -> list[Optimum]:
    """The Pareto sets of each privacy loss with each utility loss, without points that another one beats in all four losses."""
    optima: list[Optimum] = []
    for privacy, utility in _PAIRS:
        optima += pareto_set(solver, privacy, utility, points, inside)
    rounded = np.round([each.losses for each in optima], 8)
    _, first = np.unique(rounded, axis=0, return_index=True)
    return [optima[place] for place in first if not _beaten(rounded[place], rounded)]


def _beaten(row: Floats, others: Floats) -> bool:
    return bool(((others <= row).all(axis=1) & (others < row).any(axis=1)).any())


def _sample(starts: Sequence[Floats], prior: Floats, bounds: Floats, count: int, rng: np.random.Generator) -> list[Floats]:
    """Random walks through the region: each step goes along a random line to a random point within the bounds (Smith 1984, hit and run)."""
    walkers, visited = list(starts), []
    for turn in range(count):
        place = turn % len(walkers)
        walkers[place] = _step(walkers[place], prior, bounds, rng)
        visited.append(walkers[place])
    return visited


def _step(x: Floats, prior: Floats, bounds: Floats, rng: np.random.Generator) -> Floats:
    if len(x) == 1:
        return x
    direction = rng.dirichlet(np.ones(len(x))) - rng.dirichlet(np.ones(len(x)))
    reach = np.divide(x, np.abs(direction), out=np.full_like(x, np.inf), where=direction != 0)
    most = min(reach[direction < 0].min(), 2 * bounds[0])
    # Cubed, so that many steps are short: regions can be thin.
    steps = np.append(most * rng.random(_STEPS) ** 3, 0.0)
    line = np.maximum(x + steps[:, None] * direction, 0.0)
    line /= line.sum(axis=1, keepdims=True)
    allowed = np.flatnonzero((losses_of(line, prior) <= bounds + TOLERANCE).all(axis=1))
    return np.asarray(line[rng.choice(allowed)] if len(allowed) else x)

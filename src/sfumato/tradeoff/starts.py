"""Where to start: points along rays from the prior, and from a pure class, toward distributions of known or random shape.

Bisection finds where a bounded loss meets its bound on each ray, so that many starts lie on the edge of the region, where the optima
are. Points are ranked by their cost and by how far they exceed the bounds; the descent starts from the best of different kinds.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from sfumato.statistics import Floats
from sfumato.tradeoff.formulas import DISTRIBUTION, ENTROPY
from sfumato.tradeoff.problem import ClassProblem

_STEPS = np.linspace(0, 1, 13)
_HALVINGS = 30
_POWERS = (0.0, 0.25, 0.5, 0.75, 1.5, 2.0, 3.0, 5.0, 9.0, 17.0)
_SPREADS = (0.2, 1.0, 5.0)
_RANDOM = 24
# Fine lattices of all descending distributions, where there are few values.
_LATTICE = {2: 120, 3: 36, 4: 16}
# The cost of exceeding a bound by one, in units of the objective.
_PENALTY = 20.0


def pool(problem: ClassProblem, rng: np.random.Generator) -> Floats:
    """Distributions to start from, for these bounds."""
    prior = problem.prior
    aims = targets(prior, rng)
    rays = [_rays(problem, prior, _within(aims, prior, problem.bounds[DISTRIBUTION]))]
    if np.isfinite(problem.bounds[2:]).any():
        pure = np.eye(1, len(prior))[0]
        rays.append(_rays(problem, pure, np.concatenate([prior[None], aims])))
    return np.concatenate([prior[None], *rays])


def targets(prior: Floats, rng: np.random.Generator) -> Floats:
    """Descending distributions of known shape: powers of the prior, all of its faces, two levels, lattices, and random ones."""
    values = len(prior)
    parts = [np.stack([_scaled(prior**power) for power in _POWERS])]
    parts += [_faces(prior, kept) for kept in range(1, values + 1)]
    parts += [-np.sort(-rng.dirichlet(np.full(values, spread), _RANDOM), axis=1) for spread in _SPREADS]
    if values in _LATTICE:
        parts.append(_lattice(values, _LATTICE[values]))
    return np.concatenate(parts)


def _faces(prior: Floats, kept: int) -> Floats:
    """Only the most frequent values: uniform, in proportion, nearest to the prior, and the first one or half of them raised."""
    values = len(prior)
    inside = np.arange(values) < kept
    own = np.where(inside, prior, 0)
    flat = inside / kept
    half = (np.arange(values) < (kept + 1) // 2) / ((kept + 1) // 2)
    pure = np.eye(1, values)[0]
    return np.stack([flat, _scaled(own), own + (1 - own.sum()) * flat, (flat + pure) / 2, (flat + half) / 2])


def _lattice(values: int, parts: int) -> Floats:
    rows = [each for each in product(range(parts + 1), repeat=values - 1) if sum(each) <= parts]
    points = np.array([(*each, parts - sum(each)) for each in rows]) / parts
    return np.asarray(points[(np.diff(points, axis=1) <= 0).all(axis=1)])


def _scaled(shares: Floats) -> Floats:
    return np.asarray(shares / shares.sum())


def _within(aims: Floats, prior: Floats, radius: float) -> Floats:
    """The aims, pulled toward the prior until they lie within a radius of it."""
    shift = aims - prior
    far = np.sqrt((shift**2).sum(axis=1, keepdims=True))
    return np.asarray(prior + shift * np.minimum(1, np.divide(radius, far, out=np.ones_like(far), where=far > 0)))


def _rays(problem: ClassProblem, origin: Floats, aims: Floats) -> Floats:
    """Points on the segments from an origin: at even steps, and where a loss meets its bound."""
    shift = aims - origin
    points = origin + _STEPS[None, 1:, None] * shift[:, None, :]
    levels = _exceeded(problem, origin + _STEPS[None, :, None] * shift[:, None, :])
    rays, steps, columns = np.nonzero(levels[:, 1:] != levels[:, :-1])
    low, high = _STEPS[steps], _STEPS[steps + 1]
    at_low = levels[rays, steps, columns]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        same = _exceeded(problem, origin + middle[:, None] * shift[rays])[np.arange(len(rays)), columns] == at_low
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    edge = origin + low[:, None] * shift[rays]
    return np.concatenate([points.reshape(-1, len(origin)), edge])


def _exceeded(problem: ClassProblem, points: Floats) -> npt.NDArray[np.bool_]:
    """Which bounds the points exceed, the entropy loss also on each side of the prior, and which points have more entropy than it."""
    losses = problem.losses(points)
    rise = losses[..., 3] - problem.entropy
    sides = np.stack([rise > problem.bounds[ENTROPY], rise < -problem.bounds[ENTROPY], rise > 0], axis=-1)
    return np.concatenate([losses > problem.bounds, sides], axis=-1)


def most_promising(problem: ClassProblem, points: Floats, losses: Floats, count: int) -> Floats:
    """The most promising points: the best for each number of values above zero, then the best of all, no two of them close."""
    if not len(points):
        return points
    merit = losses @ problem.weights + _PENALTY * np.maximum(losses - problem.bounds, 0).sum(axis=1)
    order = np.argsort(merit, kind="stable")
    _, first = np.unique(np.count_nonzero(points[order] > 0, axis=1), return_index=True)
    by_kind = order[np.sort(first)][: max(count // 2, 1)]
    kept = list(points[by_kind])
    for x in points[order[: 40 * count]]:
        if len(kept) >= count:
            break
        if min(float(np.abs(x - other).max()) for other in kept) > problem.scale / 50:
            kept.append(x)
    return np.array(kept)

"""The best distribution for one class: the least utility loss within bounds on the privacy losses, or the other way around.

After the thesis, 4.3.1. It is a guide for one class alone: the classes of a table must together have the distribution of the prior,
which `recommend_jointly` takes into account. Without any bound, the utility losses are zero in a class whose people all have the
same value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.errors import UsageError
from sfumato.statistics import Floats
from sfumato.tradeoff.formulas import NAMES, largest
from sfumato.tradeoff.given import Given, bounds_of, seed_of, weights_of
from sfumato.tradeoff.optimality import residual
from sfumato.tradeoff.pareto import pareto_set
from sfumato.tradeoff.results import Candidate, Recommendation, bounds_by_name, candidates
from sfumato.tradeoff.solver import Optimum, Solver


def recommend(
    prior: Prior | Sequence[float] | npt.NDArray[Any],
    *,
    epsilon: float | None = None,
    alpha: float | None = None,
    delta: float | None = None,
    gamma: float | None = None,
    weights: Sequence[float] = (1, 1),
    seed: int = 0,
) -> Recommendation:
    """Minimize both utility losses within bounds on the privacy losses, or with `delta` or `gamma` both privacy losses.

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
    weights : list of float
        Those of the distribution loss and the entropy loss that are minimized.
    seed : int
        Of the random numbers.

    Returns
    -------
    Recommendation
        The distribution that a class would best have.
    """
    given, checked = Given.of(prior), weights_of(weights)
    bounds = bounds_of(epsilon=epsilon, alpha=alpha, delta=delta, gamma=gamma)
    if np.isfinite(bounds[:2]).any() and np.isfinite(bounds[2:]).any():
        raise UsageError("bound the privacy losses or the utility losses; feasible_region takes both", where="bounds")
    solver = Solver(given.descending, bounds, seed_of(seed))
    pair = (0, 1) if np.isfinite(bounds[2:]).any() else (2, 3)
    scales = largest(given.descending)
    weighted = _weighted(pair, checked, scales)
    return _recommendation(given, solver, pair, checked, scales, weighted, seed)


def _weighted(pair: tuple[int, int], weights: tuple[float, float], scales: Floats) -> Floats:
    """The weights of all four losses; a loss that is always zero has no scale and needs none."""
    scaled = np.zeros(4)
    for place, weight in zip(pair, weights, strict=True):
        scaled[place] = weight / scales[place] if scales[place] > 0 else weight
    return scaled


def _recommendation(
    given: Given, solver: Solver, pair: tuple[int, int], weights: tuple[float, float], scales: Floats, weighted: Floats, seed: int
) -> Recommendation:
    problem = solver.problem(weighted)
    direct = solver.least(problem)
    front = pareto_set(solver, *pair, also=[direct] if direct else [])
    best = min(front, key=lambda each: _cost(each, weighted))
    return Recommendation(
        values=given.labels,
        prior=tuple(float(share) for share in given.shares),
        bounds=bounds_by_name(solver.base.bounds),
        minimized=(NAMES[pair[0]], NAMES[pair[1]]),
        weights=weights,
        scales=(float(scales[pair[0]]), float(scales[pair[1]])),
        pareto=candidates(given, front),
        chosen=Candidate.of(given, best.x, best.losses),
        value=_cost(best, weighted),
        kkt_residual=residual(problem, best.x),
        starts=solver.starts,
        seed=seed,
    )


def _cost(optimum: Optimum, weights: Floats) -> float:
    return float(weights @ optimum.losses)

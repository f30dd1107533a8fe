"""The best distributions for all classes of a table at once: together they must have the distribution of the prior.

The answer for one class alone asks every class to be, say, purer in the most frequent value; no table has such classes. Here the sizes of
the classes are given and the people of the table are divided among them, sum_q N_q x_q = N a, so the answer is attainable up to
whole people.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.errors import UsageError, argument, unknown
from sfumato.statistics import Floats
from sfumato.tradeoff.exchange import cost, descend_together, exchange
from sfumato.tradeoff.formulas import NAMES, UTILITY
from sfumato.tradeoff.given import Given, bounds_of, seed_of, sizes_of
from sfumato.tradeoff.optimality import Conditions, conditions, remaining
from sfumato.tradeoff.plans import plans
from sfumato.tradeoff.problem import ClassProblem
from sfumato.tradeoff.results import Candidate, JointRecommendation, bounds_by_name

_PLANS = 60
# The fewest and the most starts; between them, as many as this number of exchanges allows in the first sweeps.
_FEWEST, _MOST, _EXCHANGES = 6, 24, 240
# Sweeps from each start, then from the best plan; the most exchanges in one sweep.
_FIRST, _SWEEPS = 2, 12
_PAIRS = 60
# The most shares to descend over at once; the time grows with their cube.
_TOGETHER = 160
_GAIN = 1e-10
_NEARER = (0.02, 0.1)


def recommend_jointly(
    prior: Prior | Sequence[float] | npt.NDArray[Any],
    sizes: Sequence[int] | npt.NDArray[Any],
    *,
    epsilon: float | None = None,
    alpha: float | None = None,
    loss: str = "utility-distribution",
    seed: int = 0,
) -> JointRecommendation:
    """Minimize the mean over people of a utility loss, with bounds on the privacy losses of every class.

    Parameters
    ----------
    prior : Prior or list of float
        The prior, as shares or counts.
    sizes : list of int
        The people of each class.
    epsilon : float, optional
        Bounds the distribution loss.
    alpha : float, optional
        Bounds the entropy loss.
    loss : str
        `utility-distribution` or `utility-entropy`.
    seed : int
        Of the random numbers.

    Returns
    -------
    JointRecommendation
        The distribution of each class.
    """
    given, people, rng = Given.of(prior), sizes_of(sizes), seed_of(seed)
    if loss not in UTILITY:
        raise UsageError(unknown("loss", str(loss), UTILITY, within="the utility losses"), where=argument("loss"))
    problem = ClassProblem(given.descending, np.eye(4)[NAMES.index(loss)], bounds_of(epsilon=epsilon, alpha=alpha))
    shares = np.array(people) / sum(people)
    plan, count = _solve(problem, shares, rng)
    return _recommendation(given, problem, people, plan, count, seed)


def _solve(problem: ClassProblem, shares: Floats, rng: np.random.Generator) -> tuple[Floats, int]:
    """The best plan found and the number of starts; the prior in every class is one of them."""
    best = np.tile(problem.prior, (len(shares), 1))
    if len(shares) == 1 or len(problem.prior) == 1 or problem.only_prior():
        return best, 1
    count = min(max(_EXCHANGES // (len(shares) * (len(shares) - 1) // 2), _FEWEST), _MOST)
    starts = _distinct(sorted(plans(problem, shares, _PLANS, rng), key=lambda plan: cost(problem, plan, shares)), count)
    for plan in starts:
        best = _better(problem, shares, best, _improve(problem, plan, shares, _FIRST, rng))
    return _improve(problem, best, shares, _SWEEPS, rng), len(starts) + 1


def _distinct(ordered: Sequence[Floats], count: int) -> list[Floats]:
    """The first plans that all differ from each other."""
    kept: list[Floats] = []
    for plan in ordered:
        if len(kept) < count and all(np.abs(plan - other).max() > 1e-6 for other in kept):
            kept.append(plan)
    return kept


def _improve(problem: ClassProblem, plan: Floats, shares: Floats, sweeps: int, rng: np.random.Generator) -> Floats:
    """Exchanges between pairs of classes, then, where there are few shares, all classes at once, until that gains nothing."""
    for turn in range(sweeps):
        before = cost(problem, plan, shares)
        plan = _sweep(problem, plan, shares, rng)
        if plan.size <= _TOGETHER:
            # A share of zero is hard to leave, since the entropy is steep there: start also a little nearer to the prior.
            nearer = plan + _NEARER[turn % 2] * (problem.prior - plan)
            plan = _better(problem, shares, descend_together(problem, plan, shares), descend_together(problem, nearer, shares))
        if before - cost(problem, plan, shares) < _GAIN:
            break
    return plan


def _sweep(problem: ClassProblem, plan: Floats, shares: Floats, rng: np.random.Generator) -> Floats:
    pairs = list(combinations(range(len(shares)), 2))
    for place in rng.permutation(len(pairs))[:_PAIRS]:
        plan = exchange(problem, plan, shares, *pairs[place])
    return plan


def _better(problem: ClassProblem, shares: Floats, one: Floats, other: Floats) -> Floats:
    return min(one, other, key=lambda plan: cost(problem, plan, shares))


def _recommendation(
    given: Given, problem: ClassProblem, people: tuple[int, ...], plan: Floats, starts: int, seed: int
) -> JointRecommendation:
    shares = np.array(people) / sum(people)
    losses = problem.losses(plan)
    return JointRecommendation(
        values=given.labels,
        prior=tuple(float(share) for share in given.shares),
        sizes=people,
        bounds=bounds_by_name(problem.bounds),
        minimized=NAMES[int(problem.weights.argmax())],
        classes=tuple(Candidate.of(given, x, each) for x, each in zip(plan, losses, strict=True)),
        value=cost(problem, plan, shares),
        of_prior=float(problem.losses(problem.prior) @ problem.weights),
        mismatch=float(np.abs(shares @ plan - problem.prior).max()),
        kkt_residual=_residual(problem, plan),
        starts=starts,
        seed=seed,
    )


def _residual(problem: ClassProblem, plan: Floats) -> float:
    """The residual of all classes: each has its own multipliers for its bounds and its sum, and all share one per value of the prior."""
    classes, values = plan.shape
    if classes == 1 or values == 1 or problem.only_prior():
        return 0.0
    each = [conditions(problem, x) for x in plan]
    own = [np.kron(np.eye(classes)[place], one.added) for place, one in enumerate(each)]
    sums, margins = np.kron(np.eye(classes), np.ones(values)), np.kron(np.ones(classes), np.eye(values))[:-1]
    free = np.full(len(sums) + len(margins), np.inf)
    joint = Conditions(
        np.concatenate([one.slope for one in each]),
        np.concatenate([*own, sums, margins]),
        np.concatenate([*(one.least for one in each), -free]),
        np.concatenate([*(one.most for one in each), free]),
    )
    return remaining(joint, plan.ravel())

"""Guided generalization (thesis, 4.3.2): the node whose class distributions come nearest to the recommended one.

The distance of a node is the mean over people of the Euclidean distance between the distribution of their class and the recommended
one. It is convex in the classes, so it never grows when classes merge: looked at from the top by rising distance, the first feasible
node is the nearest of all, and nothing below a node needs a look before that node had one.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.errors import UsageError, argument
from sfumato.models.bounds.loss_bounds import CLASS, LossBound
from sfumato.models.bounds.loss_pairs import LossPair
from sfumato.progress import Progress
from sfumato.search.algorithms.optimal import optimal
from sfumato.search.compiled.evaluator import Evaluator, evaluator_of
from sfumato.search.evaluation import Evaluations, Fact, Measure
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import Found, NotFound, Trace, best_of, tie
from sfumato.search.problem import Problem
from sfumato.search.space.within import LOSS_OF
from sfumato.search.tracing import Guided
from sfumato.tradeoff import Recommendation, recommend

_DISTANCE = Measure("distribution")
_UNIT = 10**15  # a distribution as a prior of so many people: its shares are right to fifteen digits


def nearest(problem: Problem, loss: str, seed: int = 0, progress: Progress | None = None) -> Found | NotFound:
    """The feasible node nearest to the recommended distribution; among equally near ones the one with the least loss."""
    _require(problem)
    (name,) = problem.sensitive
    prior = problem.priors[name]
    recommendation = recommended(problem, prior, seed)
    best = optimal(problem, loss, progress=progress)
    if isinstance(best, NotFound):
        return NotFound(replace(best.trace, algorithm="guided"))
    descent = _Descent(problem, loss, _as_prior(recommendation, name))
    evaluations, place, distance = descent.run()
    details = Guided(prior, recommendation, distance, best, descent.distance_of(best.node.levels), loss)
    trace = Trace("guided", descent.lattice.size, len(evaluations), details)
    return Found.at(descent.lattice.attributes, evaluations, place, trace)


def recommended(problem: Problem, prior: Prior, seed: int = 0) -> Recommendation:
    """The best distribution for one class within the bounds that the models put on its losses: privacy's, else utility's."""
    bounds = _bounds(problem)
    privacy = {each: bounds[each] for each in ("epsilon", "alpha") if each in bounds}
    utility = {each: bounds[each] for each in ("delta", "gamma") if each in bounds}
    if not bounds:
        raise UsageError(
            "nothing to recommend for: bound the losses with a model, as in privacy-loss:0.3,1 or utility-loss:3,0.9",
            where=argument("toward"),
        )
    return recommend(prior, **(privacy or utility), seed=seed)  # type: ignore[arg-type]


def _bounds(problem: Problem) -> dict[str, float]:
    """The tightest bound on each of the four losses; bounds on totals and for groups say nothing of every class."""
    bounds: dict[str, float] = {}
    for model in problem.models:
        for parameter, bound in _stated(model):
            bounds[parameter] = min(bound, bounds.get(parameter, bound))
    return bounds


def _stated(model: object) -> Iterator[tuple[str, float]]:
    """The losses that a model bounds in every class: the name of each parameter and its bound."""
    parameter_of = {loss: parameter for parameter, loss in LOSS_OF.items()}
    for each in model.bounds if isinstance(model, LossBound | LossPair) else ():
        if each.scope == CLASS and each.loss in parameter_of:
            yield parameter_of[each.loss], each.bound


def _require(problem: Problem) -> None:
    if len(problem.sensitive) != 1:
        raise UsageError(
            f"a distribution is recommended for one sensitive attribute; name it with {argument('sensitive')}",
            where=argument("toward"),
        )
    if problem.limit:
        raise UsageError(f"guidance suppresses nobody; leave {argument('suppress')} out", where=argument("toward"))
    if not problem.additive or any(problem.statements.values()):
        raise UsageError(
            "guidance needs rows that are people, the table's own prior and no other table", where=argument("toward")
        )


def _as_prior(recommendation: Recommendation, attribute: str) -> Prior:
    people = np.rint(np.array(recommendation.chosen.shares) * _UNIT).astype(np.int64)
    return Prior(attribute, recommendation.values, people)


class _Descent:
    """Nodes from the top down by rising distance."""

    def __init__(self, problem: Problem, loss: str, target: Prior) -> None:
        self.lattice = Lattice.of(problem.counts)
        self.loss = loss
        few = 100  # a guess: most descents end after a few nodes
        self.models: Evaluator = evaluator_of(problem, [loss], few)
        aimed = replace(problem, models=(), priors={target.attribute: target})
        self.distances: Evaluator = evaluator_of(aimed, [str(_DISTANCE)], few)

    def distance_of(self, levels: tuple[int, ...]) -> float:
        return float(self._measured(np.array([levels]))[0])

    def run(self) -> tuple[Evaluations, int, float]:
        """Everything that was looked at, the place of the nearest feasible node, and its distance. There must be one."""
        top = tuple(self.lattice.heights)
        waiting = [(self.distance_of(top), top)]
        known, looked, near = {top}, [], np.inf
        while waiting and waiting[0][0] <= near + tie(near if np.isfinite(near) else 0):
            distance, levels = heapq.heappop(waiting)
            looked.append(self.models.evaluate(np.array([levels])))
            if looked[-1][Fact.FEASIBLE][0]:
                near = min(near, distance)
            below = [each for each in self.lattice.predecessors(levels) if each not in known]
            known.update(below)
            if below:
                for each, far in zip(below, self._measured(np.array(below)).tolist(), strict=True):
                    heapq.heappush(waiting, (far, each))
        evaluations = Evaluations.joined(looked)
        place = best_of(evaluations, self.loss)
        if place is None:
            raise UsageError("no node is feasible", where=argument("toward"))
        return evaluations, place, near

    def _measured(self, levels: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        return np.asarray(self.distances.evaluate(levels)[_DISTANCE], np.float64)

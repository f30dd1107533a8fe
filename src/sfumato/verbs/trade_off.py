"""The trade-off of a table: what its nodes lose in privacy and in utility, who stays within bounds, the front, and the knee.

Beside the nodes stand the answers of the three problems for the table's prior: which distribution a single class would best have. They
are a guide: a table need not have a node whose classes look like it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.errors import UsageError, unknown
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION
from sfumato.question.question import Asked, Models, Share, problem_of
from sfumato.search.evaluation import MAX
from sfumato.search.problem import Loops, Problem
from sfumato.search.space import Point, PolicySpace
from sfumato.search.space.knee import front_of_two, knee
from sfumato.search.space.within import CLASS, Bounds, Least
from sfumato.tradeoff import Recommendation, Region, feasible_region, recommend
from sfumato.verbs.explore import Progress, explored, opened
from sfumato.vocabulary.schema import Schema

Watch = Callable[[str, Any], None]
X, Y = "distribution.max", "utility-distribution"
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Answers:
    """What the three problems say of the prior: the first two and the region, each where its bounds were given."""

    utility: Recommendation | None = None
    privacy: Recommendation | None = None
    region: Region | None = None

    @classmethod
    def of(cls, prior: Prior, bounds: Bounds) -> Answers:
        """Solve those problems that the bounds pose."""
        return cls(
            utility=recommend(prior, epsilon=bounds.epsilon, alpha=bounds.alpha) if bounds.privacy else None,
            privacy=recommend(prior, delta=bounds.delta, gamma=bounds.gamma) if bounds.utility else None,
            region=_region(prior, bounds) if bounds.privacy and bounds.utility else None,
        )


def _region(prior: Prior, bounds: Bounds) -> Region:
    given = {"epsilon": bounds.epsilon, "alpha": bounds.alpha, "delta": bounds.delta, "gamma": bounds.gamma}
    return feasible_region(prior, **given, sample=0, pareto=0)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class TradeOff:
    """A policy space under bounds. `front` holds places of nodes by rising x, `knee` is one of them, None where nobody is within."""

    problem: Problem
    space: PolicySpace
    bounds: Bounds
    axes: tuple[str, str]
    within: Mask
    front: npt.NDArray[np.intp]
    knee: int | None
    least: tuple[Least, ...]
    answers: Answers

    @property
    def status(self) -> str:
        return "infeasible" if self.knee is None else "found"

    @property
    def sensitive(self) -> str:
        return self.space.about.sensitive[0]

    @property
    def prior(self) -> Prior:
        return self.problem.priors[self.sensitive]

    @property
    def feasible(self) -> Mask:
        """Which nodes satisfy the models."""
        return np.asarray(self.space["feasible"], bool)

    def point(self, place: int) -> Point:
        """The node at a place of the space."""
        return self.space.node(self.space.evaluations.levels[place].tolist())


def trade_off(
    source: Any,
    schema: Schema | str | PathLike[str] | None = None,
    *,
    models: Models = (),
    epsilon: float | None = None,
    alpha: float | None = None,
    gamma: float | None = None,
    delta: float | None = None,
    basis: str = CLASS,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    x: str = X,
    y: str = Y,
    suppress: Share = 0.0,
    memory_limit: str | None = None,
    loops: Loops = Loops.COMPILED,
    watch: Watch | None = None,
    progress: Progress | None = None,
) -> TradeOff:
    """Explore a table and look at its nodes by two losses, within bounds on four.

    `x` and `y` are any losses of the space, `NAME` the mean over people or the total and `NAME.max` the worst class; both are minimized.
    The models decide with `suppress` what is kept of each node; the bounds then say which nodes count. `watch` is told the steps.
    """
    bounds = Bounds(epsilon, alpha, gamma, delta, basis)
    for where, name in (("x", x), ("y", y)):
        _require_loss(name, where)
    with opened(source, schema, memory_limit) as table:
        _require_one(table.schema, sensitive)
        problem, told = problem_of(table, Asked(models, suppress, quasi, sensitive, memory_limit=memory_limit, loops=loops))
    if watch and bounds.given:
        watch("weighing", None)
    answers = Answers.of(problem.priors[next(iter(problem.sensitive))], bounds)
    space = explored(problem, told, memory_limit=memory_limit, progress=progress)
    return seen(problem, space, bounds, (x, y), answers)


def seen(problem: Problem, space: PolicySpace, bounds: Bounds, axes: tuple[str, str], answers: Answers) -> TradeOff:
    """A space under bounds, from two losses."""
    nodes = space.evaluations
    feasible = np.asarray(space["feasible"], bool)
    within = feasible & bounds.kept(nodes)
    places = np.flatnonzero(within)
    values = np.stack([space[axis][places] for axis in axes], axis=1).astype(np.float64)
    best = front_of_two(values, nodes.levels[places])
    return TradeOff(
        problem=problem,
        space=space,
        bounds=bounds,
        axes=axes,
        within=within,
        front=places[best],
        knee=int(places[best[knee(values[best])]]) if len(best) else None,
        least=() if len(best) else bounds.least(nodes, feasible),
        answers=answers,
    )


def _require_one(schema: Schema, sensitive: Sequence[str] | None) -> None:
    """A trade-off speaks of one sensitive attribute: a prior, and what each class tells beyond it."""
    names = schema.sensitive if sensitive is None else (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    if len(names) != 1:
        have = ", ".join(schema.sensitive) or "none"
        raise UsageError(f"the trade-off speaks of one sensitive attribute; name it (have: {have})", where="sensitive")


def _require_loss(name: str, where: str) -> None:
    if name not in INFORMATION and name.removesuffix(MAX) not in LOSSES:
        known = (*(each + end for each in LOSSES for end in ("", MAX)), *INFORMATION)
        raise UsageError(unknown("loss", name, known, within="a policy space"), where=where)

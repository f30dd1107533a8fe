"""A trade-off: the nodes of a policy space by two losses, those within bounds, the front, and its knee.

Beside the nodes stand the answers of the three problems for the table's prior: which distribution a single class would best have. They
are a guide: a table need not have a node whose classes look like it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION
from sfumato.models.base import TOLERANCE
from sfumato.naming import name_values
from sfumato.search.evaluation import MAX
from sfumato.search.problem import Problem
from sfumato.search.space.knee import front_of_two, knee
from sfumato.search.space.policies import Point, PolicySpace
from sfumato.search.space.within import Bounds, Least
from sfumato.tradeoff import Recommendation, Region, feasible_region, recommend
from sfumato.upward import above

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

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return _record(self)

    def plot(self) -> Any:
        """Every node by the two losses, with the front and its knee: an altair chart. Needs the extra `report`."""
        return above("TradeOff.plot")(self)

    def __repr__(self) -> str:
        return (
            f"TradeOff({' against '.join(self.axes)}: {int(self.within.sum()):,} of {len(self.space):,} nodes within the bounds)"
        )

    def _repr_html_(self) -> str:
        from sfumato.search.space.shown import trade_off_html

        return trade_off_html(self)


def trade_off_of(problem: Problem, space: PolicySpace, bounds: Bounds, axes: tuple[str, str], answers: Answers) -> TradeOff:
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


def losses_of(point: Point) -> dict[str, dict[str, float]]:
    """The losses of a node: class-wise ones with their worst class and the mean over people, others in total."""
    losses: dict[str, dict[str, float]] = {}
    for name in LOSSES:
        if name in point.measures:
            losses[name] = {"max": point[name + MAX], "people_mean": point[name]}
    return losses | {name: {"total": point[name]} for name in INFORMATION if name in point.measures}


def _record(result: TradeOff) -> dict[str, Any]:
    about, bounds = result.space.about, result.bounds
    x, y = result.axes
    return {
        "status": result.status,
        "axes": {"x": x, "y": y},
        "bounds": {"scope": bounds.scope, **bounds.given},
        "sensitive": result.sensitive,
        "models": list(about.models),
        "limit": about.limit,
        "people": about.people,
        "rows": about.rows,
        "basis": about.basis,
        "prior": about.prior,
        "nodes": len(result.space),
        "floor": result.space.floor.as_dict(),
        **({} if about.complete else {"complete": False}),
        "feasible": int(result.feasible.sum()),
        "within": int(result.within.sum()),
        "front": [_point(result.point(int(place))) for place in result.front],
        "knee": None if result.knee is None else _point(result.point(result.knee)),
        "nearest": [_least(result, each) for each in result.least],
        "recommendations": _answers(result.answers, result.prior),
        "tolerance": TOLERANCE,
    }


def _point(point: Point) -> dict[str, Any]:
    counted = {name: point[name] for name in ("classes", "smallest", "people", "suppressed")}
    return {"node": point.node.as_dict(), **counted, "losses": losses_of(point)}


def _least(result: TradeOff, each: Least) -> dict[str, Any]:
    node = None if each.place is None else result.point(each.place).node.as_dict()
    return {"bound": each.parameter, "column": each.column, "threshold": each.bound, "nearest": each.least, "node": node}


def _answers(answers: Answers, prior: Prior) -> dict[str, Any]:
    record: dict[str, Any] = {
        name: _recommended(each, prior) for name, each in (("utility", answers.utility), ("privacy", answers.privacy)) if each
    }
    if answers.region:
        region = answers.region
        record["region"] = {"feasible": region.feasible, "least": dict(region.least)}
    return record


def _recommended(recommendation: Recommendation, prior: Prior) -> dict[str, Any]:
    shares = zip(name_values(prior), recommendation.shares(), strict=True)
    return {
        "minimized": list(recommendation.minimized),
        "bounds": dict(recommendation.bounds),
        "distribution": [{**value, "prior": before, "share": after} for value, (_, before, after) in shares],
        "losses": dict(recommendation.chosen.losses),
        "kkt_residual": recommendation.kkt_residual,
        "pareto": len(recommendation.pareto),
    }

"""A trade-off as JSON knows it, and the losses of a node in the form that all commands share."""

from __future__ import annotations

from typing import Any

from sfumato.beliefs import Prior
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION
from sfumato.models.base import TOLERANCE
from sfumato.naming import named
from sfumato.search.evaluation import MAX
from sfumato.search.space import Point
from sfumato.search.space.within import Least
from sfumato.tradeoff import Recommendation
from sfumato.verbs.trade_off import Answers, TradeOff


def losses_of(point: Point) -> dict[str, dict[str, float]]:
    """The losses of a node: class-wise ones with their worst class and the mean over people, others in total."""
    found: dict[str, dict[str, float]] = {}
    for name in LOSSES:
        if name in point.measures:
            found[name] = {"max": point[name + MAX], "people_mean": point[name]}
    return found | {name: {"total": point[name]} for name in INFORMATION if name in point.measures}


def as_dict(found: TradeOff) -> dict[str, Any]:
    """For machines."""
    about, bounds = found.space.about, found.bounds
    x, y = found.axes
    return {
        "status": found.status,
        "axes": {"x": x, "y": y},
        "bounds": {"basis": bounds.basis, **bounds.given},
        "sensitive": found.sensitive,
        "models": list(about.models),
        "limit": about.limit,
        "people": about.people,
        "rows": about.rows,
        "basis": about.basis,
        "prior": about.prior,
        "nodes": len(found.space),
        "feasible": int(found.feasible.sum()),
        "within": int(found.within.sum()),
        "front": [_point(found.point(int(place))) for place in found.front],
        "knee": None if found.knee is None else _point(found.point(found.knee)),
        "nearest": [_least(found, each) for each in found.least],
        "recommendations": _answers(found.answers, found.prior),
        "tolerance": TOLERANCE,
    }


def _point(point: Point) -> dict[str, Any]:
    told = {name: point[name] for name in ("classes", "smallest", "people", "suppressed")}
    return {"node": point.node.as_dict(), **told, "losses": losses_of(point)}


def _least(found: TradeOff, each: Least) -> dict[str, Any]:
    node = None if each.place is None else found.point(each.place).node.as_dict()
    return {"bound": each.parameter, "column": each.column, "threshold": each.bound, "nearest": each.least, "node": node}


def _answers(answers: Answers, prior: Prior) -> dict[str, Any]:
    told: dict[str, Any] = {
        name: _recommended(each, prior) for name, each in (("utility", answers.utility), ("privacy", answers.privacy)) if each
    }
    if answers.region:
        region = answers.region
        told["region"] = {"feasible": region.feasible, "least": dict(region.least)}
    return told


def _recommended(found: Recommendation, prior: Prior) -> dict[str, Any]:
    shares = zip(named(prior), found.shares(), strict=True)
    return {
        "minimized": list(found.minimized),
        "bounds": dict(found.bounds),
        "distribution": [{**value, "prior": before, "share": after} for value, (_, before, after) in shares],
        "losses": dict(found.chosen.losses),
        "kkt_residual": found.kkt_residual,
        "pareto": len(found.pareto),
    }

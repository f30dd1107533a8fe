"""The trade-off curve between privacy and utility: thesis, Fig. 4.6. Needs the extra `tradeoff`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from sfumato.reporting.charts import GREEN, RED, altair, finished
from sfumato.tradeoff import recommend
from sfumato_studies import simplex
from sfumato_studies.comparing import claim
from sfumato_studies.exhibit import Contents, exhibit
from sfumato_studies.exhibits.figures_tradeoff import DELTA, EPSILON, NEAR, PRIOR, PRIVACY, SKETCH, UTILITY


def curve() -> list[dict[str, float]]:
    """The least utility loss under rising bounds on the distribution loss, up to the nearest corner."""
    most = float(np.sqrt(((np.array(simplex.CORNERS[0]) - PRIOR) ** 2).sum()))
    points = []
    for bound in np.linspace(0, most, 11):
        best = recommend(PRIOR, epsilon=float(bound), weights=(1, 0)).chosen
        points.append({"privacy": best.losses[PRIVACY], "utility": best.losses[UTILITY]})
    return points


@exhibit("thesis-fig-4.6", source="thesis, Fig. 4.6", title="The trade-off between privacy and utility")
def trade_off() -> Contents:
    """The curve that no distribution beats, and the feasible range under both bounds."""
    points = curve()
    falls = all(one["utility"] >= other["utility"] - NEAR for one, other in pairwise(points))
    return Contents(
        "Less privacy loss means more utility loss. No class lies below the curve; bounds on both leave the part of "
        "the plane between the curve and the bounds.",
        (
            claim(
                "the least utility loss as the privacy bound is loosened",
                "thesis, Fig. 4.6",
                "falls",
                f"from {points[0]['utility']:.4f} to {points[-1]['utility']:.4f}" + ("" if falls else ", not everywhere"),
                falls and points[-1]["utility"] < points[0]["utility"],
            ),
        ),
        chart=_curve_chart(points),
        note=f"{SKETCH} Bounds: distribution loss {EPSILON:g}, distribution utility loss {DELTA:g}.",
    )


def _attainable() -> list[dict[str, float]]:
    """The range of utility losses at every distance from the prior, over the distributions of the triangle."""
    losses = simplex.losses(simplex.grid(300), PRIOR)
    edges = np.linspace(0, float(losses[PRIVACY].max()), 91)
    ranges = []
    for low, high in pairwise(edges):
        here = losses[UTILITY][(losses[PRIVACY] >= low) & (losses[PRIVACY] <= high)]
        if len(here):
            ranges.append({"privacy": (low + high) / 2, "low": float(here.min()), "high": float(here.max())})
    return ranges


def _feasible(points: list[dict[str, float]]) -> list[dict[str, float]]:
    """The area between the curve and the two bounds: from the least privacy loss within the utility bound to the privacy bound."""
    least = recommend(PRIOR, delta=DELTA, weights=(1, 0)).chosen.losses[PRIVACY]
    privacy, utility = ([each[name] for each in points] for name in ("privacy", "utility"))
    steps = np.linspace(least, EPSILON, 12)
    lows = np.minimum(np.interp(steps, privacy, utility), DELTA)
    return [{"privacy": float(step), "low": float(low), "high": DELTA} for step, low in zip(steps, lows, strict=True)]


def _curve_chart(points: list[dict[str, float]]) -> dict[str, Any]:
    alt = altair()
    reached = _attainable()
    feasible = _feasible(points)
    kinds = ["all distributions", "within both bounds"]
    areas = [{**each, "kind": kind} for kind, part in zip(kinds, (reached, feasible), strict=True) for each in part]
    x = alt.X("privacy:Q", title="distribution loss (privacy)", scale=alt.Scale(domain=[0, 1.1], nice=False))
    y = {"title": "distribution utility loss", "scale": alt.Scale(domain=[0, 0.9], nice=False)}
    colors = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=["#dcdcdc", GREEN]), title=None)
    base = alt.Chart(alt.Data(values=areas), width=460, height=320)
    area = base.mark_area(opacity=1).encode(x=x, y=alt.Y("low:Q", stack=None, **y), y2="high:Q", color=colors)
    best = alt.Chart(alt.Data(values=points)).encode(x=x, y=alt.Y("utility:Q", **y))
    line = best.mark_line(color=RED, strokeWidth=2.5) + best.mark_point(color=RED, filled=True, size=40, opacity=1)
    upright = alt.Chart(alt.Data(values=[{"privacy": EPSILON}])).mark_rule(strokeDash=[6, 4]).encode(x=x)
    level = alt.Chart(alt.Data(values=[{"utility": DELTA}])).mark_rule(strokeDash=[6, 4]).encode(y=alt.Y("utility:Q", **y))
    title = {
        "text": "The trade-off curve (red): the least utility loss under a bound on privacy",
        "subtitle": f"dashed: the bounds ε = {EPSILON:g} and δ = {DELTA:g}",
    }
    return finished((area + upright + level + line).properties(title=title))

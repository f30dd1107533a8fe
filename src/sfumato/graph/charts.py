"""Pictures of graphs before and after, and of attacks on them. Names of people are in none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sfumato.graph.passive import PassiveAttacks
from sfumato.graph.utility import GraphsCompared, Shape
from sfumato.reporting.charts import BLUE, DARK, GREEN, ORANGE, PURPLE, RED, SKY, altair, finished

ORIGINAL = "original"
_COLORS = (DARK, BLUE, ORANGE, GREEN, RED, PURPLE, SKY)
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4], [10, 3], [1, 3])


def compared_chart(result: GraphsCompared) -> dict[str, Any]:
    """Four panels: how many people have at least so many neighbors, how far people are apart, how well acquaintances know each other, and
    how large communities are."""
    alt = altair()
    shapes = [(ORIGINAL, result.original), *((each.method, each.shape) for each in result.releases)]
    orders, exact = alt.Scale(type="log"), alt.Scale(type="log", nice=False)
    from_zero = alt.Scale(domainMin=0)
    panels = [
        _panel(shapes, _at_least, "neighbors at least", "share of people", across=orders, up=orders, written="~%"),
        _panel(shapes, _steps, "steps apart", "share of pairs", across=alt.Scale(), up=from_zero, written="~%"),
        _panel(shapes, _clustering, "neighbors", "mean clustering", across=orders, up=from_zero, written="~g"),
        _panel(
            shapes,
            _communities,
            "people in the community, at least",
            "share of people",
            across=exact,
            up=from_zero,
            written="~%",
        ),
    ]
    return finished(alt.concat(*panels, columns=2).resolve_scale(color="shared", strokeDash="shared"))


def _panel(shapes: list[tuple[str, Shape]], points: Any, x: str, y: str, *, across: Any, up: Any, written: str) -> Any:
    alt = altair()
    names = [name for name, _ in shapes]
    values: list[dict[str, Any]] = [
        {"x": float(at), "y": float(value), "graph": name} for name, shape in shapes for at, value in points(shape)
    ]
    last = max((int(each["x"]) for each in values), default=1)
    whole = list(range(1, last + 1, last // 10 + 1))  # there is no step and a half
    logarithmic = across.to_dict().get("type") == "log"
    axis = alt.Axis(tickCount=5, format="~s", grid=False) if logarithmic else alt.Axis(values=whole, format="d", grid=False)
    alone = any(sum(each["graph"] == name for each in values) == 1 for name in names)  # one point is no line
    return (
        alt.Chart(alt.Data(values=values), width=250, height=230)
        .mark_line(strokeWidth=2, interpolate="linear", clip=not alone, point={"size": 30} if alone else False)
        .encode(
            x=alt.X("x:Q", title=x, scale=across, axis=axis),
            y=alt.Y("y:Q", title=y, scale=up, axis=alt.Axis(tickCount=5, format=written)),
            color=alt.Color("graph:N", title=None, sort=names, scale=alt.Scale(domain=names, range=list(_COLORS[: len(names)]))),
            strokeDash=alt.StrokeDash(
                "graph:N", title=None, sort=names, scale=alt.Scale(domain=names, range=_DASHES[: len(names)])
            ),
        )
    )


def _at_least(shape: Shape) -> Iterator[tuple[int, float]]:
    """The share of people with at least so many neighbors, wherever it changes."""
    people = np.cumsum(shape.degrees[::-1])[::-1]
    for degree in np.flatnonzero(shape.degrees[1:]) + 1:
        yield int(degree), people[degree] / shape.nodes


def _steps(shape: Shape) -> Iterator[tuple[int, float]]:
    total = max(int(shape.steps[1:].sum()), 1)
    for steps in range(1, len(shape.steps)):
        yield steps, shape.steps[steps] / total


def _clustering(shape: Shape) -> Iterator[tuple[float, float]]:
    """The mean over people whose numbers of neighbors are of one order."""
    degrees = np.arange(len(shape.degrees))
    for low in (2**power for power in range(1, 31)):
        inside = (degrees >= low) & (degrees < 2 * low) & (shape.degrees > 0)
        if inside.any():
            weights = shape.degrees[inside]
            yield (
                float((degrees[inside] * weights).sum() / weights.sum()),
                float((shape.clustering[inside] * weights).sum() / weights.sum()),
            )


def _communities(shape: Shape) -> Iterator[tuple[int, float]]:
    """The share of people in communities of at least so many people, wherever it changes."""
    people = np.cumsum(shape.gathered[::-1])[::-1]
    for size in np.flatnonzero(shape.gathered).tolist():
        yield size, float(people[size] / shape.nodes)


def attacked_chart(result: PassiveAttacks) -> dict[str, Any]:
    """For each release, the share of right guesses by what the attacker knows."""
    alt = altair()
    methods = list(dict.fromkeys(each.method for each in result.attempts))
    words = list(dict.fromkeys(each.words for each in result.attempts))
    values = [
        {"method": each.method, "knows": each.words, "rate": each.rate, "low": each.interval[0], "high": each.interval[1]}
        for each in result.attempts
    ]
    axis = alt.Axis(format="%", tickCount=5)
    base = alt.Chart(width=360, height=alt.Step(17)).encode(
        y=alt.Y("method:N", sort=methods, title=None),
        x=alt.X("rate:Q", title="share of right guesses", scale=alt.Scale(domain=[0, 1]), axis=axis),
    )
    ends = base.mark_rule(color=DARK).encode(x="low:Q", x2="high:Q")
    layered = alt.layer(base.mark_bar(color=SKY), ends, data=alt.Data(values=values))
    header = alt.Header(labelAnchor="start", labelOrient="top", labelPadding=4, labelFontWeight="bold")
    return finished(layered.facet(row=alt.Row("knows:N", sort=words, title=None, header=header), spacing=14))


def as_altair(spec: dict[str, Any]) -> Any:
    """A specification as a chart for a notebook."""
    return altair().Chart.from_dict(spec)

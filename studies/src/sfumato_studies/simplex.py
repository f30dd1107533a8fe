"""Distributions over three values as points of a triangle, and regions of it as polygons.

Corner i is the class whose people all have value i. The outline of a region is found along rays in all directions from one of its
points: every region drawn here is star-shaped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sfumato.reporting.charts import DARK, RED
from sfumato.statistics import Floats
from sfumato.tradeoff.formulas import NAMES, losses_of

HEIGHT = float(np.sqrt(3) / 2)
CORNERS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
WIDE, TALL = 360, 312
_STEPS = 600
_HALVINGS = 30
WHOLE = ([-0.12, 1.12], [-0.1, 0.975])
Inside = Callable[[dict[str, Floats]], Any]
Window = tuple[list[float], list[float]]


def place(shares: Sequence[float]) -> dict[str, float]:
    """Where a distribution lies."""
    return {"x": shares[1] + shares[2] / 2, "y": shares[2] * HEIGHT}


def losses(points: Floats, prior: Floats) -> dict[str, Floats]:
    """The four losses of distributions."""
    values = losses_of(points, prior)
    return {name: values[..., at] for at, name in enumerate(NAMES)}


def grid(steps: int = 120) -> Floats:
    """Evenly spaced distributions over the whole triangle."""
    pairs = np.array([(i, j) for i in range(steps + 1) for j in range(steps + 1 - i)]) / steps
    return np.column_stack([1 - pairs.sum(axis=1), pairs])


def region(center: Sequence[float], prior: Floats, inside: Inside, directions: int = 240) -> list[dict[str, float]]:
    """The outline of the region around a distribution in which a condition on the losses holds."""
    middle = np.array([*place(center).values()])
    angles = np.linspace(0, 2 * np.pi, directions, endpoint=False)
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def holds(reach: Floats) -> Any:
        points = _distributions(middle + reach[..., None] * ways[:, None, :])
        within = (points >= -1e-12).all(axis=-1)
        clipped = np.maximum(points, 0.0)
        return within & inside(losses(clipped / clipped.sum(axis=-1, keepdims=True), prior))

    steps = np.broadcast_to(np.linspace(0, 1.2, _STEPS), (directions, _STEPS))
    last = np.argmin(holds(steps), axis=1)
    low, high = (np.take_along_axis(steps, each[:, None], axis=1) for each in (np.maximum(last - 1, 0), last))
    for _ in range(_HALVINGS):
        half = (low + high) / 2
        kept = holds(half)
        low, high = np.where(kept, half, low), np.where(kept, high, half)
    edge = middle + low * ways
    return [{"x": float(x), "y": float(y)} for x, y in edge]


def _distributions(spots: Floats) -> Floats:
    """The distributions of places of the plane; outside the triangle a share is negative."""
    third = spots[..., 1] / HEIGHT
    second = spots[..., 0] - third / 2
    return np.stack([1 - second - third, second, third], axis=-1)


def filled(
    alt: Any, parts: Sequence[tuple[str, list[dict[str, float]]]], colors: dict[str, str], title: str, window: Window = WHOLE
) -> Any:
    """Polygons in the colors of their kinds, in order: later ones cover earlier ones."""
    rows = [
        {**spot, "order": order, "kind": kind, "part": f"{number:03}"}
        for number, (kind, outline) in enumerate(parts)
        for order, spot in enumerate([*outline, outline[0]])
    ]
    x, y = axes(alt, window)
    legend = alt.Legend(symbolType="square", symbolSize=170, symbolStrokeWidth=0)
    scale = alt.Scale(domain=list(colors), range=list(colors.values()))
    return (
        alt.Chart(alt.Data(values=rows), width=WIDE, height=TALL)
        .mark_line(strokeWidth=0, clip=True)
        .encode(
            x=x,
            y=y,
            order="order:Q",
            detail="part:N",
            fill=alt.Fill("kind:N", scale=scale, sort=None, title=title, legend=legend),
        )
    )


def frame(alt: Any, values: Sequence[str], window: Window = WHOLE) -> Any:
    """The triangle and the meaning of its corners."""
    corners = [place(each) for each in CORNERS]
    outline = [{**corner, "order": number} for number, corner in enumerate([*corners, corners[0]])]
    x, y = axes(alt, window)
    side = alt.Chart(alt.Data(values=outline)).mark_line(color=DARK, strokeWidth=1.2, clip=True).encode(x=x, y=y, order="order:Q")
    labels = [
        {**corner, "text": f"all: {value}", "dy": dy} for corner, value, dy in zip(corners, values, (18, 18, -14), strict=True)
    ]
    texts = [
        alt.Chart(alt.Data(values=[each])).mark_text(fontSize=12, dy=each["dy"], color=DARK).encode(x=x, y=y, text="text:N")
        for each in labels
    ]
    return alt.layer(side, *texts) if window == WHOLE else side


def spots(alt: Any, named: dict[str, Sequence[Sequence[float]]], window: Window = WHOLE) -> Any:
    """Distributions as marks with their names in a legend: the prior is a circle, the recommended ones are diamonds."""
    rows = [{**place(shares), "mark": name} for name, group in named.items() for shares in group]
    x, y = axes(alt, window)
    names = list(named)
    shapes = alt.Scale(domain=names, range=["circle", "diamond"][: len(names)])
    colors = alt.Scale(domain=names, range=[DARK, RED][: len(names)])
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=90, opacity=1, stroke="white", strokeWidth=0.8, clip=True)
        .encode(
            x=x,
            y=y,
            shape=alt.Shape("mark:N", scale=shapes, sort=names, title="distributions"),
            color=alt.Color("mark:N", scale=colors, sort=names, title="distributions"),
        )
    )


def axes(alt: Any, window: Window = WHOLE) -> tuple[Any, Any]:
    """The hidden axes: a triangle has no axes to show."""
    wide, tall = (alt.Scale(domain=each, nice=False) for each in window)
    return alt.X("x:Q", axis=None, scale=wide), alt.Y("y:Q", axis=None, scale=tall)

"""The trade-off as a picture: every node by two losses, the area within the bounds, the front, and the knee."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

import numpy as np

from sfumato.reporting.charts import altair
from sfumato.reporting.explorer.naming import loss_words, named_node
from sfumato.reporting.explorer.thinning import MOST_IN_PICTURE, nodes_to_show
from sfumato.search.outcome import tie
from sfumato.search.space.trade_off import TradeOff
from sfumato.statistics import Floats

KINDS = ("front", "within the bounds", "outside, or violates a model")
_COLORS = ("#a3127f", "#1f7a8c", "#c3cac6")
_SIZES = (60, 18, 10)
_FEW, _LARGE = 500, (70, 45, 28)
_DECADES = 1000
_WIDTH, _HEIGHT, _LETTER, _LINE = 560, 380, 7, 110
_KNEE = "knee"


def tradeoff_chart(result: TradeOff, most: int = MOST_IN_PICTURE) -> dict[str, Any]:
    """A Vega-Lite specification."""
    alt = altair()
    places = nodes_to_show(result, most)
    x, y = (_axis(alt, result, axis, name) for axis, name in zip(("x", "y"), result.axes, strict=True))
    layers = [_region(alt, result, x, y), _dots(alt, result, places, x, y), _front(alt, result, x, y), _knee(alt, result, x, y)]
    chart = alt.layer(*(layer for layer in layers if layer is not None)).properties(
        width=_WIDTH, height=_HEIGHT, title=_title(result, places)
    )
    spec: dict[str, Any] = chart.configure_view(stroke=None).to_dict()
    return spec


def points(result: TradeOff, places: Any) -> list[dict[str, Any]]:
    """The nodes to draw, those on the front last."""
    front = set(result.front.tolist())
    sizes = _LARGE if len(places) <= _FEW else _SIZES
    kinds = [0 if place in front else 1 if result.within[place] else 2 for place in places.tolist()]
    points = [
        {**_at(result, place), "kind": KINDS[kind], "size": sizes[kind]}
        for place, kind in zip(places.tolist(), kinds, strict=True)
    ]
    return sorted(points, key=lambda point: -KINDS.index(point["kind"]))


def _at(result: TradeOff, place: int) -> dict[str, Any]:
    return {axis: float(result.space[name][place]) for axis, name in zip(("x", "y"), result.axes, strict=True)}


def _dots(alt: Any, result: TradeOff, places: Any, x: Any, y: Any) -> Any:
    color = alt.Color("kind:N", scale=alt.Scale(domain=list(KINDS), range=list(_COLORS)), title=None)
    size = alt.Size("size:Q", scale=None, legend=None)
    data = alt.Data(values=points(result, places))
    return alt.Chart(data).mark_circle(opacity=0.85).encode(x=x, y=y, color=color, size=size)


def _front(alt: Any, result: TradeOff, x: Any, y: Any) -> Any:
    data = alt.Data(values=[{**_at(result, int(place)), "step": step} for step, place in enumerate(result.front)])
    line = alt.Chart(data).mark_line(interpolate="step-after", color=_COLORS[0], strokeWidth=1.2)
    return line.encode(x=x, y=y, order=alt.Order("step:Q"))


def _knee(alt: Any, result: TradeOff, x: Any, y: Any) -> Any:
    if result.knee is None:
        return None
    base = alt.Chart(alt.Data(values=[{**_at(result, result.knee), "text": _KNEE}])).encode(x=x, y=y)
    ring = base.mark_point(size=180, color=_COLORS[0], strokeWidth=2.5, opacity=1)
    # Below and to the left, where there is no front; to the right where there is no room.
    low, high = _domain(result, result.axes[0])
    room = (result.space[result.axes[0]][result.knee] - low) / (high - low) * _WIDTH
    side = {"align": "right", "dx": -11} if room > _LETTER * len(_KNEE) else {"align": "left", "dx": 11}
    text = base.mark_text(**side, dy=15, color=_COLORS[0], fontWeight="bold").encode(text="text:N")
    return ring + text


def _region(alt: Any, result: TradeOff, x: Any, y: Any) -> Any:
    """The area within the bounds; None if no axis is bounded."""
    limits = {result.bounds.column(name): value for name, value in result.bounds.given.items()}
    if not limits.keys() & set(result.axes):
        return None
    ends = [
        (low, min(limits.get(name, high), high)) for name, (low, high) in ((name, _domain(result, name)) for name in result.axes)
    ]
    (left, right), (bottom, top) = ends
    data = alt.Data(values=[{"x": left, "x2": max(left, right), "y": bottom, "y2": max(bottom, top)}])
    rect = alt.Chart(data).mark_rect(color="#17663a", opacity=0.13)
    return rect.encode(x=x, x2="x2:Q", y=y, y2="y2:Q")


def _axis(alt: Any, result: TradeOff, axis: str, name: str) -> Any:
    low, high = _domain(result, name)
    kind = "log" if _logarithmic(result.space[name]) else "linear"
    scale = alt.Scale(domain=[low, high], type=kind, nice=False, zero=False)
    title = f"{loss_words(name)} ({name}{', log scale' if kind == 'log' else ''}): less is better"
    return (alt.X if axis == "x" else alt.Y)(f"{axis}:Q", scale=scale, title=title)


def _domain(result: TradeOff, name: str) -> tuple[float, float]:
    """From the smallest to the largest value, with a small margin."""
    values: Floats = np.asarray(result.space[name], np.float64)
    finite = values[np.isfinite(values)]
    low, high = float(finite.min()), float(finite.max())
    if high - low <= tie(high):
        return low - (abs(low) or 1) / 2, low + (abs(low) or 1) / 2
    if _logarithmic(values):
        return float(low * (low / high) ** 0.03), float(high * (high / low) ** 0.03)
    return low - 0.03 * (high - low), high + 0.03 * (high - low)


def _logarithmic(values: Floats) -> bool:
    low, high = float(values.min()), float(values.max())
    return low > 0 and high / low > _DECADES


def _title(result: TradeOff, places: Any) -> dict[str, Any]:
    about = result.space.about
    left_out = f"; {len(places):,} drawn" if len(places) < len(result.space) else ""
    bounds = ", ".join(f"{result.bounds.column(name)} ≤ {value:g}" for name, value in result.bounds.given.items())
    conditions = ", ".join(part for part in (bounds, *about.models) if part)
    text = f"{int(result.within.sum()):,} of {len(result.space):,} nodes within the bounds{left_out}; front {len(result.front):,}"
    lines = [
        conditions or "no bounds, no models",
        *([] if result.knee is None else [f"{_KNEE}: {named_node(result, result.knee)}"]),
    ]
    return {"text": text, "subtitle": [part for line in lines for part in wrap(line, _LINE)], "anchor": "start"}

"""Charts that several exhibits share, as Vega-Lite specifications.

Classes are identified by their numbers. The colors are safe for color-blind readers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.reporting.charts import BLUE, GRAY, RED, altair

AXES = {
    "distribution": "distribution loss",
    "entropy": "entropy loss (bits)",
    "utility-distribution": "distribution utility loss",
    "utility-entropy": "entropy utility loss (bits)",
}


def class_bars(values: Sequence[dict[str, Any]], loss: str, *, marked: int, width: int = 300, height: int = 170) -> Any:
    """One bar per class with its value, the marked class in another color."""
    alt = altair()
    rows = [row for row in values if row["loss"] == loss]
    scale = alt.Scale(domain=[0, 1.15 * max(row["value"] for row in rows)])
    base = _by_class(alt, rows, loss, scale, width, height)
    return base.mark_bar().encode(color=_marked(alt, marked)) + _value_texts(alt, base, dy=-7)


def class_dots(values: Sequence[dict[str, Any]], loss: str, *, marked: int, width: int = 300, height: int = 170) -> Any:
    """One dot per class with its value, on an axis that need not begin at zero."""
    alt = altair()
    rows = [row for row in values if row["loss"] == loss]
    low, high = (pick(row["value"] for row in rows) for pick in (min, max))
    scale = alt.Scale(domain=[low - 0.2 * (high - low), high + 0.25 * (high - low)], zero=False, nice=False)
    base = _by_class(alt, rows, loss, scale, width, height)
    dots = base.mark_point(filled=True, size=110, opacity=1).encode(color=_marked(alt, marked))
    return dots + _value_texts(alt, base, dy=-13)


def _by_class(alt: Any, rows: Sequence[dict[str, Any]], loss: str, scale: Any, width: int, height: int) -> Any:
    """A chart with the classes on one axis and a loss on the other."""
    return alt.Chart(alt.Data(values=rows), width=width, height=height).encode(
        x=alt.X("class:O", title="class", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("value:Q", title=AXES[loss], scale=scale),
    )


def _marked(alt: Any, number: int) -> Any:
    """Another color for one class."""
    return alt.condition(f"datum['class'] == {number}", alt.value(RED), alt.value(BLUE))


def _value_texts(alt: Any, base: Any, *, dy: int) -> Any:
    return base.mark_text(dy=dy, fontSize=11).encode(text=alt.Text("value:Q", format=".3f"))


def two_distributions(
    values: Sequence[str], prior: Sequence[float], posterior: Sequence[float], label: str, *, width: int = 480
) -> Any:
    """The shares of every value in the whole table (gray) and in one class (red), numbered as in the sources; a title names the colors."""
    alt = altair()
    pairs = (("whole table", prior), (label, posterior))
    rows = [
        {"value": f"{number} {value}", "share": share, "where": where}
        for where, shares in pairs
        for number, (value, share) in enumerate(zip(values, shares, strict=True), start=1)
    ]
    order = [f"{number} {value}" for number, value in enumerate(values, start=1)]
    colors = alt.Scale(domain=[where for where, _ in pairs], range=[GRAY, RED])
    return (
        alt.Chart(alt.Data(values=rows), width=width, height=28 * len(values))
        .mark_bar()
        .encode(
            y=alt.Y("value:N", sort=order, title=None, axis=alt.Axis(labelLimit=180)),
            yOffset=alt.YOffset("where:N", sort=[where for where, _ in pairs]),
            x=alt.X("share:Q", title="share of the people", axis=alt.Axis(format="%", tickCount=6)),
            color=alt.Color("where:N", scale=colors, legend=None),
        )
    )


def sets_of_classes(values: Sequence[dict[str, Any]], sets: Sequence[str], *, low: dict[str, float], marked: int) -> Any:
    """Losses by class, one column per set of QIDs and one row per loss; the marked class has another color."""
    alt = altair()
    losses = list(dict.fromkeys(row["loss"] for row in values))
    return alt.vconcat(
        *(
            alt.hconcat(*(_panel(alt, values, loss, each, low[loss], marked, first=not place) for place, each in enumerate(sets)))
            for loss in losses
        )
    )


def _panel(alt: Any, values: Sequence[dict[str, Any]], loss: str, name: str, low: float, marked: int, *, first: bool) -> Any:
    rows = [row for row in values if row["loss"] == loss and row["set"] == name]
    top = max(row["value"] for row in values if row["loss"] == loss)
    scale = alt.Scale(domain=[low, top + 0.08 * (top - low)], nice=False, zero=False)
    mark = {"type": "bar"} if low == 0 else {"type": "point", "filled": True, "size": 90, "opacity": 1}
    return (
        alt.Chart(
            alt.Data(values=rows), width=24 * len(rows), height=180, title=name if loss == values[0]["loss"] else alt.Undefined
        )
        .mark_bar()
        .encode(
            x=alt.X("class:O", title="class", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("value:Q", title=AXES[loss] if first else None, scale=scale, axis=alt.Axis(labels=first)),
            color=_marked(alt, marked),
        )
        .properties(mark=mark)
    )

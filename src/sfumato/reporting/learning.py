"""The λ-(ε,α) chart: what releases cost those who learn from them, against what they disclose."""

from __future__ import annotations

from typing import Any

from sfumato.errors import UsageError
from sfumato.reporting.charts import BLUE, GRAY, RED, altair

_AXES = (("epsilon", "ε: distribution privacy loss of the worst class"), ("alpha", "α: entropy privacy loss of the worst class"))
_WIDTH, _HEIGHT = 330, 300


def learning_chart(result: Any, within: float | None = None) -> dict[str, Any]:
    """Two panels, ε and α: each release with its utility loss and its confidence interval; a line at the tolerance.

    `result` is what `sfumato.learn` gives, which is above this room.
    """
    alt = altair()
    points = [_point(each) for each in result.releases if each.disclosure is not None]
    if not points:
        raise UsageError(
            "what is disclosed needs a sensitive attribute in the schema; without one there is no chart", where="charts"
        )
    panels = [_panel(alt, points, axis, title, within) for axis, title in _AXES]
    title = {"text": f"What releases cost a model of {result.target}, against what they disclose", "anchor": "start"}
    spec: dict[str, Any] = alt.hconcat(*panels).properties(title=title, background="white").to_dict()
    return spec


def _point(each: Any) -> dict[str, Any]:
    loss = each.loss
    low, high = (loss.value if end is None else end for end in (loss.low, loss.high))
    told = {"release": each.name, "epsilon": each.disclosure.epsilon, "alpha": each.disclosure.alpha}
    return {**told, "loss": loss.value, "low": low, "high": high, "accuracy": each.released.accuracy}


def _panel(alt: Any, points: list[dict[str, Any]], axis: str, title: str, within: float | None) -> Any:
    base = alt.Chart(alt.Data(values=points), width=_WIDTH, height=_HEIGHT)
    x = alt.X(
        f"{axis}:Q", title=title, scale=alt.Scale(domain=_room(points, axis), nice=False)
    )  # a release that discloses nothing is beside the axis, not on it
    tip = ["release:N", f"{axis}:Q", alt.Tooltip("loss:Q", format=".2%"), alt.Tooltip("accuracy:Q", format=".2%")]
    y = alt.Y("loss:Q", axis=alt.Axis(format="%"), title="utility loss λ")
    layers = [
        base.mark_rule(color=GRAY).encode(x=x, y=alt.Y("low:Q", title="utility loss λ"), y2="high:Q"),
        base.mark_circle(size=70, color=BLUE, opacity=1).encode(x=x, y=y, tooltip=tip),
        *(_names(alt, base, axis, points, left=left).encode(x=x, y=y, text="release:N") for left in (True, False)),
    ]
    if within is not None:
        line = alt.Chart(alt.Data(values=[{"within": within}]))
        layers.append(line.mark_rule(color=RED, strokeDash=[4, 3]).encode(y="within:Q"))
    return alt.layer(*layers)


def _room(points: list[dict[str, Any]], axis: str) -> list[float]:
    """From just below nothing to just above the most."""
    most = max(point[axis] for point in points) or 1.0
    return [-0.04 * most, 1.04 * most]


def _names(alt: Any, base: Any, axis: str, points: list[dict[str, Any]], *, left: bool) -> Any:
    """The names of releases: on the side of their point where there is room."""
    middle = max(point[axis] for point in points) / 2
    side = alt.datum[axis] <= middle if left else alt.datum[axis] > middle
    shown = base.transform_filter(side)
    return shown.mark_text(align="left" if left else "right", dx=7 if left else -7, dy=-5, fontSize=10)

"""The λ-(ε,α) chart: what releases cost those who learn from them, against what they disclose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.errors import UsageError
from sfumato.reporting.charts import BLUE, GRAY, RED, altair

_AXES = (("epsilon", "ε: distribution privacy loss of the worst class"), ("alpha", "α: entropy privacy loss of the worst class"))
_WIDTH, _HEIGHT = 330, 300
_LINE = 12  # pixels between the names of two releases


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
    record = {"release": each.name, "epsilon": each.disclosure.epsilon, "alpha": each.disclosure.alpha}
    return {**record, "loss": loss.value, "low": low, "high": high, "accuracy": each.released.accuracy}


def _panel(alt: Any, points: list[dict[str, Any]], axis: str, title: str, within: float | None) -> Any:
    ends = _ends(points, within)
    middle = max(point[axis] for point in points) / 2
    points = [point | {"left": point[axis] <= middle} for point in points]
    points = [each for left in (True, False) for each in _named([own for own in points if own["left"] is left], ends)]
    base = alt.Chart(alt.Data(values=points), width=_WIDTH, height=_HEIGHT)
    x = alt.X(
        f"{axis}:Q", title=title, scale=alt.Scale(domain=_room(points, axis), nice=False)
    )  # a release that discloses nothing is beside the axis, not on it
    tip = ["release:N", f"{axis}:Q", alt.Tooltip("loss:Q", format=".2%"), alt.Tooltip("accuracy:Q", format=".2%")]
    scale = alt.Scale(domain=ends, nice=False)
    y = alt.Y("loss:Q", axis=alt.Axis(format="%"), title="utility loss λ", scale=scale)
    layers = [
        base.mark_rule(color=GRAY).encode(x=x, y=alt.Y("low:Q", title="utility loss λ", scale=scale), y2="high:Q"),
        base.mark_circle(size=70, color=BLUE, opacity=1).encode(x=x, y=y, tooltip=tip),
        *(
            _names(alt, base, left=left).encode(x=x, y=alt.Y("name_at:Q", scale=scale), text="release:N")
            for left in (True, False)
        ),
    ]
    if within is not None:
        line = alt.Chart(alt.Data(values=[{"within": within}]))
        layers.append(line.mark_rule(color=RED, strokeDash=[4, 3]).encode(y="within:Q"))
    return alt.layer(*layers)


def _room(points: list[dict[str, Any]], axis: str) -> list[float]:
    """From just below nothing to just above the most."""
    most = max(point[axis] for point in points) or 1.0
    return [-0.04 * most, 1.04 * most]


def _ends(points: list[dict[str, Any]], within: float | None) -> list[float]:
    """From the least to the most of what is drawn, with some room."""
    drawn = [point[end] for point in points for end in ("low", "high")] + ([] if within is None else [within])
    room = 0.06 * (max(drawn) - min(drawn)) or 0.01
    return [min(drawn) - room, max(drawn) + room]


def _named(points: list[dict[str, Any]], ends: list[float]) -> list[dict[str, Any]]:
    """With the height of each name, in the order of the points: above its point, unless another name is there."""
    low, high = ends
    pixel = (high - low) / _HEIGHT
    order = sorted(range(len(points)), key=lambda place: -points[place]["loss"])
    wanted = [points[place]["loss"] + 5 * pixel for place in order]
    heights = apart(wanted, _LINE * pixel, low + 5 * pixel, high - 5 * pixel)
    return [points[place] | {"name_at": height} for place, height in zip(order, heights, strict=True)]


def apart(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Heights in falling order, moved as little as it takes from the top down to be a gap apart, within two ends if they fit.

    >>> apart([5, 5, 5, 1], 1, 0, 10), apart([0.5, 0.2], 1, 0, 10)
    ([5, 4, 3, 1], [1, 0])
    """
    placed: list[float] = []
    for height in heights:
        placed.append(min([height, high, *(each - gap for each in placed[-1:])]))
    floor = low
    for place in reversed(range(len(placed))):  # what went below the lower end comes up again
        placed[place] = max(placed[place], floor)
        floor = placed[place] + gap
    return placed


def _names(alt: Any, base: Any, *, left: bool) -> Any:
    """The names of releases: on the side of their point where there is room."""
    shown = base.transform_filter(alt.datum.left == left)
    return shown.mark_text(align="left" if left else "right", dx=7 if left else -7, fontSize=10)

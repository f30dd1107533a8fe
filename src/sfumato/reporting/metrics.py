"""The chart that compares metrics (leakage paper, Fig. 1)."""

from __future__ import annotations

from typing import Any

from sfumato.losses.comparison import Comparison
from sfumato.reporting.charts import BLUE, DARK, GRAY, GREEN, ORANGE, PURPLE, RED, SKY, altair, finished

NAMES = {
    "distribution": "Euclidean",
    "entropy": "entropy",
    "l1": "L1",
    "kl": "Kullback–Leibler",
    "js": "Jensen–Shannon",
    "hellinger": "Hellinger",
    "chi2": "chi-square",
    "emd": "earth mover's",
}
# Color, dash and width. Where metrics coincide, thinner lines are drawn on thicker ones.
_LOOKS: dict[str, tuple[str, list[int], float]] = {
    "entropy": (RED, [1, 0], 3),
    "Euclidean": (SKY, [1, 0], 9),
    "earth mover's": (DARK, [1, 0], 1.5),
    "L1": (ORANGE, [1, 0], 5),
    "Hellinger": (PURPLE, [7, 4], 2.5),
    "Kullback–Leibler": (GREEN, [1, 0], 2),
    "Jensen–Shannon": (BLUE, [2, 3], 2),
    "chi-square": (GRAY, [9, 4], 2),
}


def metrics_chart(result: Comparison) -> dict[str, Any]:
    """The metrics along the path, beside the correlation of their ranks."""
    alt = altair()
    names = [NAMES.get(name, name) for name in result.metrics]
    lines = [
        {"path": float(step), "share": float(share), "metric": name}
        for step, row in zip(result.path, result.shares, strict=True)
        for name, share in zip(names, row, strict=True)
    ]
    color, dash, width = (
        alt.Scale(type="ordinal", domain=list(_LOOKS), range=[look[at] for look in _LOOKS.values()]) for at in range(3)
    )
    path = (
        alt.Chart(alt.Data(values=lines), width=460, height=320, title="Each metric as a share of its maximum")
        .mark_line()
        .encode(
            x=alt.X("path:Q", title="from the prior (0) to its reverse (1)"),
            y=alt.Y("share:Q", title="share of the maximum", scale=alt.Scale(domain=[0, 1.05], nice=False)),
            color=alt.Color("metric:N", scale=color, title="metric", legend=alt.Legend(symbolStrokeWidth=3)),
            strokeDash=alt.StrokeDash("metric:N", scale=dash, title="metric"),
            strokeWidth=alt.StrokeWidth("metric:N", scale=width, legend=None),
        )
    )
    both = alt.vconcat(path, _ranks(alt, result, names), spacing=30)
    return finished(both.resolve_scale(color="independent", strokeDash="independent", strokeWidth="independent"))


def _ranks(alt: Any, result: Comparison, names: list[str]) -> Any:
    """The correlation of the ranks as a matrix of numbers."""
    cells = [
        {"one": one, "other": other, "correlation": round(float(result.correlation[i, j]), 2)}
        for i, one in enumerate(names)
        for j, other in enumerate(names)
    ]
    grid = alt.Chart(alt.Data(values=cells), width=460, height=320, title="Correlation of their ranks along the path").encode(
        x=alt.X("other:N", sort=names, title=None, axis=alt.Axis(labelAngle=-40)), y=alt.Y("one:N", sort=names, title=None)
    )
    color = alt.Color("correlation:Q", scale=alt.Scale(range=["#f2f2f2", BLUE], domain=[0, 1]), legend=None)
    text = alt.condition("datum.correlation > 0.5", alt.value("white"), alt.value("black"))
    numbers = grid.mark_text(fontSize=11).encode(text=alt.Text("correlation:Q", format=".2f"), color=text)
    return grid.mark_rect().encode(color=color) + numbers

"""Charts, drawn by Vega-Lite without a browser. Needs the extra `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sfumato.errors import OutputError, UsageError
from sfumato.losses.comparison import Comparison

FORMATS = (".svg", ".png")


def metrics_chart(comparison: Comparison) -> dict[str, Any]:
    """The metrics along the path, beside the correlation of their ranks: a Vega-Lite specification."""
    alt = altair()
    lines = [
        {"path": float(step), "share": float(share), "metric": metric}
        for step, row in zip(comparison.path, comparison.shares, strict=True)
        for metric, share in zip(comparison.metrics, row, strict=True)
    ]
    cells = [
        {"one": one, "other": other, "correlation": round(float(comparison.correlation[i, j]), 2)}
        for i, one in enumerate(comparison.metrics)
        for j, other in enumerate(comparison.metrics)
    ]
    path = (
        alt.Chart(alt.Data(values=lines), width=420, height=320, title="Each metric as a share of its maximum")
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("path:Q", title="from the prior (0) to its reverse (1)"),
            y=alt.Y("share:Q", title="share of the maximum"),
            color=alt.Color("metric:N", sort=list(comparison.metrics), title="metric"),
            strokeDash=alt.StrokeDash("metric:N", sort=list(comparison.metrics), legend=None),
        )
    )
    grid = alt.Chart(alt.Data(values=cells), width=320, height=320, title="Correlation of their ranks").encode(
        x=alt.X("other:N", sort=list(comparison.metrics), title=None), y=alt.Y("one:N", sort=list(comparison.metrics), title=None)
    )
    color = alt.Color("correlation:Q", scale=alt.Scale(scheme="redblue", domain=[-1, 1]), title="correlation")
    text = alt.condition("abs(datum.correlation) > 0.6", alt.value("white"), alt.value("black"))
    heat = grid.mark_rect().encode(color=color) + grid.mark_text(fontSize=10).encode(text="correlation:Q", color=text)
    spec: dict[str, Any] = (path | heat).resolve_scale(color="independent").to_dict()
    return spec


def write_chart(spec: dict[str, Any], path: Path) -> None:
    """A chart as SVG or PNG, by the ending of the name."""
    try:
        import vl_convert
    except ImportError:
        raise UsageError("charts need the extra 'report': pip install 'sfumato[report]'", where="charts") from None
    if path.suffix not in FORMATS:
        raise OutputError(f"cannot tell the format; the name must end in {' or '.join(FORMATS)}", where=str(path))
    drawn = vl_convert.vegalite_to_svg(spec).encode() if path.suffix == ".svg" else vl_convert.vegalite_to_png(spec, scale=2)
    try:
        path.write_bytes(drawn)
    except OSError as error:
        raise OutputError(f"cannot be written: {error.strerror}", where=str(path)) from None


def altair() -> Any:
    """The library that writes the specifications; loaded when first needed."""
    try:
        import altair
    except ImportError:
        raise UsageError("charts need the extra 'report': pip install 'sfumato[report]'", where="charts") from None
    return altair

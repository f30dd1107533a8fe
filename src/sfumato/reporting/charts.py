"""Charts, rendered by Vega-Lite without a browser. Needs the extra `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sfumato.commit.writing import written_whole
from sfumato.errors import OutputError, UsageError

FORMATS = (".svg", ".png")
# The palette of Okabe and Ito: distinguishable with color blindness, and in gray.
BLUE, ORANGE, GREEN, RED, PURPLE, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"
GRAY, DARK = "#8a8a8a", "#333333"


def finished(chart: Any) -> dict[str, Any]:
    """A specification with legible text."""
    styled = chart.configure_axis(labelFontSize=12, titleFontSize=13, titleFontWeight="normal", titlePadding=8)
    styled = styled.configure_title(fontSize=14, anchor="start", offset=10, subtitleFontSize=12, subtitleColor="#555555")
    styled = styled.configure_legend(labelFontSize=12, titleFontSize=12, titleFontWeight="normal", labelLimit=320)
    styled = styled.configure_header(labelFontSize=13, titleFontSize=13).configure_view(stroke="#cccccc")
    spec: dict[str, Any] = styled.properties(background="white", padding=12).to_dict()
    return spec


def require_format(path: Path) -> None:
    """Refuse a name that does not say which of the formats to write."""
    if path.suffix not in FORMATS:
        raise OutputError(f"unknown format; the name must end in {' or '.join(FORMATS)}", where=str(path))


def write_chart(spec: dict[str, Any], path: Path, *, force: bool) -> None:
    """Write a chart as SVG or PNG, by the suffix of the path."""
    require_format(path)
    image = chart_image(spec, path.suffix)
    with written_whole(path, force) as hidden:
        hidden.write_bytes(image)


def chart_image(spec: dict[str, Any], suffix: str) -> bytes:
    """A chart as the content of an SVG or PNG file."""
    try:
        import vl_convert
    except ImportError:
        raise _missing_extra() from None
    if suffix == ".svg":
        return str(vl_convert.vegalite_to_svg(spec)).encode()
    return bytes(vl_convert.vegalite_to_png(spec, scale=2))


def altair() -> Any:
    """The library that builds the specifications; loaded when first needed."""
    try:
        import altair
    except ImportError:
        raise _missing_extra() from None
    return altair


def _missing_extra() -> UsageError:
    return UsageError("charts need the extra 'report': pip install 'sfumato[report]'", where="charts")

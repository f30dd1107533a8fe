"""Hand-written SVG charts: bars, pairs of bars, dots. They scale with the page and take their colors from its style.

A chart is about as wide as a phone, so its text is readable there. It has a title and a description for screen readers, and every number
in a chart is also in a table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sfumato.reporting.markup import Cell, Html, joined, tag
from sfumato.reporting.sentences import percent
from sfumato.results import cell_text

WIDTH = 420
RIGHT = 12
LETTER = 6.6  # approximate width of a letter in the charts


def chart(name: str, title: str, about: str, height: float, *parts: Html) -> Html:
    """A drawing with its title and description."""
    return tag(
        "svg",
        tag("title", title, id=f"{name}-title"),
        tag("desc", about, id=f"{name}-desc"),
        *parts,
        viewBox=f"0 0 {WIDTH} {coordinate(height)}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        xmlns="http://www.w3.org/2000/svg",
    )


def bars(
    name: str,
    title: str,
    about: str,
    rows: Sequence[tuple[str, float, str]],
    axis: str,
    *,
    whole: bool = False,
    most: float | None = None,
) -> Html:
    """Horizontal bars: (label, value, text). Short labels are beside their bars, long ones above. `whole`: no fractions on the axis.
    `most` is where the axis ends, so that several pictures can be compared; by default it ends with the longest bar."""
    longest = max((len(label) for label, _, _ in rows), default=0)
    above = longest > 18
    left = 8.0 if above else 14 + longest * LETTER
    step = 33.0 if above else 19.0
    scale = Scale(0, most or max((value for _, value, _ in rows), default=0) or 1, left, WIDTH - RIGHT - 46)
    bottom = 8 + step * len(rows)
    parts = [_grid(scale, 6, bottom, axis, whole=whole)]
    for place, (label, value, shown) in enumerate(rows):
        top = 8 + place * step
        x, y = (left, top + 11) if above else (left - 6, top + 11.5)
        at = top + 17 if above else top + 2
        parts.append(lettering(clipped(label, 58), x, y, anchor="start" if above else "end"))
        parts.append(_bar(scale, value, at, 12, "bar"))
        parts.append(lettering(shown, scale(value) + 4, at + 10, soft=True))
    return chart(name, title, about, bottom + 38, *parts)


def pairs(name: str, title: str, about: str, rows: Sequence[tuple[str, float, float]], names: tuple[str, str], axis: str) -> Html:
    """Pairs of bars for shares: (label, first, second). The first is hollow, so the bars differ without color."""
    most = max((max(one, other) for _, one, other in rows), default=0) or 1
    scale, top, step = Scale(0, most, 8, WIDTH - RIGHT), 26.0, 42.0
    bottom = top + step * len(rows)
    parts = [_legend(names), _grid(scale, top - 4, bottom, axis, percent=True)]
    for place, (label, one, other) in enumerate(rows):
        y = top + place * step
        parts.append(lettering(clipped(label, 40), 8, y + 11))
        parts.append(lettering(f"{percent(one)} → {percent(other)}", WIDTH - RIGHT, y + 11, anchor="end", soft=True))
        parts.append(_bar(scale, one, y + 17, 8, "hollow"))
        parts.append(_bar(scale, other, y + 27, 9, "bar"))
    return chart(name, title, about, bottom + 38, *parts)


def dots(name: str, title: str, about: str, points: Mapping[tuple[float, float], int], x_axis: str, y_axis: str) -> Html:
    """Dots at (x, y), each for a number of classes; x is logarithmic. Near points share a dot, which is larger for more classes."""
    height, left, bottom = 300.0, 46.0, 250.0
    xs = [x for x, _ in points]
    most = max((y for _, y in points), default=0) or 1
    across = Scale(math.log10(min(xs)), max(math.log10(max(xs)), math.log10(min(xs)) + 0.3), left + 8, WIDTH - RIGHT - 8)
    up = Scale(0, most, bottom, 20)
    parts = [lettering(y_axis, 4, 11), *_rows(up, left), *_decades(across, min(xs), max(xs), bottom)]
    parts.append(lettering(x_axis, WIDTH - RIGHT, height - 10, anchor="end"))
    for (x, y), count in sorted(gathered(points, across, up).items()):
        parts.append(
            tag("circle", cx=coordinate(x), cy=coordinate(y), r=coordinate(min(2.5 + math.log2(count) / 2, 7)), class_="dot")
        )
    return chart(name, title, about, height, *parts)


class Scale:
    """A linear scale from numbers to positions."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / ((self.high - self.low) or 1) * (self.end - self.start)


def gathered(
    points: Mapping[tuple[float, float], int], across: Scale, up: Scale, step: float = 5
) -> dict[tuple[float, float], int]:
    """The points on a coarse grid, so that thousands of classes become hundreds of dots."""
    cells: dict[tuple[float, float], int] = {}
    for (x, y), count in points.items():
        place = (round(across(math.log10(x)) / step) * step, round(up(y) / step) * step)
        cells[place] = cells.get(place, 0) + count
    return cells


def ticks(most: float, wanted: int = 4) -> list[float]:
    """Round numbers from zero to at most `most`.

    >>> ticks(0.29), ticks(1.0), ticks(47)
    ([0.0, 0.1, 0.2], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 10.0, 20.0, 30.0, 40.0])
    """
    power = 10 ** math.floor(math.log10(most / wanted))
    step = next(power * factor for factor in (1, 2, 5, 10) if most / (power * factor) <= wanted + 1)
    return [float(f"{place * step:.6g}") for place in range(int(most / step + 1e-9) + 1)]


def clipped(label: str, most: int) -> str:
    """A label that fits. The table has the whole label."""
    return label if len(label) <= most else label[: most - 1] + "…"


def _grid(scale: Scale, top: float, bottom: float, axis: str, *, percent: bool = False, whole: bool = False) -> Html:
    """Vertical lines at round numbers, their labels, and the name of the axis."""
    parts = []
    for value in ticks(scale.high):
        if whole and value % 1:
            continue
        x = scale(value)
        parts.append(tag("line", x1=coordinate(x), x2=coordinate(x), y1=coordinate(top), y2=coordinate(bottom), class_="grid"))
        anchor = "start" if x < 14 else "end" if x > WIDTH - RIGHT - 10 else "middle"
        written = f"{value:,.0f}" if whole else f"{value * 100:.4g}%" if percent else cell_text(value)
        parts.append(lettering(written, x, bottom + 13, anchor=anchor, soft=True))
    return joined([*parts, lettering(axis, WIDTH - RIGHT, bottom + 30, anchor="end")])


def _rows(up: Scale, left: float) -> list[Html]:
    parts = []
    for value in ticks(up.high):
        y = up(value)
        parts.append(
            tag("line", x1=coordinate(left), x2=coordinate(WIDTH - RIGHT), y1=coordinate(y), y2=coordinate(y), class_="grid")
        )
        parts.append(lettering(cell_text(value), left - 6, y + 4, anchor="end", soft=True))
    return parts


def _decades(across: Scale, least: float, most: float, bottom: float) -> list[Html]:
    """Marks at powers of ten, and between them where there are few."""
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    steps = (1,) if len(powers) > 4 else (1, 2, 5)
    values = [factor * 10**power for power in powers for factor in steps if least <= factor * 10**power <= max(most, least * 2)]
    return [lettering(f"{value:,}", across(math.log10(value)), bottom + 17, anchor="middle", soft=True) for value in values]


def _legend(names: tuple[str, str]) -> Html:
    one, other = names
    second = 8 + 22 + len(one) * LETTER + 16
    return joined(
        [
            tag("rect", x="8.5", y="4.5", width="13", height="8", class_="hollow"),
            lettering(one, 27, 12.5),
            tag("rect", x=coordinate(second), y="4", width="14", height="9", class_="bar"),
            lettering(other, second + 19, 12.5),
        ]
    )


def _bar(scale: Scale, value: float, y: float, height: float, kind: str) -> Html:
    start, least = scale(0), 0.5 if value else 0
    return tag(
        "rect",
        x=coordinate(start),
        y=coordinate(y),
        width=coordinate(max(scale(value) - start, least)),
        height=coordinate(height),
        class_=kind,
    )


def lettering(shown: Cell, x: float, y: float, *, anchor: str = "start", soft: bool = False) -> Html:
    """Text in a drawing."""
    return tag(
        "text",
        shown,
        x=coordinate(x),
        y=coordinate(y),
        text_anchor=None if anchor == "start" else anchor,
        class_="soft" if soft else None,
    )


def coordinate(number: float) -> str:
    """A coordinate with one decimal."""
    return f"{number:.1f}".removesuffix(".0")

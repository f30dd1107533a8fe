"""The pictures of the report that the house has not: the path of the data, and days on which campaigns were at work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, timedelta

from sfumato.reporting.markup import Html, tag
from sfumato.reporting.svg import RIGHT, WIDTH, chart

_BOX, _GAP, _LABEL = 44.0, 26.0, 18.0
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_FAINT = 0.18  # of a day on which little happened; one on which nothing did is empty


def path_picture(name: str, title: str, rows: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> Html:
    """Boxes from the top to the bottom: in each row its label, and counts with what they count. An arrow leads from row to row."""
    parts: list[Html] = []
    y = 4.0
    for place, (label, boxes) in enumerate(rows):
        parts.append(_text(label, 8, y + 12, soft=True))
        parts += _boxes(boxes, y + _LABEL)
        y += _LABEL + _BOX
        if place + 1 < len(rows):
            parts += _arrow(WIDTH / 2, y + 3, y + _GAP - 5)
            y += _GAP
    about = "; then ".join(f"{label}: {', '.join(f'{count} {noun}' for count, noun in boxes)}" for label, boxes in rows)
    return chart(name, title, about, y + 4, *parts)


def _boxes(boxes: Sequence[tuple[str, str]], y: float) -> list[Html]:
    width = (WIDTH - 16 - 8 * (len(boxes) - 1)) / len(boxes)
    parts = []
    for place, (count, noun) in enumerate(boxes):
        x = 8 + place * (width + 8)
        parts.append(tag("rect", x=_n(x), y=_n(y), width=_n(width), height=_n(_BOX), rx="4", class_="hollow"))
        parts.append(_text(count, x + width / 2, y + 19, anchor="middle"))
        parts.append(_text(noun, x + width / 2, y + 35, anchor="middle", soft=True))
    return parts


def _arrow(x: float, top: float, bottom: float) -> list[Html]:
    head = f"{_n(x - 4)},{_n(bottom - 6)} {_n(x + 4)},{_n(bottom - 6)} {_n(x)},{_n(bottom)}"
    line = tag("line", x1=_n(x), x2=_n(x), y1=_n(top), y2=_n(bottom - 5), class_="grid")
    return [line, tag("polygon", points=head, class_="was")]


def days_picture(name: str, title: str, about: str, first: str, rows: Sequence[tuple[str, Sequence[int], str]]) -> Html:
    """One strip per row, one cell per day: the more happened, the stronger its color. Each row has a label and a total."""
    count = max((len(days) for _, days, _ in rows), default=1)
    left = 12 + 6.6 * max((len(label) for label, _, _ in rows), default=0)
    right = WIDTH - RIGHT - 10 - 6.6 * max((len(total) for _, _, total in rows), default=0)
    width, step, top = (right - left) / count, 20.0, 6.0
    most = max((each for _, days, _ in rows for each in days), default=0) or 1
    parts = []
    for place, (label, days, total) in enumerate(rows):
        y = top + place * step
        parts.append(_text(label, left - 6, y + 12, anchor="end"))
        parts.append(tag("line", x1=_n(left), x2=_n(right), y1=_n(y + 16.5), y2=_n(y + 16.5), class_="grid"))
        parts += [_cell(left + day * width, y, width, each / most) for day, each in enumerate(days) if each]
        parts.append(_text(total, WIDTH - RIGHT, y + 12, anchor="end", soft=True))
    bottom = top + step * len(rows)
    parts += _dates(first, count, left, width, bottom + 12)
    return chart(name, title, about, bottom + 18, *parts)


def _cell(x: float, y: float, width: float, share: float) -> Html:
    shade = _FAINT + (1 - _FAINT) * math.sqrt(share)
    return tag(
        "rect", x=_n(x), y=_n(y + 1), width=_n(max(width - 0.6, 0.6)), height="14", class_="bar", fill_opacity=f"{shade:.2f}"
    )


def day_of(first: str, later: int) -> str:
    """
    >>> day_of("2026-02-27", 2)
    '1\\xa0Mar'
    """
    day = date.fromisoformat(first) + timedelta(days=later)
    return f"{day.day}\N{NO-BREAK SPACE}{_MONTHS[day.month - 1]}"


def _dates(first: str, count: int, left: float, width: float, y: float) -> list[Html]:
    """The first and the last day, and one between them where there is room."""
    places = {0: "start", count - 1: "end"} | ({(count - 1) // 2: "middle"} if count > 4 else {})
    ends = {"start": 0.0, "middle": 0.5, "end": 1.0}
    return [
        _text(day_of(first, day), left + (day + ends[anchor]) * width, y, anchor=anchor, soft=True)
        for day, anchor in places.items()
    ]


def _text(shown: str, x: float, y: float, *, anchor: str = "start", soft: bool = False) -> Html:
    return tag(
        "text", shown, x=_n(x), y=_n(y), text_anchor=None if anchor == "start" else anchor, class_="soft" if soft else None
    )


def _n(number: float) -> str:
    """A coordinate with one decimal."""
    return f"{number:.1f}".removesuffix(".0")

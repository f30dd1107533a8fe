"""The pictures of the page that the house has not: people by how many values remain, and every two releases as a heat map."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from sfumato.reporting.markup import Html, tag
from sfumato.reporting.svg import LETTER, RIGHT, WIDTH, Scale, chart, coordinate, lettering

# From the strongest, for what is worst, to the faintest.
SHADES = (("mark", None), ("bar", None), ("bar", 0.65), ("bar", 0.4), ("bar", 0.18))
# Of the cells of a heat map: text must be readable on the strongest.
FAINT, STRONG = 0.08, 0.55
_CELL, _READABLE = 46.0, 25.0


def stacked_picture(name: str, title: str, about: str, rows: Sequence[tuple[str, Sequence[int]]], keys: Sequence[str]) -> Html:
    """One bar per row, as long as the others, divided by the shares of its counts; `keys` are what is counted, the worst first."""
    legend, top = _legend(keys)
    left = 14 + LETTER * max((len(label) for label, _ in rows), default=0)
    step = 21.0
    parts = list(legend)
    for place, (label, counts) in enumerate(rows):
        y = top + place * step
        parts.append(lettering(label, left - 6, y + 12, anchor="end"))
        parts += _divided(counts, Scale(0, sum(counts) or 1, left, WIDTH - RIGHT), y)
    bottom = top + step * len(rows)
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        x = left + share * (WIDTH - RIGHT - left)
        parts.append(lettering(f"{share:.0%}", x, bottom + 10, anchor=anchor, soft=True))
    parts.append(lettering("share of the people", WIDTH - RIGHT, bottom + 27, anchor="end"))
    return chart(name, title, about, bottom + 34, *parts)


def _divided(counts: Sequence[int], scale: Scale, y: float) -> Iterator[Html]:
    before = 0
    for count, (kind, opacity) in zip(counts, SHADES, strict=True):
        if count:
            x, end = scale(before), scale(before + count)
            yield _box(x, y + 1, max(end - x, 0.6), 15, kind, opacity)
            before += count
    yield tag(
        "rect",
        x=coordinate(scale.start),
        y=coordinate(y + 1),
        width=coordinate(scale.end - scale.start),
        height="15",
        class_="hollow",
    )


def _legend(keys: Sequence[str]) -> tuple[list[Html], float]:
    """Boxes with their words, in as many lines as they need, and where the chart begins below them."""
    parts, x, y = [], 8.0, 4.0
    for key, (kind, opacity) in zip(keys, SHADES, strict=True):
        width = 20 + LETTER * len(key) + 14
        if x + width > WIDTH:
            x, y = 8.0, y + 18
        parts += [_box(x, y, 14, 10, kind, opacity), lettering(key, x + 19, y + 9.5)]
        x += width
    return parts, y + 22


def _box(x: float, y: float, width: float, height: float, kind: str, opacity: float | None) -> Html:
    return tag(
        "rect",
        x=coordinate(x),
        y=coordinate(y),
        width=coordinate(width),
        height=coordinate(height),
        class_=kind,
        fill_opacity=opacity,
    )


def heat_picture(name: str, title: str, about: str, names: Sequence[str], counts: Mapping[tuple[int, int], int]) -> Html:
    """Half a square: one cell for every two rows, the more the stronger. `counts` are by row and column, one per cell."""
    left = 16 + LETTER * max(map(len, names))
    size = min(_CELL, (WIDTH - left - RIGHT) / len(names))
    most = max(counts.values(), default=0) or 1
    parts: list[Html] = []
    for place, label in enumerate(names):
        middle = 6 + place * size + size / 2
        parts.append(lettering(label, left - 6, middle + 4, anchor="end"))
        parts.append(lettering(label, left + place * size + size / 2, 6 + len(names) * size + 15, anchor="middle"))
    for (row, column), count in counts.items():
        parts += _cell(left + column * size, 6 + row * size, size, count, most)
    bottom = 6 + len(names) * size
    parts.append(lettering("release", left + len(names) * size, bottom + 32, anchor="end"))
    return chart(name, title, about, bottom + 38, *parts)


def _cell(x: float, y: float, size: float, count: int, most: int) -> Iterator[Html]:
    inner = size - 1.5
    yield tag("rect", x=coordinate(x), y=coordinate(y), width=coordinate(inner), height=coordinate(inner), class_="hollow")
    if count:
        yield _box(x, y, inner, inner, "bar", round(FAINT + (STRONG - FAINT) * math.sqrt(count / most), 3))
    if size >= _READABLE:
        written = f"{count:,}"
        shown = written if LETTER * len(written) < inner - 3 else compact(count)
        yield lettering(shown, x + inner / 2, y + inner / 2 + 4, anchor="middle", soft=not count)


def compact(count: int) -> str:
    """A count in at most four letters.

    >>> compact(0), compact(999), compact(1000), compact(12_345), compact(999_999), compact(1_250_000)
    ('0', '999', '1k', '12k', '1M', '1.2M')
    """
    if count < 1000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.0f}k"
    return f"{count / 1e6:.1f}".removesuffix(".0") + "M" if count < 9_950_000 else f"{count / 1e6:.0f}M"

"""The levels of a column as a picture: one row per level, the root on top, every label as wide as the people behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.reporting.markup import Html, tag
from sfumato.reporting.svg import LETTER, WIDTH, chart, clipped
from sfumato.web.bench.levels.people import Rolled

_ROW, _GAP, _LEFT = 24.0, 3.0, 16.0
_LEAST = 1.5  # narrower labels are drawn together
_READABLE = 4  # letters
_BAND = re.compile(r"\[(.+), .+[)\]]")
_Numbers = npt.NDArray[np.integer]


def levels_picture(name: str, title: str, found: Rolled) -> Html:
    """The levels of a column. The missing value has no label and is left out."""
    hierarchy = found.hierarchy
    codes = [hierarchy.ancestors(0, level)[: len(hierarchy.at(0))] for level in range(hierarchy.height + 1)]
    order = np.lexsort(codes)  # by the root, then by the level below it, …
    people = found.people[0][order]
    total = int(people.sum())
    parts = []
    for row, level in enumerate(range(hierarchy.height, -1, -1)):
        y = row * (_ROW + _GAP)
        parts.append(tag("text", str(level), x="2", y=f"{y + 16:.1f}", class_="soft"))
        starts, ends, labels = _runs(codes[level][order], people)
        for x, width, place in _boxes(starts, ends, total):
            parts += _box(x, y, width, None if place is None else hierarchy.at(level)[labels[place]])
    words = ", ".join(f"level {level}: {len(hierarchy.at(level)):,}" for level in range(hierarchy.height + 1))
    about = f"Labels on each level, each as wide as the people behind it ({words}). The numbers are in the list of levels."
    return chart(name, title, about, (hierarchy.height + 1) * (_ROW + _GAP), *parts)


def _runs(codes: _Numbers, people: _Numbers) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Neighbors with one code as one run: the people before it, those before its end, and its code."""
    first = np.flatnonzero(np.diff(codes, prepend=-1))
    sums = np.concatenate([[0], np.cumsum(people)])
    return sums[first], sums[np.append(first[1:], len(codes))], codes[first]


def _boxes(starts: _Numbers, ends: _Numbers, total: int) -> Iterator[tuple[float, float, int | None]]:
    """Places and widths; labels that are too narrow share a box without a name (None)."""
    scale = (WIDTH - _LEFT - 1) / (total or 1)
    together: tuple[float, float] | None = None
    for place, (start, end) in enumerate(zip((starts * scale).tolist(), (ends * scale).tolist(), strict=True)):
        if end - start < _LEAST:
            together = (together[0] if together else start, end)
            continue
        if together:
            yield together[0], together[1] - together[0], None
            together = None
        yield start, end - start, place
    if together:
        yield together[0], together[1] - together[0], None


def _box(x: float, y: float, width: float, label: str | None) -> list[Html]:
    shape = {"x": f"{x + _LEFT:.1f}", "y": f"{y + 1:.1f}", "width": f"{max(width - 0.6, 0.4):.1f}", "height": f"{_ROW:.0f}"}
    box = tag("rect", class_="label" if label is not None else "label many", **shape)
    letters = int((width - 6) / LETTER)
    if label is None or (len(label) > letters and letters < _READABLE):
        return [box]
    return [box, tag("text", _fitting(label, letters), x=f"{x + _LEFT + 3:.1f}", y=f"{y + 17:.1f}")]


def _fitting(label: str, letters: int) -> str:
    """As much of a label as fits; of a band its beginning."""
    band = _BAND.fullmatch(label) if len(label) > letters else None
    return clipped(f"{band[1]} …" if band else label, letters)

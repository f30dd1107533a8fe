"""Where labels and the values that they cover are on the axis of a picture: numbers and dates at their place, other values side by side,
those of one label together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.frequency import Counts
from sfumato.naming import FEW
from sfumato.reporting.bins import MOMENTS, NUMBERS, numbers_of
from sfumato.reporting.overview import Span
from sfumato.statistics import Floats
from sfumato.vocabulary.builders.dates import days_of
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.labels import Range

MOST_BARS = 36
NARROWEST = 0.01  # of the axis, for a label that is a single number
Leaves = tuple[Hierarchy, int | None, Counts]  # the hierarchy of a column, its level, and the people of each value
Blocks = tuple[tuple[Span, ...], tuple[Span, ...], int | None]


def blocks_of(labels: Sequence[str | None], people: Counts, kind: Kind | None, leaves: Leaves | None) -> Blocks:
    """The labels of a column as blocks over the values that they cover, these as bars, and how many values there are."""
    values = None if leaves is None else int((leaves[2] > 0).sum())
    if kind in NUMBERS or kind in MOMENTS:
        drawn = _on_numbers(labels, people, kind, leaves)
        if drawn is not None:
            return (*drawn, values)
    if leaves is not None and leaves[1] is not None:
        return (*_on_leaves(labels, people, leaves, leaves[1]), values)
    width = 1 / max(len(labels), 1)
    return tuple(Span(place * width, (place + 1) * width, int(many)) for place, many in enumerate(people)), (), values


def _on_numbers(
    labels: Sequence[str | None], people: Counts, kind: Kind | None, leaves: Leaves | None
) -> tuple[tuple[Span, ...], tuple[Span, ...]] | None:
    """On a scale of numbers; None if a label is not a range of them, or if there is no scale."""
    ends = [_ends(label, kind) for label in labels if label is not None]
    if any(each is None for each in ends):
        return None
    texts = [] if leaves is None else leaves[0].labels[0]
    numbers = np.zeros(0) if leaves is None else numbers_of(texts, kind)
    if numbers is None:
        return None
    counted = np.zeros(0, np.int64) if leaves is None else leaves[2][: len(texts)]
    inside = np.concatenate([numbers[counted > 0], [e for each in ends if each for e in each if np.isfinite(e)]])
    inside = inside[np.isfinite(inside)]
    if not len(inside) or inside.min() == inside.max():
        return None
    low, high = float(inside.min()), float(inside.max())
    known = [(each, many) for each, many in zip(ends, people[[label is not None for label in labels]], strict=True) if each]
    places = [(_at(each[0], low, high), _at(each[1], low, high), int(many)) for each, many in known]
    after = [Span(start, max(end, round(start + NARROWEST, 4)), many) for start, end, many in places]
    return tuple(after), _histogram(numbers, counted, low, high)


def _at(number: float, low: float, high: float) -> float:
    return round(float(np.clip((number - low) / (high - low), 0, 1)), 4)


def _histogram(numbers: Floats, people: Counts, low: float, high: float) -> tuple[Span, ...]:
    """Equally wide bars. Where fewer than five people are, there is none."""
    finite = np.isfinite(numbers) & (people > 0)
    if not finite.any():
        return ()
    bars = min(_bars(people), int(finite.sum()))
    places = np.clip(((numbers[finite] - low) / (high - low) * bars).astype(int), 0, bars - 1)
    heights = np.bincount(places, weights=people[finite], minlength=bars)
    return tuple(
        Span(round(place / bars, 4), round((place + 1) / bars, 4), int(many)) for place, many in enumerate(heights) if many >= FEW
    )


def _bars(people: Counts) -> int:
    """How many bars: fewer for few people, so that a bar has more than a handful of them."""
    return int(np.clip(people.sum() // 20, 4, MOST_BARS))


def _ends(label: str, kind: Kind | None) -> tuple[float, float] | None:
    """The first and the last number, or day, of a label; without end for the root."""
    if label == ROOT:
        return -np.inf, np.inf
    if kind in MOMENTS and (days := days_of(label)):
        return float(days[0].toordinal()), float(days[1].toordinal() + 1)
    span = Range.parse(label)
    if span is None:
        return None
    ends: list[Any] = [span.lower, span.upper]
    if kind in MOMENTS:
        moments = [days_of(str(end)[:10]) for end in ends]
        return None if None in moments else (float(moments[0][0].toordinal()), float(moments[1][1].toordinal() + 1))  # type: ignore[index]
    if any(isinstance(end, str) for end in ends):
        return None
    lower, upper = float(ends[0]), float(ends[1])
    return lower, upper + 1 if lower == upper and kind is Kind.INTEGER else upper  # a whole number has a width


def _on_leaves(
    labels: Sequence[str | None], people: Counts, leaves: Leaves, level: int
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Side by side, the values of one label together."""
    hierarchy, _, counted = leaves
    label_of = hierarchy.ancestors(0, level)[: len(counted)]
    present = np.flatnonzero(counted)
    order = present[np.lexsort((present, label_of[present]))]
    width = 1 / len(order)
    known = {hierarchy.label(level, int(code)): code for code in np.unique(label_of[order])}
    after = []
    for label, many in zip(labels, people.tolist(), strict=True):
        covered = np.flatnonzero(label_of[order] == known.get(label, -1))
        if len(covered):
            after.append(Span(round(float(covered[0]) * width, 4), round(float(covered[-1] + 1) * width, 4), many))
    step = -(-len(order) // _bars(counted))
    before = [
        Span(
            round(start * width, 4),
            round(min(start + step, len(order)) * width, 4),
            int(counted[order[start : start + step]].sum()),
        )
        for start in range(0, len(order), step)
    ]
    return tuple(after), tuple(bar for bar in before if bar.people >= FEW)

"""Where the labels of a release lie between 0 and 1: by the labels that are released and the declared schema alone.

A reader of the file knows no more, so everybody who judges distances gets the same. A label of a listed hierarchy lies in the middle of
the leaves that it covers, by their places in the list. A number or an interval lies at its middle, between the declared bounds or else
between the least and the largest number that is released. Other labels are at equal distances, in their order. The missing value comes
after all of them, one place on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sfumato.vocabulary.builders import Intervals, Listed
from sfumato.vocabulary.hierarchy import ROOT
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.labels import Range, in_order
from sfumato.vocabulary.schema import Attribute

_MIDDLE = 0.5


def coordinates(attribute: Attribute, labels: Sequence[str | None]) -> npt.NDArray[np.float64]:
    """The coordinates of the distinct labels of a column; None is the missing value."""
    named = [label for label in labels if label is not None]
    at, count = _listed(attribute, named) or _numbers(attribute, named) or _ranks(named)
    room = 1 - 1 / max(count, 1) if None in labels else 1.0
    return np.array([1.0 if label is None else at[label] * room for label in labels])


def _listed(attribute: Attribute, labels: Sequence[str]) -> tuple[dict[str, float], int] | None:
    """By the leaves under each label; None if no leaves are listed, or a label covers none."""
    if not isinstance(attribute.builder, Listed):
        return None
    line = _line(attribute)
    at = {label: line.place(label) for label in labels}
    known = {label: place / max(line.leaves - 1, 1) for label, place in at.items() if place is not None}
    return (known, line.leaves) if len(known) == len(labels) else None


def _numbers(attribute: Attribute, labels: Sequence[str]) -> tuple[dict[str, float], int] | None:
    """By the middle of each number or interval; None if a label is neither. The root is in the middle of all."""
    spans: dict[str, tuple[Decimal, Decimal]] = {}
    for label in labels:
        span = Range.parse(label)
        if span and isinstance(span.lower, Decimal) and isinstance(span.upper, Decimal):
            spans[label] = _finite(span.lower, span.upper)
        elif label != ROOT:
            return None
    if not spans:
        return None
    low, high = _bounds(attribute) or (min(span[0] for span in spans.values()), max(span[1] for span in spans.values()))
    width = float(high - low) or 1.0
    at = {label: float((lower + upper) / 2 - low) / width for label, (lower, upper) in spans.items()}
    return {ROOT: _MIDDLE, **at}, len(spans)


def _finite(lower: Decimal, upper: Decimal) -> tuple[Decimal, Decimal]:
    """A range without an end on one side lies at the end that it has."""
    return lower if lower.is_finite() else upper, upper if upper.is_finite() else lower


def _bounds(attribute: Attribute) -> tuple[Decimal, Decimal] | None:
    """The declared bounds, if there are any."""
    builder = attribute.builder
    if not isinstance(builder, Intervals) or builder.lower is None or builder.upper is None:
        return None
    return builder.lower, builder.upper


def _ranks(labels: Sequence[str]) -> tuple[dict[str, float], int]:
    ordered = in_order(labels)
    return {label: place / max(len(ordered) - 1, 1) for place, label in enumerate(ordered)}, len(ordered)


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """The leaves of a listed hierarchy: the middle of the places under each label, and the places of leaves that are numbers or dates."""

    middles: Mapping[str, float]
    points: Sequence[tuple[Decimal | str, int]]
    leaves: int

    def place(self, label: str) -> float | None:
        """The middle of the leaves that a label covers: under it, or within its range."""
        if label in self.middles:
            return self.middles[label]
        span = Range.parse(label)
        inside = [place for point, place in self.points if span and _within(point, span)]
        return sum(inside) / len(inside) if inside else None


def _within(point: Decimal | str, span: Range) -> bool:
    if not isinstance(point, type(span.lower)):
        return False
    return span.lower <= point and (point < span.upper if span.open else point <= span.upper)  # type: ignore[operator]


@lru_cache(maxsize=64)
def _line(attribute: Attribute) -> _Line:
    """Made once per attribute: a search judges many nodes. A label of several levels means the highest."""
    hierarchy = attribute.builder.build(attribute.name, attribute.kind or Kind.TEXT, [])
    leaves = hierarchy.labels[0]
    middles: dict[str, float] = {}
    for level in range(hierarchy.height + 1):
        above = hierarchy.ancestors(0, level)[: len(leaves)]
        sums = np.bincount(above, weights=np.arange(len(leaves)), minlength=len(hierarchy.at(level)))
        counts = np.bincount(above, minlength=len(hierarchy.at(level)))
        middles |= dict(zip(hierarchy.at(level), (sums / counts).tolist(), strict=True))
    parsed = [(Range.parse(leaf), place) for place, leaf in enumerate(leaves)]
    return _Line(middles, tuple((span.lower, place) for span, place in parsed if span), len(leaves))

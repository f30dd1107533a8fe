"""Where a range of values may end in public: at a value that enough people share, or at a bound that the hierarchy states itself.

A range from the smallest to the largest value of its people would end at the value of a single person. An end is moved outward to the
next one that is allowed; where there is none, the range has no end on this side.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from sfumato.vocabulary.builders.dates import days_of
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.interval import plain
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.labels import Range

NUMBERS = (Kind.INTEGER, Kind.DECIMAL)


@dataclass(frozen=True, slots=True)
class Ends:
    """For every value, ascending, the end of a range that starts or ends with it, None for no end, and the value furthest out that a
    range with this end still covers."""

    lower: tuple[str | None, ...]
    upper: tuple[str | None, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]

    @classmethod
    def of(cls, kind: Kind, values: Sequence[str], shared: Sequence[bool], hierarchy: Hierarchy) -> Ends:
        """`values` are canonical texts in their order, `shared` those that enough people have."""
        points = [_point(kind, value) for value in values]
        written = dict(stated_ends(kind, hierarchy))
        allowed = sorted(set(written) | {point for point, many in zip(points, shared, strict=True) if many})
        written |= dict(zip(points, values, strict=True))
        below = [bisect_right(allowed, point) - 1 for point in points]
        above = [bisect_left(allowed, point) for point in points]
        outside = len(allowed)
        return cls(
            tuple(None if place < 0 else written[allowed[place]] for place in below),
            tuple(None if place == outside else written[allowed[place]] for place in above),
            tuple(0 if place < 0 else bisect_left(points, allowed[place]) for place in below),
            tuple(len(points) - 1 if place == outside else bisect_right(points, allowed[place]) - 1 for place in above),
        )


def stated_ends(kind: Kind, hierarchy: Hierarchy) -> Iterable[tuple[Any, str]]:
    """The bounds that the labels above level 0 state, as points on the line of the type and as texts."""
    for label in {label for labels in hierarchy.labels[1:] for label in labels}:
        if kind in NUMBERS:
            span = Range.parse(label)
            bounds = (span.lower, span.upper) if span and span.lower != span.upper else ()
            yield from ((bound, plain(bound)) for bound in bounds if isinstance(bound, Decimal) and bound.is_finite())
        elif days := days_of(label):
            moments = _moments(*days) if kind is Kind.TIMESTAMP else (day.isoformat() for day in days)
            yield from ((text, text) for text in moments)


def _moments(first: date, last: date) -> Iterator[str]:
    """The first moment of some days, and the first one after them."""
    yield f"{first.isoformat()} 00:00:00"
    if last < date.max:
        yield f"{(last + timedelta(days=1)).isoformat()} 00:00:00"


def _point(kind: Kind, text: str) -> Decimal | str:
    """A canonical text on the line of its type; the texts of dates sort by time."""
    return Decimal(text) if kind in NUMBERS else text

"""Labels that are computed group by group: how ranges of values are written, read and ordered.

The order depends on the labels alone, so that a reader of the file numbers its classes as the publisher did: numbers and ranges of
numbers by their bounds, then dates and ranges of dates, then all others by their text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import groupby
from typing import Any

from sfumato.vocabulary.hierarchy import ROOT
from sfumato.vocabulary.interval import Interval, plain
from sfumato.vocabulary.kinds import PATTERNS, Kind

ORDERED = frozenset({Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP})
_NUMBER = re.compile(PATTERNS[Kind.DECIMAL])
_SHORT_NUMBER = re.compile("[+-]?[0-9]{1,30}([.][0-9]{0,30})?([eE][+-]?[0-9]{1,4})?")  # one that every decimal context can hold
_MOMENT = re.compile(PATTERNS[Kind.TIMESTAMP])
_RANGE = re.compile(r"\[([^,]+), ([^,]+)\]")
AT_LEAST, AT_MOST, BELOW = ">=", "<=", "<"
_NUMBER_ENDS = Decimal("-Infinity"), Decimal("Infinity")
_MOMENT_ENDS = "", "~"  # before and after the texts of all moments
_NUMBERS, _MOMENTS, _TEXTS = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Range:
    """Everything from one value to another, both included unless `open`, in the order of their type: numbers, or dates as text.

    Where a range has no end, it reaches as far as the type does.
    """

    lower: Decimal | str
    upper: Decimal | str
    open: bool = False

    def among(self, points: Sequence[Any]) -> int:
        """How many of these points, which are ascending and of its type, lie in the range."""
        return (bisect_left if self.open else bisect_right)(points, self.upper) - bisect_left(points, self.lower)

    @classmethod
    def parse(cls, label: str) -> Range | None:
        """The range that a label denotes, which may be a single value; None for a text."""
        if interval := Interval.parse(label):
            return cls(interval.lower, interval.upper, not interval.closed)
        if label.startswith((AT_LEAST, AT_MOST)):
            return cls._endless(label[:2], label[2:])
        if label.startswith(BELOW):
            span = cls._endless(AT_MOST, label[1:])
            return span and replace(span, open=True)
        if (number := _number(label)) is not None:
            return cls(number, number)
        lower, upper = match.groups() if (match := _RANGE.fullmatch(label)) else (label, label)
        return cls(lower, upper) if _MOMENT.fullmatch(lower) and _MOMENT.fullmatch(upper) else None

    @classmethod
    def _endless(cls, side: str, text: str) -> Range | None:
        """From a value upward or downward."""
        point = _number(text)
        if point is None and not _MOMENT.fullmatch(text):
            return None
        least, most = _MOMENT_ENDS if point is None else _NUMBER_ENDS
        end = text if point is None else point
        return cls(end, most) if side == AT_LEAST else cls(least, end)


def range_label(kind: Kind, lower: str | None, upper: str | None) -> str:
    """The label of a group whose values lie between two canonical texts: the value alone, a closed range, or one without an end on one
    side; with no end at all, everything.

    >>> range_label(Kind.INTEGER, "17", "24"), range_label(Kind.DECIMAL, "0.5", "3.0"), range_label(Kind.DATE, *["2024-02-29"] * 2)
    ('[17, 24]', '[0.5, 3]', '2024-02-29')
    >>> range_label(Kind.INTEGER, "85", None), range_label(Kind.DECIMAL, None, "3.0"), range_label(Kind.INTEGER, None, None)
    ('>=85', '<=3', '*')
    """
    if lower == upper:
        return ROOT if lower is None else lower
    if kind in (Kind.INTEGER, Kind.DECIMAL):
        lower, upper = (None if end is None else plain(Decimal(end)) for end in (lower, upper))
    if lower is None or upper is None:
        return f"{AT_MOST}{upper}" if lower is None else f"{AT_LEAST}{lower}"
    return f"[{lower}, {upper}]"


def in_order(labels: Iterable[str]) -> tuple[str, ...]:
    """The distinct labels in order.

    >>> in_order(["*", "[17, 24]", "9", "25", "Gov", ">=17", "[17, 20]", "<=30"])
    ('<=30', '9', '[17, 20]', '[17, 24]', '>=17', '25', '*', 'Gov')
    """
    distinct = set(labels)
    return tuple(_by_size(distinct) if all(map(_SHORT_NUMBER.fullmatch, distinct)) else sorted(distinct, key=_key))


def _by_size(numbers: Iterable[str]) -> Iterator[str]:
    """Numbers in order, quicker: as binary fractions, and exactly where these are equal."""
    for _, group in groupby(sorted(numbers, key=float), key=float):
        equal = list(group)
        yield from equal if len(equal) == 1 else sorted(equal, key=_key)


def _key(label: str) -> tuple[int, Decimal | str, Decimal | str, str]:
    span = Range.parse(label)
    if span is None:
        return _TEXTS, label, label, label
    return _NUMBERS if isinstance(span.lower, Decimal) else _MOMENTS, span.lower, span.upper, label


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text) if _NUMBER.fullmatch(text) else None
    except InvalidOperation:
        return None

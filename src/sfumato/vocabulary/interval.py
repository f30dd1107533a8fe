"""Intervals of numbers and their standard form.

Printed as `[20, 30)`; the last one of a level is closed: `[75, 100]`. Also read are `[20, 30[` and, for whole numbers, `20-29`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_NUMBER = r"([+-]?\d+(?:\.\d+)?)"
_BRACKETS = re.compile(rf"\[\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*([)\[\]])")
_DASH = re.compile(r"(-?\d+)\s*[-–]\s*(-?\d+)")


def plain(number: Decimal) -> str:
    """A decimal without exponent or trailing zeros: `0.5`, `30`."""
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


@dataclass(frozen=True, slots=True)
class Interval:
    """The numbers from `lower` to `upper`, `upper` included if `closed`. lower <= upper."""

    lower: Decimal
    upper: Decimal
    closed: bool = False

    def __str__(self) -> str:
        return f"[{plain(self.lower)}, {plain(self.upper)}{']' if self.closed else ')'}"

    @classmethod
    def parse(cls, text: str, *, whole: bool = False) -> Interval | None:
        """The interval that a label denotes, or None if it denotes none.

        >>> str(Interval.parse("[20, 30[")), str(Interval.parse("20-29", whole=True)), Interval.parse("Gov")
        ('[20, 30)', '[20, 30)', None)
        """
        text = text.strip()
        if match := _BRACKETS.fullmatch(text):
            lower, upper = Decimal(match[1]), Decimal(match[2])
            closed = match[3] == "]"
        elif whole and (match := _DASH.fullmatch(text)):
            lower, upper, closed = Decimal(match[1]), Decimal(match[2]) + 1, False
        else:
            return None
        return cls(lower, upper, closed) if lower < upper or (closed and lower == upper) else None

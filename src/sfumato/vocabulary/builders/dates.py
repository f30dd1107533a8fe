"""Dates and times: day → month → quarter → year → decade → `*`. A timestamp has the moment itself below the day.

Labels sort by time and explain themselves: `2024-03-31`, `2024-03`, `2024-Q1`, `2024`, `2020s`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, date, timedelta
from typing import Any

from sfumato.errors import SchemaError
from sfumato.vocabulary.builders.base import DateKey
from sfumato.vocabulary.builders.computed import Step, computed
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind

UNITS = ("day", "month", "quarter", "year", "decade")


def _month(label: str) -> int:
    """The month of any label finer than a quarter."""
    return int(label[5:7])


def _quarter(label: str) -> str:
    return label if label[5] == "Q" else f"{label[:4]}-Q{(_month(label) + 2) // 3}"


LABEL: dict[str, Step] = {
    "day": lambda label: label[:10],
    "month": lambda label: label[:7],
    "quarter": _quarter,
    "year": lambda label: label[:4],
    "decade": lambda label: label[:3] + "0s",
}

# Every label by its shape, with the first month (or "" for the first of the year) and how many months it covers.
_SPANS = (
    (re.compile(r"([0-9]{4})-([0-9]{2})"), 1),
    (re.compile(r"([0-9]{4})-Q([1-4])"), 3),
    (re.compile(r"([0-9]{4})()"), 12),
    (re.compile(r"([0-9]{3}0)()s"), 120),
)


def days_of(label: str) -> tuple[date, date] | None:
    """The first and the last day that a label covers; None for a label that is no date, month, quarter, year or decade.

    >>> [str(day) for day in days_of("2024-Q1")], [str(day) for day in days_of("2020s")], days_of("*")
    (['2024-01-01', '2024-03-31'], ['2020-01-01', '2029-12-31'], None)
    """
    try:
        for shape, months in _SPANS:
            if match := shape.fullmatch(label):
                month = (int(match[2] or 1) - 1) * (months if months < 12 else 1)
                first = date(int(match[1]), month + 1, 1)
                after, over = divmod(first.year * 12 + month + months, 12)
                return first, date.max if after > MAXYEAR else date(after, over + 1, 1) - timedelta(days=1)
        return date.fromisoformat(label), date.fromisoformat(label)
    except ValueError:  # another label, or the 30th of February
        return None


@dataclass(frozen=True, slots=True)
class Dates:
    """The units used, from fine to coarse."""

    units: tuple[str, ...] = UNITS

    def __post_init__(self) -> None:
        ordered = [unit for unit in UNITS if unit in self.units]
        if not self.units or list(self.units) != ordered:
            raise SchemaError(f"'units' must be some of {', '.join(UNITS)}, in this order; it is {list(self.units)}")

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({Kind.DATE, Kind.TIMESTAMP})

    def _above(self, kind: Kind) -> tuple[str, ...]:
        """The units above level 0: a date is its own day."""
        return self.units if kind is Kind.TIMESTAMP else tuple(unit for unit in self.units if unit != "day")

    def height(self, kind: Kind) -> int:
        return len(self._above(kind)) + 1

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        return self.build_above(attribute, kind, 0, values)

    def build_above(self, attribute: str, kind: Kind, floor: int, labels: Sequence[str]) -> Hierarchy:
        return computed(attribute, labels, [LABEL[unit] for unit in self._above(kind)], floor=floor)

    def key(self, kind: Kind, level: int) -> DateKey | None:
        units = self._above(kind)
        return DateKey(units[level - 1]) if 0 < level <= len(units) else None

    def declared(self) -> dict[str, Any]:
        return {"builder": "dates", "units": list(self.units)}

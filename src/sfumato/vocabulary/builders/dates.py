"""Dates and times: day → month → quarter → year → decade → `*`. A timestamp has the moment itself below the day.

Labels sort by time and explain themselves: `2024-03-31`, `2024-03`, `2024-Q1`, `2024`, `2020s`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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

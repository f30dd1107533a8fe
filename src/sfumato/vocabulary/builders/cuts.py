"""Bands of numbers between cut points, both ends open: `39` → `[35, 40)` → `<40` → `*`.

The cut points are declared, so the bands depend on no extreme value, and a number beyond the last cut needs no band of its own: skewed
numbers such as incomes get narrow bands where there are many people and wide ones where there are few.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from sfumato.errors import SchemaError
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy
from sfumato.vocabulary.interval import Interval, plain
from sfumato.vocabulary.kinds import Kind


@dataclass(frozen=True, slots=True)
class Cuts:
    """`cuts[i]` are the ascending cut points of level i + 1; each level keeps some of those below it, and at least one."""

    cuts: tuple[tuple[Decimal, ...], ...]

    def __post_init__(self) -> None:
        ascending = all(level and all(a < b for a, b in pairwise(level)) for level in self.cuts)
        nested = all(set(above) < set(below) for below, above in pairwise(self.cuts))
        if not (self.cuts and ascending and nested):
            raise SchemaError(
                "'cuts' must be lists of ascending numbers, each with fewer than the list before and only numbers of it, "
                "as in [[20, 40, 60, 80], [40, 60]]"
            )

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({Kind.INTEGER, Kind.DECIMAL})

    def height(self, kind: Kind) -> int:
        return len(self.cuts) + 1

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        numbers = [Decimal(value) for value in values]
        columns = []
        for level in self.cuts:
            labels = [_label(level, place, whole=kind is Kind.INTEGER) for place in range(len(level) + 1)]
            columns.append([labels[bisect_right(level, number)] for number in numbers])
        return Hierarchy.of_columns(attribute, [values, *columns, [ROOT] * len(values)])

    def declared(self) -> dict[str, Any]:
        return {"builder": "cuts", "cuts": [[_number(cut) for cut in level] for level in self.cuts]}


def _label(cuts: Sequence[Decimal], place: int, *, whole: bool) -> str:
    """The band before the cut at a place; one whole number is its own label."""
    if place == 0:
        return f"<{plain(cuts[0])}"
    if place == len(cuts):
        return f">={plain(cuts[-1])}"
    if whole and cuts[place] - cuts[place - 1] == 1 and cuts[place] == cuts[place].to_integral_value():
        return plain(cuts[place - 1])
    return str(Interval(cuts[place - 1], cuts[place]))


def _number(cut: Decimal) -> Decimal:
    """A cut point in its one spelling, for the digest of a schema."""
    return Decimal(plain(cut))

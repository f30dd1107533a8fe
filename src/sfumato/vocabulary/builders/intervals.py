"""Intervals of numbers, one width per level: `39` → `[35, 40)` → `[25, 50)` → `*`.

With fixed bounds the bands are the same for every table, and for whole numbers every number between the bounds is a leaf.
Without them the bounds come from the data, rounded outward to the widest band, so that no extreme value of a record is printed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from itertools import pairwise
from typing import Any

from sfumato.errors import HierarchyError, SchemaError, several
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy
from sfumato.vocabulary.interval import Interval, plain
from sfumato.vocabulary.kinds import Kind

# With more whole numbers between the bounds, the leaves are the values that occur, not all that could.
MOST_LEAVES = 100_000


def exactly() -> AbstractContextManager[Context]:
    """Decimal arithmetic without rounding, for every number that a float can represent."""
    return localcontext(Context(prec=2_000))


def below(number: Decimal, width: Decimal) -> Decimal:
    """The largest multiple of `width` not above a number (`//` on decimals rounds towards zero)."""
    return number // width * width - (width if number % width < 0 else 0)


@dataclass(frozen=True, slots=True)
class Bands:
    """The bands of one level between two bounds; the last one is closed and may be narrower."""

    lower: Decimal
    upper: Decimal
    width: Decimal

    def places(self, numbers: Sequence[Decimal]) -> list[int]:
        """How many whole bands lie below each number; all lie between the bounds."""
        return [int((number - self.lower) // self.width) for number in numbers]

    def of(self, places: Sequence[int]) -> list[str]:
        """The label at each of these places."""
        last = max(int(-below(self.lower - self.upper, self.width) / self.width) - 1, 0)
        labels = {place: self._label(min(place, last), closed=place >= last) for place in set(places)}
        return [labels[place] for place in places]

    def _label(self, place: int, *, closed: bool) -> str:
        lower = self.lower + self.width * place
        return str(Interval(lower, self.upper if closed else lower + self.width, closed))


@dataclass(frozen=True, slots=True)
class Intervals:
    """Widths from fine to coarse, each a multiple of the one before; `lower` and `upper` both or neither."""

    widths: tuple[Decimal, ...]
    lower: Decimal | None = None
    upper: Decimal | None = None

    def __post_init__(self) -> None:
        if not _nested(self.widths):
            shown = ", ".join(plain(width) for width in self.widths)
            raise SchemaError(f"'widths' must be positive, each a multiple of the one before, as in [5, 10, 20]; it is [{shown}]")
        if (self.lower is None) != (self.upper is None):
            raise SchemaError("'lower' and 'upper' go together: give both for fixed bounds, neither to take them from the data")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise SchemaError(f"'lower' must be less than 'upper'; they are {plain(self.lower)} and {plain(self.upper)}")

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({Kind.INTEGER, Kind.DECIMAL})

    def height(self, kind: Kind) -> int:
        return len(self.widths) + (not self._one_band_on_top())

    def _one_band_on_top(self) -> bool:
        """Whether one widest band covers the fixed bounds; then it is the root."""
        with exactly():
            return self.lower is not None and self.upper is not None and self.upper - self.lower <= self.widths[-1]

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        with exactly():
            numbers = [Decimal(value) for value in values]
            lower, upper = self._bounds(attribute, numbers)
            leaves = list(values)
            if kind is Kind.INTEGER and self.lower is not None and upper - lower < MOST_LEAVES:
                leaves = [str(number) for number in range(math.ceil(lower), math.floor(upper) + 1)]
                numbers = [Decimal(leaf) for leaf in leaves]
            finest = self.widths[0]
            places = Bands(lower, upper, finest).places(numbers)  # those of wider bands follow: each width is a multiple of it
            columns = [leaves]
            for width in self.widths:
                many = int(width / finest)
                columns.append(Bands(lower, upper, width).of([place // many for place in places]))
        if self._one_band_on_top():
            return Hierarchy.of_columns(attribute, columns, root=str(Interval(lower, upper, closed=True)))
        return Hierarchy.of_columns(attribute, [*columns, [ROOT] * len(leaves)])

    def _bounds(self, attribute: str, numbers: Sequence[Decimal]) -> tuple[Decimal, Decimal]:
        if self.lower is None or self.upper is None:
            widest = self.widths[-1]
            return below(min(numbers, default=Decimal(0)), widest), below(max(numbers, default=Decimal(0)), widest) + widest
        outside = sum(not self.lower <= number <= self.upper for number in numbers)
        if outside:
            raise HierarchyError(
                f"level 0 lacks {several(outside, 'value')} of the data, outside the declared bounds "
                f"[{plain(self.lower)}, {plain(self.upper)}]: widen 'lower' and 'upper'",
                where=f"attribute {attribute!r}",
            )
        return self.lower, self.upper

    def declared(self) -> dict[str, Any]:
        table: dict[str, Any] = {"builder": "intervals", "widths": list(self.widths)}
        if self.lower is not None:
            table |= {"lower": self.lower, "upper": self.upper}
        return table


def _nested(widths: tuple[Decimal, ...]) -> bool:
    """Whether widths are positive and each is a multiple of the one before."""
    with exactly():
        positive = bool(widths) and all(width > 0 for width in widths)
        return positive and all(b > a and b % a == 0 for a, b in pairwise(widths))

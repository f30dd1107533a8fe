"""Other sorts of levels that a column could have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from sfumato.vocabulary.builders import Builder, Common, Cuts, Dates, Intervals, Listed, Prefix, Suppression
from sfumato.vocabulary.builders.intervals import below
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Attribute
from sfumato.web.bench.levels.people import Column, rolled
from sfumato.web.bench.levels.tree import Tree

MOST_LEAVES = 10_000  # of a tree that is made from values
TREE = "tree"
_PARTS = 20  # bands of the first level, about


@dataclass(frozen=True, slots=True)
class Other:
    """Other levels: the word that a form sends, what they are, and the builder."""

    key: str
    words: str
    builder: Builder


def others(attribute: Attribute, suggested: Attribute | None, column: Column | None) -> list[Other]:
    """What a column could have instead of its present levels."""
    kind, now = attribute.kind or Kind.TEXT, attribute.builder
    found = [each for each in _every(attribute, suggested, column) if kind in each.builder.kinds]
    return [each for each in found if each.key == "suggested" or each.key == TREE or type(each.builder) is not type(now)]


def _every(attribute: Attribute, suggested: Attribute | None, column: Column | None) -> Iterator[Other]:
    now = attribute.builder
    if suggested is not None and suggested.builder != now:
        yield Other("suggested", "the levels that were suggested from the data", suggested.builder)
    if column is not None and column.values:
        yield from _from_values(attribute, column)
    yield Other("dates", "days, months, quarters, years, decades", Dates())
    yield Other("suppression", "the value, or nothing", Suppression())


def _from_values(attribute: Attribute, column: Column) -> Iterator[Other]:
    if len(column.values) <= MOST_LEAVES and not isinstance(attribute.builder, Listed):
        tree = Tree.of(rolled(attribute, attribute.builder, column).hierarchy)
        yield Other(TREE, "a tree over the values, beginning with the present levels", tree.builder())
    if attribute.kind in (Kind.INTEGER, Kind.DECIMAL):
        width, least, most = _width(column, whole=attribute.kind is Kind.INTEGER)
        yield Other("intervals", "bands of equal width", Intervals((width, width * 5)))
        first = below(least, width * 2) + width * 2
        fine = [first + width * 2 * place for place in range(_PARTS)]
        inside = tuple(cut for cut in fine if cut <= most) or (first,)
        yield Other("cuts", "bands between cut points", Cuts((inside,) if len(inside) < 3 else (inside, inside[1::2])))
        return
    longest = max(map(len, column.values))
    if longest > 1:
        yield Other("prefix", "the first characters of a code", Prefix((longest // 2, 1) if longest > 3 else (1,)))
    if len(column.values) > 2:
        order = np.argsort(-column.people, kind="stable")
        few = min(10, len(column.values) // 2)
        common = tuple(column.values[place] for place in order[:few])
        yield Other("common", "the most common values, and all others together", Common(common, (few, 3) if few > 3 else (few,)))


def _width(column: Column, *, whole: bool) -> tuple[Decimal, Decimal, Decimal]:
    """A round width that divides the values into about twenty bands, the least and the most."""
    least, most = Decimal(column.values[0]), Decimal(column.values[-1])
    wanted = (most - least) / _PARTS or Decimal(1)
    power = Decimal(10) ** wanted.adjusted()
    width = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= wanted)
    return (max(width, Decimal(1)) if whole else width), least, most

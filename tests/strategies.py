"""Hypothesis strategies that several test files share, and the plain Python reading they are compared with.

A `Drawn` table is rows of leaf numbers over random trees. Everything a frequency set claims is worked out from these rows with
dictionaries and sets of labels: no codes, no arrays, no packing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from sfumato.frequency import CellTable, FrequencySet
from sfumato.vocabulary.builders import Addresses, Builder, Dates, Intervals, Listed, Prefix, Suppression
from sfumato.vocabulary.builders.dates import UNITS
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute, Schema, Suppressed

Labels = tuple[str | None, ...]
Levels = tuple[int, ...]
Paths = tuple[tuple[str, ...], ...]

# Any text that a UTF-8 file can hold.
texts = st.text(st.characters(exclude_categories=["Cs"]))
DISEASES = ("flu", "cold", "gout")


class Row(NamedTuple):
    """Leaf numbers of the QIDs and of the disease (None is missing), whose row it is and how often it occurs."""

    leaves: tuple[int | None, ...]
    disease: int | None
    owner: int
    times: int


@dataclass(frozen=True)
class Drawn:
    """A table: per QID one path from each leaf to the root `*`, and rows."""

    paths: tuple[Paths, ...]
    rows: tuple[Row, ...]
    owned: bool

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"q{place}" for place in range(len(self.paths)))

    @property
    def heights(self) -> Levels:
        return tuple(len(paths[0]) - 1 for paths in self.paths)

    def node(self, levels: Sequence[int]) -> Node:
        return Node(self.names, tuple(levels))

    def labels(self, row: Row, levels: Sequence[int]) -> Labels:
        """What a row is published under: a missing value stays itself below the root."""
        leaves = zip(self.paths, row.leaves, levels, self.heights, strict=True)
        return tuple(
            "*" if level == height else None if leaf is None else paths[leaf][level] for paths, leaf, level, height in leaves
        )

    def classes(self, levels: Sequence[int]) -> Counter[Labels]:
        """Rows per class."""
        found: Counter[Labels] = Counter()
        for row in self.rows:
            found[self.labels(row, levels)] += row.times
        return found

    def people(self, levels: Sequence[int]) -> Counter[Labels]:
        """People per class: distinct owners, or rows if nobody owns them."""
        if not self.owned:
            return self.classes(levels)
        return Counter(labels for labels, _ in {(self.labels(row, levels), row.owner) for row in self.rows})

    def cells(self, levels: Sequence[int]) -> Counter[tuple[Labels, str | None]]:
        """Rows per class and disease."""
        found: Counter[tuple[Labels, str | None]] = Counter()
        for row in self.rows:
            found[self.labels(row, levels), disease(row)] += row.times
        return found

    def cell_people(self, levels: Sequence[int]) -> Counter[tuple[Labels, str | None]]:
        """People per class and disease: distinct (owner, disease) pairs of the class, or rows."""
        if not self.owned:
            return self.cells(levels)
        cells = {((self.labels(row, levels), disease(row)), row.owner) for row in self.rows}
        return Counter(cell for cell, _ in cells)

    def rank(self, labels: Labels, levels: Sequence[int]) -> tuple[int, ...]:
        """Where a class stands: labels in the order of their first leaf, the missing value last."""
        orders = (list(dict.fromkeys(path[level] for path in paths)) for paths, level in zip(self.paths, levels, strict=True))
        return tuple(len(order) if label is None else order.index(label) for order, label in zip(orders, labels, strict=True))

    def count(self, rows: Sequence[Row] | None = None) -> FrequencySet:
        """The frequency set at the bottom, of all rows or of some."""
        rows = self.rows if rows is None else rows
        hierarchies = [Listed(paths).build(name, Kind.TEXT, ()) for name, paths in zip(self.names, self.paths, strict=True)]
        diseases = Listed(tuple((name,) for name in DISEASES)).build("disease", Kind.TEXT, ())
        columns = [
            np.array([len(paths) if row.leaves[place] is None else row.leaves[place] for row in rows], np.int32)
            for place, paths in enumerate(self.paths)
        ]
        codes = np.array([len(DISEASES) if row.disease is None else row.disease for row in rows], np.int32)
        times = np.array([row.times for row in rows], np.int64)
        owners = np.array([row.owner for row in rows], np.int64) if self.owned else None
        return FrequencySet.of_cells(
            Node.bottom(self.names), hierarchies, CellTable(columns, times, {"disease": (diseases, codes)}, owners)
        )


def disease(row: Row) -> str | None:
    return None if row.disease is None else DISEASES[row.disease]


@st.composite
def paths_to_a_root(draw: st.DrawFn, *, leaves: int = 5, levels: int = 3) -> Paths:
    """A random tree as paths: each level a random function of the one below, the siblings of a group not always neighbors."""
    count = draw(st.integers(1, leaves))
    columns: list[list[int]] = [list(range(count))]
    for _ in range(draw(st.integers(0, levels - 1))):
        parent = {code: draw(st.integers(0, max(columns[-1]))) for code in sorted(set(columns[-1]))}
        columns.append([parent[code] for code in columns[-1]])
    named = [[f"{'vwxyz'[level]}{code}" for code in column] for level, column in enumerate(columns)]
    return tuple(zip(*named, ["*"] * count, strict=True))


@st.composite
def drawn_tables(draw: st.DrawFn, *, most_rows: int = 12) -> Drawn:
    """Small tables with one to three QIDs; half of them have owners."""
    paths = tuple(draw(st.lists(paths_to_a_root(), min_size=1, max_size=3)))
    leaves = st.tuples(*(st.none() | st.integers(0, len(tree) - 1) for tree in paths))
    row = st.builds(Row, leaves, st.none() | st.integers(0, len(DISEASES) - 1), st.integers(0, 4), st.integers(1, 3))
    return Drawn(paths, tuple(draw(st.lists(row, min_size=1, max_size=most_rows))), draw(st.booleans()))


def levels_of(table: Drawn, floor: Sequence[int] | None = None) -> st.SearchStrategy[Levels]:
    """A level per QID, at or above a floor."""
    low = floor or [0] * len(table.heights)
    return st.tuples(*(st.integers(a, b) for a, b in zip(low, table.heights, strict=True)))


@st.composite
def tables_with_levels(draw: st.DrawFn, steps: int = 1) -> tuple[Drawn, list[Levels]]:
    """A table and a chain of nodes, each at least as general as the one before."""
    table = draw(drawn_tables())
    chain: list[Levels] = []
    for _ in range(steps):
        chain.append(draw(levels_of(table, chain[-1] if chain else None)))
    return table, chain


@st.composite
def multiples(draw: st.DrawFn, first: st.SearchStrategy[Decimal], *, most: int = 3) -> tuple[Decimal, ...]:
    """Widths: each a multiple of the one before."""
    widths = [draw(first)]
    for factor in draw(st.lists(st.integers(2, 5), max_size=most - 1)):
        widths.append(widths[-1] * factor)
    return tuple(widths)


def falling(least: int, most: int, *, size: int) -> st.SearchStrategy[tuple[int, ...]]:
    """So many different whole numbers, largest first."""
    return st.lists(st.integers(least, most), min_size=size, max_size=size, unique=True).map(
        lambda found: tuple(sorted(found, reverse=True))
    )


address_sizes = st.integers(1, 4).flatmap(lambda n: st.tuples(falling(1, 31, size=n), falling(1, 127, size=n)))
date_units = st.sets(st.sampled_from(UNITS), min_size=1).map(lambda units: tuple(unit for unit in UNITS if unit in units))
prefixes = st.integers(1, 3).flatmap(lambda n: falling(1, 6, size=n))
whole_widths = multiples(st.integers(1, 20).map(Decimal))


@st.composite
def builders(draw: st.DrawFn) -> tuple[Builder, Kind | None]:
    """A builder and a type it fits, or no type."""
    bounds = draw(st.just({}) | st.integers(-9, 9).map(lambda low: {"lower": Decimal(low), "upper": Decimal(low + 7) / 4 + 9}))
    some_paths = st.lists(st.tuples(texts, texts), min_size=1, max_size=4)
    builder: Builder = draw(
        st.one_of(
            whole_widths.map(lambda widths: Intervals(widths, **bounds)),
            address_sizes.map(lambda sizes: Addresses(*sizes)),
            date_units.map(Dates),
            prefixes.map(Prefix),
            some_paths.map(lambda paths: Listed(tuple(paths))),
            st.just(Suppression()),
        )
    )
    return builder, draw(st.none() | st.sampled_from(sorted(builder.kinds, key=lambda kind: kind.value)))


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """Schemas with any names, every role and every builder; one owner at most."""
    names = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    owner = draw(st.none() | st.sampled_from(names))
    attributes = []
    for name in names:
        role = Role.OWNER if name == owner else draw(st.sampled_from([role for role in Role if role is not Role.OWNER]))
        builder, kind = draw(builders()) if role in (Role.QUASI, Role.SENSITIVE) else (Suppression(), draw(st.sampled_from(Kind)))
        attributes.append(Attribute(name, role, kind, builder))
    missing = tuple(draw(st.lists(texts, max_size=3)))
    return Schema(tuple(attributes), draw(st.sampled_from(Suppressed)), missing)

"""Small releases for the contract of the models: drawn ones with every kind of payload, and hand-made ones from counts per class.

The sensitive attribute `value` holds the numbers 1, 2, 5 and 9 under a tree {low: 1, 2; high: 5, 9}; `guard` holds a label of that
tree per row; `others` are the people of a public table beside those of the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from sfumato.beliefs import Prior, statistics_of
from sfumato.frequency import CellTable, FrequencySet
from sfumato.models import Context, Judged, Members, Population
from sfumato.vocabulary.builders import Listed, Suppression
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute, Schema
from tests.strategies import Drawn, Levels, Row, levels_of, paths_to_a_root

VALUES = ("1", "2", "5", "9")
TREE = Listed((("1", "low"), ("2", "low"), ("5", "high"), ("9", "high")))
GUARDS = (*VALUES, "low", "high")
UNDER = {**{value: {value} for value in VALUES}, "low": {"1", "2"}, "high": {"5", "9"}}


@dataclass(frozen=True)
class World:
    """A drawn table, the number of value and guard of each row (None is missing), and the other people of the population."""

    table: Drawn
    values: tuple[int | None, ...]
    guards: tuple[int | None, ...]
    others: tuple[Row, ...] = ()
    kind: Kind = Kind.INTEGER

    def count(self) -> FrequencySet:
        """Both payloads at the bottom."""
        kinds = {"value": (TREE, self.values), "guard": (Listed(tuple((guard,) for guard in GUARDS)), self.guards)}
        result: FrequencySet | None = None
        for name, (builder, marks) in kinds.items():
            hierarchy = builder.build(name, Kind.TEXT, ())
            missing = len(hierarchy.labels[0])
            codes = np.array([missing if mark is None else mark for mark in marks], np.int32)
            bottom = self.table.count()
            cells = CellTable(self._columns(), self._times(), {name: (hierarchy, codes)}, self._owners())
            made = FrequencySet.of_cells(bottom.node, bottom.hierarchies, cells)
            result = made if result is None else result.with_payloads(made)
        assert result is not None
        return result

    def _columns(self) -> list[np.ndarray]:
        paths = enumerate(self.table.paths)
        return [
            np.array([len(tree) if row.leaves[place] is None else row.leaves[place] for row in self.table.rows], np.int32)
            for place, tree in paths
        ]

    def _times(self) -> np.ndarray:
        return np.array([row.times for row in self.table.rows], np.int64)

    def _owners(self) -> np.ndarray | None:
        return np.array([row.owner for row in self.table.rows], np.int64) if self.table.owned else None

    def population(self) -> Drawn:
        """The public table: the people of the release and the others."""
        return replace(self.table, rows=(*self.table.rows, *self.others))

    def judged(self, levels: Sequence[int]) -> Judged:
        """The release at a node against the prior of the whole table, with the public table."""
        bottom = self.count()
        counts = bottom.roll_up(self.table.node(levels))
        attribute = Attribute("value", Role.SENSITIVE, self.kind, TREE)
        people = self.population().people(levels)
        held = [counts.labels(number) for number in range(1, counts.classes + 1)]
        unmatched = sum(count for labels, count in people.items() if labels not in held)
        population = Population(np.array([people[labels] for labels in held]), unmatched)
        trees = zip(self.table.names, self.table.paths, strict=True)
        schema = Schema(tuple(Attribute(name, Role.QUASI, Kind.TEXT, Listed(paths)) for name, paths in trees))
        context = Context(Members(schema), population, population_size=3 * int(counts.people.sum()))
        return Judged(counts, statistics_of(counts, attribute, Prior.of(bottom, "value")), context)


@st.composite
def worlds(draw: st.DrawFn, *, owned: bool | None = None, complete: bool = False) -> World:
    """Small worlds; `complete` ones miss nothing."""
    paths = tuple(draw(st.lists(paths_to_a_root(leaves=4, levels=2), min_size=1, max_size=2)))
    leaf = [st.integers(0, len(tree) - 1) for tree in paths]
    leaves = st.tuples(*(leaf if complete else [st.none() | number for number in leaf]))
    row = st.builds(Row, leaves, st.none(), st.integers(0, 5), st.integers(1, 3))
    rows = tuple(draw(st.lists(row, min_size=1, max_size=10)))
    marks = [st.integers(0, size - 1) for size in (len(VALUES), len(GUARDS))]
    values, guards = (
        tuple(draw(st.lists(mark if complete else st.none() | mark, min_size=len(rows), max_size=len(rows)))) for mark in marks
    )
    others = tuple(draw(st.lists(row, max_size=5)))
    return World(Drawn(paths, rows, draw(st.booleans()) if owned is None else owned), values, guards, others)


@st.composite
def worlds_with_levels(draw: st.DrawFn, steps: int = 1, **kinds: bool) -> tuple[World, list[Levels]]:
    """A world and a chain of nodes, each at least as general as the one before."""
    world = draw(worlds(**kinds))
    chain: list[Levels] = []
    for _ in range(steps):
        chain.append(draw(levels_of(world.table, chain[-1] if chain else None)))
    return world, chain


def release(
    classes: Sequence[Sequence[int]], *, kind: Kind = Kind.TEXT, labels: Sequence[str] = "abcdefghi", prior: Sequence[int] = ()
) -> Judged:
    """A release from the counts of each class over some values, without a tree; the prior is their sum unless given."""
    width = len(classes[0])
    rows = [(place, value, count) for place, counts in enumerate(classes) for value, count in enumerate(counts) if count]
    codes, values, times = (np.array(column) for column in zip(*rows, strict=True))
    attribute = Attribute("value", Role.SENSITIVE, kind, Suppression())
    hierarchies = [
        Listed(tuple((name,) for name in names)).build("h", Kind.TEXT, ())
        for names in (map(str, range(len(classes))), labels[:width])
    ]
    cells = CellTable([codes.astype(np.int32)], times.astype(np.int64), {"value": (hierarchies[1], values.astype(np.int32))})
    counts = FrequencySet.of_cells(Node.bottom(["q"]), hierarchies[:1], cells)
    believed = Prior("value", tuple(labels[:width]), np.array(prior or np.sum(classes, axis=0)))
    return Judged(counts, statistics_of(counts, attribute, believed))


def known(judged: Judged, people: Sequence[int] | None = None, unmatched: int = 0, size: int | None = None) -> Judged:
    """The same release beside a larger table: its people per class and in no class, or only their number."""
    population = None if people is None else Population(np.array(people, np.int64), unmatched)
    return replace(judged, context=Context(population=population, population_size=size))

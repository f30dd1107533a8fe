"""The lattice of nodes: one level per QID, from everything as it was counted to everything withheld.

Nodes are numbered like digits, the last QID fastest, so that a table over all nodes is an array of the lattice's shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.frequency import FrequencySet
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Schema

LevelArray = npt.NDArray[np.int16]
MOST_NODES = 20_000_000


@dataclass(frozen=True, slots=True)
class Lattice:
    """The nodes between `floors`, the levels at which the table was counted, and `heights`, the roots."""

    attributes: tuple[str, ...]
    floors: tuple[int, ...]
    heights: tuple[int, ...]

    @classmethod
    def of(cls, counts: FrequencySet) -> Lattice:
        """All nodes that a frequency set can be rolled up to."""
        return cls(counts.node.attributes, counts.node.levels, tuple(hierarchy.height for hierarchy in counts.hierarchies))

    @classmethod
    def above(cls, schema: Schema, floor: Node) -> Lattice:
        """All nodes from a floor on, which a schema tells before anything is counted."""
        return cls(floor.attributes, floor.levels, tuple(schema[name].height() for name in floor.attributes))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(height - floor + 1 for floor, height in zip(self.floors, self.heights, strict=True))

    @property
    def size(self) -> int:
        return prod(self.shape)

    def levels(self) -> LevelArray:
        """Every node in order: an array of one row per node."""
        grids = np.indices(self.shape, dtype=np.int16).reshape(len(self.shape), -1).T
        return np.ascontiguousarray(grids + np.array(self.floors, np.int16))

    def numbers(self, levels: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The numbers of nodes given by their levels."""
        steps = np.asarray(levels, np.int64) - np.array(self.floors)
        return np.asarray(np.ravel_multi_index(tuple(steps.T), self.shape), np.int64)

    def at(self, number: int) -> tuple[int, ...]:
        """The levels of a node given by its number."""
        steps = np.unravel_index(number, self.shape)
        return tuple(int(step) + floor for step, floor in zip(steps, self.floors, strict=True))

    def in_order(self, levels: LevelArray) -> npt.NDArray[np.intp]:
        """The places of some nodes in the order of their numbers, however large these are."""
        return np.lexsort(levels.T[::-1])

    def node(self, levels: Sequence[int]) -> Node:
        return Node(self.attributes, tuple(int(level) for level in levels))

    def predecessors(self, levels: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The nodes directly below."""
        for place, floor in enumerate(self.floors):
            if levels[place] > floor:
                yield (*levels[:place], levels[place] - 1, *levels[place + 1 :])


def require_enumerable(lattice: Lattice) -> None:
    """Refuse a lattice whose nodes cannot all be held in memory."""
    if lattice.size > MOST_NODES:
        raise UsageError(
            f"the lattice has {lattice.size:,} nodes, more than the {MOST_NODES:,} that are held in memory; "
            f"use the algorithm evolutionary, or optimal with {argument('time_limit')}, or publish fewer QIDs",
            where=argument("algorithm"),
        )

"""A larger table beside the one that is searched, in the codes of its lattice: so that people of both are found in the same classes.

A value that the larger table alone has stands for itself until it comes under a label of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, Incidence
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.node import Node


class Coded(Protocol):
    """Codes of the levels of a QID, and how each becomes that of a higher level."""

    @property
    def height(self) -> int: ...

    def codes(self, level: int) -> int:
        """How many codes a level has."""

    def ancestors(self, start: int, level: int) -> Codes:
        """For each code of `start` its code at `level` >= `start`."""


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A hierarchy with additional codes, after its own on every level: one per value that the other table alone has at the floor.

    `above[l]` has the code of each such value l levels above the floor.
    """

    hierarchy: Hierarchy
    floor: int
    above: tuple[Codes, ...]

    @classmethod
    def of(cls, hierarchy: Hierarchy, floor: int, found: Sequence[Codes]) -> tuple[Joint, Codes] | None:
        """From the codes that the values of the other table have at each level from the floor on, -1 where they have none; and their
        codes at the floor. None if two values with one code have different ones above it."""
        levels = range(floor, hierarchy.height + 1)
        for level, low, high in zip(levels, found, found[1:], strict=False):
            if (hierarchy.ancestors(level, level + 1)[low[low >= 0]] != high[low >= 0]).any():
                return None
        alone = np.flatnonzero(found[0] < 0)
        number = np.arange(len(alone), dtype=np.int32)
        own = [
            np.where(each[alone] < 0, hierarchy.codes(level) + number, each[alone])
            for level, each in zip(levels, found, strict=True)
        ]
        codes = found[0].copy()
        codes[alone] = own[0]
        return cls(hierarchy, floor, tuple(each.astype(np.int32) for each in own)), codes

    @property
    def height(self) -> int:
        return self.hierarchy.height

    def codes(self, level: int) -> int:
        return self.hierarchy.codes(level) + len(self.above[0])

    def ancestors(self, start: int, level: int) -> Codes:
        return np.concatenate([self.hierarchy.ancestors(start, level), self.above[level - self.floor]])


@dataclass(frozen=True, slots=True, eq=False)
class Beside:
    """The cells of a larger table at the floor of a lattice, their codes by `joints`, their people, and how many these are in all."""

    node: Node
    joints: tuple[Joint, ...]
    codes: npt.NDArray[np.int32]
    people: Counts
    incidence: Incidence | None
    size: int

    def project(self, attributes: Sequence[str]) -> Beside:
        """By some QIDs only, in the order given; cells that are then alike stay apart."""
        places = [self.node.attributes.index(name) for name in attributes]
        node = Node(tuple(attributes), tuple(self.node.levels[place] for place in places))
        return replace(self, node=node, joints=tuple(self.joints[place] for place in places), codes=self.codes[:, places])

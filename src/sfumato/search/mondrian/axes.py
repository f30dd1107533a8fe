"""The QIDs as Mondrian sees them: every attribute is a line of places, and a group is the stretch from its first to its last place.

Numbers and dates stand in their order. The leaves of a hierarchy stand so that those of every node are neighbors; the node that
covers a group is the lowest one that covers its first and its last place. The missing value is the last place of every line.
Labels of numbers and dates end at values that enough people share, or at bounds of the hierarchy (`vocabulary.ends`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet, Mask, added
from sfumato.losses.information import covered
from sfumato.statistics import Floats
from sfumato.vocabulary.ends import Ends
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.kinds import Kind, natural_order
from sfumato.vocabulary.labels import ORDERED, range_label

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Axis:
    """One attribute. `leaves[p]` is the code of level 0 at place p, and `place_of` its inverse; `kind` of None: by the hierarchy, else
    `ends` of its ranges."""

    hierarchy: Hierarchy
    leaves: Codes
    kind: Kind | None = None
    ends: Ends | None = None

    @property
    def missing(self) -> int:
        """The place of the missing value: as many as there are leaves before it."""
        return len(self.leaves) - 1

    @cached_property
    def place_of(self) -> Places:
        return np.argsort(self.leaves)

    @cached_property
    def ancestors(self) -> Places:
        """[level, place]: the code at every level."""
        return np.stack([self.hierarchy.ancestors(0, level)[self.leaves] for level in range(self.hierarchy.height + 1)])

    @cached_property
    def _covered(self) -> Floats:
        """[level, place]: the scaled share of the leaves under the node."""
        levels = range(self.hierarchy.height + 1)
        return np.stack([covered(self.hierarchy, level)[self.ancestors[level]] for level in levels])

    @cached_property
    def values(self) -> Floats:
        """Numbers, or moments in seconds, by place; the missing value is where the last one is."""
        numbers = [_number(self.kind, self.hierarchy.labels[0][code]) for code in self.leaves[:-1]]
        return np.array([*numbers, numbers[-1] if numbers else 0.0])

    def levels(self, low: Places, high: Places) -> Places:
        """The level of the lowest node that covers each stretch."""
        lowest = np.full(len(low), self.hierarchy.height)
        for level in range(self.hierarchy.height - 1, -1, -1):
            lowest[self.ancestors[level, low] == self.ancestors[level, high]] = level
        return lowest

    def mixed(self, low: Places, high: Places) -> Mask:
        """Which stretches hold the missing value beside others."""
        return np.asarray((high == self.missing) & (low < high))

    def shares(self, low: Places, high: Places) -> Floats:
        """The share of the leaves that the label of each stretch covers, from 0 for one to 1 for all."""
        if self.ends is None:
            return np.asarray(self._covered[self.levels(low, high), low])
        first, last = (np.array([*covered, self.missing], np.int64) for covered in (self.ends.first, self.ends.last))
        return np.where(self.mixed(low, high), 1.0, (last[high] - first[low]) / max(self.missing - 1, 1))

    def widths(self, low: Places, high: Places, whole: tuple[int, int]) -> Floats:
        """The normalised range of each stretch; `whole` is that of the table."""
        if self.kind is None:
            leaves = max(self.missing, 1)
            return np.asarray((self._covered[self.levels(low, high), low] * (leaves - 1) + 1) / leaves)
        first, last = whole[0], max(min(whole[1], self.missing - 1), 0)
        span = self.values[last] - self.values[first]
        spans = (self.values[high] - self.values[low]) / (span if span > 0 else 1.0)
        return np.where(self.mixed(low, high), 1.0, spans)

    def label(self, low: int, high: int) -> str | None:
        """The label of a stretch; None for the missing value alone."""
        if self.kind is not None and self.ends is not None and high < self.missing:
            return range_label(self.kind, self.ends.lower[low], self.ends.upper[high])
        (level,) = self.levels(np.array([low]), np.array([high]))
        return self.hierarchy.label(int(level), int(self.ancestors[level, low]))


def axes_of(counts: FrequencySet, kinds: Mapping[str, Kind], few: int) -> tuple[Axis, ...]:
    """The QIDs of a count at level 0. A range may end at a value that at least `few` people share."""
    pairs = zip(counts.node.attributes, counts.hierarchies, strict=True)
    return tuple(_axis(counts, name, hierarchy, kinds.get(name), few) for name, hierarchy in pairs)


def covered_shares(axes: tuple[Axis, ...], low: Places, high: Places) -> Floats:
    """[group, axis]: the share of the leaves that the label of each group covers."""
    return np.stack([axis.shares(low[:, j], high[:, j]) for j, axis in enumerate(axes)], axis=1)


def _axis(counts: FrequencySet, name: str, hierarchy: Hierarchy, kind: Kind | None, few: int) -> Axis:
    leaves = hierarchy.labels[0]
    if kind in ORDERED:
        code_of = {leaf: code for code, leaf in enumerate(leaves)}
        values = natural_order(kind, leaves)
        order = np.array([*(code_of[leaf] for leaf in values), len(leaves)], np.int32)
        alone = counts.project([name])
        people = added(alone.people, alone.codes[:, 0], hierarchy.codes(0))
        return Axis(hierarchy, order, kind, Ends.of(kind, values, (people[order[:-1]] >= few).tolist(), hierarchy))
    # By the ancestor at the top first and the leaf itself last: then the leaves of every node are neighbors, the missing value last.
    above = [hierarchy.ancestors(0, level) for level in range(hierarchy.height)]
    return Axis(hierarchy, np.lexsort(above).astype(np.int32))


def _number(kind: Kind | None, text: str) -> float:
    """A canonical text as a point on the line of its type."""
    if kind in (Kind.DATE, Kind.TIMESTAMP):
        return (datetime.fromisoformat(text) - datetime(1, 1, 1)).total_seconds()
    return float(text)

"""People in several classes of a partition: what has to be known about them to count people exactly when classes merge.

Where people have several rows, those of merged classes do not add up: who is in two of them would be counted twice. But whoever is in
one class only stays in one class, and is added up like everybody where a row is a person. So only the others are listed, class by
class, and the lists get shorter the more general a node is. The same is true of pairs of a person and a sensitive value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, Incidence, Mask
from sfumato.vocabulary.hierarchy import Codes

Members = npt.NDArray[np.int32]
Chain = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Again:
    """Members whom a group of merged classes has more than once, as often as they were counted too often."""

    offsets: Counts
    members: Members
    values: Codes | None

    @property
    def counts(self) -> Counts:
        """How many there are in each group."""
        return np.diff(self.offsets)

    def discount(self, offsets: Counts, values: Codes, people: Counts, width: int) -> None:
        """Take them from the people of the cells of the groups, in place."""
        from sfumato.search.compiled import owners

        if len(self.members):
            owners.discount(offsets, values, people, self.offsets, self.members, self.values, width)


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """The members of each class that are in other classes too: members[offsets[c]:offsets[c + 1]], each once.

    A member is an owner, or a pair of an owner and a sensitive value, numbered below `many`; `values` are the values of the pairs.
    """

    offsets: Counts
    members: Members
    many: int
    values: Codes | None = None

    @classmethod
    def of(cls, offsets: Counts, members: Counts, values: Codes | None = None) -> Shared:
        """From all members of each class, under any numbers; `values` has one for each of them."""
        _, first, number, times = np.unique(members, return_index=True, return_inverse=True, return_counts=True)
        several = times > 1
        renumbered = np.cumsum(several) - 1
        listed = several[number]
        ends = np.concatenate(([0], np.cumsum(listed)))
        of_pairs = None if values is None else values[first[several]].astype(np.int32)
        return cls(ends[offsets], renumbered[number[listed]].astype(np.int32), int(several.sum()), of_pairs)

    @classmethod
    def of_owners(cls, incidence: Incidence) -> Shared:
        """The owners of classes."""
        return cls.of(incidence.offsets, incidence.owners)

    @classmethod
    def of_pairs(cls, incidence: Incidence, offsets: Counts, values: Codes) -> Shared:
        """The owners of cells, of which those offsets[c]:offsets[c + 1] belong to class c, by the values of the cells."""
        values_of = np.repeat(values, incidence.sizes())
        width = int(values.max(initial=0)) + 1
        _, numbers = np.unique(incidence.owners, return_inverse=True)
        return cls.of(incidence.offsets[offsets], numbers * width + values_of, values_of)

    def united(self, first: Chain, after: Chain) -> tuple[Shared, Again]:
        """Those of the groups of a roll-up, and who was counted too often. `first`, `after`: the classes of each, see `kernels`."""
        from sfumato.search.compiled import owners

        if not len(self.members):
            none = np.zeros(len(first) + 1, np.int64)
            return Shared(none, self.members, self.many, self.values), Again(none, self.members, self.values)
        offsets, members, again, twice = owners.unite(first, after, self.offsets, self.members, self.many)
        return Shared(offsets, members, self.many, self.values), Again(again, twice, self.values)

    def leaving(self, marked: Mask, people: Counts) -> int:
        """How many people leave with some classes: those who are in no other."""
        from sfumato.search.compiled import owners

        return int(owners.leaving(marked, people, self.offsets, self.members, self.many)) if marked.any() else 0

    def last_with(self, worse: Floats, people: Counts) -> Counts:
        """How many people leave with each class and no sooner, when classes leave from the worst to the best."""
        from sfumato.search.compiled import owners

        return np.asarray(owners.last_with(worse, people, self.offsets, self.members, self.many))

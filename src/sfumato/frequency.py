"""The frequency set: the distinct cells of a table and how many people and rows are in each.

Everything about a release except its rows is a function of it, and the set of a more general node is a roll-up of the set of a
less general one. Without an owner column a row is a person. With one, people do not add up when classes merge, so the set keeps the
distinct pairs of a cell and an owner, the incidence. Arrays are read-only; counts are 64-bit integers throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.errors import DataError, NodeError, argument, unknown
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.node import Node

Counts = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)
_KEY_LIMIT = 2**62
_MARKED = 64  # owners are marked in a list rather than sorted if the largest number is at most this many times their count


@dataclass(frozen=True, slots=True, eq=False)
class Incidence:
    """Which owners are in which group: owners[offsets[g]:offsets[g + 1]], distinct and ascending within a group."""

    offsets: Counts
    owners: Counts

    @classmethod
    def of_pairs(cls, groups: Counts, owners: Counts, count: int) -> Incidence:
        """From (group, owner) pairs in any order, repeats allowed."""
        width = int(owners.max(initial=0)) + 1
        if count * width < _KEY_LIMIT and int(owners.min(initial=0)) >= 0:  # sorting one key for both is much quicker
            keys = np.sort(groups * width + owners)
            keys = keys[_fresh(keys)]
            return cls(_frozen(_offsets(keys // width, count)), _frozen(keys % width))
        order = np.lexsort((owners, groups))
        groups, owners = groups[order], owners[order]
        fresh = _fresh(groups) | _fresh(owners)
        return cls(_frozen(_offsets(groups[fresh], count)), _frozen(owners[fresh]))

    def sizes(self) -> Counts:
        return np.diff(self.offsets)

    def people(self) -> int:
        """How many owners there are in all groups together."""
        most, least = int(self.owners.max(initial=0)), int(self.owners.min(initial=0))
        if least < 0 or most > _MARKED * (len(self.owners) + 1):
            return len(np.unique(self.owners))
        marks = np.zeros(most + 1, bool)
        marks[self.owners] = True
        return int(np.count_nonzero(marks))

    def keep(self, kept: Mask) -> Incidence:
        """The marked groups only."""
        return Incidence(_frozen(_kept_offsets(self.offsets, kept)), _frozen(self.owners[np.repeat(kept, self.sizes())]))

    def regroup(self, group_of: Counts, count: int) -> Incidence:
        """The incidence after group g has become part of group_of[g]."""
        return self.of_pairs(np.repeat(group_of, self.sizes()), self.owners, count)


@dataclass(frozen=True, slots=True, eq=False)
class Payload:
    """How the people of each class are distributed over a sensitive attribute: cells in class order, distinct values ascending.

    Cells offsets[c]:offsets[c + 1] belong to class c. `values` are codes of level 0 of the attribute's hierarchy.
    """

    hierarchy: Hierarchy
    offsets: Counts
    values: Codes
    rows: Counts
    people: Counts
    incidence: Incidence | None = None

    def regroup(self, class_of: Counts, count: int) -> Payload:
        """The payload after class c has become part of class_of[c]."""
        width = self.hierarchy.codes(0)
        keys = np.repeat(class_of, np.diff(self.offsets)) * width + self.values
        cells, cell_of = np.unique(keys, return_inverse=True)
        rows = added(self.rows, cell_of, len(cells))
        incidence = self.incidence.regroup(cell_of, len(cells)) if self.incidence else None
        people = incidence.sizes() if incidence else rows
        offsets = _offsets(cells // width, count)
        values = (cells % width).astype(np.int32)
        return Payload(self.hierarchy, _frozen(offsets), _frozen(values), _frozen(rows), _frozen(people), incidence)

    def keep(self, kept: Mask) -> Payload:
        """The marked classes only."""
        cells = np.repeat(kept, np.diff(self.offsets))
        incidence = self.incidence.keep(cells) if self.incidence else None
        return Payload(
            hierarchy=self.hierarchy,
            offsets=_frozen(_kept_offsets(self.offsets, kept)),
            values=_frozen(self.values[cells]),
            rows=_frozen(self.rows[cells]),
            people=_frozen(self.people[cells]),
            incidence=incidence,
        )

    def distribution(self) -> Counts:
        """People per value over the whole table; distinct (owner, value) pairs if there are owners."""
        width = self.hierarchy.codes(0)
        if self.incidence is None:
            return added(self.people, self.values, width)
        return self.incidence.regroup(self.values.astype(np.int64), width).sizes()


@dataclass(frozen=True, slots=True, eq=False)
class CellTable:
    """Counted cells as an engine delivers them, in any order, repeats allowed.

    Codes per QID, codes of at most one sensitive attribute with its hierarchy, rows, and the number of the owner if there is one.
    """

    columns: Sequence[Codes]
    rows: Counts
    values: Mapping[str, tuple[Hierarchy, Codes]]
    owners: Counts | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FrequencySet:
    """The classes of a node in lexicographic order of their codes, with people, rows and payloads.

    codes[c, j] is the code of class c at the node's level of QID j; classes are distinct and not empty; rows.sum() is the number
    of rows. `basis` is what counts as a person: `row` or `owner`. people.sum() exceeds `total_people` when an owner is in several
    classes. Then the incidence is needed to merge classes; without it (a certified file) they cannot be merged.
    """

    node: Node
    hierarchies: tuple[Hierarchy, ...]
    codes: Codes
    rows: Counts
    people: Counts
    total_people: int
    payloads: Mapping[str, Payload]
    incidence: Incidence | None = None
    basis: str = "row"

    @classmethod
    def of_cells(cls, node: Node, hierarchies: Sequence[Hierarchy], cells: CellTable) -> FrequencySet:
        """From counted cells: each is a class of its own at first, then equal ones are merged."""
        if cells.rows.sum(dtype=np.float64) >= _KEY_LIMIT:
            raise DataError("more rows than 64-bit counts can hold")
        single = np.arange(len(cells.rows) + 1, dtype=np.int64)
        incidence = None if cells.owners is None else Incidence(single, cells.owners)
        ones = np.ones(len(cells.rows), np.int64)
        people = cells.rows if incidence is None else ones
        payloads = {
            name: Payload(hierarchy, single, values, cells.rows, people, incidence)
            for name, (hierarchy, values) in cells.values.items()
        }
        total = int(cells.rows.sum()) if cells.owners is None else len(np.unique(cells.owners))
        codes = np.stack(cells.columns, axis=1) if cells.columns else np.zeros((len(cells.rows), 0), np.int32)
        basis = "row" if cells.owners is None else "owner"
        raw = cls(node, tuple(hierarchies), codes, cells.rows, people, total, payloads, incidence, basis)
        return raw._regroup(node, raw.hierarchies, list(codes.T))

    def keep(self, kept: Mask) -> FrequencySet:
        """The marked classes only; the people of the others are removed."""
        incidence = self.incidence.keep(kept) if self.incidence else None
        rows = self.rows[kept]
        return FrequencySet(
            node=self.node,
            hierarchies=self.hierarchies,
            codes=_frozen(self.codes[kept]),
            rows=_frozen(rows),
            people=_frozen(self.people[kept]),
            total_people=incidence.people() if incidence else int(rows.sum()),
            payloads=MappingProxyType({name: payload.keep(kept) for name, payload in self.payloads.items()}),
            incidence=incidence,
            basis=self.basis,
        )

    def with_payloads(self, other: FrequencySet) -> FrequencySet:
        """The same classes with the payloads of another count of the same rows."""
        return replace(self, payloads=MappingProxyType({**self.payloads, **other.payloads}))

    @property
    def classes(self) -> int:
        return len(self.codes)

    @property
    def total_rows(self) -> int:
        return int(self.rows.sum())

    def hierarchy(self, attribute: str) -> Hierarchy:
        return self.hierarchies[self.node.attributes.index(attribute)]

    def labels(self, number: int) -> tuple[str | None, ...]:
        """The labels of a class, numbered from 1; None is the missing value."""
        row = self.codes[number - 1]
        return tuple(h.label(level, int(code)) for h, level, code in zip(self.hierarchies, self.node.levels, row, strict=True))

    def roll_up(self, node: Node) -> FrequencySet:
        """The frequency set of a node that is at least as general."""
        if not node.covers(self.node):
            raise NodeError(f"{node} is not above {self.node}: a frequency set only rolls up", where=argument("node"))
        for hierarchy, (name, level) in zip(self.hierarchies, node.as_dict().items(), strict=True):
            if level > hierarchy.height:
                raise NodeError(
                    f"level {level} of {name!r} does not exist; it has 0 to {hierarchy.height}", where=argument("node")
                )
        steps = zip(self.hierarchies, self.node.levels, node.levels, self.codes.T, strict=True)
        columns = [hierarchy.ancestors(low, high)[codes] for hierarchy, low, high, codes in steps]
        return self._regroup(node, self.hierarchies, columns)

    def project(self, attributes: Sequence[str]) -> FrequencySet:
        """The frequency set of some QIDs, in the order given: the view of someone who knows only these."""
        for name in attributes:
            if name not in self.node.attributes:
                raise NodeError(unknown("QID", name, self.node.attributes, within="the frequency set"), where=argument("node"))
        if len(set(attributes)) < len(attributes):
            raise NodeError("a QID is named twice", where=argument("node"))
        places = [self.node.attributes.index(name) for name in attributes]
        node = Node(tuple(attributes), tuple(self.node.levels[place] for place in places))
        return self._regroup(node, tuple(self.hierarchies[p] for p in places), [self.codes[:, p] for p in places])

    def relabeled(self, node: Node, hierarchies: tuple[Hierarchy, ...], columns: Sequence[Codes]) -> FrequencySet:
        """The same classes under other hierarchies, labeled at the levels of a node; `columns` are the new codes of each QID."""
        return self._regroup(node, hierarchies, columns)

    def _regroup(self, node: Node, hierarchies: tuple[Hierarchy, ...], columns: Sequence[Codes]) -> FrequencySet:
        if self.basis == "owner" and self.incidence is None:
            raise NodeError(
                "the file has only the number of people in each class; measure the original at a node instead", where="owners"
            )
        radices = [hierarchy.codes(level) for hierarchy, level in zip(hierarchies, node.levels, strict=True)]
        keys = packed(columns, radices, self.classes)
        _, first, class_of = np.unique(keys, return_index=True, return_inverse=True)
        count = len(first)
        incidence = self.incidence.regroup(class_of, count) if self.incidence else None
        rows = added(self.rows, class_of, count)
        codes = np.stack([column[first] for column in columns], axis=1) if columns else np.zeros((count, 0), np.int32)
        return FrequencySet(
            node=node,
            hierarchies=hierarchies,
            codes=_frozen(np.ascontiguousarray(codes, dtype=np.int32)),
            rows=_frozen(rows),
            people=_frozen(incidence.sizes() if incidence else rows),
            total_people=self.total_people,
            payloads=MappingProxyType({name: payload.regroup(class_of, count) for name, payload in self.payloads.items()}),
            incidence=incidence,
            basis=self.basis,
        )

    def same_as(self, other: FrequencySet) -> bool:
        """Whether both have the same classes, counts and payloads over the same labels."""
        return (
            self.node == other.node
            and self.total_people == other.total_people
            and all(a.same_as(b) for a, b in zip(self.hierarchies, other.hierarchies, strict=True))
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ("codes", "rows", "people"))
            and self.payloads.keys() == other.payloads.keys()
            and all(_same_payload(payload, other.payloads[name]) for name, payload in self.payloads.items())
        )


def _same_payload(one: Payload, other: Payload) -> bool:
    parts = ("offsets", "values", "rows", "people")
    same = all(np.array_equal(getattr(one, part), getattr(other, part)) for part in parts)
    return same and one.hierarchy.same_as(other.hierarchy)


def packed(columns: Sequence[npt.NDArray[np.integer]], radices: Sequence[int], length: int) -> Counts:
    """One 64-bit key per class, ordered like the columns from left to right.

    Mixed radix; where the product of the radices would overflow, the keys so far are replaced by their ranks.
    """
    keys, span = np.zeros(length, np.int64), 1
    for column, radix in zip(columns, radices, strict=True):
        if span * radix > _KEY_LIMIT:
            ranks, keys = np.unique(keys, return_inverse=True)
            span = len(ranks)
        keys = keys * radix + column
        span *= radix
    return keys


def added(counts: Counts, group_of: npt.NDArray[np.integer], groups: int) -> Counts:
    """Sums of counts per group, exact in 64 bits."""
    total = np.zeros(groups, np.int64)
    np.add.at(total, group_of, counts)
    return total


def _fresh(keys: Counts) -> Mask:
    """Where a key differs from the one before it."""
    fresh = np.ones(len(keys), bool)
    fresh[1:] = keys[1:] != keys[:-1]
    return fresh


def _offsets(groups: Counts, count: int) -> Counts:
    """Where each group starts in an ascending list of groups."""
    return np.searchsorted(groups, np.arange(count + 1)).astype(np.int64)


def _kept_offsets(offsets: Counts, kept: Mask) -> Counts:
    """The offsets of the marked groups."""
    return np.concatenate(([0], np.cumsum(np.diff(offsets)[kept]))).astype(np.int64)


def _frozen(array: npt.NDArray[T]) -> npt.NDArray[T]:
    array.setflags(write=False)
    return array

"""People by their classes in every release of a sequence: the count that everything about the sequence is a function of.

A frequency set whose QIDs are the releases: its cells are the combinations of classes that occur, with their people and sensitive
values. Code 0 stands for people who are not in the table of a release; the code after the last class for those who are in the table
and were suppressed. An attacker is taken to know who is in which table, so both tell people apart.

Somebody is followed by the owner of the row and by the sensitive values: a person whose value changes counts as one who leaves and
another who comes, as in the literature (Xiao and Tao 2007).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.engines.arrays import texts, to_numpy
from sfumato.engines.encoding import encoding_of
from sfumato.engines.kernels import index_in, unique
from sfumato.frequency import CellTable, Counts, FrequencySet, Mask, added, packed
from sfumato.sequence.rows import Rows
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute, Schema


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """How often each sensitive value stands in each class of a written file, where the file holds more than its people: counterfeits."""

    classes: Codes
    values: tuple[str | None, ...]
    value_of: Codes
    rows: Counts


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Rows by class and sensitive value: values and rows offsets[c]:offsets[c + 1] are those of class c, numbered from 1; 0 is empty."""

    offsets: Counts
    values: Counts
    rows: Counts
    width: int

    @classmethod
    def of(cls, classes: Codes, values: npt.NDArray[np.integer], rows: Counts, count: int, width: int) -> Shown:
        """From entries in any order, repeats allowed."""
        cells, cell_of = np.unique(classes.astype(np.int64) * width + values, return_inverse=True)
        offsets = np.searchsorted(cells // width, np.arange(count + 3)).astype(np.int64)
        return cls(offsets, cells % width, added(rows, cell_of, len(cells)), width)

    def of_classes(self, classes: Codes) -> Floats:
        """The rows of some classes, one column per value."""
        sizes = np.diff(self.offsets)[classes]
        found = np.zeros((len(classes), self.width))
        row = np.repeat(np.arange(len(classes)), sizes)
        starts = np.repeat(self.offsets[classes] - np.cumsum(sizes) + sizes, sizes)
        at = starts + np.arange(len(row))
        found[row, self.values[at]] = self.rows[at]
        return found

    def distribution(self) -> Floats:
        """The shares of the values in the whole file."""
        people = added(self.rows, self.values, self.width)
        return np.asarray(people / max(int(people.sum()), 1), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A release: its name, the class of every row of its table (0: none; one past the last: suppressed), and the number of classes.

    `stated` are the sensitive values of its classes by attribute, where these are not those of the people in them; `models` is what it
    promises, `m` that of an m-invariant release.
    """

    name: str
    table: str
    numbers: Codes
    classes: int
    stated: Mapping[str, Stated] | None = None
    models: tuple[str, ...] = ()
    m: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """People by their classes in every release; the prior is that of the first table, before anything was released.

    `changed` counts people who came again with another sensitive value.
    """

    members: tuple[Member, ...]
    counts: FrequencySet
    priors: Mapping[str, Prior]
    schema: Schema
    changed: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.members)

    def inside(self, places: Sequence[int]) -> Mask:
        """Which cells are in a class of at least one of the releases."""
        codes = self.counts.codes[:, list(places)]
        last = np.array([self.members[place].classes for place in places], np.int32)
        return np.asarray(((codes > 0) & (codes <= last)).any(axis=1), bool)

    def coalition(self, places: Sequence[int]) -> FrequencySet:
        """The people of at least one of some releases, by their classes in all of these."""
        return self.counts.keep(self.inside(places)).project([self.counts.node.attributes[place] for place in places])

    def shown(self, place: int, attribute: str) -> Shown:
        """The sensitive values of the classes of one release, as its file shows them."""
        member, payload = self.members[place], self.counts.payloads[attribute]
        if member.stated is not None:
            stated = member.stated[attribute]
            code_of = {label: code for code, label in enumerate((*payload.hierarchy.labels[0], None))}
            codes = np.array([code_of[each] for each in stated.values], np.int64)
            return Shown.of(stated.classes, codes[stated.value_of], stated.rows, member.classes, payload.hierarchy.codes(0))
        classes = np.repeat(self.counts.codes[:, place], np.diff(payload.offsets))
        published = (classes > 0) & (classes <= member.classes)
        values, people = payload.values[published], payload.people[published]
        return Shown.of(classes[published], values, people, member.classes, payload.hierarchy.codes(0))


def of_one_table(members: Sequence[Member], counts: FrequencySet, schema: Schema) -> Joint:
    """From the count of one table, of whose cells every release says the class."""
    node, hierarchies = _releases(members)
    joint = counts.relabeled(node, hierarchies, [each.numbers for each in members])
    return Joint(tuple(members), joint, {name: Prior.of(counts, name) for name in schema.sensitive}, schema)


def of_owners(members: Sequence[Member], tables: Mapping[str, Rows], schema: Schema) -> Joint:
    """From the rows of several tables, joined by their owners."""
    lives = _Lives.of(tables, members, schema)
    node, hierarchies = _releases(members)
    columns = []
    for member in members:
        column = np.zeros(lives.count, np.int32)
        column[lives.of_row[member.table]] = member.numbers
        columns.append(column)
    ones, joint = np.ones(lives.count, np.int64), None
    for name, (hierarchy, codes) in lives.values.items():
        counted = FrequencySet.of_cells(node, hierarchies, CellTable(columns, ones, {name: (hierarchy, codes)}))
        joint = counted if joint is None else joint.with_payloads(counted)
    if joint is None:
        joint = FrequencySet.of_cells(node, hierarchies, CellTable(columns, ones, {}))
    first = lives.of_row[members[0].table]
    priors = {name: _prior(name, hierarchy, codes[first]) for name, (hierarchy, codes) in lives.values.items()}
    return Joint(tuple(members), joint, priors, schema, lives.changed)


def _releases(members: Sequence[Member]) -> tuple[Node, tuple[Hierarchy, ...]]:
    """The releases as QIDs, with the numbers of their classes as values."""
    hierarchies = tuple(Hierarchy.flat(tuple(map(str, range(each.classes + 2)))) for each in members)
    return Node(tuple(each.name for each in members), (0,) * len(members)), hierarchies


def _prior(name: str, hierarchy: Hierarchy, codes: Codes) -> Prior:
    people = np.bincount(codes, minlength=hierarchy.codes(0)).astype(np.int64)
    present = np.flatnonzero(people)
    return Prior(name, tuple(hierarchy.label(0, int(code)) for code in present), people[present])


@dataclass(frozen=True, slots=True, eq=False)
class _Lives:
    """Everybody who was ever in one of the tables, with constant sensitive values: how many, which one every row of a table is, the
    values, and how many came again with others."""

    count: int
    of_row: Mapping[str, Counts]
    values: Mapping[str, tuple[Hierarchy, Codes]]
    changed: int

    @classmethod
    def of(cls, tables: Mapping[str, Rows], members: Sequence[Member], schema: Schema) -> _Lives:
        order = list(dict.fromkeys(each.table for each in members))
        rows = [tables[digest] for digest in order]
        owners = _numbered([each.owners for each in rows])
        columns = {
            name: _values(schema[name], [each.values[name] for each in rows], _stated(members, name)) for name in schema.sensitive
        }
        radices = [int(owners.max(initial=0)) + 1, *(hierarchy.codes(0) for hierarchy, _ in columns.values())]
        keys = packed([owners, *(codes for _, codes in columns.values())], radices, len(owners))
        found, first, life = np.unique(keys, return_index=True, return_inverse=True)
        ends = np.cumsum([0, *(len(each.people) for each in rows)])
        return cls(
            count=len(found),
            of_row={digest: life[ends[place] : ends[place + 1]] for place, digest in enumerate(order)},
            values={name: (hierarchy, codes[first]) for name, (hierarchy, codes) in columns.items()},
            changed=len(found) - int(owners.max(initial=-1)) - 1,
        )


def _numbered(columns: Sequence[Any]) -> Counts:
    """The owners of all tables, numbered."""
    import pyarrow as pa

    together = pa.chunked_array(columns)
    return to_numpy(index_in(together, unique(together))).astype(np.int64)


def _stated(members: Sequence[Member], name: str) -> set[str]:
    """The values in the files of releases that hold more than their people: a counterfeit may have a value that nobody has now."""
    stated = [each.stated[name] for each in members if each.stated is not None]
    return {value for own in stated for value in own.values if value is not None}


def _values(attribute: Attribute, columns: Sequence[tuple[tuple[str, ...], Codes]], more: set[str]) -> tuple[Hierarchy, Codes]:
    """The sensitive values of all tables, and `more` of them, under one hierarchy."""
    known = tuple(dict.fromkeys([*(text for labels, _ in columns for text in labels), *sorted(more)]))
    encoding = encoding_of(attribute, texts(known), ())
    code_of = dict(zip(encoding.keys.to_pylist(), encoding.codes.tolist(), strict=True))
    parts = []
    for labels, codes in columns:
        own = np.array([*(code_of[label] for label in labels), encoding.missing], np.int32)
        parts.append(own[codes])
    return encoding.hierarchy, np.concatenate(parts)

"""People by their classes in every release of a sequence: the count that everything about the sequence is a function of.

A frequency set whose QIDs are the releases: its cells are the combinations of classes that occur, with their people and sensitive
values. Code 0 stands for people who are not in the table of a release; the code after the last class for those who are in the table
and were suppressed. An attacker is taken to know who is in which table, so both tell people apart.

Whose sensitive value changes is nevertheless one person, who shares classes with others; what these classes tell is asked with the values
of each table. To who intersects, and for m-invariance, a changed value makes another person, as in the literature (Xiao and Tao 2007).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sfumato.beliefs import Prior
from sfumato.engines.arrays import texts, to_numpy
from sfumato.engines.encoding import encoding_of
from sfumato.engines.kernels import index_in, unique
from sfumato.frequency import CellTable, Counts, FrequencySet, Mask, packed
from sfumato.models import PrivacyModel
from sfumato.sequence.classes import Member, Shown
from sfumato.sequence.kinds import in_one_kind
from sfumato.sequence.rows import Rows
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute, Schema


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """People by their classes in every release. `priors` are those of the first table, before anything was released; `priors_of` those of
    each table, which its releases were judged by, where there are several.

    `changed` counts people who came again with another sensitive value: in `counts` each of their values is a person. `editions` count
    them once, with the values that everybody had in each table; without them, no value changed. `lives`, where there are several sensitive
    attributes, are for each of them the people of whom this one attribute does not change.
    """

    members: tuple[Member, ...]
    counts: FrequencySet
    priors: Mapping[str, Prior]
    schema: Schema
    changed: int = 0
    editions: Mapping[str, FrequencySet] = field(default_factory=dict)
    priors_of: Mapping[str, Mapping[str, Prior]] = field(default_factory=dict)
    lives: Mapping[str, FrequencySet] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.members)

    def is_monotone(self, model: PrivacyModel) -> bool:
        """Whether releases that break a model still do so with further ones. Where people have several rows, fewer models promise that."""
        return model.monotone_with_owners if self.several_rows else model.monotone

    @property
    def several_rows(self) -> bool:
        """Whether anybody has several rows."""
        return self.counts.total_rows > self.counts.total_people

    @property
    def by_owner(self) -> FrequencySet:
        """Everybody once, by their classes; their values are those of some table."""
        return next(iter(self.editions.values()), self.counts)

    def coalition(self, places: Sequence[int], *, starred: bool = True) -> FrequencySet:
        """The people of at least one of some releases, by their classes in all of these; whose value changes is one person. `starred`:
        that of suppressed people who stand in the file is a class."""
        return self._grouped(self.by_owner, places, starred)

    def lives_of(self, attribute: str) -> FrequencySet:
        """People by their classes in all releases, where whose value of an attribute changes is another person. Whoever changes in another
        attribute only is not: what remains of this one is still found in all releases."""
        return self.lives.get(attribute, self.counts)

    def by_value(self, places: Sequence[int], attribute: str, *, starred: bool = True) -> FrequencySet:
        """The same as a coalition, where whose value of an attribute changes is another person."""
        return self._grouped(self.lives_of(attribute), places, starred)

    def as_published(self, places: Sequence[int]) -> Iterator[FrequencySet]:
        """The groups of a coalition with the values of each table that they are in; once, where no value changed."""
        if not self.editions:
            yield self._grouped(self.counts, places, starred=True)
            return
        yield from (counts for _, _, counts in self.in_tables(places))

    def in_tables(self, places: Sequence[int], *, starred: bool = True) -> Iterator[tuple[str, Mask, FrequencySet]]:
        """For every table of a coalition, which groups are in its releases, and these with the values of that time."""
        alike = None if self.editions else self._grouped(self.counts, places, starred)
        for table in dict.fromkeys(self.members[place].table for place in places):
            grouped = self._grouped(self.editions[table], places, starred) if alike is None else alike
            own = [self.members[place].table == table for place in places]
            shown = self._shown(
                grouped.codes[:, own], [place for place, is_own in zip(places, own, strict=True) if is_own], starred
            )
            yield table, shown, grouped.keep(shown)

    def prior_in(self, table: str, attribute: str) -> Prior:
        """What was believed before a table was released: its own shares."""
        return self.priors_of.get(table, self.priors)[attribute]

    def _grouped(self, counts: FrequencySet, places: Sequence[int], starred: bool) -> FrequencySet:
        inside = self._shown(counts.codes[:, list(places)], places, starred)
        return counts.keep(inside).project([counts.node.attributes[place] for place in places])

    def _shown(self, codes: Codes, places: Sequence[int], starred: bool) -> Mask:
        """Which cells are in a class of at least one of the releases."""
        chosen = [self.members[place] for place in places]
        last = np.array([each.classes - (each.starred and not starred) for each in chosen], np.int32)
        return np.asarray(((codes > 0) & (codes <= last)).any(axis=1), bool)

    def without_last(self) -> Joint:
        """Without the last release."""
        members = self.members[:-1]
        names = self.counts.node.attributes[:-1]
        tables = {each.table for each in members}
        editions = {table: counts.project(names) for table, counts in self.editions.items() if table in tables}
        lives = {name: counts.project(names) for name, counts in self.lives.items()}
        return replace(self, members=members, counts=self.counts.project(names), editions=editions, lives=lives)

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
    schema, tables, members = in_one_kind(schema, tables, members)
    lives = _Lives.of(tables, members, schema)
    joint, priors = _counted(members, lives.count, lives.of_row, lives.values), lives.priors()
    editions = lives.editions(members) if lives.changed else {}
    apart = {name: lives.of_attribute(name, members) for name in lives.values} if lives.changed and len(lives.values) > 1 else {}
    return Joint(tuple(members), joint, priors[members[0].table], schema, lives.changed, editions, priors, apart)


def _counted(
    members: Sequence[Member], people: int, of_row: Mapping[str, Counts], values: Mapping[str, tuple[Hierarchy, Codes]]
) -> FrequencySet:
    """People by their classes in every release, from who every row of a table is."""
    node, hierarchies = _releases(members)
    columns = []
    for member in members:
        column = np.zeros(people, np.int32)
        column[of_row[member.table]] = member.numbers
        columns.append(column)
    ones = np.ones(people, np.int64)
    found = FrequencySet.of_cells(node, hierarchies, CellTable(columns, ones, {}))
    for name, own in values.items():
        found = found.with_payloads(FrequencySet.of_cells(node, hierarchies, CellTable(columns, ones, {name: own})))
    return found


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
    values, and how many came again with others. `owners`: whose each is, numbered from 0."""

    count: int
    of_row: Mapping[str, Counts]
    values: Mapping[str, tuple[Hierarchy, Codes]]
    changed: int
    owners: Counts

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
            owners=owners[first],
        )

    def priors(self) -> dict[str, dict[str, Prior]]:
        """The shares of the sensitive values in each table."""
        return {
            table: {name: _prior(name, hierarchy, codes[rows]) for name, (hierarchy, codes) in self.values.items()}
            for table, rows in self.of_row.items()
        }

    def of_attribute(self, name: str, members: Sequence[Member]) -> FrequencySet:
        """Everybody once for each value of one attribute, whatever the others were meanwhile."""
        hierarchy, codes = self.values[name]
        radices = [int(self.owners.max(initial=0)) + 1, hierarchy.codes(0)]
        found, first, merged = np.unique(
            packed([self.owners, codes], radices, self.count), return_index=True, return_inverse=True
        )
        of_row = {table: merged[lives] for table, lives in self.of_row.items()}
        return _counted(members, len(found), of_row, {name: (hierarchy, codes[first])})

    def editions(self, members: Sequence[Member]) -> dict[str, FrequencySet]:
        """Everybody once, with the values of each table. Who is not in it has any: nobody asks for these."""
        people = int(self.owners.max(initial=-1)) + 1
        of_row = {table: self.owners[lives] for table, lives in self.of_row.items()}
        return {table: _counted(members, people, of_row, self._values_in(table, of_row[table], people)) for table in of_row}

    def _values_in(self, table: str, people_of_row: Counts, people: int) -> dict[str, tuple[Hierarchy, Codes]]:
        found = {}
        for name, (hierarchy, codes) in self.values.items():
            own = np.zeros(people, np.int32)
            own[people_of_row] = codes[self.of_row[table]]
            found[name] = hierarchy, own
        return found


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

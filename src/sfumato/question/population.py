"""How many people of a larger table fall into each class of a release."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import FrequencySet
from sfumato.models import Population
from sfumato.question.levels import nearest_level
from sfumato.search.beside import Beside, Joint
from sfumato.table.source import Source
from sfumato.vocabulary.builders import Intervals
from sfumato.vocabulary.hierarchy import ROOT, Codes, Hierarchy
from sfumato.vocabulary.labels import Range
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute, Schema

_NOWHERE = "no label"  # of the numbers that no label of the release covers


@dataclass(frozen=True, slots=True, eq=False)
class PopulationOf:
    """A larger table counted by the QIDs of a release, at level 0 or at the floor that no release of it lies below.

    `from_data` are the QIDs whose bands depend on the values that occur. A hierarchy over the values of the larger table has other bands,
    if only the last one, which is closed: people are counted in the bands of the release.
    """

    leaves: FrequencySet
    from_data: frozenset[str] = frozenset()

    @classmethod
    def counted(
        cls, source: Source, schema: Schema, names: Sequence[str], floor: Mapping[str, int] | None = None
    ) -> PopulationOf:
        """Count the larger table; it needs the QIDs, and the owner where the schema has one."""
        kept = (*names, *((schema.owner,) if schema.owner else ()))
        only = replace(schema, attributes=tuple(attribute for attribute in schema.attributes if attribute.name in kept))
        from_data = frozenset(name for name in names if _from_data(schema[name]))
        levels = {name: 0 if name in from_data else (floor or {}).get(name, 0) for name in names}
        with replace(source, schema=only).open() as table:
            return cls(table.count(names, floor=levels, sensitive=()), from_data)

    def __call__(self, release: FrequencySet) -> Population:
        """The people in the classes of a release at a node."""
        return self._at(release.node.as_dict(), release)

    def beside(self, counts: FrequencySet) -> Beside | None:
        """The larger table in the codes of a count; None if its values do not follow that one's hierarchies."""
        joined = []
        for place, (name, floor) in enumerate(counts.node.as_dict().items()):
            hierarchy = counts.hierarchies[place]
            found = [self._found(name, hierarchy, level) for level in range(floor, hierarchy.height + 1)]
            joined.append(Joint.of(hierarchy, floor, found))
        if any(each is None for each in joined):
            return None
        columns = [self.leaves.codes[:, self.leaves.node.attributes.index(name)] for name in counts.node.attributes]
        pairs = [each for each in joined if each is not None]
        codes = np.stack([codes[column] for (_, codes), column in zip(pairs, columns, strict=True)], axis=1)
        joints = tuple(joint for joint, _ in pairs)
        whole = self.leaves
        return Beside(counts.node, joints, codes, whole.people, whole.incidence, whole.total_people)

    def _found(self, name: str, hierarchy: Hierarchy, level: int) -> Codes:
        """The code that each counted value of a QID has at a level of another hierarchy; -1 if it has none."""
        own, labels = self.leaves.hierarchy(name), hierarchy.at(level)
        if name in self.from_data:
            places = _covering(labels, own)
            return np.where(places == len(labels), -1, np.where(places > len(labels), len(labels), places)).astype(np.int32)
        code_of: dict[str | None, int] = {label: code for code, label in enumerate((*labels, None))}
        at_level = [own.label(level, int(code)) for code in range(own.codes(level))]
        codes = np.array([code_of.get(label, -1) for label in at_level], np.int32)
        return codes[own.ancestors(own.floor, level)]

    def of_labels(self, release: FrequencySet) -> Population:
        """The people in the classes of a release whose labels are those of one level of each hierarchy."""
        levels: dict[str, int] = {}
        for place, name in enumerate(release.node.attributes):
            labels = _labels(release, place)
            level = _any_level(labels) if name in self.from_data else nearest_level(labels, self.leaves.hierarchy(name))
            if level is None:
                raise UsageError(
                    "the labels of the release are not those of one level of the schema's hierarchies",
                    where=argument("population"),
                )
            levels[name] = level
        return self._at(levels, release)

    def _at(self, levels: Mapping[str, int], release: FrequencySet) -> Population:
        """The people in the classes of a release whose labels stand at these levels."""
        hierarchies, columns, own_levels = [], [], []
        for place, (name, level) in enumerate(levels.items()):
            hierarchy, codes = self.leaves.hierarchy(name), self.leaves.codes[:, self.leaves.node.attributes.index(name)]
            if name in self.from_data:
                labels = release.hierarchies[place].at(release.node.levels[place])
                hierarchies.append(Hierarchy.flat((*labels, _NOWHERE)))
                columns.append(_covering(labels, hierarchy)[codes])
                own_levels.append(0)
            else:
                hierarchies.append(hierarchy)
                columns.append(hierarchy.ancestors(hierarchy.floor, level)[codes])
                own_levels.append(level)
        counts = self.leaves.relabeled(Node(release.node.attributes, tuple(own_levels)), tuple(hierarchies), columns)
        people = {counts.labels(number): int(counts.people[number - 1]) for number in range(1, counts.classes + 1)}
        matched = [people.get(release.labels(number), 0) for number in range(1, release.classes + 1)]
        return Population(np.array(matched, np.int64), sum(people.values()) - sum(matched), counts.total_people)


def _from_data(attribute: Attribute) -> bool:
    """Whether the bounds of its bands come from the values that occur: those of another table are others."""
    return isinstance(attribute.builder, Intervals) and attribute.builder.lower is None


def _labels(release: FrequencySet, place: int) -> set[str]:
    """The labels of a QID that some class has."""
    hierarchy, level = release.hierarchies[place], release.node.levels[place]
    labels = (hierarchy.label(level, int(code)) for code in np.unique(release.codes[:, place]))
    return {label for label in labels if label is not None}


def _any_level(labels: set[str]) -> int | None:
    """Numbers and bands are looked up by what they cover, at whatever level; None if they overlap, as those of a local recoding do."""
    spans = _spans(sorted(labels - {ROOT}))
    apart = all(one.upper <= other.lower and one.lower < other.lower for one, other in pairwise(spans))
    return 0 if apart and len(spans) == len(labels - {ROOT}) else None


def _covering(labels: Sequence[str], hierarchy: Hierarchy) -> Codes:
    """For each number of a population, and the missing value after them, the place of the label that covers it; one past them if none."""
    if tuple(labels) == (ROOT,):
        return np.zeros(hierarchy.codes(0), np.int32)
    spans = _spans(labels)
    lowers = [span.lower for span in spans]
    places = []
    for number in map(Decimal, hierarchy.labels[0]):
        nearest = bisect_right(lowers, number) - 1
        inside = nearest >= 0 and spans[nearest].covers(number)
        places.append(spans[nearest].place if inside else len(labels))
    return np.array([*places, len(labels) + 1], np.int32)


@dataclass(frozen=True, slots=True)
class _Span:
    """The numbers that the label at a place covers."""

    lower: Decimal
    upper: Decimal
    open: bool
    place: int

    def covers(self, number: Decimal) -> bool:
        return self.lower <= number and (number < self.upper or (number == self.upper and not self.open))


def _spans(labels: Sequence[str]) -> list[_Span]:
    """The numbers and bands among some labels, ascending."""
    spans = []
    for place, label in enumerate(labels):
        parsed = Range.parse(label)
        if parsed and isinstance(parsed.lower, Decimal) and isinstance(parsed.upper, Decimal):
            spans.append(_Span(parsed.lower, parsed.upper, parsed.open, place))
    return sorted(spans, key=lambda span: (span.lower, span.upper))

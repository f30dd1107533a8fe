"""How many people of a larger table fall into each class of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import FrequencySet
from sfumato.models import Population
from sfumato.question.levels import nearest_levels
from sfumato.table.source import Source
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class PopulationOf:
    """A larger table counted by the QIDs of a release, at level 0."""

    leaves: FrequencySet

    @classmethod
    def counted(cls, source: Source, schema: Schema, names: Sequence[str]) -> PopulationOf:
        """Count the larger table; it needs the QIDs, and the owner where the schema has one."""
        kept = (*names, *((schema.owner,) if schema.owner else ()))
        only = replace(schema, attributes=tuple(attribute for attribute in schema.attributes if attribute.name in kept))
        with replace(source, schema=only).open() as table:
            return cls(table.count(names, sensitive=()))

    def __call__(self, release: FrequencySet) -> Population:
        """The people in the classes of a release at a node."""
        return self.at(release.node.levels, release)

    def of_labels(self, release: FrequencySet) -> Population:
        """The people in the classes of a release whose labels are those of one level of each hierarchy."""
        levels = nearest_levels(release, self.leaves)
        if levels is None:
            raise UsageError(
                "the labels of the release are not those of one level of the schema's hierarchies", where=argument("population")
            )
        return self.at(levels, release)

    def at(self, levels: tuple[int, ...], release: FrequencySet) -> Population:
        """The people in the classes of a release whose labels stand at these levels."""
        counts = self.leaves.roll_up(Node(release.node.attributes, levels))
        people = {counts.labels(number): int(counts.people[number - 1]) for number in range(1, counts.classes + 1)}
        matched = [people.get(release.labels(number), 0) for number in range(1, release.classes + 1)]
        return Population(np.array(matched, np.int64), sum(people.values()) - sum(matched), counts.total_people)

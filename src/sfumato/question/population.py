"""How many people of a larger table fall into each class of a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sfumato.errors import UsageError
from sfumato.frequency import FrequencySet
from sfumato.models import Population
from sfumato.question.levels import nearest_levels
from sfumato.table import Table
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Schema


def population_of(source: Any, schema: Schema, release: FrequencySet, memory_limit: str | None = None) -> Population:
    """A larger table with the same QIDs, counted in the classes of a release."""
    leaves = population_counts(source, schema, release.node.attributes, memory_limit)
    levels = nearest_levels(release, leaves)
    if levels is None:
        raise UsageError("the labels of the release are not those of one level of the schema's hierarchies", where="population")
    return people_of(leaves, levels, release)


def population_counts(source: Any, schema: Schema, names: Sequence[str], memory_limit: str | None = None) -> FrequencySet:
    """The larger table, counted by some QIDs at level 0."""
    kept = (*names, *((schema.owner,) if schema.owner else ()))
    only = replace(schema, attributes=tuple(attribute for attribute in schema.attributes if attribute.name in kept))
    with Table.open(source, only, memory_limit=memory_limit) as table:
        return table.count(names, sensitive=())


def people_of(leaves: FrequencySet, levels: tuple[int, ...], release: FrequencySet) -> Population:
    """The people of a larger table in the classes of a release at these levels."""
    counts = leaves.roll_up(Node(release.node.attributes, levels))
    people = {counts.labels(number): int(counts.people[number - 1]) for number in range(1, counts.classes + 1)}
    found = [people.get(release.labels(number), 0) for number in range(1, release.classes + 1)]
    return Population(np.array(found, np.int64), sum(people.values()) - sum(found), counts.total_people)

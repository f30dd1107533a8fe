"""Who has each value of a column, where people have several rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sfumato.beliefs import Prior
from sfumato.frequency import Incidence
from sfumato.table import Table
from sfumato.vocabulary.builders import Suppression
from sfumato.vocabulary.kinds import Role
from sfumato.web.bench.project import Project

Owners = Callable[[str], Incidence | None]


def nobody(name: str) -> Incidence | None:
    """For tables in which every row is somebody else."""
    return None


def owners_of(project: Project, prior: Prior) -> Incidence:
    """The owners of each value of a column, in the order of its prior."""
    schema = project.schema
    changed = tuple(
        replace(each, role=Role.QUASI if each.name == prior.attribute else Role.PLAIN, builder=Suppression())
        if each.role is not Role.OWNER
        else each
        for each in schema.attributes
    )
    with Table.open(replace(project.source, schema=replace(schema, attributes=changed))) as table:
        counts = table.count([prior.attribute], sensitive=[])
    assert counts.incidence is not None  # noqa: S101  there is an owner
    place = {value: number for number, value in enumerate(prior.values)}
    group_of = [place[counts.labels(number)[0]] for number in range(1, counts.classes + 1)]
    return counts.incidence.regroup(np.array(group_of, np.int64), len(prior.values))

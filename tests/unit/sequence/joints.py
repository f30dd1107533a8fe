"""People by their classes in several releases, written as lists: what most tests of sequences begin with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.frequency import CellTable, FrequencySet
from sfumato.sequence.classes import Member
from sfumato.sequence.joint import Joint, _prior, _releases
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute, Schema

ILL = "ill"


def joint_of_lists(
    classes: Sequence[Sequence[int]], values: Sequence[str], models: Sequence[Sequence[str]] = (), m: int | None = None
) -> Joint:
    """`classes[r][p]` is the class of person p in release r, 0 for none. The prior is that of everybody."""
    promised = models or [()] * len(classes)
    members = [
        Member(str(number), "table", np.array(own, np.int32), max(own, default=0), models=tuple(text), m=m)
        for number, (own, text) in enumerate(zip(classes, promised, strict=True), start=1)
    ]
    node, hierarchies = _releases(members)
    leaves = Hierarchy.flat(tuple(sorted(set(values))))
    codes = np.array([leaves.labels[0].index(value) for value in values], np.int32)
    ones = np.ones(len(values), np.int64)
    counts = FrequencySet.of_cells(node, hierarchies, CellTable([each.numbers for each in members], ones, {ILL: (leaves, codes)}))
    schema = Schema((Attribute(ILL, Role.SENSITIVE, Kind.TEXT),))
    return Joint(tuple(members), counts, {ILL: _prior(ILL, leaves, codes)}, schema)

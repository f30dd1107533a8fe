"""What two releases of one table tell together, to somebody who has both.

A person is in one class of each release, or suppressed. The *pair* of the two classes is what both releases say about the person. The
table with its people grouped by pairs tells at least as much as the two releases: both can be made of it. So its losses and risks bound
from above what an adversary learns who cannot link rows, and are what one learns who can.

Without linking rows, an adversary who knows a person's quasi-identifiers finds both classes and keeps the sensitive values that occur in
both (the intersection attack of Ganta, Kasiviswanathan and Smith 2008). If one value remains, it is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from sfumato.assessment.assess import losses_of
from sfumato.assessment.risk import Risk, risk
from sfumato.beliefs import statistics_of
from sfumato.errors import DataError
from sfumato.frequency import Counts, FrequencySet
from sfumato.losses import Summary
from sfumato.question.levels import levels_of
from sfumato.question.priors import Priors
from sfumato.release.reading import Reading, at_levels
from sfumato.table import Table
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.node import Node

SIDES = ("first", "second")


@dataclass(frozen=True, slots=True)
class Certain:
    """The share of people of whom one sensitive value remains possible: by each release, and by the values that occur in both classes.

    Of the people who are in both releases."""

    first: float
    second: float
    together: float


@dataclass(frozen=True, slots=True)
class Together:
    """People grouped by their pair of classes: how many are in at least one release and in both, the number of pairs, the smallest, the
    risks, and per sensitive attribute the losses and who is certain."""

    people: int
    both: int
    pairs: int
    smallest_pair: int
    risk: Risk
    losses: Mapping[str, Mapping[str, Summary]]
    certain: Mapping[str, Certain]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        record: dict[str, Any] = {name: getattr(self, name) for name in ("people", "both", "pairs", "smallest_pair")}
        record["risk"] = self.risk.as_dict()
        record["sensitive"] = [
            {"attribute": name, "losses": {n: asdict(s) for n, s in losses.items()}, "certain": asdict(self.certain[name])}
            for name, losses in self.losses.items()
        ]
        return record


def together_of(readings: Sequence[Reading], original: Table, priors: Priors) -> Together | None:
    """What two releases of the original tell together; None if one has labels of several levels. Refuses a file that is no release of
    the original: one with a class that the original does not have, or not with as many rows."""
    quasi = [name for name in original.schema.quasi if any(name in each.counts.node.attributes for each in readings)]
    sensitive = [name for name in priors.of if all(name in each.counts.payloads for each in readings)]
    leaves = original.count(quasi, sensitive=sensitive)
    classes = [_classes_of_cells(each, leaves) for each in readings]
    first, second = classes
    if first is None or second is None:
        return None
    hierarchies = tuple(Hierarchy.flat(tuple(str(number) for number in range(each.counts.classes + 1))) for each in readings)
    whole = leaves.relabeled(Node(SIDES, (0, 0)), hierarchies, [first, second])
    for place, reading in enumerate(readings):
        _require_release(whole, place, reading)
    pairs = whole.keep(np.any(whole.codes > 0, axis=1))
    losses = {
        name: MappingProxyType(losses_of(pairs, statistics_of(pairs, original.schema[name], priors.of[name]), 0))
        for name in sensitive
    }
    shared = pairs.keep(np.all(pairs.codes > 0, axis=1))
    return Together(
        people=pairs.total_people,
        both=shared.total_people,
        pairs=pairs.classes,
        smallest_pair=int(pairs.people.min()),
        risk=risk(pairs),
        losses=MappingProxyType(losses),
        certain=MappingProxyType({name: _certain(pairs, shared, name) for name in sensitive}),
    )


def _classes_of_cells(reading: Reading, leaves: FrequencySet) -> np.ndarray[Any, np.dtype[np.int32]] | None:
    """For every cell of the original the number of its class in a release, 0 where it is suppressed."""
    names = reading.counts.node.attributes
    certificate = reading.certificate
    levels = levels_of(reading.counts, leaves.project(names)) if certificate is None else tuple(certificate.node.values()) or None
    if levels is None:
        return None
    node = Node(names, levels)
    hierarchies = tuple(leaves.hierarchy(name) for name in names)
    released = at_levels(reading.counts, node, hierarchies)
    if released is None:
        raise DataError("has labels that the original does not lead to; is it a release of it?", where=reading.name)
    numbers = {tuple(row): number for number, row in enumerate(released.codes.tolist(), start=1)}
    columns = [
        hierarchy.ancestors(0, level)[leaves.codes[:, leaves.node.attributes.index(name)]].tolist()
        for name, hierarchy, level in zip(names, hierarchies, levels, strict=True)
    ]
    return np.array([numbers.get(cell, 0) for cell in zip(*columns, strict=True)], np.int32)


def _require_release(whole: FrequencySet, place: int, reading: Reading) -> None:
    rows = np.zeros(reading.counts.classes + 1, np.int64)
    np.add.at(rows, whole.codes[:, place], whole.rows)
    if not np.array_equal(rows[1:], reading.counts.rows):
        raise DataError("does not have as many rows in every class as the original; is it a release of it?", where=reading.name)


def _certain(pairs: FrequencySet, shared: FrequencySet, name: str) -> Certain:
    """Of the people in both releases, the shares of whom one value remains."""
    values = [_values(pairs, place, name) for place in range(len(SIDES))]
    cells = [[values[place][code] for code in shared.codes[:, place].tolist()] for place in range(len(SIDES))]
    remaining = [
        np.array([len(each) for each in cells[0]]),
        np.array([len(each) for each in cells[1]]),
        np.array([len(one & other) for one, other in zip(*cells, strict=True)]),
    ]
    people = shared.people
    return Certain(*(_share(people, each == 1) for each in remaining))


def _share(people: Counts, marked: Any) -> float:
    total = int(people.sum())
    return int(people[marked].sum()) / total if total else 0.0


def _values(pairs: FrequencySet, place: int, name: str) -> dict[int, frozenset[int]]:
    """The sensitive values of each class of one release."""
    classes = pairs.project([SIDES[place]])
    payload = classes.payloads[name]
    starts = payload.offsets.tolist()
    return {
        int(code): frozenset(payload.values[start:end].tolist())
        for code, start, end in zip(classes.codes[:, 0].tolist(), starts, starts[1:], strict=False)
    }

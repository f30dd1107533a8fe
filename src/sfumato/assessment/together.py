"""What two releases of one table tell together, to somebody who has both.

A person is in one class of each release, or suppressed. The *pair* of the two classes is what both releases say about the person. The
table with its people grouped by pairs tells at least as much as the two releases: both can be made of it. So its losses and risks bound
from above what an adversary learns who cannot link rows, and are what one learns who can.

Without linking rows, an adversary who knows a person's quasi-identifiers finds both classes and keeps the sensitive values that occur in
both (the intersection attack of Ganta, Kasiviswanathan and Smith 2008). If one value remains, it is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from sfumato.assessment.assess import losses_of
from sfumato.assessment.risk import Risk, risk
from sfumato.beliefs import statistics_of
from sfumato.errors import DataError
from sfumato.frequency import Counts, FrequencySet
from sfumato.losses import Summary
from sfumato.question.priors import Priors
from sfumato.release.numbering import shown_labels
from sfumato.release.reading import Reading
from sfumato.table.source import Source
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind, Role, natural_order
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import SUPPRESSION, Attribute, Schema

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


def together_of(readings: Sequence[Reading], schemas: Sequence[Schema], original: Source, priors: Priors) -> Together | None:
    """What two releases of the original, each made under its own schema, tell together; None if one has labels of several levels, or if
    the schemas give a column other types. Refuses a file that is no release of the original: one with a class that the original does not
    have, or not with as many rows."""
    sensitive = [name for name in priors.of if all(name in each.counts.payloads for each in readings)]
    joint = _joint(readings, schemas, sensitive)
    if joint is None:
        return None
    with replace(original, schema=joint).open() as table:
        leaves, declared = table.count(sensitive=sensitive), table.schema
    classes = [_classes_of_cells(*each, leaves) for each in zip(readings, schemas, strict=True)]
    first, second = classes
    if first is None or second is None:
        return None
    hierarchies = tuple(Hierarchy.flat(tuple(str(number) for number in range(each.counts.classes + 1))) for each in readings)
    whole = leaves.relabeled(Node(SIDES, (0, 0)), hierarchies, [first, second])
    for place, reading in enumerate(readings):
        _require_release(whole, place, reading)
    pairs = whole.keep(np.any(whole.codes > 0, axis=1))
    losses = {
        name: MappingProxyType(losses_of(pairs, statistics_of(pairs, declared[name], priors.of[name]), 0)) for name in sensitive
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


def _joint(readings: Sequence[Reading], schemas: Sequence[Schema], sensitive: Sequence[str]) -> Schema | None:
    """A schema to count the original under: the QIDs of both releases, in their types; None if a type differs."""
    attributes: dict[str, Attribute] = {}
    for reading, schema in zip(readings, schemas, strict=True):
        for name in reading.counts.node.attributes:
            declared = schema[name]
            spelled = declared.builder if declared.normalize else SUPPRESSION  # its leaves say which spelling is the one
            attribute = Attribute(name, Role.QUASI, declared.kind, spelled, declared.normalize, declared.written)
            if attributes.setdefault(name, attribute) != attribute:
                return None
    attributes |= {name: schemas[0][name] for name in sensitive if name not in attributes}
    owner = [attribute for attribute in schemas[0].attributes if attribute.role is Role.OWNER]
    return Schema((*attributes.values(), *owner), missing=schemas[0].missing, source=schemas[0].source)


def _classes_of_cells(reading: Reading, schema: Schema, leaves: FrequencySet) -> np.ndarray[Any, np.dtype[np.int32]] | None:
    """For every cell of the original the number of its class in a release, 0 where it is suppressed."""
    counts, columns = reading.counts, list[list[str | None]]()
    for place, name in enumerate(counts.node.attributes):
        codes = leaves.codes[:, leaves.node.attributes.index(name)]
        values = [leaves.hierarchy(name).label(0, code) for code in range(leaves.hierarchy(name).codes(0))]
        kind = schema[name].kind or Kind.TEXT
        occurring = natural_order(kind, {values[code] for code in np.unique(codes)} - {None})
        hierarchy = schema[name].builder.build(name, kind, occurring)
        level = reading.certificate.node.get(name) if reading.certificate else _level(counts, place, hierarchy)
        if level is None:
            return None
        above = hierarchy.ancestors(0, level)
        leaf_of: dict[str | None, int] = {leaf: code for code, leaf in enumerate((*hierarchy.labels[0], None))}
        label_of = {value: hierarchy.label(level, int(above[leaf_of[value]])) for value in (*occurring, None)}
        columns.append([label_of[values[code]] for code in codes])
    numbers = {counts.labels(number): number for number in range(1, counts.classes + 1)}
    return np.array([numbers.get(cell, 0) for cell in zip(*columns, strict=True)], np.int32)


def _level(counts: FrequencySet, place: int, hierarchy: Hierarchy) -> int | None:
    """The lowest level that has all labels of a column."""
    labels = set(shown_labels(counts, place))
    return next((level for level in range(hierarchy.height + 1) if labels <= set(hierarchy.at(level))), None)


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

"""Releases that publish sensitive values by group: what somebody believes who finds rows of a person, and reads the counts of their groups.

A row is in one group, and its person has a value with the share of the group's people who have it. Shares of groups of several
sizes have no common count. So a row counts in *parts*, as many as the least common multiple of the sizes, and everything stays a
whole number: shares are those of one division, and equals are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lcm
from types import MappingProxyType
from typing import Any

import numpy as np

from sfumato.assessment.published import Inquiry
from sfumato.attacks.fitting.linking import Links
from sfumato.attacks.fitting.spreading import spread
from sfumato.engines.arrays import texts
from sfumato.engines.encoding import encoding_of
from sfumato.errors import DataError
from sfumato.frequency import Counts, Payload, added
from sfumato.release import Reading
from sfumato.release.grouped import GROUP, Groups, groups_of
from sfumato.vocabulary.schema import Attribute, Schema

_MOST = 2**53  # parts of all rows: beyond it, a share is no longer that of one division


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """How many parts a row counts, and how many people each group has, by its code in the payload of groups."""

    parts: int
    sizes: Counts

    def people(self, payload: Payload, sets: Links, chosen: Counts) -> Counts:
        """How many people the groups of each chosen set of classes have: those among whom a person is hidden."""
        classes, place = sets.classes[sets.places(chosen)], np.repeat(np.arange(len(chosen)), sets.counts()[chosen])
        many = np.diff(payload.offsets)[classes]
        at = spread(payload.offsets[classes], many)
        pairs = np.unique(np.repeat(place, many) * len(self.sizes) + payload.values[at])
        return added(self.sizes[pairs % len(self.sizes)], pairs // len(self.sizes), len(chosen))


def read_grouped(inquiry: Inquiry, published: Any, schema: Schema, *, certified: bool = False) -> tuple[Reading, Grouped | None]:
    """A release as `Inquiry.read` reads it; one with groups also with its sensitive attribute, in parts of rows, under the schema of the
    original."""
    reading = inquiry.read(published, certified=certified)
    groups = groups_of(published, reading)
    if groups is None:
        return reading, None
    reading = inquiry.read(published, certified=certified, counted=[GROUP])
    payload, attribute = reading.counts.payloads[GROUP], schema[groups.attribute]
    numbers = [int(label) for label in payload.hierarchy.labels[0]]
    rows = added(payload.rows, payload.values, len(numbers) + 1)
    groups.require_rows(dict(zip(numbers, rows.tolist(), strict=False)))
    grouped = _grouped(groups, numbers, reading)
    payloads = {**reading.counts.payloads, attribute.name: _in_parts(payload, _Values.of(groups, numbers, attribute), grouped)}
    counts = replace(reading.counts, payloads=MappingProxyType(payloads))
    known = replace(reading.schema, attributes=(*reading.schema.attributes, attribute))
    return replace(reading, counts=counts, schema=known), grouped


def _grouped(groups: Groups, numbers: Sequence[int], reading: Reading) -> Grouped:
    sizes = groups.sizes()
    parts = lcm(*set(sizes.values()))
    if parts * reading.counts.total_rows > _MOST:
        raise DataError("its groups have too many different sizes for exact counts", where=groups.where)
    return Grouped(parts, np.array([sizes[number] for number in numbers], np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """The values of each group, by the place of the group, and how many of its people have each."""

    encoded: Payload

    @classmethod
    def of(cls, groups: Groups, numbers: Sequence[int], attribute: Attribute) -> _Values:
        each = [groups.people[number] for number in numbers]
        column = texts([value for people in each for value in people])
        encoding = encoding_of(attribute, column, ())
        offsets = np.concatenate([[0], np.cumsum([len(people) for people in each])]).astype(np.int64)
        people = np.array([count for people in each for count in people.values()], np.int64)
        return cls(Payload(encoding.hierarchy, offsets, encoding.encode(column), people, people))


def _in_parts(payload: Payload, values: _Values, grouped: Grouped) -> Payload:
    """Which values the people of each class may have, in parts of its rows."""
    inner = values.encoded
    many = np.diff(inner.offsets)[payload.values]
    at = spread(inner.offsets[payload.values], many)
    weights = payload.rows * (grouped.parts // grouped.sizes[payload.values])
    parts = np.repeat(weights, many) * inner.rows[at]
    classes: Counts = np.repeat(np.repeat(np.arange(len(payload.offsets) - 1), np.diff(payload.offsets)), many)
    single = np.arange(len(parts) + 1, dtype=np.int64)
    return Payload(inner.hierarchy, single, inner.values[at], parts, parts).regroup(classes, len(payload.offsets) - 1)

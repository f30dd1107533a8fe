"""A published file as it stands: its classes, whoever made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sfumato.engines.base import Settings, open_engine
from sfumato.errors import DataError, NotVerified, SchemaError, UsageError, unknown
from sfumato.frequency import FrequencySet
from sfumato.release.certificate import Certificate, certificate_path, sha256
from sfumato.release.rederive import Published, contradiction, without_stars
from sfumato.table import Table
from sfumato.vocabulary.interval import Interval
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.labels import in_order
from sfumato.vocabulary.schema import Attribute, Schema


@dataclass(frozen=True, slots=True, eq=False)
class PublishedFile:
    """The kept classes of a file, its certificate if there is one, and the schema under which its columns were read."""

    path: Path
    counts: FrequencySet
    schema: Schema
    certificate: Certificate | None
    suppressed: int = 0


def open_published(
    path: Path,
    schema: Schema,
    certificate: Path | None = None,
    *,
    memory_limit: str | None = None,
    counted: Sequence[str] = (),
) -> PublishedFile:
    """Count the classes of a published file: the distinct combinations of its QID columns as they stand.

    `counted` names further columns to count per class, as a model may ask for.
    """
    if not path.is_file():
        raise DataError("no such file" if not path.exists() else "a folder; check one file", where=str(path))
    beside = certificate or certificate_path(path)
    told = _certificate(path, beside) if certificate or beside.exists() else None
    read = _schema_of_file(path, schema, memory_limit)
    with Table.open(path, read, memory_limit=memory_limit) as table:
        counts = table.count(sensitive=(*table.schema.sensitive, *_present(counted, table.columns)))
        read = table.schema
    counts = _in_order(counts, schema, local=told is not None and told.local)
    if told is None:
        return PublishedFile(path, counts, read, None)
    counts = without_stars(counts, told)
    if wrong := contradiction(told, counts):
        raise NotVerified(f"the certificate contradicts the file: {wrong}", where=str(path))
    counts = _with_owners(counts, told)
    return PublishedFile(path, counts, read, told, int(told.suppressed["people"]))


def _certificate(path: Path, beside: Path) -> Certificate:
    """The certificate of the file; one that belongs to another file would lend it a prior that is not its own."""
    told = Certificate.read(beside)
    if sha256(path) != told.sha256:
        raise NotVerified(f"not the file that {beside.name} certifies: its digest differs", where=str(path))
    return told


def _present(names: Sequence[str], columns: Sequence[str]) -> Sequence[str]:
    for name in names:
        if name not in columns:
            raise UsageError(unknown("column", name, columns, within="the file"), where="model")
    return names


def _schema_of_file(path: Path, schema: Schema, memory_limit: str | None) -> Schema:
    """The declared columns that the file has; refuses what should not be in it."""
    engine = open_engine("duckdb", path, schema, Settings(memory_limit))
    columns = list(engine.kinds)
    engine.close()
    declared = [attribute.name for attribute in schema.attributes]
    for name in columns:
        if name not in declared:
            raise SchemaError(unknown("attribute", name, declared, within="the schema"), where=str(path))
    attributes = [_as_published(schema[name]) for name in columns]
    found = Schema(tuple(attributes), missing=schema.missing)
    if not found.quasi:
        raise SchemaError(f"the file has none of the QIDs ({', '.join(schema.quasi)})", where=str(path))
    return found


def _as_published(attribute: Attribute) -> Attribute:
    if attribute.role in (Role.IDENTIFIER, Role.OWNER):
        raise SchemaError(f"column {attribute.name!r} is declared {attribute.role.value} and must not be published")
    return Attribute(attribute.name, Role.QUASI, None, Published()) if attribute.role is Role.QUASI else attribute


def _in_order(counts: FrequencySet, schema: Schema, *, local: bool) -> FrequencySet:
    """The classes as `publish` numbers them: in the order of the schema's hierarchies or, where these do not tell, of the labels."""
    hierarchies, columns = [], []
    for place, name in enumerate(counts.node.attributes):
        labels = counts.hierarchies[place].labels[0]
        ordered = in_order(labels) if local else _ordered(labels, schema[name])
        rank_of = {label: rank for rank, label in enumerate(ordered)}
        rank = np.array([*(rank_of[label] for label in labels), len(labels)], np.int32)
        hierarchies.append(Published(tuple(ordered)).build(name, Kind.TEXT, labels))
        columns.append(rank[counts.codes[:, place]])
    return counts.renumbered(tuple(hierarchies), columns)


def _ordered(labels: Sequence[str], attribute: Attribute) -> Sequence[str]:
    """Labels as a hierarchy orders them: by the level that lists them all, else numbers and intervals by size, else as they come."""
    hierarchy = attribute.builder.build(attribute.name, attribute.kind or Kind.TEXT, [])
    found = set(labels)
    for known in hierarchy.labels:
        if found <= set(known):
            return [label for label in known if label in found]
    intervals = {label: Interval.parse(label, whole=attribute.kind is Kind.INTEGER) for label in labels}
    if all(intervals.values()):
        return sorted(labels, key=lambda label: (intervals[label].lower, intervals[label].upper))  # type: ignore[union-attr]
    numbers = attribute.kind in (Kind.INTEGER, Kind.DECIMAL) or any(intervals.values())
    return in_order(labels) if numbers else labels


def _with_owners(counts: FrequencySet, told: Certificate) -> FrequencySet:
    """People as the certificate counts them: the file does not show who has several rows."""
    if told.owners is None:
        return counts
    people = np.array(told.owners["people_per_class"], np.int64)
    payloads = {}
    for name, payload in counts.payloads.items():
        held = np.array([count for row in told.owners["people_per_value"][name] for count in row], np.int64)
        if len(held) != len(payload.values):
            raise NotVerified("the certificate counts other people than the file holds", where=told.file)
        payloads[name] = replace(payload, people=held)
    if len(people) != counts.classes:
        raise NotVerified("the certificate counts other classes than the file holds", where=told.file)
    return replace(counts, people=people, total_people=told.people, payloads=payloads, basis="owner")

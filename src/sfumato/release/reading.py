"""Reading a published file: the one way back from a file to its classes, whoever made it.

The file is opened once. Its classes are the distinct combinations of its QID columns as they stand, numbered as `publish` numbers
them; records that stand as `*` in every QID are suppressed ones. What a certificate claims about the file is compared with it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from sfumato.beliefs import Prior
from sfumato.engines.base import Contents, Engine
from sfumato.errors import DataError, NotVerified, SchemaError, UsageError, argument, unknown
from sfumato.frequency import FrequencySet, Payload
from sfumato.question.priors import Priors
from sfumato.release.certificate import Certificate, PriorOf, certificate_beside, sha256, size
from sfumato.release.claims import certified_prior, contradiction, renumbered, with_owners
from sfumato.release.kinds import Promise
from sfumato.release.numbering import as_declared, codes_among, numbered
from sfumato.release.shapes import Method
from sfumato.table import Table
from sfumato.table.source import Source
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy, require_covered
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.labels import in_order
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute, Schema

_SOURCES = {
    PriorOf.FILE: "the file itself, in which nobody is missing",
    PriorOf.ORIGINAL: "the certificate",
    PriorOf.WITHHELD: "the file itself; the certificate withholds that of the original, which would disclose the suppressed people",
}


@dataclass(frozen=True, slots=True)
class Published:
    """The hierarchy of a published column: its labels as they stand (those given, or those that occur), and the root."""

    labels: tuple[str, ...] | None = None

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(Kind)

    def height(self, kind: Kind) -> int:
        return 1

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        labels = tuple(values) if self.labels is None else self.labels
        require_covered(attribute, values, labels)
        return Hierarchy.flat(labels)

    def declared(self) -> dict[str, Any]:
        return {"builder": "published"}


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The kept classes of a published file, the schema under which its columns were read, and its certificate if there is one.

    `path` is None for a release in memory.
    """

    path: Path | None
    counts: FrequencySet
    schema: Schema
    columns: tuple[str, ...]
    certificate: Certificate | None = None
    suppressed: int = 0

    @property
    def name(self) -> str:
        """What to call it."""
        return self.path.name if self.path else "a release in memory"

    @property
    def basis(self) -> str:
        """What counts as a person."""
        return self.certificate.basis if self.certificate else self.counts.basis

    @property
    def method(self) -> Method | None:
        """How an operation has changed values, by the certificate."""
        return self.certificate.method if self.certificate else None

    def priors(self) -> Priors:
        """From the certificate if it states them, else the file's own distribution."""
        own = {name: Prior.of(self.counts, name) for name in self.counts.payloads}
        if self.certificate is None:
            return Priors(own, "the file itself")
        stated = {name: certified_prior(self.certificate, self.counts.payloads[name], self.schema[name]) for name in own}
        priors = {name: stated[name] or prior for name, prior in own.items()}
        return Priors(priors, _SOURCES[PriorOf(self.certificate.prior.of)])

    def without_stars(self) -> Reading:
        """The same without a class that stands as `*` in every QID beside others: suppressed records, as most tools write them.

        For a file without a certificate, when the original shows that people are missing.
        """
        return self if self.certificate else replace(self, counts=without_stars(self.counts, None))


def read_release(source: Source, schema: Schema, certificate: Path | None = None, *, counted: Sequence[str] = ()) -> Reading:
    """Read a published file, with its certificate if one is named or lies beside it; refuses a file that contradicts it.

    `counted` names further columns to count per class, as a model may ask for.
    """
    path = Path(source.data) if isinstance(source.data, str | PathLike) else None
    certified = _certificate(path, certificate) if path else None
    reading = read_classes(source, schema, certified.promise if certified else None, counted=counted)
    return reading if certified is None else with_certificate(reading, certified)


def read_classes(source: Source, schema: Schema, promise: Promise | None, *, counted: Sequence[str] = ()) -> Reading:
    """Read the classes of a file; what was promised says which columns hold values and how many rows are starred."""
    engine = source.open_engine(schema)
    try:
        return _classes(engine, source, schema, promise, counted)
    finally:
        engine.close()


def read_back(source: Source, schema: Schema, promise: Promise, seed: int, keys: Path) -> tuple[Reading, Contents, bool]:
    """Read a file that was just written, with the keys of its rows: its classes, people counted by owner if there are owners; what it
    holds; and whether its rows are shuffled."""
    engine = source.open_engine(schema)
    try:
        read = _classes(engine, source, schema, promise, (), keys)
        return read, *engine.examine(seed)
    finally:
        engine.close()


def _classes(
    engine: Engine, source: Source, schema: Schema, promise: Promise | None, counted: Sequence[str], keys: Path | None = None
) -> Reading:
    path = Path(source.data) if isinstance(source.data, str | PathLike) else None
    columns = tuple(engine.kinds)
    for name in counted:
        if name not in columns:
            raise UsageError(unknown("column", name, columns, within="the file"), where=argument("models"))
    read = _schema_of_file(columns, schema, promise, source.name)
    if keys is not None:
        engine.attach(keys, schema.owner)
        owner = [Attribute(schema.owner, Role.OWNER, Kind.INTEGER)] if schema.owner else []
        read = replace(read, attributes=(*read.attributes, *owner))
    table = Table(engine, read, source)
    counts = table.count(sensitive=(*table.schema.sensitive, *counted))
    counts = without_stars(counts, promise.starred if promise else 0)
    ordered = numbered(counts, lambda name, labels: in_order(labels) if promise else as_declared(labels, schema[name]))
    return Reading(path, ordered, table.schema, columns)


def with_certificate(reading: Reading, certificate: Certificate) -> Reading:
    """A reading with the certificate of its file; refuses one that says what is not true of the file."""
    counts = renumbered(reading.counts, certificate)
    if claim := contradiction(certificate, counts):
        raise NotVerified(f"the certificate contradicts the file: {claim}", where=str(reading.path or reading.name))
    counts = with_owners(counts, certificate)
    return replace(reading, counts=counts, certificate=certificate, suppressed=int(certificate.suppressed["people"]))


def expressed(counts: FrequencySet, like: FrequencySet) -> FrequencySet | None:
    """The classes of a file in the codes of another count: those of its levels and sensitive values; None if a label is not known there."""
    columns = [
        codes_among(own.labels[0], hierarchy, level)[counts.codes[:, place]]
        for place, (own, hierarchy, level) in enumerate(zip(counts.hierarchies, like.hierarchies, like.node.levels, strict=True))
    ]
    payloads = {
        name: _payload(payload, like.payloads[name].hierarchy)
        for name, payload in counts.payloads.items()
        if name in like.payloads
    }
    if any((column < 0).any() for column in (*columns, *(payload.values for payload in payloads.values()))):
        return None
    return replace(counts, payloads=MappingProxyType(payloads)).relabeled(like.node, like.hierarchies, columns)


def at_levels(counts: FrequencySet, node: Node, hierarchies: tuple[Hierarchy, ...]) -> FrequencySet | None:
    """The classes of a file in their own order, with the codes of a node; None if a label is not one of its level."""
    columns = [
        codes_among(own.labels[0], hierarchy, level)[counts.codes[:, place]]
        for place, (own, hierarchy, level) in enumerate(zip(counts.hierarchies, hierarchies, node.levels, strict=True))
    ]
    codes = np.stack(columns, axis=1)
    return None if (codes < 0).any() else replace(counts, node=node, hierarchies=hierarchies, codes=codes)


def without_stars(counts: FrequencySet, starred: int | None) -> FrequencySet:
    """The classes without suppressed records, which stand as `*` in every QID: so many rows or, where nobody knows, the whole class.

    Where every QID stands at its root the kept people look like the starred ones: then the class loses as many rows.
    """
    if starred == 0:
        return counts
    stars = np.ones(counts.classes, bool)
    for place, (hierarchy, level) in enumerate(zip(counts.hierarchies, counts.node.levels, strict=True)):
        labels = hierarchy.at(level)
        stars &= counts.codes[:, place] == (labels.index(ROOT) if ROOT in labels else -1)
    if starred is None:
        return counts if stars.all() else counts.keep(~stars)
    if int(counts.rows[stars].sum()) == starred:
        return counts.keep(~stars)
    rows = counts.rows - np.where(stars, starred, 0)
    return replace(counts, rows=rows, people=rows, total_people=int(rows.sum()))


def _certificate(path: Path, named: Path | None) -> Certificate | None:
    """The certificate of a file; one that belongs to another file would lend it a prior that is not its own."""
    if not path.exists():
        raise DataError("no such file", where=str(path))
    beside = named or certificate_beside(path)
    if path.is_dir() and not os.path.lexists(beside):
        raise DataError("a folder; name one file, or a folder with its certificate beside it", where=str(path))
    if named is None and not os.path.lexists(beside):  # a link that leads nowhere is not the same as no certificate
        return None
    certificate = Certificate.read(beside)
    if size(path) != certificate.bytes or sha256(path) != certificate.sha256:
        raise NotVerified(f"not the file that {beside.name} certifies: its digest differs", where=str(path))
    return certificate


def _schema_of_file(columns: Sequence[str], schema: Schema, promise: Promise | None, where: str) -> Schema:
    """The declared columns that the file has, in their order, QIDs first and in the order that numbers the classes; refuses what should
    not be in it."""
    if promise and promise.kind.retyped:  # an operation may have added columns
        known = {attribute.name for attribute in schema.attributes}
        added = tuple(Attribute(name, Role.PLAIN) for name in columns if name not in known)
        schema = replace(schema, attributes=(*schema.attributes, *added))
    declared = [attribute.name for attribute in schema.attributes]
    for name in columns:
        if name not in declared:
            raise SchemaError(unknown("attribute", name, declared, within="the schema"), where=where)
    quasi = [name for name in (promise.quasi if promise else schema.quasi) if name in columns]
    read = Schema(
        tuple(
            _as_published(schema[name], promise) for name in (*quasi, *(n for n in declared if n in columns and n not in quasi))
        ),
        missing=schema.missing if promise is None else (),  # a release of ours writes what is missing as nothing
    )
    if not read.quasi:
        raise SchemaError(f"the file has none of the QIDs ({', '.join(schema.quasi)})", where=where)
    return read


def _as_published(attribute: Attribute, promise: Promise | None) -> Attribute:
    if attribute.role in (Role.IDENTIFIER, Role.OWNER):
        raise SchemaError(f"column {attribute.name!r} is declared {attribute.role.value} and must not be published")
    stated = promise.types.get(attribute.name) if promise else None
    kind = (stated or attribute.kind) if promise and promise.kind.retyped else (attribute.kind or stated)
    if attribute.role is not Role.QUASI:
        return replace(attribute, kind=kind)
    return Attribute(attribute.name, Role.QUASI, kind if promise and promise.typed(attribute.name) else None, Published())


def _payload(payload: Payload, hierarchy: Hierarchy) -> Payload:
    return replace(payload, hierarchy=hierarchy, values=codes_among(payload.hierarchy.labels[0], hierarchy, 0)[payload.values])

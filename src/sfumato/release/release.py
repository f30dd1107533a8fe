"""A release: the published file, its certificate, and what it was made with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.beliefs import Prior
from sfumato.frequency import FrequencySet
from sfumato.models import Verdict
from sfumato.naming import FEW
from sfumato.release.certificate import Certificate
from sfumato.release.frames import as_given, as_pandas, as_polars
from sfumato.release.reading import Reading, read_classes, read_release, with_certificate
from sfumato.release.together import JudgedTogether
from sfumato.table.marginals import marginals_of
from sfumato.table.source import Source
from sfumato.upward import above
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.recoding import AnyRecoding
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """What `publish` returns. The published table is in the file `path`, or in memory if no output was asked for.

    `classes` are those that the recoding makes, with the counts of the file; `reading` is the file as it was read back before it was
    put in place; `source` says where the original comes from. `schemas` are the schema as declared, and with the types of the source.
    `ledger` is the entry in the owner's ledger, `head` its digest. `groups` is the second table of a release that has two, as a file.
    `together` says with which earlier releases of the ledger it was judged together; None where nothing was to be judged.
    """

    certificate: Certificate
    recoding: AnyRecoding
    classes: FrequencySet
    source: Source
    published: Path | pa.Table
    reading: Reading
    verdicts: tuple[Verdict, ...] = ()
    ledger: Path | None = None
    schemas: tuple[Schema, ...] = ()
    head: str | None = None
    groups: str | None = None
    together: JudgedTogether | None = None

    @property
    def path(self) -> Path | None:
        return self.published if isinstance(self.published, Path) else None

    @property
    def schema(self) -> Schema:
        """The schema that it was made under."""
        return self.schemas[0]

    def to_arrow(self) -> pa.Table:
        """The published table, as it stands in the file."""
        return read_arrow(self.source.beside(self.published)) if isinstance(self.published, Path) else self.published

    def to_pandas(self) -> pd.DataFrame:
        """The published table; a named index of the source that was published is the index again.

        Columns that were not generalized have the types of the source, if that was a pandas frame. Labels are texts.
        """
        return as_pandas(self.to_arrow(), self.source.data, self._values())

    def to_polars(self) -> pl.DataFrame:
        """The published table. Columns that were not generalized have the types of the source, if that was a polars frame."""
        return as_polars(self.to_arrow(), self.source.data, self._values())

    @property
    def frame(self) -> Any:
        """The published table as the kind of table that was given: a pandas frame, a polars frame, or an Arrow table (for files, too)."""
        return as_given(self.to_arrow(), self.source.data, self._values())

    def _values(self) -> list[str]:
        """The columns that hold values of the source, not labels."""
        quasi = self.recoding.attributes
        return [name for name in self.certificate.columns if name not in quasi or self.recoding.keeps_type(name)]

    def beside_original(self) -> Any:
        """The release row by row beside the original, in its order and with its index, as the kind of table that was given.

        For the owner alone: whoever holds it can tell whose row is whose. Never share it.
        """
        from sfumato.release.beside import beside_original

        with self.source.open() as table:
            return beside_original(table, self.recoding, self.certificate.columns)

    def summary(self, most: int | None = None) -> Iterator[tuple[int, tuple[str | None, ...] | None, int, dict[str, int]]]:
        """Per class: number, labels (None for a class of fewer than five people), people, distinct values per sensitive attribute."""
        count = self.classes.classes if most is None else min(most, self.classes.classes)
        for number in range(1, count + 1):
            people = int(self.classes.people[number - 1])
            distinct = {name: int(p.offsets[number] - p.offsets[number - 1]) for name, p in self.classes.payloads.items()}
            yield number, self.classes.labels(number) if people >= FEW else None, people, distinct

    def plot(self) -> Any:
        """How many people are in classes of which size: an altair chart. Needs the extra `report`."""
        return above("Release.plot")(self)

    def _repr_html_(self) -> str:
        from sfumato.release.shown import release_html

        return release_html(self)

    def __repr__(self) -> str:
        return f"Release({self.path or 'in memory'}: {self.certificate.size()})"


def read_arrow(source: Source) -> pa.Table:
    """A CSV or Parquet file as an Arrow table, all columns."""
    import pyarrow as pa

    engine = source.open_engine()
    try:
        return pa.Table.from_batches(list(engine.rows(list(engine.kinds))))
    finally:
        engine.close()


def reading_of(
    published: Any, schema: Schema, source: Source, certificate: str | PathLike[str] | None = None, *, counted: Sequence[str] = ()
) -> Reading:
    """A published file as it stands: a path or a table, or a release, which was read when it was published (under this schema).

    `source` says how files are read; `counted` names further columns to count per class.
    """
    path = None if certificate is None else Path(certificate)
    if not isinstance(published, Release):
        return read_release(
            published if isinstance(published, Source) else replace(source, data=published), schema, path, counted=counted
        )
    known = schema in published.schemas and set(counted) <= set(published.reading.counts.payloads)
    if certificate is None and known:
        return published.reading
    again = read_classes(source.beside(published.published), schema, published.certificate.promise, counted=counted)
    return with_certificate(replace(again, path=published.path), published.certificate)


def plain_columns(published: Any, reading: Reading, source: Source) -> Mapping[str, Prior]:
    """The distribution of the columns of a published file that are neither QIDs nor sensitive, as `reading_of` reads it."""
    names = reading.schema.names(Role.PLAIN)
    if not names:
        return {}
    inner = published.published if isinstance(published, Release) else published
    engine = (inner if isinstance(inner, Source) else replace(source, data=inner)).open_engine(reading.schema)
    try:
        return marginals_of(engine, reading.schema, names)
    finally:
        engine.close()

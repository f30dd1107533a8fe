"""A release: the published file, its certificate, and what it was made with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.engines.sources import index_names
from sfumato.frequency import FrequencySet
from sfumato.models import Verdict
from sfumato.naming import FEW
from sfumato.release.certificate import Certificate
from sfumato.release.reading import Reading, read_classes, read_release, with_certificate
from sfumato.table.source import Source
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
    `ledger` is the entry in the owner's ledger, `head` its digest.
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

    @property
    def path(self) -> Path | None:
        return self.published if isinstance(self.published, Path) else None

    def to_arrow(self) -> pa.Table:
        """The published table, as it stands in the file."""
        return read_arrow(self.source.beside(self.published)) if isinstance(self.published, Path) else self.published

    def to_pandas(self) -> pd.DataFrame:
        """The published table; a named index of the source that was published is the index again."""
        frame = with_types_of(self.source.data, self.to_arrow().to_pandas(types_mapper=_whole_numbers()))
        index = [name for name in index_names(self.source.data) if name in frame.columns]
        return frame.set_index(index) if index else frame

    def to_polars(self) -> pl.DataFrame:
        """The published table."""
        import polars as pl

        return pl.DataFrame(self.to_arrow())

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

    def __repr__(self) -> str:
        return f"Release({self.path or 'in memory'}: {self.certificate.size()})"


def _whole_numbers() -> Any:
    """Whole numbers stay whole where some are missing."""
    import pandas as pd
    import pyarrow as pa

    return {pa.int8(): pd.Int8Dtype(), pa.int16(): pd.Int16Dtype(), pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype()}.get


def with_types_of(origin: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """The columns of a frame in the types that the frame it came from gave them, where they fit."""
    types = getattr(origin, "dtypes", {}) if type(origin).__module__.startswith("pandas") else {}
    for name in frame.columns:
        wanted = types.get(name)
        if wanted is None and str(frame[name].dtype).startswith("Int") and not frame[name].hasnans:
            wanted = str(frame[name].dtype).lower()
        try:
            frame[name] = frame[name].astype(wanted) if wanted is not None else frame[name]
        except (TypeError, ValueError):
            continue  # a label where a number was
    return frame


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

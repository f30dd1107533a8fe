"""What an engine is: an open source with three verbs, `count`, `recode`, `rows`.

An engine knows recodings, never policies. Whatever does not depend on where the rows are stored is shared (`encoding`), so that an
engine only groups, joins and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from sfumato.engines.register import ENGINES
from sfumato.errors import UsageError, argument, unknown
from sfumato.frequency import FrequencySet
from sfumato.vocabulary.dialect import AS_FOUND, Dialect, Written
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.recoding import AnyRecoding
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Settings:
    """How to open a source: memory limit (`2GB`), threads (all if None), the folder for temporary data (the system's if None), how it is
    read (what is None is detected, a likely delimiter tried first), how the texts of columns are written that are not plain, the
    password of a server, and for an engine on a cluster the address of its master and its settings."""

    memory_limit: str | None = None
    threads: int | None = None
    temp: str | PathLike[str] | None = None
    dialect: Dialect = AS_FOUND
    likely_delimiter: str | None = None
    written: Mapping[str, Written] = field(default_factory=dict)
    password: str | None = field(default=None, repr=False)
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Target:
    """Where a recoded table goes: the file (or a folder of Parquet files, whose name has no ending), the seed of its row order, and the
    attributes published beside the QIDs.

    `keys` is a Parquet file for what tells the rows apart, in their order: the number of each among equal rows and, if there are owners,
    the number of its owner. It is kept aside until the written file has been read back, and never published.
    """

    path: Path
    seed: int = 0
    beside: Sequence[str] = field(default_factory=tuple)
    keys: Path | None = None


@dataclass(frozen=True, slots=True)
class Contents:
    """What a table holds, whatever the order of its rows: how many there are, a digest of each column, and one of whole rows."""

    rows: int
    columns: Mapping[str, int]
    whole: int


class CellsBetween(Protocol):
    """The cells of a source at any floor between two, at hand for as long as they are put aside; a floor is given by its levels."""

    def has_more(self, levels: Sequence[int], most: int) -> bool:
        """What `has_more_cells` says of the floor."""

    def about(self, levels: Sequence[int]) -> float | None:
        """An estimate of how many cells it has, if there is one."""


@runtime_checkable
class PutsCellsAside(Protocol):
    """An engine that reads the rows once to try many floors."""

    def cells_between(
        self, schema: Schema, low: Node, high: Sequence[int], sensitive: Sequence[str]
    ) -> AbstractContextManager[CellsBetween]:
        """The cells between two floors, the higher one given by its levels."""


class Engine(Protocol):
    """An open source. `close` releases it; every verb may be called repeatedly."""

    name: str
    version: str
    folders: bool  # whether it can write a release as a folder of Parquet files

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The columns of the source in order, with the type that the source gives them."""

    @property
    def files(self) -> Sequence[Path]:
        """The files of the source, if it has any: they must not be overwritten."""

    @property
    def dialect(self) -> Dialect:
        """What the source was taken for, where it is not plain: UTF-8, commas, a header."""

    @property
    def has_header(self) -> bool:
        """Whether a line of the source names its columns."""

    def count(self, schema: Schema, floor: Node, sensitive: Sequence[str]) -> FrequencySet:
        """The frequency set of the floor's QIDs at its levels, with one payload per sensitive attribute."""

    def has_more_cells(self, schema: Schema, floor: Node, sensitive: Sequence[str], most: int) -> bool:
        """Whether more combinations of the floor's labels and the values of a sensitive attribute, as the source writes them, occur than
        `most`: one of the attributes after the other, or of the labels alone if there is none."""

    def leaves(self, schema: Schema, name: str, level: int) -> Mapping[str, int]:
        """How many different values of a QID stand under each label of a level that the engine computes."""

    def recode(self, schema: Schema, recoding: AnyRecoding, target: Target) -> Contents:
        """Write the recoded table, shuffled by a seeded hash of the published row; return what the file must hold, worked out from the
        source.

        A seeded hash of the row decides which rows of a divided cell go to which class.
        """

    def attach(self, keys: Path, owner: str | None) -> None:
        """Put the keys that `recode` kept aside beside the rows of the written file; the owners' numbers become a column of this name."""

    def examine(self, seed: int) -> tuple[Contents, bool]:
        """What a written file holds, its keys attached; and whether its rows are in the order of their seeded hashes, which says nothing
        about the source."""

    def rows(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The columns unchanged, in the order of the source, in batches."""

    def distinct(self, column: str) -> Iterator[pa.RecordBatch]:
        """The distinct values of a column, `value`, and how often each occurs, `n`; counted on disk if need be."""

    def digest(self) -> str:
        """SHA-256 of the source."""

    def progress(self) -> float | None:
        """The share of the running query that is done, if known; may be called from another thread."""

    def close(self) -> None:
        """Release the source."""


def open_engine(name: str, source: Any, schema: Schema | None, settings: Settings) -> Engine:
    """Open a source with the named engine. The schema helps to detect the delimiter of a CSV file."""
    if name not in ENGINES:
        raise UsageError(unknown("engine", name, ENGINES, within="this version"), where=argument("engine"))
    module, cls = ENGINES[name]
    make: Callable[..., Engine] = getattr(import_module(module), cls)
    return make(source, schema, settings)

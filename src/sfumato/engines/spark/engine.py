"""The engine on Spark: the rows stay with the executors, and only what is counted reaches the driver.

Queries are those that all engines share, in Spark's dialect, in a session of the engine's own. Look-up tables are sent to all executors
(broadcast joins); no row passes through Python.
"""

from __future__ import annotations

import hashlib
import json
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sfumato.engines.arrays import to_numpy
from sfumato.engines.base import Contents, Settings, Target
from sfumato.engines.register import DEFAULT_ENGINE
from sfumato.engines.relational.book import EncodingBook, GroupKey
from sfumato.engines.relational.columns import Columns
from sfumato.engines.relational.local import plan_of
from sfumato.engines.sources import ParquetFiles
from sfumato.engines.spark.arrow import to_arrow
from sfumato.engines.spark.counting import fetched
from sfumato.engines.spark.floors import SparkCells, cells_between, distinct_cells
from sfumato.engines.spark.guard import leaving, reading, writing
from sfumato.engines.spark.opening import FILE, PLACE, ROW, Opened, Reader, delta_frame, opened, opened_frame, reader_of
from sfumato.engines.spark.progress import share_of
from sfumato.engines.spark.release import keyed, recoded_columns, write_file, write_folder
from sfumato.engines.spark.session import leave, private, session_for
from sfumato.engines.spark.spool import spooled
from sfumato.engines.spark.sql import SQL, digests_of, numbered, sort_key, summed_hashes
from sfumato.engines.versions import DELTA, kept_by
from sfumato.errors import DataError, UsageError, argument, raise_alone, several
from sfumato.frequency import CellTable, FrequencySet
from sfumato.temporary import TemporaryFolder
from sfumato.vocabulary.dialect import AS_FOUND, Dialect
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.recoding import AnyRecoding
from sfumato.vocabulary.schema import Attribute, Schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class SparkEngine:
    """An open source in a Spark session of its own."""

    name = "spark"
    folders = True

    def __init__(self, source: Any, schema: Schema | None, settings: Settings) -> None:
        self.version = version("pyspark")
        self._settings = settings
        self._books: dict[Schema, EncodingBook] = {}
        self._attached: Columns | None = None  # the columns of a written file whose keys are attached
        self._kept: DataFrame | None = None
        self._owners = self._spools = 0
        self._folder = _folder(settings)
        self._reader: Reader | None = None
        try:
            self._open(source, schema)
        except BaseException:
            if self._reader is not None:
                self._reader.close()
            self._folder.remove()
            raise
        self._finalizer = weakref.finalize(self, _release, self._reader, self._folder)

    def _open(self, source: Any, schema: Schema | None) -> None:
        if is_frame(source):
            with reading("the table"):
                self._session = private(source.sparkSession)
                found: Opened = opened_frame(self._session, source, self._settings.written)
        elif isinstance(source, str | Path) and kept_by(Path(source)) == DELTA:
            with reading(str(source)):
                self._session = session_for(self._settings)
                frame = delta_frame(self._session, Path(source))
                found = opened_frame(self._session, frame, self._settings.written)
        else:
            self._reader = reader_of(source, schema, self._settings)
            with reading(self.where):
                self._session = session_for(self._settings)
                found = opened(self._session, self._reader, self._settings.written, self._folder.path)
        self._columns, self._odd, self._fine, self._rows = found.columns, found.odd, found.fine, found.rows
        self._frame, self._placed, self._view = found.frame, found.placed, found.view
        with reading(self.where):
            self._share = share_of(self._session)
            found.frame.createOrReplaceTempView("source")

    @property
    def where(self) -> str:
        """The source, for messages."""
        files = self.files
        return str(files[0]) if len(files) == 1 else several(len(files), "Parquet file") if files else "the table"

    @property
    def kinds(self) -> Mapping[str, Kind]:
        return self._columns.kinds

    @property
    def files(self) -> Sequence[Path]:
        return self._reader.files if self._reader else ()

    @property
    def dialect(self) -> Dialect:
        return self._reader.dialect if self._reader else AS_FOUND

    @property
    def has_header(self) -> bool:
        return self._reader.has_header if self._reader else False

    def count(self, schema: Schema, floor: Node, sensitive: Sequence[str]) -> FrequencySet:
        self._require_plain([*floor.attributes, *sensitive, *([schema.owner] if schema.owner else [])])
        with reading(self.where):
            quasi = [(schema[name], level) for name, level in floor.as_dict().items()]
            tables = [self._cells(schema, quasi, schema[name]) for name in sensitive] or [self._cells(schema, quasi, None)]
            hierarchies = [self._book(schema).encoding(attribute, level).hierarchy for attribute, level in quasi]
        first, *others = [FrequencySet.of_cells(floor, hierarchies, cells) for cells in tables]
        for other in others:
            first = first.with_payloads(other)
        return first

    def has_more_cells(self, schema: Schema, floor: Node, sensitive: Sequence[str], most: int) -> bool:
        self._require_plain([*floor.attributes, *sensitive])
        quasi = [(schema[name], level) for name, level in floor.as_dict().items()]
        combined = [[*quasi, (schema[name], 0)] for name in sensitive] or [quasi]
        with reading(self.where):
            queries = (distinct_cells(self._book(schema), each) for each in combined)
            return most < self._rows and any(int(self._fetch(query)["n"][0].as_py()) > most for query in queries)

    @contextmanager
    def cells_between(self, schema: Schema, low: Node, high: Sequence[int], sensitive: Sequence[str]) -> Iterator[SparkCells]:
        self._require_plain([*low.attributes, *sensitive])
        with reading(self.where), cells_between(self._session, self._book(schema), low, high, sensitive, self._spool()) as cells:
            yield cells

    def leaves(self, schema: Schema, name: str, level: int) -> Mapping[str, int]:
        self._require_plain([name])
        with reading(self.where):
            return self._book(schema).leaves(schema[name], level)

    def recode(self, schema: Schema, recoding: AnyRecoding, target: Target) -> Contents:
        chosen = {*recoding.attributes, *target.beside}
        published = [name for name in self.kinds if name in chosen]
        self._require_plain(published)
        with writing(target.path):
            self._require_coarse([name for name in target.beside if name in self._fine])
            plan = plan_of(self._book(schema), recoding, published)
            owner = self._owner_key(schema, schema.owner) if schema.owner and target.keys else None
            for name, table in plan.tables.items():
                self._register(name, table)
            rows = plan.rows(target.seed, owner)
            if target.path.suffix:
                return self._write_file(rows, published, target, owner=owner is not None)
            types = dict(self._session.sql(rows).dtypes)
            keys = {name: kind for name, kind in types.items() if name != "o"}
            contents = self._contents(rows, published, list(keys), ["o"] if owner else [])
            frame = keyed(self._session, rows, keys, target.seed, owner=owner is not None)
            write_folder(frame, published, target, contents.rows, owner=owner is not None)
            return contents

    def _write_file(self, rows: str, names: Sequence[str], target: Target, *, owner: bool) -> Contents:
        """One file, which the embedded engine writes from what the executors have recoded."""
        folder = self._spool()
        self._session.sql(rows).selectExpr(*recoded_columns(names, owner=owner)).write.parquet(f"file://{folder}")
        return write_file(folder, names, target, self._settings, owner=owner)

    def attach(self, keys: Path, owner: str | None) -> None:
        from pyspark import StorageLevel

        if self._reader is not None and not self._is_folder:
            self._reader.attach(keys, owner)
            if owner is None:
                return
        with reading(str(keys)):
            read = self._session.read.option("__globPaths__", "false").parquet(f"file://{keys.absolute()}")
            place = f"c{len(self._columns.places)}"
            aside = read.selectExpr("n", *PLACE, *([f"o AS {place}"] if owner else []))
            keyed = self._beside(aside)
            keyed.createOrReplaceTempView("keyed")
            if owner:  # joined once, and used by every count
                self._kept = keyed.persist(StorageLevel.DISK_ONLY)
                self._kept.createOrReplaceTempView("source")
        self._attached = self._columns
        if owner:
            self._columns = Columns.of(SQL, [*self._columns.physical.items(), (owner, "bigint")])

    def _beside(self, aside: DataFrame) -> DataFrame:
        """The rows of the source with what lies aside for each. Those of a file stay together, so that they need not be moved again to be
        compared with those before them."""
        if self._is_folder:
            return self._placed.repartition(FILE).join(aside.repartition(FILE), [FILE, ROW], "left")
        return self._placed.join(aside.drop(FILE), ROW, "left")

    def examine(self, seed: int) -> tuple[Contents, bool]:
        if self._reader is not None and not self._is_folder:
            return self._reader.examine(seed)
        written = self._attached or self._columns
        types = dict(zip(written.places, written.physical.values(), strict=True))
        owner = [place for place in self._columns.places if place not in types]
        ordered = f"SELECT *, {sort_key(types, seed)} AS k FROM keyed"
        followed = f"SELECT *, lag(k) OVER (PARTITION BY {FILE} ORDER BY {ROW}) AS k_before FROM ({ordered})"
        bounds = f"{FILE} AS file, min(k) AS first, max(k) AS last, count_if(k < k_before OR k IS NULL) AS wrong"
        sums = summed_hashes(list(types), owner)
        with reading(self.where):
            query = f"SELECT {bounds}, {numbered(sums)} FROM ({followed}) GROUP BY {FILE}"
            files = sorted(to_arrow(self._session.sql(query)).to_pylist(), key=lambda each: str(each["file"]))
        held = [sum(int(each[f"s{place}"]) for each in files) for place in range(len(sums))]
        wrong = any(each["wrong"] for each in files)
        return _contents_of(written.kinds, held), not wrong and all(a["last"] <= b["first"] for a, b in pairwise(files))

    @property
    def _is_folder(self) -> bool:
        """Whether the source is a folder of Parquet files, such as a release that the executors have written."""
        return self._reader is not None and isinstance(self._reader.source, ParquetFiles) and self._reader.source.root is not None

    def _contents(self, rows: str, names: Sequence[str], columns: Sequence[str], owner: Sequence[str]) -> Contents:
        """What some rows hold."""
        query = f"SELECT {numbered(summed_hashes(columns, owner))} FROM ({rows})"
        return _contents_of(names, [int(each) for each in to_arrow(self._session.sql(query)).to_pylist()[0].values()])

    def rows(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        if self._reader is not None:
            yield from self._reader.rows(columns)
            return
        chosen = [f"{self._columns.place(name)} AS {SQL.identifier(name)}" for name in columns]
        yield from self._counted(lambda: self._frame.selectExpr(*chosen), lambda batch: int(batch.num_rows))

    def distinct(self, column: str) -> Iterator[pa.RecordBatch]:
        if column in self._odd and self._reader is not None:
            yield from self._reader.distinct(column)
            return
        place = self._columns.place(column)
        query = f"SELECT {place} AS value, count(*) AS n FROM source GROUP BY {place}"
        yield from self._counted(lambda: self._session.sql(query), lambda batch: int(to_numpy(batch.column(1)).sum()))

    def _counted(self, frame: Callable[[], DataFrame], rows_in: Callable[[pa.RecordBatch], int]) -> Iterator[pa.RecordBatch]:
        rows = 0
        with reading(self.where):
            for batch in spooled(frame(), self._spool()):
                rows += rows_in(batch)
                yield batch
        self._require_all(rows)

    def digest(self) -> str:
        if self._reader is not None:
            return self._reader.digest()
        with reading(self.where):
            held = self._contents("SELECT * FROM source", list(self.kinds), list(self._columns.places), [])
        parts = [*self._columns.physical.items(), str(held.rows), str(held.whole)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def progress(self) -> float | None:
        return self._share()

    def close(self) -> None:
        try:
            with leaving():
                if self._kept is not None:
                    self._kept.unpersist()
                if self._view is not None:
                    self._session.catalog.dropGlobalTempView(self._view)
                for view in self._session.sql(
                    "SHOW VIEWS"
                ).collect():  # the catalog would list them in a job, which may have to wait
                    if view["isTemporary"]:
                        self._session.catalog.dropTempView(view["viewName"])
            leave(self._session)
        finally:
            self._finalizer()

    def _cells(self, schema: Schema, quasi: Sequence[tuple[Attribute, int]], sensitive: Attribute | None) -> CellTable:
        """Group by the QIDs, one sensitive attribute and the owner."""
        book = self._book(schema)
        keys = [book.key(attribute, level) for attribute, level in quasi]
        keys += [book.key(sensitive, 0)] if sensitive else []
        keys += [self._owner_key(schema, schema.owner)] if schema.owner else []
        chosen = "".join(f"{key.sql} AS k{place}, " for place, key in enumerate(keys))
        joins = " ".join(key.join for key in keys)
        grouped = "".join(f", k{place}" for place in range(len(keys)))[2:]
        inner = f"SELECT {chosen}1 AS one FROM source {joins}"
        query = f"SELECT {grouped + ', ' if keys else ''}count(*) AS n FROM ({inner}){' GROUP BY ' + grouped if keys else ''}"
        table = fetched(self._session, query, self._settings.memory_limit, self.where)
        if table.num_rows == 0 and self._rows == 0:
            raise DataError("no row of data below the header", where=self.where)
        rows = to_numpy(table["n"])
        self._require_all(int(rows.sum()))
        columns = [book.encode(attribute, level, table[f"k{place}"]) for place, (attribute, level) in enumerate(quasi)]
        values = {}
        if sensitive:
            codes = book.encode(sensitive, 0, table[f"k{len(quasi)}"])
            values[sensitive.name] = (book.encoding(sensitive, 0).hierarchy, codes)
        owners = to_numpy(table[f"k{len(keys) - 1}"]) if schema.owner else None
        return CellTable(columns, rows, values, owners)

    def _require_all(self, rows: int) -> None:
        """Refuse to go on with fewer or more rows than the source has: they were counted before. A written file whose keys are attached
        is examined as a whole."""
        if self._attached is None and rows != self._rows:
            raise DataError(
                f"the source has {several(self._rows, 'row')} and {rows:,} were read; has it changed, or is it damaged?",
                where=self.where,
            )

    def _require_plain(self, names: Sequence[str]) -> None:
        """Refuse columns of a type that is read as text here and nowhere else in the same way."""
        for name in names:
            if name in self._odd:
                raise DataError(
                    f"Spark does not read the type of this column as others do; convert it, or take {argument('engine', DEFAULT_ENGINE)}",
                    where=f"column {name!r}",
                )

    def _require_coarse(self, names: Sequence[str]) -> None:
        """Refuse moments that would be published as others than they are."""
        for name in names:
            flag = self._columns.place(name).replace("c", "f")
            if cut := int(self._fetch(f"SELECT count_if({flag}) AS n FROM source")["n"][0].as_py()):
                raise DataError(
                    f"{several(cut, 'moment')} with a part of a microsecond, which Spark does not have; round the column, "
                    f"or take {argument('engine', DEFAULT_ENGINE)}",
                    where=f"column {name!r}",
                )

    def _book(self, schema: Schema) -> EncodingBook:
        if schema not in self._books:
            self._books[schema] = EncodingBook(self._columns, schema, self._fetch, self._register, len(self._books))
        return self._books[schema]

    def _fetch(self, query: str) -> pa.Table:
        return fetched(self._session, query, self._settings.memory_limit, self.where)

    def _register(self, name: str, table: pa.Table) -> None:
        """A look-up table, which every executor gets."""
        from pyspark.sql import functions as f

        f.broadcast(self._session.createDataFrame(table)).createOrReplaceTempView(name)

    def _owner_key(self, schema: Schema, owner: str) -> GroupKey:
        """A number for each owner, the same in every count; refuses rows without an owner."""
        self._book(schema).require_fit(schema[owner])
        raw = f"({self._columns.value(schema[owner], schema.missing)})"
        without_owner = int(self._fetch(f"SELECT count_if({raw} IS NULL) AS n FROM source")["n"][0].as_py())
        if without_owner:
            raise DataError(
                f"{several(without_owner, 'row')} without an owner; every row must belong to a person", where=f"column {owner!r}"
            )
        if self._attached is not None:  # the keys of a written file are numbers already
            return GroupKey(raw)
        if not self._owners:
            self._owners = 1
            self._write_owners(raw)
        return GroupKey("owners.number", f"JOIN owners ON owners.owner = {raw}")

    def _write_owners(self, raw: str) -> None:
        """Number the owners once, and keep the numbers on disk: a task that is run again would give them others."""
        folder = f"file://{self._folder.path.absolute() / 'owners'}"
        distinct = self._session.sql(f"SELECT DISTINCT {raw} AS owner FROM source")
        distinct.selectExpr("owner", "monotonically_increasing_id() AS number").write.parquet(folder)
        self._session.read.parquet(folder).createOrReplaceTempView("owners")

    def _spool(self) -> Path:
        """A new name in the folder for temporary data."""
        self._spools += 1
        return self._folder.path.absolute() / f"spool-{self._spools}"


def _contents_of(names: Iterable[str], sums: Sequence[int]) -> Contents:
    """What rows hold, from what was summed over them."""
    count, *halves = sums
    *digests, whole = digests_of(halves)
    return Contents(count, dict(zip(names, digests, strict=True)), whole)


def is_frame(source: Any) -> bool:
    """Whether a source is a frame of Spark."""
    return type(source).__module__.startswith("pyspark.sql") and hasattr(source, "sparkSession")


def _folder(settings: Settings) -> TemporaryFolder:
    try:
        return TemporaryFolder(settings.temp)
    except OSError as error:
        raise_alone(UsageError(f"cannot be written to: {error.strerror}", where=str(settings.temp or argument("temp"))))


def _release(reader: Reader | None, folder: TemporaryFolder) -> None:
    if reader is not None:
        reader.close()
    folder.remove()

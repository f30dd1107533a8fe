"""The embedded engine: DuckDB over files and tables in memory, larger than memory if need be.

Inside, columns are named by their place (c0, c1, …), so that no column name of the user can clash with SQL.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from sfumato.engines.arrays import to_numpy
from sfumato.engines.base import Contents, Settings, Target
from sfumato.engines.copies.copied import Copied
from sfumato.engines.csvfile import CsvFile
from sfumato.engines.duckdb.connection import connect, release, spill_of
from sfumato.engines.duckdb.database import digest_of_rows
from sfumato.engines.duckdb.floors import DuckDBCells, cells_between
from sfumato.engines.duckdb.guard import enough_memory, reading, writing
from sfumato.engines.duckdb.paths import Links, read_csv
from sfumato.engines.duckdb.shuffle import counted, shuffled
from sfumato.engines.duckdb.sql import SQL, escaped_text, summed_hashes
from sfumato.engines.duckdb.view import selected
from sfumato.engines.memory import limit_for, need_for_counts, parts_for, room_for_counts
from sfumato.engines.relational.book import EncodingBook, GroupKey
from sfumato.engines.relational.columns import Columns
from sfumato.engines.relational.local import plan_of
from sfumato.engines.sources import Memory, ParquetFiles, Source, digest_of, find_source
from sfumato.errors import DataError, OutputError, argument, several
from sfumato.frequency import CellTable, FrequencySet
from sfumato.vocabulary.dialect import Dialect, Written
from sfumato.vocabulary.formulas import escaped
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.recoding import AnyRecoding
from sfumato.vocabulary.schema import Attribute, Schema

_BATCH = 65_536


class DuckDBEngine:
    """An open source in a private DuckDB connection."""

    name = "duckdb"
    version = duckdb.__version__
    folders = False

    def __init__(self, source: Any, schema: Schema | None, settings: Settings) -> None:
        names = [attribute.name for attribute in schema.attributes] if schema else None
        settings.dialect.require_sound()
        self._memory = settings.memory_limit
        self._books: dict[Schema, EncodingBook] = {}
        self._written: Columns | None = None  # the columns of a written file whose keys are attached
        spill = spill_of(settings)
        self._links = Links(spill.path)
        try:
            self.source: Source = find_source(source, settings, names, spill.path)
            self._connection = connect(settings, spill.path)
        except BaseException:
            spill.remove()
            raise
        self._finalizer = weakref.finalize(self, release, self._connection, spill, self._links)
        try:
            with reading(self.where):
                self._columns = self._open(settings.written)
        except BaseException:
            self.close()
            raise

    @property
    def where(self) -> str:
        """The source, for messages."""
        match self.source:
            case CsvFile(path=path) | ParquetFiles(files=(path,)):
                return str(path)
            case ParquetFiles(files=files):
                return several(len(files), "Parquet file")
            case Copied(where=where):
                return where
        return "the table"

    @property
    def files(self) -> Sequence[Path]:
        return self.source.files

    @property
    def dialect(self) -> Dialect:
        return self.source.dialect

    @property
    def has_header(self) -> bool:
        match self.source:
            case CsvFile(header=header):
                return header
            case Copied(dialect=dialect):
                return dialect.sheet is not None and dialect.header is not False
        return False

    @property
    def kinds(self) -> Mapping[str, Kind]:
        return self._columns.kinds

    def count(self, schema: Schema, floor: Node, sensitive: Sequence[str]) -> FrequencySet:
        with enough_memory(self.where):
            return self._count(schema, floor, sensitive)

    def _count(self, schema: Schema, floor: Node, sensitive: Sequence[str]) -> FrequencySet:
        quasi = [(schema[name], level) for name, level in floor.as_dict().items()]
        tables = [self._cells(schema, quasi, schema[name]) for name in sensitive] or [self._cells(schema, quasi, None)]
        hierarchies = [self._book(schema).encoding(attribute, level).hierarchy for attribute, level in quasi]
        first, *others = [FrequencySet.of_cells(floor, hierarchies, cells) for cells in tables]
        for other in others:
            first = first.with_payloads(other)
        return first

    def has_more_cells(self, schema: Schema, floor: Node, sensitive: Sequence[str], most: int) -> bool:
        quasi = [(schema[name], level) for name, level in floor.as_dict().items()]
        combined = [[*quasi, (schema[name], 0)] for name in sensitive] or [quasi]
        # Whether there are too many shows in a part of the rows most of the time.
        parts = [part for part in (2 * most, self.source.rows) if part <= self.source.rows and most < self.source.rows]
        with enough_memory(self.where):
            return any(self._book(schema).cells(each, rows) > most for rows in parts for each in combined)

    @contextmanager
    def cells_between(self, schema: Schema, low: Node, high: Sequence[int], sensitive: Sequence[str]) -> Iterator[DuckDBCells]:
        aside = cells_between(self._connection, self._book(schema), low, high, sensitive)
        with enough_memory(self.where), reading(self.where), aside as cells:
            yield cells

    def leaves(self, schema: Schema, name: str, level: int) -> Mapping[str, int]:
        with enough_memory(self.where):
            return self._book(schema).leaves(schema[name], level)

    def recode(self, schema: Schema, recoding: AnyRecoding, target: Target) -> Contents:
        chosen = {*recoding.attributes, *target.beside}
        published = [name for name in self.kinds if name in chosen]
        if _is_csv(target.path):
            _require_plain_header(published)
        plan = plan_of(self._book(schema), recoding, published)
        owner = self._owner_key(schema, schema.owner) if schema.owner and target.keys else None
        places, key = [f"p{place}" for place in range(len(published))], ["o"] if owner else []
        for name, table in plan.tables.items():
            self._connection.register(name, table)
        try:
            with writing(target.path):
                rows = plan.rows(target.seed, owner)
                binary = [f"p{place}" for place, column in enumerate(plan.columns) if column.binary]
                self._write(rows, published, target, owner=owner is not None, binary=[] if _is_csv(target.path) else binary)
                return self._contents(f"({rows})", published, places, key)[0]
        finally:
            for name in plan.tables:
                self._connection.unregister(name)

    def _write(self, rows: str, names: Sequence[str], target: Target, *, owner: bool, binary: Sequence[str]) -> None:
        """Shuffle rows and write them and, into a file of their own, their keys. More rows than can be sorted within the memory limit are
        sorted in parts."""
        places = [f"p{place}" for place in range(len(names))]
        named = ", ".join(f"{place} AS {SQL.identifier(name)}" for place, name in zip(places, names, strict=True))
        query, parts = counted(rows, places, owner=owner), parts_for(self.source.rows, len(names), self._memory)
        if parts > 1:
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE unsorted AS {query}")
            query = "FROM unsorted"
        sorted_parts = [
            shuffled(query, places, target.seed, owner=owner, binary=binary, part=(part, parts)) for part in range(parts)
        ]
        if target.keys is None and parts == 1:
            self._copy(f"SELECT {named} FROM ({sorted_parts[0]})", target.path)
            return
        try:
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE keyed AS {sorted_parts[0]}")
            for part in sorted_parts[1:]:
                self._connection.execute(f"INSERT INTO keyed {part}")
            self._copy(f"SELECT {named} FROM keyed", target.path)
            if target.keys is not None:
                self._copy(f"SELECT n{', o' if owner else ''} FROM keyed", target.keys)
        finally:
            self._connection.execute("DROP TABLE IF EXISTS keyed; DROP TABLE IF EXISTS unsorted")

    def _copy(self, query: str, path: Path) -> None:
        options = "FORMAT csv, HEADER" if _is_csv(path) else "FORMAT parquet, COMPRESSION zstd"
        rows = self._as_text(query) if _is_csv(path) else query
        self._connection.execute(f"COPY ({rows}) TO {SQL.literal(str(path.absolute()))} ({options})")

    def _as_text(self, query: str) -> str:
        """The rows of a query as they are written to CSV: no text is a formula to a spreadsheet."""
        described = self._connection.execute(f"DESCRIBE {query}").fetchall()
        columns = [(SQL.identifier(name), kind == "VARCHAR") for name, kind, *_ in described]
        chosen = (f"{escaped_text(column)} AS {column}" if text else column for column, text in columns)
        return f"SELECT {', '.join(chosen)} FROM ({query})"

    def attach(self, keys: Path, owner: str | None) -> None:
        place = f"c{len(self._columns.places)}"
        key = f", aside.o AS {place}" if owner else ""
        with reading(str(keys)):
            self._connection.execute("ALTER VIEW source RENAME TO written")
            self._connection.execute(
                f"CREATE TEMP VIEW source AS SELECT written.*, aside.n AS n{key} "
                f"FROM written POSITIONAL JOIN read_parquet({self._links.literal(keys)}, hive_partitioning=false) AS aside"
            )
        self._written = self._columns
        if owner:
            self._columns = Columns.of(SQL, [*self._columns.physical.items(), (owner, "BIGINT")])

    def examine(self, seed: int) -> tuple[Contents, bool]:
        written = self._written or self._columns
        places, owner = list(written.places), [place for place in self._columns.places if place not in written.places]
        binary = [place for place, physical in zip(places, written.physical.values(), strict=True) if SQL.is_binary(physical)]
        ordered = f"SELECT *, {SQL.shuffled_by([*places, 'n'], seed, binary)} AS k FROM source"
        followed = f"(SELECT *, lag(k) OVER () AS k_before FROM ({ordered}))"
        with reading(self.where):
            contents, wrong = self._contents(followed, list(written.kinds), places, owner, "count(*) FILTER (k < k_before)")
        return contents, wrong == 0

    def _contents(
        self, relation: str, names: Sequence[str], columns: Sequence[str], owner: Sequence[str], more: str = "0"
    ) -> tuple[Contents, int]:
        """What a relation holds, and one number more, in one pass."""
        query = f"SELECT {summed_hashes(columns, owner)}, {more} FROM {relation}"
        row = self._connection.execute(query).fetchall()[0]
        rows, *digests, whole, number = (int(each or 0) for each in row)
        return Contents(rows, dict(zip(names, digests, strict=True)), whole), number

    def rows(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        chosen = ", ".join(f"{self._columns.place(name)} AS {SQL.identifier(name)}" for name in columns)
        rows = 0
        with reading(self.where):
            for batch in self._connection.sql(f"SELECT {chosen} FROM source").to_arrow_reader(_BATCH):
                rows += batch.num_rows
                yield batch
        self._require_all(rows)

    def distinct(self, column: str) -> Iterator[pa.RecordBatch]:
        query = f"SELECT {self._columns.place(column)} AS value, count(*) AS n FROM source GROUP BY ALL"
        rows = 0
        with reading(self.where):
            for batch in self._connection.sql(query).to_arrow_reader(_BATCH):
                rows += int(batch.column(1).to_numpy().sum())
                yield batch
        self._require_all(rows)

    def digest(self) -> str:
        if isinstance(self.source, Copied) and self.source.by_rows:
            with reading(self.where):
                return digest_of_rows(self._connection, self._columns)
        return digest_of(self.source)

    def progress(self) -> float | None:
        with suppress(duckdb.ConnectionException):  # closed meanwhile
            percent = self._connection.query_progress()
            return percent / 100 if percent >= 0 else None
        return None

    def close(self) -> None:
        self._finalizer()

    def _open(self, written: Mapping[str, Written]) -> Columns:
        """Create the view `source` with columns c0, c1, … and describe them."""
        match self.source:
            case CsvFile() as file:
                names, relation = list(file.columns), read_csv(file, self._links.csv(file))
            case ParquetFiles() as files:
                names, relation = [], f"read_parquet({self._links.parquet(files)})"
            case Copied(copy=copy):
                names, relation = [], f"read_parquet({self._links.literal(copy)}, hive_partitioning=false)"
            case Memory(table=table):
                names, relation = list(table.column_names), "memory_source"
                self._connection.register("memory_source", table)
        if isinstance(self.source, CsvFile):  # all texts, and to plan a reading of thousands of columns takes seconds
            described = [(name, "VARCHAR") for name in names]
        else:
            described = self._connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
        columns = Columns.of(
            SQL, [(name, row[1]) for name, row in zip(names or [row[0] for row in described], described, strict=True)]
        )
        self._connection.execute(
            f"CREATE TEMP VIEW source AS SELECT {selected(columns, written)} FROM {relation} AS t({', '.join(columns.places)})"
        )
        return columns

    def _fetch(self, query: str) -> pa.Table:
        with reading(self.where):
            return self._connection.sql(query).to_arrow_table()

    def _counted(self, query: str, keys: int) -> pa.Table:
        """The result of a query that groups. Within a memory limit it is made by the engine, on disk if need be, and looked at before it
        is fetched."""
        if self._memory is None:
            return self._fetch(query)
        with reading(self.where):
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE counted AS {query}")
            texts = [name for name, kind, *_ in self._connection.execute("DESCRIBE counted").fetchall() if kind == "VARCHAR"]
            size = " + ".join(f"coalesce(sum(strlen({name})), 0)" for name in texts) or "0"
            cells, length = self._connection.execute(f"SELECT count(*), {size} FROM counted").fetchall()[0]
        try:
            need = need_for_counts(int(cells), int(length), keys)
            if need > room_for_counts(self._memory):
                raise DataError(
                    f"{cells:,} different combinations of values need {argument('memory')} {limit_for(need)}; "
                    "or take fewer columns, or coarser values",
                    where=self.where,
                )
            return self._fetch("SELECT * FROM counted")
        finally:
            self._connection.execute("DROP TABLE counted")

    def _cells(self, schema: Schema, quasi: Sequence[tuple[Attribute, int]], sensitive: Attribute | None) -> CellTable:
        """Group by the QIDs, one sensitive attribute and the owner."""
        book = self._book(schema)
        keys = [book.key(attribute, level) for attribute, level in quasi]
        keys += [book.key(sensitive, 0)] if sensitive else []
        keys += [self._owner_key(schema, schema.owner)] if schema.owner else []
        chosen = "".join(f"{key.sql} AS k{place}, " for place, key in enumerate(keys))
        joins = " ".join(key.join for key in keys)
        table = self._counted(f"SELECT {chosen}count(*) AS n FROM source {joins} GROUP BY ALL", len(keys))
        if table.num_rows == 0 and self.source.rows == 0:
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
        """Refuse to go on with fewer or more rows than the source has: they were counted without the engine. A written file whose keys
        are attached is examined as a whole."""
        if self._written is None and rows != self.source.rows:
            raise DataError(
                f"the source has {several(self.source.rows, 'row')} and {rows:,} were read; has it changed, or is it damaged?",
                where=self.where,
            )

    def _book(self, schema: Schema) -> EncodingBook:
        if schema not in self._books:
            self._books[schema] = EncodingBook(self._columns, schema, self._fetch, self._connection.register, len(self._books))
        return self._books[schema]

    def _owner_key(self, schema: Schema, owner: str) -> GroupKey:
        """A number for each owner, the same in every count; refuses rows without an owner."""
        self._book(schema).require_fit(schema[owner])
        raw = f"({self._columns.value(schema[owner], schema.missing)})"
        with reading(self.where):
            if self._written is None:
                self._connection.execute(
                    f"CREATE TEMP TABLE IF NOT EXISTS owners AS SELECT owner, row_number() OVER () - 1 AS number "
                    f"FROM (SELECT DISTINCT {raw} AS owner FROM source WHERE {raw} IS NOT NULL)"
                )
            without_owner = int(self._connection.execute(f"SELECT count(*) FROM source WHERE {raw} IS NULL").fetchall()[0][0])
        if without_owner:
            raise DataError(
                f"{several(without_owner, 'row')} without an owner; every row must belong to a person", where=f"column {owner!r}"
            )
        if self._written is not None:  # the keys of a written file are numbers already
            return GroupKey(raw)
        return GroupKey("owners.number", f"JOIN owners ON owners.owner = {raw}")


def _is_csv(path: Path) -> bool:
    return path.suffix != ".parquet"


def _require_plain_header(names: Sequence[str]) -> None:
    """Refuse names that a spreadsheet would take for formulas, since a header is not escaped, so that it stays what the schema says; and
    names that a header does not keep."""
    if name := next((name for name in names if name.startswith("\ufeff") or {"\r", "\n"} & set(name)), None):
        raise OutputError(
            "the name has a sign that the header of a CSV file does not keep; rename the column, or write Parquet",
            where=f"column {name!r}",
        )
    if name := next((name for name in names if escaped(name) != name), None):
        raise OutputError(
            "the name begins as a formula does in a spreadsheet; rename the column, or write Parquet", where=f"column {name!r}"
        )

"""Tables and queries of SQLite files, read with Python's own library in one transaction. SQLite types values, not columns: a column is
of the narrowest type that holds all its values."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.engines.copies.copied import BATCH, Copied, array_of, chosen, write_copy
from sfumato.engines.csvfile import require_distinct
from sfumato.errors import DataError, UsageError, argument, raise_alone
from sfumato.vocabulary.dialect import Dialect

_MOST_PARENTHESES = 500
_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def subquery(query: str) -> str:
    """A query as a part of another, so that nothing but a query can be one. A comment at its end ends with its line."""
    if query.count("(") > _MOST_PARENTHESES:  # a parser may need gigabytes for deep ones
        raise UsageError(
            f"a query has at most {_MOST_PARENTHESES:,} parentheses; make it a view of the database", where=argument("query")
        )
    return f"({query.strip().rstrip(';')}\n) AS source"


def copied_sqlite(path: Path, dialect: Dialect, folder: Path) -> Copied:
    """A copy of the table or query that is named, or of the only table."""
    copy = folder / "copy.parquet"
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("BEGIN")
            table = None
            if dialect.query is None:
                table = chosen([name for (name,) in connection.execute(_TABLES)], dialect.table, "table", "table", str(path))
            source = quoted(table) if table is not None else subquery(dialect.query or "")
            rows = _copied(connection, source, copy, str(path), asked=table is None)
    except sqlite3.Error:
        raise_alone(DataError("cannot be read: the database is damaged, locked, or has text that is not UTF-8", where=str(path)))
    return Copied(copy, rows, str(path), Dialect(table=table, query=dialect.query), (path,), by_rows=True)


def _copied(connection: sqlite3.Connection, source: str, copy: Path, where: str, *, asked: bool) -> int:
    try:
        about = connection.execute(f"SELECT * FROM {source} LIMIT 0")
    except (sqlite3.Error, sqlite3.Warning):
        if not asked:
            raise
        raise_alone(UsageError("the database cannot run this query; one SELECT would work", where=argument("query")))
    names = [str(each[0]) for each in about.description]
    require_distinct(names, where)
    (expected,) = connection.execute(f"SELECT count(*) FROM {source}").fetchone()
    schema = pa.schema([(name, _type(connection, source, name)) for name in names])
    return write_copy(copy, schema, _batches(connection, source, schema), int(expected), where)


def _type(connection: sqlite3.Connection, source: str, name: str) -> pa.DataType:
    stored = {kind for (kind,) in connection.execute(f"SELECT DISTINCT typeof({quoted(name)}) FROM {source}")} - {"null"}
    if stored and stored <= {"integer", "real"}:
        return pa.int64() if stored == {"integer"} else pa.float64()
    return pa.string()


def _batches(connection: sqlite3.Connection, source: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    cursor = connection.execute(f"SELECT * FROM {source}")
    while rows := cursor.fetchmany(BATCH):
        yield batch_of(rows, schema)


def batch_of(rows: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.RecordBatch:
    """Rows as a batch."""
    columns = zip(*rows, strict=True)
    return pa.record_batch([array_of(column, kind) for column, kind in zip(columns, schema.types, strict=True)], schema=schema)

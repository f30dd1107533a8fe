"""Tables and queries of DuckDB files: read in a connection of their own, which can reach nothing but that file and not change it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from sfumato.engines.base import Settings
from sfumato.engines.copies.copied import BATCH, Copied, chosen, write_copy
from sfumato.engines.copies.database import subquery
from sfumato.engines.csvfile import require_distinct
from sfumato.engines.duckdb.sql import SQL
from sfumato.engines.memory import for_engine, threads_for
from sfumato.engines.relational.columns import Columns
from sfumato.errors import DataError, UsageError, argument, raise_alone
from sfumato.vocabulary.dialect import Dialect

_TABLES = (
    "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal UNION ALL "
    "SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL"
)


def copied_duckdb(path: Path, settings: Settings, folder: Path) -> Copied:
    """A copy of the table or query that is named, or of the only table."""
    copy, dialect = folder / "copy.parquet", settings.dialect
    config: dict[str, Any] = {"enable_external_access": False, "temp_directory": str(folder), **limits_of(settings)}
    try:
        connection = duckdb.connect(str(path.absolute()), read_only=True, config=config)
    except (duckdb.Error, RuntimeError):
        raise_alone(
            DataError("cannot be opened: the database is in use, damaged, or of another version of DuckDB", where=str(path))
        )
    try:
        connection.execute("BEGIN TRANSACTION; SET TimeZone = 'UTC'")
        table, source = _source(connection, dialect, str(path))
        rows = _copied(connection, source, copy, str(path))
    except duckdb.OutOfMemoryException:
        raise_alone(DataError(f"its query needs more memory; raise {argument('memory')}", where=str(path)))
    except duckdb.Error:
        if dialect.query is not None:
            raise_alone(UsageError("the database cannot run this query; one SELECT would work", where=argument("query")))
        raise_alone(DataError("cannot be read: the database is damaged", where=str(path)))
    finally:
        connection.close()
    return Copied(copy, rows, str(path), Dialect(table=table, query=dialect.query), (path,), by_rows=True)


def limits_of(settings: Settings) -> dict[str, str | int]:
    """The limits of a connection, as DuckDB has them."""
    threads = threads_for(settings.memory_limit, settings.threads)
    limits = {"memory_limit": settings.memory_limit and f"{for_engine(settings.memory_limit)}B", "threads": threads}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _source(connection: duckdb.DuckDBPyConnection, dialect: Dialect, where: str) -> tuple[str | None, str]:
    if dialect.query is not None:
        return None, subquery(dialect.query)
    found = {
        (name if schema == "main" else f"{schema}.{name}"): (schema, name)
        for schema, name in connection.execute(_TABLES).fetchall()
    }
    table = chosen(list(found), dialect.table, "table", "table", where)
    return table, ".".join(map(SQL.identifier, found[table]))


def _copied(connection: duckdb.DuckDBPyConnection, source: str, copy: Path, where: str) -> int:
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    require_distinct([row[0] for row in described], where)
    # What Arrow or Parquet would not keep is text.
    columns = ", ".join(
        f"CAST({SQL.identifier(name)} AS VARCHAR) AS {SQL.identifier(name)}" if _is_odd(kind) else SQL.identifier(name)
        for name, kind, *_ in described
    )
    expected = int(connection.execute(f"SELECT count(*) FROM {source}").fetchall()[0][0])
    reader: pa.RecordBatchReader = connection.sql(f"SELECT {columns} FROM {source}").to_arrow_reader(BATCH)
    return write_copy(copy, reader.schema, reader, expected, where)


def digest_of_rows(connection: duckdb.DuckDBPyConnection, columns: Columns) -> str:
    """SHA-256 of what the view `source` holds, whatever the order of its rows, which a database does not have."""
    row = f"concat_ws(chr(31), {', '.join(f'coalesce(CAST({place} AS VARCHAR), chr(29))' for place in columns.places)})"
    query = f"SELECT count(*), sum(md5_number_lower({row})), sum(md5_number_upper({row})) FROM source"
    numbers = [str(each) for each in connection.execute(query).fetchall()[0]]
    return hashlib.sha256(json.dumps([*columns.physical.items(), *numbers]).encode()).hexdigest()


def _is_odd(kind: str) -> bool:
    return kind.startswith(("HUGEINT", "UHUGEINT", "INTERVAL", "ENUM", "BIT", "UUID", "TIME", "UNION")) and not kind.startswith(
        "TIMESTAMP"
    )

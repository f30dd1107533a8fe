"""Tables and queries of a PostgreSQL server, by its address: read in one transaction that sees one state of the database and changes
nothing. A server is named without its password, and its messages, which may quote values, are not shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sfumato.engines.copies.copied import BATCH, Copied, chosen, needs, write_copy
from sfumato.engines.copies.database import batch_of, quoted, subquery
from sfumato.engines.csvfile import require_distinct
from sfumato.errors import DataError, SfumatoError, UsageError, argument, raise_alone
from sfumato.vocabulary.dialect import Dialect

if TYPE_CHECKING:
    import psycopg

_TABLES = """SELECT table_schema, table_name FROM information_schema.tables
WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_schema NOT LIKE 'pg!_%' ESCAPE '!' ORDER BY 1, 2"""
_TYPES = {
    "bool": pa.bool_(),
    **dict.fromkeys(("int2", "int4", "int8"), pa.int64()),
    **dict.fromkeys(("float4", "float8"), pa.float64()),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
}
_SECONDS = 10


def copied_postgres(where: str, password: str | None, dialect: Dialect, folder: Path) -> Copied:
    """A copy of the table or query that is named, or of the only table; `where` is the address without the password."""
    try:
        import psycopg
    except ImportError:
        needs("postgres", "psycopg", where)
    copy = folder / "copy.parquet"
    connection = _connected(where, password)
    try:
        connection.isolation_level, connection.read_only = psycopg.IsolationLevel.REPEATABLE_READ, True
        connection.execute("SET TIME ZONE 'UTC'")
        table, source = _source(connection, dialect, where)
        rows = _copied(connection, source, copy, where)
    except (psycopg.Error, pa.ArrowException, ValueError, OverflowError) as error:
        raise_alone(_wrong(error, dialect, where))
    finally:
        connection.close()
    return Copied(copy, rows, where, Dialect(table=table, query=dialect.query), by_rows=True)


def _connected(where: str, password: str | None) -> psycopg.Connection[Any]:
    import psycopg

    secret: dict[str, Any] = {} if password is None else {"password": password}
    try:
        return psycopg.connect(where, connect_timeout=_SECONDS, **secret)
    except UnicodeError:  # a host name that cannot be one
        raise_alone(DataError("no server answers at this address", where=where))
    except psycopg.Error as error:
        text = str(error)
        if "password" in text or "authentication" in text:
            reason = "the server refuses the user or the password; a password can be in PGPASSWORD or ~/.pgpass"
        elif "does not exist" in text:
            reason = "the server has no such database or user"
        else:
            reason = "no server answers at this address"
        raise_alone(DataError(reason, where=where))


def _wrong(error: Exception, dialect: Dialect, where: str) -> SfumatoError:
    import psycopg

    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return DataError("the user may not read this table", where=where)
    if dialect.query is not None and isinstance(error, psycopg.ProgrammingError | psycopg.errors.ReadOnlySqlTransaction):
        return UsageError("the server cannot run this query; one SELECT would work", where=argument("query"))
    if isinstance(error, psycopg.OperationalError):
        return DataError("the connection was lost", where=where)
    return DataError("some values cannot be read, such as dates before the year 1 or after 9999", where=where)


def _source(connection: psycopg.Connection[Any], dialect: Dialect, where: str) -> tuple[str | None, str]:
    if dialect.query is not None:
        return None, subquery(dialect.query)
    found = {(name if schema == "public" else f"{schema}.{name}"): (schema, name) for schema, name in connection.execute(_TABLES)}
    table = chosen(list(found), dialect.table, "table", "table", where)
    return table, ".".join(map(quoted, found[table]))


def _copied(connection: psycopg.Connection[Any], source: str, copy: Path, where: str) -> int:
    described = connection.execute(_sql(f"SELECT * FROM {source} LIMIT 0")).description or []
    require_distinct([each.name for each in described], where)
    columns, fields = [], []
    for each in described:
        cast, kind = _read_as(_type_name(each.type_code))
        columns.append(f"{quoted(each.name)}{cast}")
        fields.append((each.name, kind))
    (expected,) = connection.execute(_sql(f"SELECT count(*) FROM {source}")).fetchone() or (0,)
    schema = pa.schema(fields)
    rows = _batches(connection, f"SELECT {', '.join(columns)} FROM {source}", schema)
    return write_copy(copy, schema, rows, int(expected), where)


def _read_as(name: str | None) -> tuple[str, pa.DataType]:
    """How a column is asked for, and the type it then has: moments in UTC, numbers of any size as floats, all else as text."""
    if name in _TYPES:
        return "", _TYPES[name]
    if name == "timestamptz":
        return "::timestamp", pa.timestamp("us")
    return ("::float8", pa.float64()) if name == "numeric" else ("::text", pa.string())


def _type_name(oid: int) -> str | None:
    from psycopg.postgres import types

    found = types.get(oid)
    return None if found is None or oid == found.array_oid else found.name


def _batches(connection: psycopg.Connection[Any], query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    with connection.cursor("sfumato") as cursor:  # a cursor of the server: rows arrive as they are fetched
        cursor.execute(_sql(query))
        while rows := cursor.fetchmany(BATCH):
            yield batch_of(rows, schema)


def _sql(query: str) -> Any:
    """Psycopg's types want literals, so that nobody builds queries from input; names are quoted here, and the query is the user's own."""
    return query.encode()

"""Plain SQL over what the embedded engine has opened."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.engines.duckdb.guard import reading
from sfumato.engines.duckdb.sql import SQL

_BATCH = 65_536


class DuckDBQueries:
    """The source under a name, with columns under theirs; beside it the tables that are kept."""

    def __init__(self, engine: DuckDBEngine, name: str) -> None:
        self._engine, self._connection = engine, engine._connection
        columns = engine._columns
        chosen = ", ".join(f"{columns.raw(each)} AS {SQL.identifier(each)}" for each in columns.physical)
        with reading(engine.where):
            self._connection.execute(f"CREATE TEMP VIEW {SQL.identifier(name)} AS SELECT {chosen} FROM source")

    def add(self, name: str, table: pa.Table) -> None:
        self._connection.register(name, table)

    def keep(self, name: str, query: str) -> None:
        with reading(self._engine.where):
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {SQL.identifier(name)} AS {query}")

    def drop(self, name: str) -> None:
        self._connection.execute(f"DROP TABLE IF EXISTS {SQL.identifier(name)}")

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        with reading(self._engine.where):
            yield from self._connection.sql(query).to_arrow_reader(_BATCH)

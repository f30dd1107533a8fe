"""Plain SQL over what Spark has opened. The executors write results to a folder, from which they are read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines.spark.engine import SparkEngine
from sfumato.engines.spark.guard import reading
from sfumato.engines.spark.spool import spooled
from sfumato.engines.spark.sql import SQL


class SparkQueries:
    """The source under a name, with columns under theirs; beside it the tables that are kept, on disk, for a task that is run again."""

    def __init__(self, engine: SparkEngine, name: str) -> None:
        self._engine, self._session = engine, engine._session
        self._kept: dict[str, Path] = {}
        columns = engine._columns
        chosen = [f"{columns.raw(each)} AS {SQL.identifier(each)}" for each in columns.physical]
        with reading(engine.where):
            self._session.sql("SELECT * FROM source").selectExpr(*chosen).createOrReplaceTempView(name)

    def add(self, name: str, table: pa.Table) -> None:
        folder = self._engine._spool()
        folder.mkdir(exist_ok=True)
        pq.write_table(table, folder / "part-0.parquet")
        with reading(self._engine.where):
            self._session.read.parquet(f"file://{folder}").createOrReplaceTempView(name)
        self._kept[name] = folder

    def keep(self, name: str, query: str) -> None:
        folder = self._engine._spool()
        with reading(self._engine.where):
            self._session.sql(query).write.parquet(f"file://{folder}")
            self._session.read.parquet(f"file://{folder}").createOrReplaceTempView(name)
        self._kept[name] = folder

    def drop(self, name: str) -> None:
        if folder := self._kept.pop(name, None):
            with reading(self._engine.where):
                self._session.catalog.dropTempView(name)
            shutil.rmtree(folder, ignore_errors=True)

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        with reading(self._engine.where):
            yield from spooled(self._session.sql(query), self._engine._spool())

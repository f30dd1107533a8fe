"""Plain SQL over a table, on any engine: the door for what counts in another way than a release does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from sfumato.engines.base import Engine
from sfumato.engines.register import QUERIES
from sfumato.table.source import Source, SourceOptions
from sfumato.vocabulary.kinds import Kind

if TYPE_CHECKING:
    import pyarrow as pa


class _Asked(Protocol):
    def add(self, name: str, table: pa.Table) -> None: ...

    def keep(self, name: str, query: str) -> None: ...

    def drop(self, name: str) -> None: ...

    def batches(self, query: str) -> Iterator[pa.RecordBatch]: ...


class Queries(AbstractContextManager["Queries"]):
    """An open table and what is asked of it in plain SQL; close it, or use it in a `with` statement.

    Queries call the table by its name, and its columns by theirs. A query that is to mean the same on every engine keeps to what all
    of them know. Rows come in the order of an ORDER BY, and otherwise in any.

    Parameters
    ----------
    data : path, pandas, polars or Spark frame, Arrow table
        What a `Source` takes. Texts of a CSV file stay texts.
    name : str
        What queries call it.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, ….
    """

    def __init__(self, data: Any, name: str = "source_table", **options: Unpack[SourceOptions]) -> None:
        self.source = Source(data, **options)
        self.engine: Engine = self.source.open_engine()
        try:
            module, cls = QUERIES[self.source.engine]
            self._asked: _Asked = getattr(import_module(module), cls)(self.engine, name)
        except BaseException:
            self.engine.close()
            raise

    @property
    def columns(self) -> Mapping[str, Kind]:
        """The columns of the table and their types."""
        return self.engine.kinds

    def add(self, name: str, table: pa.Table) -> None:
        """Lay an Arrow table beside the source under a name, for queries that join the two."""
        self._asked.add(name, table)

    def keep(self, name: str, query: str) -> None:
        """Keep the rows of a query under a name, for other queries: in memory or on disk, as the engine does."""
        self._asked.keep(name, query)

    def drop(self, name: str) -> None:
        """Forget rows that were kept."""
        self._asked.drop(name)

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """The rows of a query, in batches of Arrow."""
        return self._asked.batches(query)

    def close(self) -> None:
        self.engine.close()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

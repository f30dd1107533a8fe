"""A table: a source opened under a schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sfumato.engines.base import Engine, Settings, open_engine
from sfumato.errors import SchemaError, several, unknown
from sfumato.frequency import FrequencySet
from sfumato.vocabulary.node import Levels, Node
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa


class Table(AbstractContextManager["Table"]):
    """An opened source and the schema that describes it, with the types of the source filled in (`declared` is
    the schema as given, `origin` the source as given).

    Close it, or use it in a `with` statement, to release the source.
    """

    def __init__(self, engine: Engine, schema: Schema, origin: Any = None) -> None:
        self.engine = engine
        self.origin = origin
        if schema.attributes and not any(attribute.name in engine.kinds for attribute in schema.attributes):
            # What stands in the place of a header may be the first record: it is not shown.
            raise SchemaError(
                f"none of the schema's columns is among the {several(len(engine.kinds), 'column')} of the data; is there a header line?"
            )
        for attribute in schema.attributes:
            if attribute.name not in engine.kinds:
                raise SchemaError(unknown("column", attribute.name, engine.kinds, within="the data"), where="the schema")
        self.declared = schema
        self.schema = schema.with_kinds(engine.kinds)

    @classmethod
    def open(
        cls,
        source: Any,
        schema: Schema | str | PathLike[str],
        *,
        engine: str = "duckdb",
        memory_limit: str | None = None,
        delimiter: str | None = None,
        threads: int | None = None,
    ) -> Table:
        """Open CSV (any delimiter, gzip), Parquet (file, glob, folder), a pandas or polars frame or an Arrow table."""
        schema = schema if isinstance(schema, Schema) else Schema.read(schema)
        opened = open_engine(engine, source, schema, Settings(memory_limit, delimiter, threads))
        try:
            return cls(opened, schema, source)
        except BaseException:
            opened.close()
            raise

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.engine.kinds)

    def undeclared(self) -> tuple[str, ...]:
        """Columns of the source that the schema does not mention."""
        declared = {attribute.name for attribute in self.schema.attributes}
        return tuple(name for name in self.columns if name not in declared)

    def node(self, levels: Levels, quasi: Sequence[str] | None = None) -> Node:
        """A node over the QIDs to publish, from any written form."""
        return Node.of(levels, self.schema, self.schema.choose_quasi(quasi))

    def count(
        self, quasi: Sequence[str] | None = None, *, floor: Levels | None = None, sensitive: Sequence[str] | None = None
    ) -> FrequencySet:
        """The frequency set of the QIDs (all, or those named) at a floor node (level 0 of each, unless given)."""
        chosen = self.schema.choose_quasi(quasi)
        node = Node.bottom(chosen) if floor is None else Node.of(floor, self.schema, chosen)
        return self.engine.count(self.schema, node, self.schema.sensitive if sensitive is None else sensitive)

    def rows(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The rows as the source has them, in Arrow batches."""
        return self.engine.rows(columns or self.columns)

    def close(self) -> None:
        self.engine.close()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

"""A table: a source opened under a schema, and counted as seldom as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.engines.base import CellsBetween, Engine, PutsCellsAside
from sfumato.errors import SchemaError, argument, several, unknown
from sfumato.frequency import FrequencySet
from sfumato.vocabulary.dialect import Dialect
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.node import Levels, Node
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.table.source import Source


class Table(AbstractContextManager["Table"]):
    """An opened source and the schema that describes it, with the types of the source filled in (`declared` is the schema as given).

    Close it, or use it in a `with` statement, to release the source. The rows are not expected to change while it is open: a count that
    an earlier one can answer is rolled up from that.
    """

    def __init__(self, engine: Engine, schema: Schema, source: Source, inputs: frozenset[tuple[int, int]] = frozenset()) -> None:
        self.engine = engine
        self.source = source
        self.inputs = inputs  # the files that it comes from: data, schema, hierarchies
        if schema.attributes and not any(attribute.name in engine.kinds for attribute in schema.attributes):
            # What stands in the place of a header may be the first record: it is not shown.
            raise SchemaError(
                f"none of the schema's columns is among the {several(len(engine.kinds), 'column')} of the data; is there a header line? "
                f"Without one, {argument('header', 'False')} calls them column_1, column_2, …"
            )
        for attribute in schema.attributes:
            if attribute.name not in engine.kinds:
                raise SchemaError(unknown("column", attribute.name, engine.kinds, within="the data"), where="the schema")
        self.declared = schema
        self.schema = schema.with_kinds(engine.kinds)
        self._counted: FrequencySet | None = None
        self._digest: str | None = None

    @classmethod
    def open(cls, data: Any, schema: Schema | Any = None, **options: Any) -> Table:
        """Open a table: `Source(data, schema, **options).open()`."""
        from sfumato.table.source import source_of

        return source_of(data, schema, options).open()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.engine.kinds)

    @property
    def dialect(self) -> Dialect:
        """How it is read: as was asked for, or its schema says, and else as was found."""
        return self.source.dialect.over(self.declared.source).over(self.engine.dialect)

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
        names = self.schema.sensitive if sensitive is None else tuple(dict.fromkeys(sensitive))
        known = self._counted
        if known is None or not _answers(known, node, names):
            known = self._counted = self.engine.count(self.schema, node, names)
        return _rolled_up(known, node, names)

    def has_more_cells(self, floor: Node, sensitive: Sequence[str], most: int) -> bool:
        """Whether a count at a floor has more cells than so many for one of the sensitive attributes, whoever has the rows."""
        return self.engine.has_more_cells(self.schema, floor, sensitive, most)

    def cells_between(self, low: Node, high: Sequence[int], sensitive: Sequence[str]) -> AbstractContextManager[CellsBetween]:
        """The same for many floors between two, the higher one given by its levels: counted from cells that are put aside, if the engine
        does that."""
        if isinstance(self.engine, PutsCellsAside):
            return self.engine.cells_between(self.schema, low, high, sensitive)
        return nullcontext(_CellsOfRows(self, low.attributes, sensitive))

    def with_leaves(self, counts: FrequencySet) -> FrequencySet:
        """The same counts, whose hierarchies know how many values stand under the labels of their floors."""
        each = zip(counts.node.attributes, counts.hierarchies, strict=True)
        return replace(counts, hierarchies=tuple(self._with_leaves(name, hierarchy) for name, hierarchy in each))

    def _with_leaves(self, name: str, hierarchy: Hierarchy) -> Hierarchy:
        if not hierarchy.floor or hierarchy.leaves is not None:
            return hierarchy
        under = self.engine.leaves(self.schema, name, hierarchy.floor)
        return replace(hierarchy, leaves=np.array([under[label] for label in hierarchy.at(hierarchy.floor)], np.int64))

    def rows(self, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The rows as the source has them, in Arrow batches."""
        return self.engine.rows(columns or self.columns)

    def digest(self) -> str:
        """SHA-256 of the source, made once."""
        if self._digest is None:
            self._digest = self.engine.digest()
        return self._digest

    def close(self) -> None:
        self.engine.close()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class _CellsOfRows:
    """The cells of floors, counted from the rows for each of them."""

    def __init__(self, table: Table, attributes: tuple[str, ...], sensitive: Sequence[str]) -> None:
        self._table, self._attributes, self._sensitive = table, attributes, sensitive

    def has_more(self, levels: Sequence[int], most: int) -> bool:
        return self._table.has_more_cells(Node(self._attributes, tuple(levels)), self._sensitive, most)

    def about(self, levels: Sequence[int]) -> float | None:
        """Nothing is known without counting."""
        return None


def _answers(counts: FrequencySet, node: Node, sensitive: Sequence[str]) -> bool:
    """Whether counts hold what another count would find."""
    below = all(name in counts.node.attributes and counts.node[name] <= level for name, level in node.as_dict().items())
    return below and set(sensitive) <= set(counts.payloads)


def _rolled_up(counts: FrequencySet, node: Node, sensitive: Sequence[str]) -> FrequencySet:
    """Some QIDs of counts at a node, with some of the sensitive attributes."""
    if tuple(counts.payloads) != tuple(sensitive):
        counts = replace(counts, payloads=MappingProxyType({name: counts.payloads[name] for name in sensitive}))
    if counts.node.attributes != node.attributes:
        counts = counts.project(node.attributes)
    return counts if counts.node == node else counts.roll_up(node)

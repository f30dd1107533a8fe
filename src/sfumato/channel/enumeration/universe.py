"""A universe: all tables of so many rows over the listed values of a schema's QIDs and sensitive attribute, and all its nodes.

A table is a multiset of rows. A row is a number: the place of its combination of QID values, times the number of sensitive values, plus
the place of its own. The missing value is no value of a universe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from sfumato.channel.enumeration.multisets import how_many
from sfumato.errors import SchemaError, UsageError, argument
from sfumato.frequency import CellTable, FrequencySet
from sfumato.table.source import SchemaLike, schema_of
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute, Schema

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Universe:
    """All tables of `rows` rows. `hierarchies` are those of the QIDs, in schema order; `values` that of the one sensitive attribute, None
    if the schema has none."""

    schema: Schema
    rows: int
    hierarchies: tuple[Hierarchy, ...]
    values: Hierarchy | None

    @classmethod
    def of(cls, schema: SchemaLike, rows: int) -> Universe:
        """All tables of so many rows under a schema that lists its values.

        Parameters
        ----------
        schema : Schema, path or dict
            Its hierarchies list their leaves; at most one attribute is sensitive, and its values are listed, too.
        rows : int
            The rows of every table, 1 or more.

        Returns
        -------
        Universe
            The universe.
        """
        declared = schema_of(schema)
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise UsageError("a table has at least one row; give a whole number", where=argument("rows"))
        if len(declared.sensitive) > 1:
            raise UsageError("a universe has at most one sensitive attribute; withhold the others", where="the schema")
        hierarchies = tuple(_listed(declared[name]) for name in declared.choose_quasi())
        values = _listed(declared[declared.sensitive[0]]) if declared.sensitive else None
        return cls(declared, rows, hierarchies, values)

    @property
    def names(self) -> tuple[str, ...]:
        """The QIDs."""
        return self.schema.quasi

    @property
    def sensitive(self) -> Attribute | None:
        """The sensitive attribute."""
        return self.schema[self.schema.sensitive[0]] if self.schema.sensitive else None

    @property
    def spread(self) -> int:
        """How many sensitive values there are; 1 without a sensitive attribute."""
        return len(self.values.at(0)) if self.values else 1

    def cells(self, node: Node | None = None) -> int:
        """How many combinations of QID values there are at a node, level 0 by default."""
        levels = node.levels if node else (0,) * len(self.hierarchies)
        return prod(len(each.at(level)) for each, level in zip(self.hierarchies, levels, strict=True))

    def kinds(self, node: Node | None = None) -> int:
        """How many different rows there are at a node."""
        return self.cells(node) * self.spread

    def inputs(self, node: Node | None = None) -> int:
        """How many tables there are at a node; at level 0, how many inputs the mechanism has."""
        return how_many(self.kinds(node), self.rows)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes: the least sum of levels first, ties by level vector."""
        every = product(*(range(each.height + 1) for each in self.hierarchies))
        return tuple(Node(self.names, levels) for levels in sorted(every, key=lambda levels: (sum(levels), levels)))

    def released(self, node: Node) -> Places:
        """For each row at level 0, what is published of it at a node."""
        shape = [len(each.at(0)) for each in self.hierarchies]
        codes = np.unravel_index(np.arange(self.cells()), shape)
        cell = np.zeros(self.cells(), np.int64)
        for hierarchy, level, code in zip(self.hierarchies, node.levels, codes, strict=True):
            cell = cell * len(hierarchy.at(level)) + hierarchy.ancestors(0, level)[code]
        return np.asarray((cell[:, None] * self.spread + np.arange(self.spread)).ravel(), np.int64)

    def labels(self, row: int, node: Node | None = None) -> tuple[str, ...]:
        """A row as it stands in a table at a node: the labels of its QIDs, and its sensitive value."""
        node = node or Node.bottom(self.names)
        at = [each.at(level) for each, level in zip(self.hierarchies, node.levels, strict=True)]
        codes = np.unravel_index(row // self.spread, [len(each) for each in at])
        shown = [each[int(code)] for each, code in zip(at, codes, strict=True)]
        return (*shown, self.values.at(0)[row % self.spread]) if self.values else tuple(shown)

    def counted(self, table: Sequence[int]) -> FrequencySet:
        """A table, given by the numbers of its rows, as a frequency set at level 0."""
        rows = np.asarray(table, np.int64)
        codes = np.unravel_index(rows // self.spread, [len(each.at(0)) for each in self.hierarchies])
        columns = [np.asarray(each, np.int32) for each in codes]
        return FrequencySet.of_cells(Node.bottom(self.names), self.hierarchies, self.cell_table(columns, rows % self.spread))

    def cell_table(self, columns: Sequence[Codes], values: Places) -> CellTable:
        """One person in every cell, with the codes of QIDs and the place of the sensitive value."""
        named = {self.sensitive.name: (self.values, values.astype(np.int32))} if self.sensitive and self.values else {}
        return CellTable(columns, np.ones(len(values), np.int64), named)

    def row_of(self, labels: Sequence[str]) -> int:
        """The number of a row at level 0 from its labels."""
        at = [*(each.at(0) for each in self.hierarchies), *((self.values.at(0),) if self.values else ())]
        if len(labels) != len(at) or any(label not in each for label, each in zip(labels, at, strict=True)):
            raise UsageError("a row has one listed value for each QID and the sensitive attribute, in this order", where="row")
        return int(
            np.ravel_multi_index([each.index(label) for label, each in zip(labels, at, strict=True)], [len(a) for a in at])
        )


def _listed(attribute: Attribute) -> Hierarchy:
    hierarchy = attribute.builder.build(attribute.name, attribute.kind or Kind.TEXT, [])
    if not hierarchy.at(0):
        raise SchemaError(
            "its values are not listed; a universe needs all values that could occur, as a tree or a list",
            where=f"attribute {attribute.name!r}",
        )
    return hierarchy

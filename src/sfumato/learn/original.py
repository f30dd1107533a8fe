"""The rows of the original, in memory and as codes: fetched once through the engine, recoded to any node without touching them again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import pyarrow as pa

from sfumato.engines.arrays import plain_array
from sfumato.engines.encoding import canonical_texts, encoding_of
from sfumato.errors import DataError, UsageError, argument, several, unknown
from sfumato.frequency import Counts, Mask
from sfumato.learn.columns import Column
from sfumato.learn.plan import Plan
from sfumato.table import Table
from sfumato.vocabulary.hierarchy import Codes, Hierarchy
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Attribute, Schema

WITHHELD = (Role.IDENTIFIER, Role.OWNER)


@dataclass(frozen=True, slots=True, eq=False)
class Original:
    """Every published column of the table with its hierarchy and a code of level 0 per row, and the target: its values, and the place of
    each row's. Rows whose target is missing teach nothing: `known` marks the others, and `target` and the columns have these only."""

    schema: Schema
    columns: Mapping[str, tuple[Attribute, Hierarchy, Codes]]
    values: tuple[str, ...]
    target: Codes
    known: Mask

    @property
    def rows(self) -> int:
        return len(self.target)

    def counts(self) -> Counts:
        """How many rows have each value of the target."""
        return np.bincount(self.target, minlength=len(self.values))

    def at(self, node: Node | None = None) -> list[Column]:
        """The columns as a release at a node publishes them; as they are without one. QIDs that the node does not name are withheld."""
        levels = None if node is None else node.as_dict()
        return [
            _recoded(attribute, hierarchy, codes, 0 if levels is None else levels.get(name, 0))
            for name, (attribute, hierarchy, codes) in self.columns.items()
            if levels is None or attribute.role is not Role.QUASI or name in levels
        ]

    def codes_at(self, node: Node) -> Codes:
        """The codes of every row at a node, one column per QID."""
        columns = [self._hierarchy(name).ancestors(0, level)[self._codes(name)] for name, level in node.as_dict().items()]
        return np.stack(columns, axis=1)

    def _hierarchy(self, name: str) -> Hierarchy:
        return self.columns[name][1]

    def _codes(self, name: str) -> Codes:
        return self.columns[name][2]


def original_of(table: Table, plan: Plan) -> Original:
    """Fetch the rows; refuses a target that cannot be learned."""
    target = _target(table, plan)
    names = features_named(table.schema, plan)
    batches = list(table.rows([*names, target.name]))
    if not sum(batch.num_rows for batch in batches):
        raise DataError("no row of data; there is nothing to learn from", where=table.source.name)
    fetched = pa.Table.from_batches(batches)
    values, places = target_codes(target, fetched[target.name], table.schema.missing)
    known = places < len(values)
    columns = {}
    for name in names:
        attribute = _typed(table, name)
        column = plain_array(fetched[name].combine_chunks())
        encoding = encoding_of(attribute, column, table.schema.missing)
        columns[name] = attribute, encoding.hierarchy, encoding.encode(column)[known]
    original = Original(table.schema, MappingProxyType(columns), values, places[known], known)
    _require_learnable(original, plan)
    return original


def features_named(schema: Schema, plan: Plan) -> list[str]:
    """The columns to learn from: all that are published but the target, or those that were named."""
    published = [each.name for each in schema.attributes if each.role not in WITHHELD and each.name != plan.target]
    for name in plan.features or ():
        if name not in published:
            raise UsageError(unknown("column", name, published, within="what is published"), where=argument("features"))
    chosen = [name for name in published if plan.features is None or name in plan.features]
    if not chosen:
        raise UsageError("no column is left to learn from", where=argument("features"))
    return chosen


def target_codes(target: Attribute, column: pa.ChunkedArray, missing: Sequence[str]) -> tuple[tuple[str, ...], Codes]:
    """The values of a target that occur, and their places per row; one past the last is the missing value."""
    encoding = encoding_of(replace(target, role=Role.PLAIN), plain_array(column.combine_chunks()), missing)
    texts = canonical_texts(target, encoding.keys, missing)
    values = tuple(leaf for leaf in encoding.hierarchy.labels[0] if leaf in set(texts))
    place = {leaf: number for number, leaf in enumerate(values)}
    places = np.array([*(place.get(leaf, len(values)) for leaf in encoding.hierarchy.labels[0]), len(values)], np.int32)
    return values, places[encoding.encode(plain_array(column.combine_chunks()))]


def _target(table: Table, plan: Plan) -> Attribute:
    names = [each.name for each in table.schema.attributes]
    published = [each.name for each in table.schema.attributes if each.role not in WITHHELD]
    if plan.target not in names:
        raise UsageError(unknown("attribute", plan.target, published, within="the schema"), where=argument("target"))
    if plan.target not in published:
        role = table.schema[plan.target].role.value
        raise UsageError(
            f"{plan.target!r} is declared {role}, which no release holds; choose among {', '.join(published)}",
            where=argument("target"),
        )
    return _typed(table, plan.target)


def _typed(table: Table, name: str) -> Attribute:
    """An attribute with the type of the source, if it has none of its own."""
    attribute = table.schema[name]
    return replace(attribute, kind=attribute.kind or table.engine.kinds.get(name, Kind.TEXT))


def _require_learnable(original: Original, plan: Plan) -> None:
    """Refuse a target that says nothing, or with values too rare to be divided among folds and a test."""
    where, needed = f"target {plan.target!r}", f"{plan.folds} folds and a test need {plan.least}"
    if original.rows < plan.least:
        raise DataError(f"{several(original.rows, 'row')} with a value; {needed}", where=where)
    if len(original.values) < 2:
        raise DataError(
            "all rows have one value, so that there is nothing to learn; choose a column with two or more", where=where
        )
    rare = int((original.counts() < plan.least).sum())
    if rare:
        raise DataError(
            f"{rare:,} of its {several(len(original.values), 'value')} are in too few rows ({needed}); "
            f"choose a column with fewer values, or group the rare ones",
            where=where,
        )


def _recoded(attribute: Attribute, hierarchy: Hierarchy, codes: Codes, level: int) -> Column:
    return Column(attribute.name, attribute.kind or Kind.TEXT, hierarchy.at(level), hierarchy.ancestors(0, level)[codes])

"""The query that makes a release: it joins one small look-up table per recoded column; no row leaves SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sfumato.engines.arrays import texts, to_arrow
from sfumato.engines.encoding import typed_values
from sfumato.engines.relational.book import EncodingBook, GroupKey
from sfumato.engines.relational.sql import Sql
from sfumato.vocabulary.hierarchy import ROOT
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.recoding import Recoding
from sfumato.vocabulary.schema import Attribute


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """One published column: the SQL of its value and, for a QID, of its class code, and the look-up table they come from; whether it
    is sensitive, and whether its values are binary fractions."""

    name: str
    value: str
    code: str = ""
    join: str = ""
    lookup: pa.Table | None = None
    sensitive: bool = False
    binary: bool = False


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """The published columns in order, and the suppressed classes by code; whether they stay as `*`, and then without sensitive values."""

    sql: Sql
    columns: tuple[PublishedColumn, ...]
    suppressed: pa.Table | None
    stars: bool
    blank: bool

    @property
    def tables(self) -> Mapping[str, pa.Table]:
        """The look-up tables that the query joins."""
        tables = {**lookups(self.columns), "suppressed": self.suppressed}
        return {name: table for name, table in tables.items() if table is not None}

    def rows(self, seed: int, owner: GroupKey | None) -> str:
        """The rows of the release in any order: columns p0, p1, … and the owner's number `o`, if there are owners."""
        inner = ", ".join(f"{self._value(column)} AS p{place}" for place, column in enumerate(self.columns))
        joins = " ".join([*(column.join for column in self.columns), *self._suppression_join()])
        where = "WHERE suppressed.s0 IS NULL" if self.suppressed is not None and not self.stars else ""
        key, join = (f", {owner.sql} AS o", owner.join) if owner else ("", "")
        return f"SELECT {inner}{key} FROM source {joins} {join} {where}"

    def _value(self, column: PublishedColumn) -> str:
        if self.stars and column.code:
            return f"CASE WHEN suppressed.s0 IS NULL THEN {column.value} ELSE {self.sql.literal(ROOT)} END"
        if self.stars and self.blank and column.sensitive:
            return f"CASE WHEN suppressed.s0 IS NULL THEN {column.value} END"
        return column.value

    def _suppression_join(self) -> list[str]:
        if self.suppressed is None:
            return []
        codes = [column.code for column in self.columns if column.code]
        return ["LEFT JOIN suppressed ON " + " AND ".join(f"suppressed.s{i} = {code}" for i, code in enumerate(codes))]


def lookups(columns: Sequence[PublishedColumn]) -> dict[str, pa.Table | None]:
    """The look-up table of each column, None where it has none, under the name that its join uses."""
    return {f"lookup_{place}": column.lookup for place, column in enumerate(columns)}


def plan_release(book: EncodingBook, recoding: Recoding, published: Sequence[str]) -> ReleasePlan:
    """How to publish these columns, in this order, under a recoding."""
    columns = []
    for place, name in enumerate(published):
        attribute, table = book.schema[name], f"lookup_{place}"
        if name in recoding.node.attributes:
            columns.append(_quasi(book, recoding, attribute, table))
        else:
            columns.append(beside(book, attribute, table))
    return ReleasePlan(book.columns.sql, tuple(columns), _suppressed(recoding, published), recoding.stars, recoding.blank)


def _suppressed(recoding: Recoding, published: Sequence[str]) -> pa.Table | None:
    """The suppressed classes, one column per QID in the order of the published columns."""
    if not recoding.suppressed:
        return None
    order = [recoding.node.attributes.index(name) for name in published if name in recoding.node.attributes]
    codes = np.array(sorted(recoding.suppressed), np.int32)
    return pa.table({f"s{i}": to_arrow(codes[:, place]) for i, place in enumerate(order)})


def _quasi(book: EncodingBook, recoding: Recoding, attribute: Attribute, table: str) -> PublishedColumn:
    hierarchy, level = recoding.hierarchies[attribute.name], recoding.node[attribute.name]
    if level == hierarchy.height:
        return PublishedColumn(attribute.name, book.columns.sql.literal(hierarchy.at(level)[0]), code="0")
    if level == 0 and not recoding.suppressed and book.columns.is_direct(attribute):
        value = book.columns.value(attribute, book.schema.missing)
        return PublishedColumn(attribute.name, value, binary=attribute.kind is Kind.DECIMAL)
    encoding = book.encoding(attribute, hierarchy.floor)
    codes = hierarchy.ancestors(hierarchy.floor, level)[encoding.codes]
    labels = [hierarchy.label(level, int(code)) for code in codes]
    typed = recoding.keeps_type(attribute.name)
    values = typed_values(attribute.kind or Kind.TEXT, labels) if typed else texts(labels)
    lookup = pa.table({"key": encoding.keys, "value": values, "code": to_arrow(codes)})
    code = f"coalesce({table}.code, {hierarchy.codes(level) - 1})"
    join = joined(table, book.key_sql(attribute, hierarchy.floor))
    return PublishedColumn(attribute.name, f"{table}.value", code, join, lookup, binary=typed and attribute.kind is Kind.DECIMAL)


def beside(book: EncodingBook, attribute: Attribute, table: str) -> PublishedColumn:
    """A sensitive or plain column, unchanged except for its type."""
    if attribute.role is Role.PLAIN:
        book.require_fit(attribute)
        value = book.columns.as_is(attribute, book.schema.missing)
        return PublishedColumn(attribute.name, value, binary=book.columns.is_binary(attribute))
    binary = (attribute.kind or book.columns.kinds[attribute.name]) is Kind.DECIMAL
    if book.columns.is_direct(attribute):
        value = book.columns.value(attribute, book.schema.missing)
        return PublishedColumn(attribute.name, value, sensitive=True, binary=binary)
    encoding = book.encoding(attribute, 0)
    labels = [encoding.hierarchy.label(0, int(code)) for code in encoding.codes]
    lookup = pa.table({"key": encoding.keys, "value": typed_values(attribute.kind or Kind.TEXT, labels)})
    join = joined(table, book.columns.raw(attribute.name))
    return PublishedColumn(attribute.name, f"{table}.value", join=join, lookup=lookup, sensitive=True, binary=binary)


def joined(table: str, key: str) -> str:
    """The join of a look-up table whose keys are the values of a column."""
    return f"LEFT JOIN {table} ON {table}.key = {key}"

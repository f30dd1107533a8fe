"""The query that makes a release: it joins one small look-up table per recoded column; no row leaves SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sfumato.engines.arrays import texts, to_arrow
from sfumato.engines.duckdb import sql
from sfumato.engines.duckdb.book import EncodingBook, GroupKey
from sfumato.engines.encoding import typed_values
from sfumato.vocabulary.hierarchy import ROOT
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.recoding import Recoding
from sfumato.vocabulary.schema import Attribute

_LISTED = 512


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """One published column: the SQL of its value and, for a QID, of its class code, and the look-up table they come from; whether it
    is sensitive."""

    name: str
    value: str
    code: str = ""
    join: str = ""
    lookup: pa.Table | None = None
    sensitive: bool = False


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """The published columns in order, and the suppressed classes by code; whether they stay as `*`, and then without sensitive values."""

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
            return f"CASE WHEN suppressed.s0 IS NULL THEN {column.value} ELSE {sql.literal(ROOT)} END"
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


def counted(rows: str, columns: Sequence[str], *, owner: bool = False) -> str:
    """Rows with these columns: equal ones once with their count `k` or, if there are owners, each with its owner's number `o` and its
    number `n` among equal rows. To count is quicker than to number."""
    listed = ", ".join(columns)
    if owner:
        return f"SELECT {listed}, o, row_number() OVER (PARTITION BY {listed}) - 1 AS n FROM ({rows})"
    return f"SELECT {listed}, count(*) AS k FROM ({rows}) GROUP BY ALL"


def shuffled(counted: str, columns: Sequence[str], seed: int, *, owner: bool = False, part: tuple[int, int] = (0, 1)) -> str:
    """Counted rows with their number `n` among equal rows and, if there are owners, their owner's number `o`, in an order that reveals
    nothing about the source; the first or another part of so many, which follow each other.

    The number of a row is in its hash, so that equal rows are not adjacent. Counted rows are written out one by one, some hundreds at a
    time, since the engine holds the numbers of many classes at once.
    """
    listed = ", ".join(columns)
    order = sql.shuffled_by([*columns, "n"], seed)
    where = f"WHERE {sql.in_part(order, *part)}"
    if owner:
        return f"SELECT {listed}, n, o FROM ({counted}) {where} ORDER BY {order}"
    begun = f"SELECT {listed}, k, unnest(range(0, k, {_LISTED})) AS b FROM ({counted})"
    each = f"SELECT {listed}, unnest(range(b, least(b + {_LISTED}, k))) AS n FROM ({begun})"
    return f"SELECT {listed}, n FROM ({each}) {where} ORDER BY {order}"


def plan_release(book: EncodingBook, recoding: Recoding, published: Sequence[str]) -> ReleasePlan:
    """How to publish these columns, in this order, under a recoding."""
    columns = []
    for place, name in enumerate(published):
        attribute, table = book.schema[name], f"lookup_{place}"
        if name in recoding.node.attributes:
            columns.append(_quasi(book, recoding, attribute, table))
        else:
            columns.append(beside(book, attribute, table))
    return ReleasePlan(tuple(columns), _suppressed(recoding, published), recoding.stars, recoding.blank)


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
        return PublishedColumn(attribute.name, sql.literal(hierarchy.at(level)[0]), code="0")
    if level == 0 and not recoding.suppressed and book.columns.is_direct(attribute):
        return PublishedColumn(attribute.name, book.columns.value(attribute, book.schema.missing))
    encoding = book.encoding(attribute, hierarchy.floor)
    codes = hierarchy.ancestors(hierarchy.floor, level)[encoding.codes]
    labels = [hierarchy.label(level, int(code)) for code in codes]
    values = typed_values(attribute.kind or Kind.TEXT, labels) if recoding.keeps_type(attribute.name) else texts(labels)
    lookup = pa.table({"key": encoding.keys, "value": values, "code": to_arrow(codes)})
    code = f"coalesce({table}.code, {hierarchy.codes(level) - 1})"
    return PublishedColumn(
        attribute.name, f"{table}.value", code, joined(table, book.key_sql(attribute, hierarchy.floor)), lookup
    )


def beside(book: EncodingBook, attribute: Attribute, table: str) -> PublishedColumn:
    """A sensitive or plain column, unchanged except for its type."""
    if attribute.role is Role.PLAIN:
        book.require_fit(attribute)
        return PublishedColumn(attribute.name, book.columns.as_is(attribute, book.schema.missing))
    if book.columns.is_direct(attribute):
        return PublishedColumn(attribute.name, book.columns.value(attribute, book.schema.missing), sensitive=True)
    encoding = book.encoding(attribute, 0)
    labels = [encoding.hierarchy.label(0, int(code)) for code in encoding.codes]
    lookup = pa.table({"key": encoding.keys, "value": typed_values(attribute.kind or Kind.TEXT, labels)})
    join = joined(table, book.columns.raw(attribute.name))
    return PublishedColumn(attribute.name, f"{table}.value", join=join, lookup=lookup, sensitive=True)


def joined(table: str, key: str) -> str:
    """The join of a look-up table whose keys are the values of a column."""
    return f"LEFT JOIN {table} ON {table}.key = {key}"

"""The encodings of a source under one schema: the key by which each attribute is grouped, and the codes of the keys that occur.

There are three ways to group by an attribute at a level: by its raw value (level 0), by a label that SQL computes from it, or, where
neither is possible, by the code of each distinct value at that level, which is joined in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sfumato.engines.arrays import to_arrow, to_numpy
from sfumato.engines.encoding import Encoding, encoding_above, encoding_at_root, encoding_of, misfit
from sfumato.engines.kernels import unique
from sfumato.engines.relational.columns import Columns
from sfumato.vocabulary.builders import Keyed, PrefixKey
from sfumato.vocabulary.hierarchy import Codes
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Attribute, Schema


@dataclass(frozen=True, slots=True)
class GroupKey:
    """An SQL expression and the join it needs."""

    sql: str
    join: str = ""


class EncodingBook:
    """Makes encodings on first use, from a grouped column or from the distinct values of the source, and caches them."""

    def __init__(
        self,
        columns: Columns,
        schema: Schema,
        fetch: Callable[[str], pa.Table],
        register: Callable[[str, pa.Table], object],
        number: int,
    ) -> None:
        self.columns = columns
        self.schema = schema
        self._fetch = fetch
        self._register = register
        self._number = number  # among the books of an engine, so that no two have a table of the same name
        self._encodings: dict[tuple[str, int], Encoding] = {}
        self._registered: set[str] = set()

    def key(self, attribute: Attribute, level: int) -> GroupKey:
        """The key by which an attribute is grouped at a level."""
        if level == attribute.height():
            return GroupKey("0")
        if _by_label(attribute, level) or level == 0:
            return GroupKey(self.key_sql(attribute, level))
        encoding = self.encoding(attribute, level)
        name = f"floor{self._number}_{self.columns.place(attribute.name)}_{level}"
        if name not in self._registered:
            self._register(name, pa.table({"key": encoding.keys, "code": to_arrow(encoding.codes)}))
            self._registered.add(name)
        join = f"LEFT JOIN {name} ON {name}.key = {self.columns.raw(attribute.name)}"
        return GroupKey(f"coalesce({name}.code, {encoding.missing})", join)

    def encode(self, attribute: Attribute, level: int, column: pa.ChunkedArray) -> Codes:
        """The codes of a column that was grouped by `key`."""
        if level == attribute.height() or (level and not _by_label(attribute, level)):
            return to_numpy(column).astype(np.int32)
        return self.encoding(attribute, level, column).encode(column)

    def encoding(self, attribute: Attribute, level: int, column: pa.ChunkedArray | None = None) -> Encoding:
        """The encoding at a level, over a grouped column that has every key, or over the source."""
        if (attribute.name, level) not in self._encodings:
            self._encodings[attribute.name, level] = self._make(attribute, level, column)
        return self._encodings[attribute.name, level]

    def _make(self, attribute: Attribute, level: int, column: pa.ChunkedArray | None) -> Encoding:
        if level == attribute.height():
            return self._at_root(attribute)
        if level and not _by_label(attribute, level):
            return self.encoding(attribute, 0).above(level)
        if column is None:
            column = self._fetch(f"SELECT DISTINCT {self.key_sql(attribute, level)} AS k FROM source")["k"]
        if level and (builder := _keyed(attribute)):
            return encoding_above(attribute, builder, unique(column), level)
        return encoding_of(attribute, unique(column), self.schema.missing)

    def _at_root(self, attribute: Attribute) -> Encoding:
        """At the root no value of the attribute is visible; the values are checked nevertheless."""
        if isinstance(attribute.builder, Keyed):
            self.require_fit(attribute)
            return encoding_at_root(attribute)
        return self.encoding(attribute, 0).above(attribute.height())

    def key_sql(self, attribute: Attribute, level: int) -> str:
        """The SQL of the keys of an encoding: computed labels if the builder has them, else raw values."""
        kind = attribute.kind or Kind.TEXT
        builder = _keyed(attribute)
        key = builder.key(kind, level) if builder else None
        if key is None:
            return self.columns.raw(attribute.name)
        self.require_fit(attribute)
        value = self.columns.value(attribute, self.schema.missing)
        sql = self.columns.sql
        return sql.key_label(key, sql.text(f"({value})") if isinstance(key, PrefixKey) else f"({value})")

    def cells(self, attributes: Sequence[tuple[Attribute, int]], rows: int) -> int:
        """How many combinations of keys of some attributes, each at a level, occur in so many rows."""
        keys = [self.key(attribute, level) for attribute, level in attributes]
        chosen, joins = ", ".join(f"{key.sql} AS k{place}" for place, key in enumerate(keys)), " ".join(key.join for key in keys)
        table = self._fetch(
            f"SELECT count(*) AS n FROM (SELECT DISTINCT {chosen} FROM (SELECT * FROM source LIMIT {rows}) {joins})"
        )
        return int(table["n"][0].as_py())

    def leaves(self, attribute: Attribute, level: int) -> dict[str, int]:
        """How many different values stand under each computed label of a level."""
        value = self.columns.value(attribute, self.schema.missing)
        labels = f"SELECT {self.key_sql(attribute, level)} AS k, count(DISTINCT ({value})) AS n FROM source GROUP BY ALL"
        table = self._fetch(f"SELECT * FROM ({labels}) WHERE k IS NOT NULL")
        return dict(zip(table["k"].to_pylist(), table["n"].to_pylist(), strict=True))

    def require_fit(self, attribute: Attribute) -> None:
        """Refuse values that do not fit the declared type, for columns whose values are not listed one by one."""
        if self.columns.is_direct(attribute):
            return
        given = self.columns.given(attribute.name, self.schema.missing)
        value = self.columns.value(attribute, self.schema.missing)
        misfits = self._fetch(f"SELECT count(DISTINCT ({given})) FILTER (WHERE ({value}) IS NULL) AS n FROM source")
        if wrong := misfits["n"][0].as_py():
            raise misfit(attribute.name, attribute.kind or Kind.TEXT, wrong)


def _by_label(attribute: Attribute, level: int) -> bool:
    """Whether SQL computes the label of this level."""
    builder = _keyed(attribute)
    return builder is not None and builder.key(attribute.kind or Kind.TEXT, level) is not None


def _keyed(attribute: Attribute) -> Keyed | None:
    """The builder, if SQL can compute its levels; it does not know which spellings are one value."""
    return attribute.builder if isinstance(attribute.builder, Keyed) and not attribute.normalize else None

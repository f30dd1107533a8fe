"""The encodings of a source under one schema: how each attribute is grouped by, and the codes of what is found.

Three ways to group by an attribute at a level: by its raw value (level 0), by a label that SQL computes from it, or, where neither
is possible, by the code that its distinct values have there, joined in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.engines.arrays import to_arrow, to_numpy
from sfumato.engines.duckdb import sql
from sfumato.engines.duckdb.columns import Columns
from sfumato.engines.encoding import Encoding, encoding_above, encoding_at_root, encoding_of, misfit
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
    """Encodings are made when first needed, from a grouped column or from the distinct values of the source, and kept."""

    def __init__(
        self,
        columns: Columns,
        schema: Schema,
        fetch: Callable[[str], pa.Table],
        register: Callable[[str, pa.Table], object],
    ) -> None:
        self.columns = columns
        self.schema = schema
        self._fetch = fetch
        self._register = register
        self._encodings: dict[tuple[str, int], Encoding] = {}

    def key(self, attribute: Attribute, level: int) -> GroupKey:
        """What an attribute is grouped by at a level."""
        if level == attribute.height():
            return GroupKey("0")
        if _by_label(attribute, level) or level == 0:
            return GroupKey(self.found(attribute, level))
        encoding = self.encoding(attribute, level)
        name = f"floor_{self.columns.place(attribute.name)}"
        self._register(name, pa.table({"key": encoding.keys, "code": to_arrow(encoding.codes)}))
        join = f"LEFT JOIN {name} ON {name}.key = {self.columns.raw(attribute.name)}"
        return GroupKey(f"coalesce({name}.code, {encoding.missing})", join)

    def encode(self, attribute: Attribute, level: int, column: pa.ChunkedArray) -> Codes:
        """The codes of a column that was grouped by `key`."""
        if level == attribute.height() or (level and not _by_label(attribute, level)):
            return to_numpy(column).astype(np.int32)
        return self.encoding(attribute, level, column).encode(column)

    def encoding(self, attribute: Attribute, level: int, column: pa.ChunkedArray | None = None) -> Encoding:
        """The encoding at a level, over a grouped column that holds every key, or over the source."""
        if (attribute.name, level) not in self._encodings:
            self._encodings[attribute.name, level] = self._made(attribute, level, column)
        return self._encodings[attribute.name, level]

    def _made(self, attribute: Attribute, level: int, column: pa.ChunkedArray | None) -> Encoding:
        if level == attribute.height():
            return self._at_root(attribute)
        if column is None:
            column = self._fetch(f"SELECT DISTINCT {self.found(attribute, level)} AS k FROM source")["k"]
        if level and isinstance(attribute.builder, Keyed):
            return encoding_above(attribute, attribute.builder, pc.unique(column), level)
        return encoding_of(attribute, pc.unique(column), self.schema.missing, level)

    def _at_root(self, attribute: Attribute) -> Encoding:
        """Nothing of the attribute shows at the root; its values are checked all the same."""
        if isinstance(attribute.builder, Keyed):
            self.require_fit(attribute)
            return encoding_at_root(attribute)
        return self.encoding(attribute, 0).above(attribute.height())

    def found(self, attribute: Attribute, level: int) -> str:
        """The SQL of the keys that an encoding lists: computed labels where there are some, else raw values."""
        kind = attribute.kind or Kind.TEXT
        builder = attribute.builder
        key = builder.key(kind, level) if isinstance(builder, Keyed) else None
        if key is None:
            return self.columns.raw(attribute.name)
        self.require_fit(attribute)
        value = self.columns.value(attribute, self.schema.missing)
        return sql.key_label(key, f"CAST(({value}) AS VARCHAR)" if isinstance(key, PrefixKey) else f"({value})")

    def require_fit(self, attribute: Attribute) -> None:
        """Refuse values that do not fit the declared type, for columns whose values are not listed one by one."""
        if self.columns.is_direct(attribute):
            return
        given = self.columns.given(attribute.name, self.schema.missing)
        value = self.columns.value(attribute, self.schema.missing)
        found = self._fetch(f"SELECT count(DISTINCT ({given})) FILTER (({value}) IS NULL) AS n FROM source")
        if wrong := found["n"][0].as_py():
            raise misfit(attribute.name, attribute.kind or Kind.TEXT, wrong)


def _by_label(attribute: Attribute, level: int) -> bool:
    """Whether SQL computes the label of this level."""
    return isinstance(attribute.builder, Keyed) and attribute.builder.key(attribute.kind or Kind.TEXT, level) is not None

"""The columns of an open source: their names, their places, and the SQL that reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sfumato.engines.relational.sql import Sql
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Attribute


@dataclass(frozen=True, slots=True)
class Columns:
    """Names and physical types in the order of the source; column i is known as c<i>."""

    sql: Sql
    physical: Mapping[str, str]
    places: tuple[str, ...]
    kinds: Mapping[str, Kind]
    _place: Mapping[str, str]

    @classmethod
    def of(cls, sql: Sql, described: Sequence[tuple[str, str]]) -> Columns:
        physical = dict(described)
        places = tuple(f"c{place}" for place in range(len(described)))
        kinds = {name: sql.kind_of(kind) or Kind.TEXT for name, kind in described}
        return cls(sql, MappingProxyType(physical), places, MappingProxyType(kinds), dict(zip(physical, places, strict=True)))

    def place(self, name: str) -> str:
        return self._place[name]

    def is_text(self, name: str) -> bool:
        return self.sql.is_text(self.physical[name])

    def raw(self, name: str) -> str:
        """A column as it is counted and published."""
        return self.sql.raw(self.place(name), self.physical[name])

    def given(self, name: str, missing: Sequence[str]) -> str:
        """A counted column, NULL for values that mean missing."""
        raw = self.raw(name)
        if self.is_text(name):
            return self.sql.without_missing(raw, missing)
        fraction = self.sql.kind_of(self.physical[name]) is Kind.DECIMAL
        return f"CASE WHEN isnan({raw}) THEN NULL ELSE {raw} END" if fraction else raw

    def value(self, attribute: Attribute, missing: Sequence[str]) -> str:
        """A column as values of the attribute's type, NULL for values that mean missing or do not fit."""
        given = self.given(attribute.name, missing)
        if self.is_direct(attribute):
            return given
        return self.sql.cast(given, attribute.kind or Kind.TEXT, self.kinds[attribute.name])

    def as_is(self, attribute: Attribute, missing: Sequence[str]) -> str:
        """A plain column: unchanged unless a type is declared, except for texts that mean missing."""
        if self._is_converted(attribute):
            return self.value(attribute, missing)
        return self.sql.as_is(self.place(attribute.name), self.physical[attribute.name])

    def is_binary(self, attribute: Attribute) -> bool:
        """Whether a plain column is one of binary fractions."""
        physical = self.physical[attribute.name]
        if self._is_converted(attribute):
            return (attribute.kind or self.kinds[attribute.name]) is Kind.DECIMAL
        return self.sql.is_binary(physical)

    def _is_converted(self, attribute: Attribute) -> bool:
        return attribute.kind is not None or self.is_text(attribute.name)

    def is_direct(self, attribute: Attribute) -> bool:
        """Whether the source has the attribute's values already, in its type and spelling."""
        if attribute.normalize:
            return False
        return attribute.kind is None or attribute.kind is self.sql.kind_of(self.physical[attribute.name])

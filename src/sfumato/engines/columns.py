"""The columns of an opened DuckDB source: names, places, and how a column is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sfumato.engines import sql
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Attribute

_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"}
_FLOATS = {"FLOAT", "DOUBLE"}
_SIMPLE = {"VARCHAR": Kind.TEXT, "DATE": Kind.DATE, "BOOLEAN": Kind.BOOLEAN}


def _kind_of(physical: str) -> Kind | None:
    """The type of attribute that a DuckDB type is, if it is one."""
    if physical in _INTEGERS:
        return Kind.INTEGER
    if physical in _FLOATS or physical.startswith("DECIMAL"):
        return Kind.DECIMAL
    if physical.startswith("TIMESTAMP"):
        return Kind.TIMESTAMP
    return Kind.TEXT if physical.startswith("ENUM") else _SIMPLE.get(physical)


@dataclass(frozen=True, slots=True)
class Columns:
    """Names and DuckDB types in the order of the source; column i is known as c<i>."""

    physical: Mapping[str, str]
    places: tuple[str, ...]

    @classmethod
    def of(cls, described: Sequence[tuple[str, str]]) -> Columns:
        return cls(MappingProxyType(dict(described)), tuple(f"c{place}" for place in range(len(described))))

    @property
    def kinds(self) -> Mapping[str, Kind]:
        return {name: _kind_of(physical) or Kind.TEXT for name, physical in self.physical.items()}

    def place(self, name: str) -> str:
        return self.places[list(self.physical).index(name)]

    def select(self) -> str:
        """The columns of the view: enumerations as text, fractions of microseconds cut off."""
        chosen = []
        for place, physical in zip(self.places, self.physical.values(), strict=True):
            wanted = "VARCHAR" if physical.startswith("ENUM") else "TIMESTAMP" if physical.startswith("TIMESTAMP_") else None
            chosen.append(f"CAST({place} AS {wanted}) AS {place}" if wanted else place)
        return ", ".join(chosen)

    def raw(self, name: str) -> str:
        """A column as it is grouped by: types that are none of ours as text."""
        return self.place(name) if _kind_of(self.physical[name]) else f"CAST({self.place(name)} AS VARCHAR)"

    def given(self, name: str, missing: Sequence[str]) -> str:
        """A column as it is, NULL for what means missing."""
        place, physical = self.place(name), self.physical[name]
        if physical == "VARCHAR" or physical.startswith("ENUM"):
            return sql.without_missing(place, missing)
        return f"CASE WHEN isnan({place}) THEN NULL ELSE {place} END" if physical in _FLOATS else place

    def value(self, attribute: Attribute, missing: Sequence[str]) -> str:
        """A column as values of the attribute's type, NULL for what means missing or does not fit."""
        given = self.given(attribute.name, missing)
        if self.is_direct(attribute):
            return given
        return sql.cast(given, attribute.kind or Kind.TEXT, is_text=self.kinds[attribute.name] is Kind.TEXT)

    def is_direct(self, attribute: Attribute) -> bool:
        """Whether the source has the attribute's type already."""
        return attribute.kind is None or attribute.kind is _kind_of(self.physical[attribute.name])

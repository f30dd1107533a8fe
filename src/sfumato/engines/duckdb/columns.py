"""The columns of an open DuckDB source: their names, their places, and the SQL that reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from sfumato.engines.duckdb import sql
from sfumato.engines.duckdb.written import read_as
from sfumato.vocabulary.dialect import Written
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.schema import Attribute

_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"}
_FLOATS = {"FLOAT", "DOUBLE"}
_SIMPLE = {"VARCHAR": Kind.TEXT, "DATE": Kind.DATE, "BOOLEAN": Kind.BOOLEAN}


def _kind_of(physical: str) -> Kind | None:
    """The type of attribute for a DuckDB type, if there is one."""
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
    kinds: Mapping[str, Kind]
    _place: Mapping[str, str]

    @classmethod
    def of(cls, described: Sequence[tuple[str, str]]) -> Columns:
        physical = dict(described)
        places = tuple(f"c{place}" for place in range(len(described)))
        kinds = {name: _kind_of(kind) or Kind.TEXT for name, kind in described}
        return cls(MappingProxyType(physical), places, MappingProxyType(kinds), dict(zip(physical, places, strict=True)))

    def place(self, name: str) -> str:
        return self._place[name]

    def select(self, written: Mapping[str, Written]) -> str:
        """The columns of the view: enumerations as text, and texts that are not plain as canonical ones."""
        chosen = []
        for place, (name, physical) in zip(self.places, self.physical.items(), strict=True):
            text = f"CAST({place} AS VARCHAR)" if physical.startswith("ENUM") else place
            if self.is_text(name) and name in written:
                text = read_as(text, written[name])
            chosen.append(place if text == place else f"{text} AS {place}")
        return ", ".join(chosen)

    def is_text(self, name: str) -> bool:
        physical = self.physical[name]
        return physical == "VARCHAR" or physical.startswith("ENUM")

    def raw(self, name: str) -> str:
        """A column as it is counted and published: values that are equal for one are equal for the other.

        Numbers with a fraction are doubles (and -0.0 is 0.0), moments are in UTC, and all other types are text.
        """
        place, physical = self.place(name), self.physical[name]
        if physical in _FLOATS or physical.startswith("DECIMAL"):
            return f"(CAST({place} AS DOUBLE) + 0.0)"
        if physical.startswith("TIMESTAMP") and physical != "TIMESTAMP":
            moment = f"CAST({place} AS TIMESTAMPTZ)" if physical == "TIMESTAMPTZ_NS" else place
            return f"CAST({moment} AS TIMESTAMP)"
        return place if _kind_of(physical) else f"CAST({place} AS VARCHAR)"

    def given(self, name: str, missing: Sequence[str]) -> str:
        """A counted column, NULL for values that mean missing."""
        raw = self.raw(name)
        if self.is_text(name):
            return sql.without_missing(raw, missing)
        fraction = _kind_of(self.physical[name]) is Kind.DECIMAL
        return f"CASE WHEN isnan({raw}) THEN NULL ELSE {raw} END" if fraction else raw

    def value(self, attribute: Attribute, missing: Sequence[str]) -> str:
        """A column as values of the attribute's type, NULL for values that mean missing or do not fit."""
        given = self.given(attribute.name, missing)
        if self.is_direct(attribute):
            return given
        return sql.cast(given, attribute.kind or Kind.TEXT, self.kinds[attribute.name])

    def as_is(self, attribute: Attribute, missing: Sequence[str]) -> str:
        """A plain column: unchanged unless a type is declared, except for texts that mean missing. Lengths of time are text: a Parquet
        file keeps no more than their milliseconds, and none below zero."""
        if attribute.kind is not None or self.is_text(attribute.name):
            return self.value(attribute, missing)
        if self.physical[attribute.name] == "INTERVAL":
            return self.raw(attribute.name)
        return self.place(attribute.name)

    def is_direct(self, attribute: Attribute) -> bool:
        """Whether the source has the attribute's values already, in its type and spelling."""
        if attribute.normalize:
            return False
        return attribute.kind is None or attribute.kind is _kind_of(self.physical[attribute.name])

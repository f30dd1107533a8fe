"""The SQL of DuckDB, where it is its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.engines.relational.sql import Sql, row_text
from sfumato.vocabulary.formulas import FORMULA, MARK, NUMBER
from sfumato.vocabulary.kinds import Kind

_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"}
_FLOATS = {"FLOAT", "DOUBLE"}
_SIMPLE = {"VARCHAR": Kind.TEXT, "DATE": Kind.DATE, "BOOLEAN": Kind.BOOLEAN}


class DuckSql(Sql):
    types: ClassVar[Mapping[Kind, str]] = {
        Kind.TEXT: "VARCHAR",
        Kind.INTEGER: "BIGINT",
        Kind.DECIMAL: "DOUBLE",
        Kind.DATE: "DATE",
        Kind.TIMESTAMP: "TIMESTAMP",
        Kind.BOOLEAN: "BOOLEAN",
    }
    moment = "TIMESTAMPTZ"

    def literal(self, text: str) -> str:
        return "'" + text.replace("'", "''") + "'"

    def identifier(self, name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    def kind_of(self, physical: str) -> Kind | None:
        if physical in _INTEGERS:
            return Kind.INTEGER
        if physical in _FLOATS or physical.startswith("DECIMAL"):
            return Kind.DECIMAL
        if physical.startswith("TIMESTAMP"):
            return Kind.TIMESTAMP
        return Kind.TEXT if physical.startswith("ENUM") else _SIMPLE.get(physical)

    def raw(self, place: str, physical: str) -> str:
        if physical in _FLOATS or physical.startswith("DECIMAL"):
            return f"(CAST({place} AS DOUBLE) + 0.0)"
        if physical.startswith("TIMESTAMP") and physical != "TIMESTAMP":
            moment = f"CAST({place} AS TIMESTAMPTZ)" if physical == "TIMESTAMPTZ_NS" else place
            return f"CAST({moment} AS TIMESTAMP)"
        return place if self.kind_of(physical) else f"CAST({place} AS VARCHAR)"

    def as_is(self, place: str, physical: str) -> str:
        """Lengths of time are text: a Parquet file keeps no more than their milliseconds, and none below zero."""
        if self.is_binary(physical):
            return f"({place} + CAST(0 AS {physical}))"
        return self.raw(place, physical) if physical == "INTERVAL" else place

    def is_text(self, physical: str) -> bool:
        return physical == "VARCHAR" or physical.startswith("ENUM")

    def is_binary(self, physical: str) -> bool:
        return physical in _FLOATS

    def matches(self, text: str, pattern: str) -> str:
        return f"regexp_full_match({text}, {self.literal(pattern)})"

    def trimmed(self, text: str, signs: str) -> str:
        return f"trim({text}, {self.literal(signs)})"

    def without(self, text: str, pattern: str) -> str:
        return f"regexp_replace({text}, {self.literal(pattern)}, '', 'g')"

    def bits(self, value: str) -> str:
        number = f"CAST({value} AS DOUBLE)"
        return f"CASE WHEN isnan({number}) THEN 'nan' ELSE CAST(CAST(CAST({number} AS BIT) AS BIGINT) AS VARCHAR) END"

    def number_among(self, columns: Sequence[str], *, owner: bool) -> str:
        return f"row_number() OVER (PARTITION BY {', '.join(columns)})"


SQL = DuckSql()


def escaped_text(text: str) -> str:
    """A text column as it is written to CSV: like `vocabulary.formulas.escaped`."""
    formula = f"regexp_matches({text}, {SQL.literal(FORMULA)}) AND NOT regexp_matches({text}, {SQL.literal(NUMBER)})"
    return f"CASE WHEN {formula} THEN {SQL.literal(MARK)} || {text} ELSE {text} END"


def unescaped(text: str) -> str:
    """A text column as it is read from CSV; most cells are passed by their first letter. One call is quicker to plan than a test and a
    call: tables have thousands of columns."""
    taken_off = f"regexp_replace({text}, {SQL.literal(f'^{MARK}({FORMULA[1:]})')}, '\\1')"
    return f"CASE WHEN starts_with({text}, {SQL.literal(MARK)}) THEN {taken_off} ELSE {text} END"


def in_part(key: str, part: int, parts: int) -> str:
    """Whether a sort key is in one of so many equal parts of the order.

    >>> in_part("k", 0, 1), in_part("k", 1, 4)
    ('true', "k >= '4000' AND k < '8000'")
    """
    first, last = (f"{(1 << 16) * each // parts:04x}" for each in (part, part + 1))
    bounds = [f"{key} >= {SQL.literal(first)}"] if part else []
    bounds += [f"{key} < {SQL.literal(last)}"] if part + 1 < parts else []
    return " AND ".join(bounds) or "true"


def row_hash(columns: Sequence[str]) -> str:
    """A number for a row: equal for rows whose columns read alike, whether they are in the source, a Parquet or a CSV file."""
    return f"hash({row_text(list(map(SQL.text, columns)))})"


def summed_hashes(columns: Sequence[str], more: Sequence[str] = ()) -> str:
    """The digests of columns one by one, and of whole rows with `more`, that do not depend on the order of the rows."""
    each = [f"sum({row_hash([column])})" for column in columns]
    return ", ".join(["count(*)", *each, f"sum({row_hash([*columns, *more])})"])

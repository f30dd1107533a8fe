"""The SQL of Spark, where it is its own. The session's time zone is UTC, and a plain `TIMESTAMP` has none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sfumato.engines.register import DEFAULT_ENGINE
from sfumato.engines.relational.sql import Sql, row_text
from sfumato.errors import DataError, argument
from sfumato.vocabulary.kinds import Kind

_INTEGERS = {"tinyint", "smallint", "int", "bigint"}
_FLOATS = {"float", "double"}
_SIMPLE = {"date": Kind.DATE, "boolean": Kind.BOOLEAN, "timestamp": Kind.TIMESTAMP, "timestamp_ntz": Kind.TIMESTAMP}
_TEXTS = ("string", "varchar", "char")
_HALF = 28  # bits of a hash in each of its two sums, which hold as long as there are fewer than 2^35 rows


class SparkSql(Sql):
    types: ClassVar[Mapping[Kind, str]] = {
        Kind.TEXT: "STRING",
        Kind.INTEGER: "BIGINT",
        Kind.DECIMAL: "DOUBLE",
        Kind.DATE: "DATE",
        Kind.TIMESTAMP: "TIMESTAMP_NTZ",
        Kind.BOOLEAN: "BOOLEAN",
    }
    moment = "TIMESTAMP_LTZ"

    def literal(self, text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def identifier(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def kind_of(self, physical: str) -> Kind | None:
        if physical in _INTEGERS:
            return Kind.INTEGER
        if physical in _FLOATS or physical.startswith("decimal"):
            return Kind.DECIMAL
        return Kind.TEXT if self.is_text(physical) else _SIMPLE.get(physical)

    def raw(self, place: str, physical: str) -> str:
        if physical in _FLOATS or physical.startswith("decimal"):
            return f"(CAST({place} AS DOUBLE) + 0D)"
        if physical == "timestamp":
            return f"CAST({place} AS TIMESTAMP_NTZ)"
        return place if self.kind_of(physical) else f"CAST({place} AS STRING)"

    def as_is(self, place: str, physical: str) -> str:
        return f"({place} + CAST(0 AS {physical}))" if self.is_binary(physical) else place

    def is_text(self, physical: str) -> bool:
        return physical.startswith(_TEXTS)

    def is_binary(self, physical: str) -> bool:
        return physical in _FLOATS

    def matches(self, text: str, pattern: str) -> str:
        whole = rf"\A(?:{pattern})\z"
        return f"{text} RLIKE {self.literal(whole)}"

    def trimmed(self, text: str, signs: str) -> str:
        return f"btrim({text}, {self.literal(signs)})"

    def without(self, text: str, pattern: str) -> str:
        return f"regexp_replace({text}, {self.literal(pattern)}, '')"

    def bits(self, value: str) -> str:
        bits = f"reflect('java.lang.Double', 'doubleToLongBits', CAST({value} AS DOUBLE))"
        return f"CASE WHEN {value} IS NULL THEN NULL WHEN isnan({value}) THEN 'nan' ELSE {bits} END"

    def number_among(self, columns: Sequence[str], *, owner: bool) -> str:
        """In the order of the owners, so that a task that is run again numbers alike."""
        return f"row_number() OVER (PARTITION BY {', '.join(columns)} ORDER BY {'o' if owner else columns[0]})"

    def cast(self, value: str, kind: Kind, source: Kind) -> str:
        if kind is Kind.TEXT and source is Kind.DECIMAL:
            raise DataError(
                "a column of numbers with fractions is declared as text, and Spark writes such numbers in another way; declare it "
                f"'decimal', or take {argument('engine', DEFAULT_ENGINE)}"
            )
        number = super().cast(value, kind, source)
        return (
            f"nullif(nullif({number}, CAST('Infinity' AS DOUBLE)), CAST('-Infinity' AS DOUBLE))"
            if kind is Kind.DECIMAL
            else number
        )

    def spelled(self, column: str, physical: str) -> str:
        """A published value as it stands in the sort key."""
        if self.is_binary(physical):
            return self.bits(column)
        return f"{self.text(column)} || '+00'" if physical == "timestamp" else self.text(column)


SQL = SparkSql()


def sort_key(columns: Mapping[str, str], seed: int) -> str:
    """The sort key of rows with a number `n` among equal ones, from the columns and their physical types."""
    spelled = [SQL.spelled(column, physical) for column, physical in columns.items()]
    return f"md5({row_text([SQL.literal(str(seed)), *spelled, SQL.text('n')])})"


def summed_hashes(columns: Sequence[str], more: Sequence[str] = ()) -> list[str]:
    """The number of rows, and the digests of columns one by one and of whole rows with `more`, that do not depend on the order of the
    rows. A digest is two sums."""
    hashes = [f"xxhash64({column})" for column in columns]
    hashes.append(f"xxhash64({', '.join(f'{column}, isnull({column})' for column in [*columns, *more])})")
    mask = (1 << _HALF) - 1
    halves = (half for each in hashes for half in (f"{each} & {mask}L", f"shiftrightunsigned({each}, {_HALF}) & {mask}L"))
    return ["count(*)", *(f"coalesce(sum({half}), 0L)" for half in halves)]


def numbered(sums: Sequence[str]) -> str:
    """The sums as columns s0, s1, …"""
    return ", ".join(f"{each} AS s{place}" for place, each in enumerate(sums))


def digests_of(sums: Sequence[int]) -> list[int]:
    """The digests from their sums."""
    return [high << 64 | low for low, high in zip(sums[::2], sums[1::2], strict=True)]

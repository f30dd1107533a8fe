"""The SQL that queries are built from: quoting, and labels that can be computed from a value. Dialects say what is their own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from sfumato.vocabulary.builders import DateKey, Key
from sfumato.vocabulary.kinds import BLANKS, PATTERNS, Kind

_LENGTHS = {"day": 10, "month": 7, "year": 4}


class Sql(ABC):
    """A dialect of SQL. Physical types are those that the engine itself names."""

    types: ClassVar[Mapping[Kind, str]]
    moment: ClassVar[str]  # the type of a moment with an offset; in a session whose time zone is UTC

    @abstractmethod
    def literal(self, text: str) -> str:
        """A text as an SQL literal."""

    @abstractmethod
    def identifier(self, name: str) -> str:
        """A column name as an SQL identifier."""

    @abstractmethod
    def kind_of(self, physical: str) -> Kind | None:
        """The type of attribute for a physical type, if there is one."""

    @abstractmethod
    def raw(self, place: str, physical: str) -> str:
        """A column as it is counted and published: values that are equal for one are equal for the other.

        Numbers with a fraction are doubles (and -0.0 is 0.0), moments are in UTC, and all other types are text.
        """

    @abstractmethod
    def as_is(self, place: str, physical: str) -> str:
        """A column that is published unchanged, but for -0.0, which is 0.0: whoever groups takes them for one."""

    @abstractmethod
    def is_text(self, physical: str) -> bool:
        """Whether a physical type is that of texts."""

    @abstractmethod
    def is_binary(self, physical: str) -> bool:
        """Whether a physical type is that of binary fractions, which every engine writes as texts in a way of its own."""

    @abstractmethod
    def matches(self, text: str, pattern: str) -> str:
        """Whether a whole text is as a regular expression says."""

    @abstractmethod
    def trimmed(self, text: str, signs: str) -> str:
        """A text without these signs around it."""

    @abstractmethod
    def without(self, text: str, pattern: str) -> str:
        """A text without what is as a regular expression says."""

    @abstractmethod
    def bits(self, value: str) -> str:
        """The bits of a double, read as a whole number, as text."""

    @abstractmethod
    def number_among(self, columns: Sequence[str], *, owner: bool) -> str:
        """The number of a row among those that are equal in some columns, from 1; `owner` says that rows have an owner's number `o`."""

    def text(self, value: str) -> str:
        return f"CAST({value} AS {self.types[Kind.TEXT]})"

    def without_missing(self, column: str, tokens: Sequence[str]) -> str:
        """A text column with NULL for the texts that mean missing."""
        if not tokens:
            return column
        return f"CASE WHEN {column} IN ({', '.join(map(self.literal, tokens))}) THEN NULL ELSE {column} END"

    def key_label(self, key: Key, value: str) -> str:
        """The label of a computed level, spelled like the builder's own."""
        if isinstance(key, DateKey):
            return self._date_label(key.unit, value)
        return f"substr({value}, 1, {key.keep}) || repeat('*', greatest(length({value}) - {key.keep}, 0))"

    def _date_label(self, unit: str, value: str) -> str:
        day = self.text(f"CAST({value} AS DATE)")
        if unit == "quarter":
            return f"substr({day}, 1, 4) || '-Q' || {self.text(f'quarter({value})')}"
        if unit == "decade":
            return f"substr({day}, 1, 3) || '0s'"
        return f"substr({day}, 1, {_LENGTHS[unit]})"

    def cast(self, value: str, kind: Kind, source: Kind) -> str:
        """Values of the type `source` as values of type `kind`; NULL where they do not fit. A plain cast would round 1.5 to 2."""
        if kind is Kind.INTEGER and source is Kind.DECIMAL:
            return f"CASE WHEN ({value}) = floor({value}) THEN TRY_CAST(({value}) AS {self.types[kind]}) END"
        text = self.trimmed(self.text(f"({value})"), BLANKS)
        number = f"TRY_CAST({text} AS {self.types[kind]})"
        if kind is Kind.DECIMAL:
            number = f"({number} + CAST(0 AS {self.types[kind]}))"  # -0.0 is 0.0
        if kind is Kind.TIMESTAMP:  # a plain cast would drop the offset; the session's time zone is UTC
            number = f"CAST(TRY_CAST({text} AS {self.moment}) AS {self.types[kind]})"
        if kind not in PATTERNS:
            return number
        return f"CASE WHEN {self.matches(text, PATTERNS[kind])} THEN {number} END"

    def shuffled_by(self, columns: Sequence[str], seed: int, binary: Iterable[str] = ()) -> str:
        """The sort key of a release: a seeded hash of the published row, so that the order reveals nothing about the source. Those that
        are `binary` stand in it by their bits."""
        binary = set(binary)
        spelled = [self.bits(column) if column in binary else self.text(column) for column in columns]
        return f"md5({row_text([self.literal(str(seed)), *spelled])})"


def row_text(texts: Sequence[str]) -> str:
    """The texts of a row as one."""
    return f"concat_ws(chr(31), {', '.join(f'coalesce({text}, chr(29))' for text in texts)})"

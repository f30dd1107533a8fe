"""Suggests the role, type and hierarchy of a column from its contents. Each choice has a reason, for the comment in the schema."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from sfumato.profiling import patterns
from sfumato.profiling.values import Values, texts_of
from sfumato.vocabulary.builders import Addresses, Builder, Dates, Intervals, Prefix, Suppression
from sfumato.vocabulary.interval import plain
from sfumato.vocabulary.kinds import Kind, Role, canonical
from sfumato.vocabulary.schema import Attribute

_WORDS = re.compile(r"[a-z]+|\d+")
IDENTIFYING = frozenset(
    "name surname firstname lastname forename ssn passport email mail phone telephone mobile fax iban account license licence "
    "plate url insurance mrn".split()
)
CODES = frozenset("zip zipcode postcode postal plz code icd".split())
KEYS = frozenset("id uuid guid key nr no number".split())
PERSONS = frozenset("person patient user customer client member subject employee student owner individual participant".split())
SENSITIVE = frozenset(
    "diagnosis disease condition illness symptom medication drug treatment procedure icd salary wage income pay religion belief "
    "politics party orientation occupation crime offence offense conviction debt credit disability pregnancy hiv genome".split()
)
UNIQUE = 0.95
FEW_PAIRS = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class ColumnProfile:
    """What is known about one column: its distinct values, without those that mean missing, and how they are spread."""

    name: str
    kind: Kind
    values: Values
    rows: int
    missing: int
    distinct: int
    separation: float
    blanks: frozenset[str] = frozenset()

    @property
    def distinction(self) -> float:
        """Distinct values per record that has one."""
        present = self.rows - self.missing
        return self.distinct / present if present else 0.0


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested attribute, the reason for its role, and a description of its hierarchy."""

    attribute: Attribute
    reason: str
    how: str
    distinct: int
    missing: int
    distinction: float
    separation: float

    @property
    def why(self) -> str:
        """The comment above the attribute in the schema."""
        numbers = f"{self.distinct:,} distinct, separates {self.separation:.0%} of pairs"
        return f"{self.attribute.role.value}: {self.reason} ({numbers})" + (f"; {self.how}" if self.how else "")

    @property
    def kind(self) -> str:
        return (self.attribute.kind or Kind.TEXT).value

    @property
    def hierarchy(self) -> str | None:
        """The builder of a QID's hierarchy."""
        return str(self.attribute.builder.declared()["builder"]) if self.attribute.role is Role.QUASI else None

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "name": self.attribute.name,
            "role": self.attribute.role.value,
            "type": self.kind,
            "hierarchy": self.hierarchy,
            "distinct": self.distinct,
            "missing": self.missing,
            "distinction": self.distinction,
            "separation": self.separation,
            "why": self.why,
        }


def suggest(column: ColumnProfile) -> Suggestion:
    """The role, type and hierarchy that most likely fit a column."""
    kind = _kind(column)
    role, reason = _role(column, kind)
    builder, how = _hierarchy(column, kind) if role is Role.QUASI else (Suppression(), "")
    attribute = Attribute(column.name, role, kind, builder)
    return Suggestion(attribute, reason, how, column.distinct, column.missing, column.distinction, column.separation)


def _role(column: ColumnProfile, kind: Kind) -> tuple[Role, str]:
    words = _words(column.name)
    unique = column.distinction >= UNIQUE and column.distinct > 1
    if words & IDENTIFYING:
        return Role.IDENTIFIER, "identifying by name"
    if words & KEYS and unique:
        return Role.IDENTIFIER, "a key by name, and nearly unique"
    if words & PERSONS and words & KEYS:
        if column.missing:
            return Role.IDENTIFIER, "a person's key, but not every row has one"
        return Role.OWNER, "a person's key, several rows each"
    if words & SENSITIVE:
        return Role.SENSITIVE, "sensitive by name"
    if unique and kind is Kind.TEXT and not (words & CODES) and _address(column) is None:
        return Role.IDENTIFIER, "nearly unique"
    return _by_separation(column)


def _by_separation(column: ColumnProfile) -> tuple[Role, str]:
    if column.distinct + (column.missing > 0) <= 1:
        return Role.PLAIN, "tells nobody apart"
    if column.separation < FEW_PAIRS:
        return Role.PLAIN, "nearly the same for everybody"
    return Role.QUASI, "tells people apart"


def _words(name: str) -> set[str]:
    """The words of a column name: `HomeZip_code` → home, zip, code."""
    return set(_WORDS.findall(re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()))


def _kind(column: ColumnProfile) -> Kind:
    """The narrowest type that every value fits; codes stay text, by their name or by a leading zero."""
    if column.kind is not Kind.TEXT or column.distinct == 0:
        return column.kind
    if _words(column.name) & CODES or any(map(patterns.leading_zero, column.values.chunks())):
        return Kind.TEXT
    for kind in (Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP):
        if all(_fits(kind, chunk) for chunk in column.values.chunks()):
            return kind
    return Kind.TEXT


def _fits(kind: Kind, chunk: pa.Array) -> bool:
    return patterns.all_fit(kind, chunk) or all(canonical(kind, text) is not None for text in texts_of(chunk))


def _hierarchy(column: ColumnProfile, kind: Kind) -> tuple[Builder, str]:
    suggestion: tuple[Builder, str] | None = None
    if _words(column.name) & CODES and kind in (Kind.INTEGER, Kind.TEXT):
        suggestion = _code(column)
    elif kind in (Kind.INTEGER, Kind.DECIMAL):
        suggestion = _bands(column)
    elif kind in (Kind.DATE, Kind.TIMESTAMP):
        suggestion = Dates(), "a date: day, month, quarter, year, decade"
    elif kind is Kind.TEXT:
        suggestion = _address(column) or _code(column)
    return suggestion or (Suppression(), "no levels are obvious: declare a tree to keep more than suppression does")


def _bands(column: ColumnProfile) -> tuple[Builder, str] | None:
    """Three widths in round numbers, from about a twentieth of the range, each twice the one before. The data determine the bounds."""
    span = _span(column)
    if span is None:
        return None
    least, most, whole = span
    width = _round_number((most - least) / 20 or Decimal(1))
    width = max(width, Decimal(2)) if whole else width
    return Intervals((width, width * 2, width * 4)), "bands of three widths: add 'lower' and 'upper' to fix their bounds"


def _span(column: ColumnProfile) -> tuple[Decimal, Decimal, bool] | None:
    """The least and the greatest number, and whether all are whole."""
    spans = [span for chunk in column.values.chunks() if (span := patterns.span_of(chunk) or _span_of_texts(chunk)) is not None]
    if not spans:
        return None
    least, most, whole = zip(*spans, strict=True)
    return min(least), max(most), all(whole)


def _span_of_texts(chunk: pa.Array) -> tuple[Decimal, Decimal, bool] | None:
    finite = [number for number in map(Decimal, texts_of(chunk)) if number.is_finite()]
    return (min(finite), max(finite), all(number == number.to_integral_value() for number in finite)) if finite else None


def _round_number(size: Decimal) -> Decimal:
    """The least of 1, 2 or 5 times a power of ten that is not below a size.

    >>> _round_number(Decimal("3.65")), _round_number(Decimal("0.07"))
    (Decimal('5'), Decimal('0.1'))
    """
    power = Decimal(10) ** size.adjusted()
    factor = next(factor for factor in (1, 2, 5, 10) if size <= factor * power)
    return Decimal(plain(factor * power))


def _address(column: ColumnProfile) -> tuple[Builder, str] | None:
    try:
        for text in column.values.texts():
            ipaddress.ip_address(text)
    except ValueError:
        return None
    return (Addresses(), "IP addresses: /24 and /16, IPv6 /64 and /48") if column.distinct else None


def _code(column: ColumnProfile) -> tuple[Builder, str] | None:
    """Codes of one length that all contain a digit: zip codes, diagnosis codes."""
    lengths = {patterns.one_length(chunk) for chunk in column.values.chunks()}
    length = lengths.pop() if len(lengths) == 1 else None
    if length is None or not 3 <= length <= 12 or not all(any(c.isdigit() for c in text) for text in column.values.texts()):
        return None
    keep = tuple(sorted({length - 1, (length + 1) // 2, 1}, reverse=True))
    return Prefix(keep), f"codes of {length} characters, masked from the right"

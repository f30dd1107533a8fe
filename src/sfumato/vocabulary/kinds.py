"""Roles and types of attributes, and the canonical text of a value.

A leaf of a hierarchy is the *canonical text* of a value. It does not depend on the file or engine: `39` for 39, ` 39` and 39.0 in
an integer column. Text is its own canonical text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any

_INTEGER_LIMIT = 2**63


class Role(Enum):
    """What may happen to a column (see the glossary)."""

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    PLAIN = "plain"
    OWNER = "owner"


ROLE_SYNONYMS = {
    "identifying": Role.IDENTIFIER,
    "quasi-identifying": Role.QUASI,
    "quasi-identifier": Role.QUASI,
    "insensitive": Role.PLAIN,
}


class Kind(Enum):
    """The type of an attribute's values."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    TIMESTAMP = "timestamp"
    BOOLEAN = "boolean"


BLANKS = " \t\r\n\f\v"

# How values of a type are written, without surrounding blanks; engines use the same patterns. Any text is a text.
PATTERNS = {
    Kind.INTEGER: r"[+-]?[0-9]+",
    Kind.DECIMAL: r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?",
    Kind.DATE: r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T]00:00(:00([.]0{1,6})?)?)?",  # midnight: many systems have no days of their own
    Kind.TIMESTAMP: r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?",
}
_COMPILED = {kind: re.compile(pattern) for kind, pattern in PATTERNS.items()}


def _text(text: str) -> str:
    return text


def _integer(text: str) -> str | None:
    return str(int(text)) if -_INTEGER_LIMIT <= int(text) < _INTEGER_LIMIT else None


def _decimal(text: str) -> str | None:
    number = float(text) + 0.0  # -0.0 is 0.0
    return repr(number) if math.isfinite(number) else None


def _date(text: str) -> str:
    return date.fromisoformat(text[: len("2020-01-01")]).isoformat()


def _timestamp(text: str) -> str:
    """Moments with an offset are converted to UTC, so that one moment has one text."""
    moment = datetime.fromisoformat(text)
    return (moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment).isoformat(sep=" ")


BOOLEANS = {"true": "true", "t": "true", "yes": "true", "1": "true", "false": "false", "f": "false", "no": "false", "0": "false"}


def _boolean(text: str) -> str | None:
    return BOOLEANS.get(text.lower())


CANONICAL: dict[Kind, Callable[[str], str | None]] = {
    Kind.TEXT: _text,
    Kind.INTEGER: _integer,
    Kind.DECIMAL: _decimal,
    Kind.DATE: _date,
    Kind.TIMESTAMP: _timestamp,
    Kind.BOOLEAN: _boolean,
}

_ORDER: dict[Kind, Callable[[str], Any]] = {Kind.INTEGER: int, Kind.DECIMAL: float}


def canonical(kind: Kind, text: str) -> str | None:
    """The canonical text of a written value, or None if it does not fit the type.

    >>> canonical(Kind.INTEGER, " 039"), canonical(Kind.INTEGER, "39.5"), canonical(Kind.DECIMAL, "1e3")
    ('39', None, '1000.0')
    """
    if kind is Kind.TEXT:
        return text
    text = text.strip(BLANKS)
    if kind in _COMPILED and not _COMPILED[kind].fullmatch(text):
        return None
    try:
        return CANONICAL[kind](text)
    except (ValueError, OverflowError):  # the 30th of February
        return None


def natural_order(kind: Kind, texts: Iterable[str]) -> list[str]:
    """Canonical texts in the order of their values: numbers by size, dates by time, text by code point."""
    return sorted(texts, key=_ORDER.get(kind, _text))

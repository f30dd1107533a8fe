"""How a table is read: its encoding and delimiter, how its numbers and dates are written, which sheet or query it is.

What is None is found in the data, where that can be done for certain. Texts of a column that is written in its own way are turned into
canonical ones when they are read (`Written`); a text that is not written so is left as it is, or spoiled, so that it fits no type.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from sfumato.errors import SchemaError, UsageError, argument
from sfumato.vocabulary.kinds import Kind

NUMBERS = (Kind.INTEGER, Kind.DECIMAL)
DAYS = (Kind.DATE, Kind.TIMESTAMP)
DECIMALS = (".", ",")
THOUSANDS = (".", ",", " ", "'")
# The parts of dates: a month by its number, or by its English name (b).
_TOKENS = {"d": "dd", "m": "mm", "b": "mmm", "y": "yyyy"}
_LETTERS = {"dd": "d", "mm": "m", "mmm": "b", "yyyy": "y", "yy": "y"}
_DATES = re.compile(r"(dd|mmm?|yyyy|yy)([-./ ]?)(dd|mmm?)([-./ ]?)(dd|yyyy|yy)(?:\.\.([0-9]{4}))?")
ORDERS = ("dmy", "mdy", "ymd", "dby", "ybd")
MONTHS = "january february march april may june july august september october november december".split()
NAMED_MONTH = "(?i:" + "|".join(f"{name[:3]}(?:{name[3:]})?" if name[3:] else name for name in MONTHS) + "|sept)"
_EXAMPLE = re.compile(r"1([., ']?)234(?:([.,])5)?")


@dataclass(frozen=True, slots=True)
class Numbers:
    """How numbers are written: the decimal sign, and the sign between thousands."""

    decimal: str = "."
    thousands: str | None = None

    @classmethod
    def of(cls, example: str) -> Numbers:
        """The way in which an example is written: `1.234,5`.

        >>> Numbers.of("1.234,5"), Numbers.of("1234.5") == PLAIN
        (Numbers(decimal=',', thousands='.'), True)
        """
        match = _EXAMPLE.fullmatch(example)
        if match is None or match[1] == match[2]:
            raise SchemaError(f"{example!r} is no way to write numbers; 1234,5 or 1.234,5 or 1,234.5 would work")
        return cls(match[2] or ".", match[1] or None)

    def __str__(self) -> str:
        return f"1{self.thousands or ''}234{self.decimal}5"


PLAIN = Numbers()


@dataclass(frozen=True, slots=True)
class Days:
    """How dates are written: the order of day, month and year, and the sign between them. A time of day may follow.

    `last`: years have two digits, and are of the hundred years that end with it; `UNSAID` if nobody has said which.
    """

    order: str = "ymd"
    sign: str = "-"
    last: int | None = None

    @classmethod
    def of(cls, text: str) -> Days:
        """
        >>> Days.of("dd.mm.yyyy"), Days.of("dd-mmm-yyyy").order, Days.of("dd/mm/yy..2025").last
        (Days(order='dmy', sign='.', last=None), 'dby', 2025)
        """
        match = _DATES.fullmatch(text.lower())
        order = "".join(_LETTERS[part] for part in match.group(1, 3, 5)) if match else ""
        if match is None or match[2] != match[4] or order not in ORDERS:
            raise SchemaError(f"{text!r} is no way to write dates; dd.mm.yyyy, mm/dd/yyyy, yyyy/mm/dd or dd-mmm-yyyy would work")
        short = "yy" in match.group(1, 5)
        if short != bool(match[6]):
            word = "says which years are meant, as in" if short else "is only for years of two digits, as in"
            raise SchemaError(f"{text!r}: the last year that can occur {word} {_SHORT}")
        return cls(order, match[2], int(match[6]) if short else None)

    @property
    def by_name(self) -> bool:
        """Whether months have names."""
        return "b" in self.order

    def __str__(self) -> str:
        short = self.last is not None
        text = self.sign.join(_TOKENS[letter] for letter in self.order)
        return f"{text.replace('yyyy', 'yy')}..{self.last or 'YYYY'}" if short else text


UNSAID = 0
_SHORT = "dd.mm.yy..2025"
ISO = Days()


@dataclass(frozen=True, slots=True)
class Written:
    """How the texts of one column are written, where that is said, and which of them mean that a value is missing."""

    numbers: Numbers | None = None
    days: Days | None = None
    missing: tuple[str, ...] = ()

    @property
    def format(self) -> str | None:
        """The format as a schema has it."""
        if self.numbers is not None:
            return str(self.numbers)
        return None if self.days is None else str(self.days)


AS_IT_IS = Written()


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is read. `dates` is one format for all columns, or one for each as in `born=dd/mm/yyyy,seen=mm/dd/yyyy`."""

    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None
    sheet: str | None = None
    table: str | None = None
    query: str | None = None

    def over(self, other: Dialect) -> Dialect:
        """This, and the other where this says nothing. A table and a query replace each other."""
        if self.table is not None or self.query is not None:
            other = replace(other, table=None, query=None)
        return replace(other, **self.declared())

    def declared(self) -> dict[str, Any]:
        """What it says, as plain values."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name)) is not None}

    def require_sound(self) -> None:
        """Refuse what is no dialect."""
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n\0'):
            raise UsageError("a delimiter is one character, and neither a quote nor a line end", where=argument("delimiter"))
        if self.encoding is not None and not _is_encoding(self.encoding):
            raise UsageError(
                f"no encoding {self.encoding!r}; utf-8, utf-16, windows-1252 and iso-8859-1 are some", where=argument("encoding")
            )
        _require_sign(self.decimal, DECIMALS, "decimal")
        _require_sign(self.thousands, THOUSANDS, "thousands")
        if self.thousands is not None and self.thousands == self.decimal:
            raise UsageError("the decimal sign and the thousands sign are the same", where=argument("thousands"))
        if self.table is not None and self.query is not None:
            raise UsageError("a table or a query, not both", where=argument("query"))
        try:
            self.days()
        except SchemaError as error:
            raise UsageError(error.message, where=argument("dates")) from None

    def numbers(self) -> Numbers | None:
        """How numbers are written, if it says so. A thousands sign that is a comma or a point leaves the other for decimals."""
        if self.decimal is None and self.thousands is None:
            return None
        return Numbers(self.decimal or ("," if self.thousands == "." else "."), self.thousands)

    def days(self) -> dict[str | None, Days]:
        """How dates are written: under None for all columns, and by the name of a column."""
        if self.dates is None:
            return {}
        return {name: Days.of(text) for name, text in _named(self.dates)}


AS_FOUND = Dialect()


def _named(dates: str) -> Iterator[tuple[str | None, str]]:
    for part in dates.split(","):
        name, equals, text = part.rpartition("=")
        yield (name.strip() if equals else None), text.strip()


def _require_sign(sign: str | None, choices: tuple[str, ...], name: str) -> None:
    if sign is not None and sign not in choices:
        raise UsageError(f"one of {'  '.join(map(repr, choices))} would work, not {sign!r}", where=argument(name))


def _is_encoding(name: str) -> bool:
    try:
        return bool(codecs.lookup(name)._is_text_encoding) and name.isascii()
    except (LookupError, ValueError):
        return False


def written_as(kind: Kind | None, form: str | None, missing: tuple[str, ...] = ()) -> Written:
    """How a column of a type is written; refuses a format that does not go with the type."""
    if form is None:
        return Written(missing=missing)
    if kind in NUMBERS:
        return Written(numbers=Numbers.of(form), missing=missing)
    if kind in DAYS:
        return Written(days=Days.of(form), missing=missing)
    raise SchemaError(f"a format is for type {', '.join(each.value for each in (*NUMBERS, *DAYS))}; declare one of them")


def for_columns(kinds: Mapping[str, tuple[Kind | None, Written]], usual: Dialect, asked: Dialect) -> dict[str, Written]:
    """How each column is written: as asked for, else as it says itself (`AS_IT_IS` says nothing), else as is usual in its table. Columns
    that are plain are left out."""
    found = {}
    for name, (kind, own) in kinds.items():
        written = own
        for dialect, first in ((usual, False), (asked, True)):
            written = _under(dialect, name, kind, written) if first or own.format is None else written
        if written != AS_IT_IS:
            found[name] = written
    return found


def _under(dialect: Dialect, name: str, kind: Kind | None, written: Written) -> Written:
    days = dialect.days()
    if kind in NUMBERS and (numbers := dialect.numbers()) is not None:
        return replace(written, numbers=numbers)
    if kind in DAYS and (day := days.get(name, days.get(None))) is not None:
        return replace(written, days=day)
    return written

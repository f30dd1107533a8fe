"""Times as logs write them: in one way or in none, whole columns or one cell alone.

A date that could be read in two ways is read in none, unless somebody says how dates are written: then with a time of day behind it, or
without one, at midnight.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.errors import DataError, raise_alone
from sfumato.vocabulary.dialect import MONTHS, NAMED_MONTH, Days

_ZERO = "(?: ?(?:Z|UTC|[+-]00:?00))?"  # no other zone: times of a log have none
_ISO = (
    r"^(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[ T](?P<minute>[0-9]{2}:[0-9]{2})(?P<second>:[0-9]{2})?(?:[.,][0-9]+)?"
    f"{_ZERO}$"
)
# Seconds since 1970, or whole numbers of a smaller unit. Twelve digits are more likely a date and a time of day.
_COUNT = "^(?:(?P<seconds>[0-9]{9,10})(?:[.][0-9]+)?|(?P<smaller>[0-9]{10})(?:[0-9]{3}|[0-9]{6}|[0-9]{9}))$"
_CLOCK = (
    r"(?:[ T,]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]+)?)?"
    r"(?: ?(?P<half>[AaPp])[.]?[Mm][.]?)?)?"
)
_PARTS = {"d": "(?P<d>[0-9]{1,2})", "m": "(?P<m>[0-9]{1,2})", "b": f"(?P<b>{NAMED_MONTH})", "y": "(?P<y>[0-9]{4})"}
_CLOSE = _PARTS | {"d": "(?P<d>[0-9]{2})", "m": "(?P<m>[0-9]{2})"}  # where no sign divides them
_SHORT = "(?P<y>[0-9]{2})"
_MONTHS = [f"{place:02}" for place in range(1, 13)]
_MICROSECONDS = pa.timestamp("us")


@dataclass(frozen=True, slots=True)
class Times:
    """How the times of a log are written: as usual, and with dates in the way that was said, if any was."""

    days: Days | None = None

    def fits(self, text: str) -> bool:
        """Whether a cell looks like a time; its numbers may still be those of no day."""
        return any(pattern.search(text.strip()) for pattern in _compiled(self.days))

    def read(self, column: Any, name: str) -> Any:
        """Times in whole seconds; null for what is none."""
        if pa.types.is_timestamp(column.type):
            return pc.floor_temporal(column, unit="second").cast(_MICROSECONDS)
        text = pc.utf8_trim_whitespace(as_text(column, name))
        seconds, smaller = _found(text, _COUNT, "seconds", "smaller")
        counted = pc.if_else(pc.equal(seconds, ""), smaller, seconds).cast(pa.int64())
        usual = pc.coalesce(_of_iso(text), pc.multiply(counted, 1_000_000).cast(_MICROSECONDS))
        return usual if self.days is None else pc.coalesce(_of_days(text, self.days), usual)


def as_text(column: Any, name: str) -> Any:
    """A column of texts or numbers as texts."""
    if pa.types.is_string(column.type):
        return column
    if pa.types.is_floating(column.type):
        return _digits(column)
    try:
        return column.cast(pa.string())
    except pa.ArrowException:  # lists, or bytes that are no UTF-8; its message may quote them
        raise_alone(DataError(f"a column of type {column.type} is no text; write it as text", where=f"column {name!r}"))


def _digits(column: Any) -> Any:
    """Numbers that a frame keeps as floats because some are missing: whole ones without a point or an exponent, and null for none."""
    column = column.cast(pa.float64())
    nothing = _no(pa.float64())
    sound = pc.if_else(pc.is_finite(column), column, nothing)
    whole = pc.and_(pc.equal(pc.floor(sound), sound), pc.less(pc.abs(sound), 2.0**63))
    return pc.coalesce(pc.if_else(whole, sound, nothing).cast(pa.int64()).cast(pa.string()), sound.cast(pa.string()))


@lru_cache(maxsize=8)
def _compiled(days: Days | None) -> tuple[re.Pattern[str], ...]:
    patterns = (_ISO, _COUNT) if days is None else (_ISO, _COUNT, _pattern(days))
    return tuple(map(re.compile, patterns))


def _pattern(days: Days) -> str:
    """What a date that is written so looks like, with a time of day or without."""
    parts = _PARTS if days.sign else _CLOSE
    if days.last is not None:
        parts = parts | {"y": _SHORT}
    sign = f"[{days.sign}]" if days.sign else ""
    return f"^{sign.join(parts[each] for each in days.order)}{_CLOCK}$"


def _of_iso(text: Any) -> Any:
    day, minute, second = _found(text, _ISO, "day", "minute", "second")
    return _moments(day, minute, pc.if_else(pc.equal(second, ""), ":00", second))


def _of_days(text: Any, days: Days) -> Any:
    """Dates in the way that was said; without a time of day, at midnight."""
    names = ("d", "b" if days.by_name else "m", "y", "hour", "minute", "second", "half")
    day, month, year, hour, minute, second, half = _found(text, _pattern(days), *names)
    if days.by_name:
        month = _taken(_MONTHS, pc.index_in(_first_three(month), _first_three(pa.array(MONTHS))))
    if days.last is not None:
        year = _taken([f"{days.last - (days.last - short) % 100:04}" for short in range(100)], year.cast(pa.int32()))
    date = pc.binary_join_element_wise(year, _two(month), _two(day), "-")
    clock = pc.binary_join_element_wise(_two(_hours(hour, half)), _two(minute), ":")
    return _moments(date, clock, pc.binary_join_element_wise(":", _two(second), ""))


def _found(text: Any, pattern: str, *names: str) -> list[Any]:
    """The named parts of texts: null where a text is not so, empty where it lacks a part."""
    parts = pc.extract_regex(text, pattern)
    return [pc.struct_field(parts, name) for name in names]


def _hours(hour: Any, half: Any) -> Any:
    """Hours of 24. Those of a half day are 1 to 12, and 12 is its first one; any other becomes none that there is."""
    halves, late = pc.not_equal(half, ""), pc.equal(pc.ascii_lower(half), "p")
    number = pc.if_else(pc.equal(hour, ""), "0", hour).cast(pa.int32())
    fits = pc.and_(pc.greater_equal(number, 1), pc.less_equal(number, 12))
    first = pc.if_else(pc.equal(number, 12), 0, number)
    whole = pc.if_else(fits, pc.if_else(late, pc.add(first, 12), first), 99)
    return pc.if_else(halves, whole, number).cast(pa.string())


def _two(digits: Any) -> Any:
    return pc.utf8_lpad(digits, 2, "0")


def _first_three(names: Any) -> Any:
    return pc.utf8_slice_codeunits(pc.ascii_lower(names), 0, 3)


def _taken(values: list[str], places: Any) -> Any:
    return pc.take(pa.array(values), places)


def _moments(day: Any, minute: Any, second: Any) -> Any:
    whole = pc.binary_join_element_wise(pc.binary_join_element_wise(day, minute, " "), second, "")
    read = pc.strptime(whole, format="%Y-%m-%d %H:%M:%S", unit="us", error_is_null=True)
    same = pc.equal(pc.day(read), pc.utf8_slice_codeunits(day, 8, 10).cast(pa.int64()))  # there is no 30 February
    return pc.if_else(same, read, _no(_MICROSECONDS))


def _no(kind: pa.DataType) -> pa.Scalar:
    return pa.scalar(None, kind)

"""Times in the columns of any table: as logs write them, counted from 1970, or with dates in a way that was said.

What could be read in two ways is read in none: `03/02/2026 08:00` is a time only if somebody says in which order day and month are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, Protocol

from sfumato.applications.ato.importing.cleaning import moment

_BEGIN = datetime(1970, 1, 1)
# Seconds from 1970 to 2000 and to 2100. In any other unit, a count of the same hundred years is a thousand times as large or more, so
# a count says itself what its unit is.
_FIRST, _LAST = 946_684_800, 4_102_444_800
_PER_SECOND = (1, 10**3, 10**6, 10**9)
_COUNT = re.compile(r"[0-9]{9,19}([.][0-9]+)?")
_CLOCK = re.compile(r"[ T,]+([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,6})[0-9]*)?)?(?: ?([AaPp])\.?[Mm]\.?)?")
_PARTS = {"d": "%d", "m": "%m", "b": "%b", "y": "%Y"}


class Days(Protocol):
    """How dates are written: the order of their parts, the sign between them, and the last year if years have two digits."""

    @property
    def order(self) -> str: ...
    @property
    def sign(self) -> str: ...
    @property
    def last(self) -> int | None: ...


def reader_of_times(days: Days | None) -> Callable[[Any], datetime | None]:
    """What a value of the column of times says, in UTC; None if it is no time."""

    def read(value: Any) -> datetime | None:
        found = moment(value) or _counted(value)
        return found if found or days is None or not isinstance(value, str) else _written(value.strip(), days)

    return read


def _counted(value: Any) -> datetime | None:
    """Seconds, milliseconds, microseconds or nanoseconds since 1970."""
    if isinstance(value, str):
        text = value.strip()
        value = (float(text) if "." in text else int(text)) if _COUNT.fullmatch(text) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    for per in _PER_SECOND:
        if _FIRST <= value / per < _LAST:
            whole, rest = divmod(value, per)
            return _BEGIN + timedelta(seconds=int(whole), microseconds=int(rest * 10**6 // per))
    return None


def _written(text: str, days: Days) -> datetime | None:
    """A date in the way that was said, and a time of day, with or without a.m. and p.m."""
    clock = _CLOCK.search(text)
    if clock is None or clock.end() < len(text):
        return None
    hours, minutes, seconds = (int(part or 0) for part in clock.group(1, 2, 3))
    if clock[5]:
        hours = hours % 12 + 12 * (clock[5] in "Pp") if 1 <= hours <= 12 else 24
    day = _day(text[: clock.start()], days.order, days.sign, days.last)
    if day is None or hours > 23 or minutes > 59 or seconds > 59:
        return None
    return datetime.combine(day, time(hours, minutes, seconds, int((clock[4] or "").ljust(6, "0"))))


@lru_cache(maxsize=1 << 12)
def _day(text: str, order: str, sign: str, last: int | None) -> date | None:
    form = sign.join(_PARTS[part] for part in order)
    try:
        day = datetime.strptime(text, form if last is None else form.replace("%Y", "%y")).date()
        return day if last is None else day.replace(year=last - (last - day.year) % 100)
    except ValueError:
        return None

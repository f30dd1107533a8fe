"""What a release of a log promises: settings that are declared, never read off the data."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from sfumato.errors import UsageError, argument

UNITS = ("minute", "hour", "day", "week", "month")
URLS = ("threshold", "drop")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
MOST_PERIODS = 400
_FEWEST, _MOST = 2, 1_000_000_000


@dataclass(frozen=True, slots=True)
class Periods:
    """So many stretches of time of one length, one after the other. Without a begin there is one: the whole log."""

    begin: datetime | None = None
    seconds: int | None = None
    count: int = 1

    @property
    def whole(self) -> bool:
        """Whether the one period is the whole log."""
        return self.begin is None or self.seconds is None

    def bounds(self) -> list[datetime]:
        """The ends of the periods: one more than there are periods; none for the whole log."""
        if self.begin is None or self.seconds is None:
            return []
        return [self.begin + timedelta(seconds=self.seconds * place) for place in range(self.count + 1)]

    def as_dict(self) -> dict[str, Any] | None:
        return None if self.begin is None else {"begin": self.begin.isoformat(), "seconds": self.seconds, "count": self.count}


def periods_of(begin: str | datetime | None, period: str | int | None, periods: int | None) -> Periods:
    """The periods that were declared: begin, length and number, or nothing."""
    if begin is None and period is None and periods is None:
        return Periods()
    if begin is None or period is None:
        raise UsageError(
            f"periods are declared with {argument('begin')} and {argument('period')}, as in 2026-03-01 and 7d",
            where=argument("period"),
        )
    count = 1 if periods is None else periods
    if not 1 <= count <= MOST_PERIODS:
        raise UsageError(f"1 to {MOST_PERIODS} periods can be released", where=argument("periods"))
    try:
        start = begin if isinstance(begin, datetime) else datetime.fromisoformat(begin)
    except ValueError:
        raise UsageError("write a day, as in 2026-03-01", where=argument("begin")) from None
    if start.tzinfo is not None:
        raise UsageError("times of a log have no zone; write a day, as in 2026-03-01", where=argument("begin"))
    seconds = duration(period, "period")
    try:
        return Periods(start, seconds, count) if Periods(start, seconds, count).bounds() else Periods()
    except OverflowError:
        raise UsageError("the periods end after the year 9999", where=argument("periods")) from None


def duration(text: str | int, name: str) -> int:
    """A length of time in seconds.

    >>> duration("30m", "sessions"), duration("7d", "period"), duration(90, "sessions")
    (1800, 604800, 90)
    """
    found = re.fullmatch(r"([1-9][0-9]{0,8})([smhd])", text) if isinstance(text, str) else None
    seconds = text if isinstance(text, int) else int(found[1]) * _SECONDS[found[2]] if found else 0
    if not 0 < seconds <= _MOST:
        raise UsageError("write a length of time, as in 30m, 12h or 7d", where=argument(name))
    return seconds


@dataclass(frozen=True, slots=True)
class Limits:
    """What a release keeps: `threshold` people for each query and URL of a period; at most `per_person` rows of a person in a period (for a
    private release: different queries); sessions end after `sessions` seconds without a search (None: one id per person and period);
    at most `bundle` rows under one id; times in whole units; URLs by the threshold or not at all."""

    threshold: int
    per_person: int | None
    sessions: int | None
    bundle: int | None
    times: str
    urls: str
    periods: Periods

    def __post_init__(self) -> None:
        if self.threshold < _FEWEST:
            raise UsageError(
                f"a threshold of {self.threshold} keeps what only one person searched; {_FEWEST} or more would work, 10 is usual",
                where=argument("threshold"),
            )
        for name in ("per_person", "bundle"):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= _MOST:
                raise UsageError("must be 1 or more", where=argument(name))
        for name, words in (("times", UNITS), ("urls", URLS)):
            if getattr(self, name) not in words:
                raise UsageError(f"is one of {', '.join(words)}", where=argument(name))

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"periods": self.periods.as_dict()}

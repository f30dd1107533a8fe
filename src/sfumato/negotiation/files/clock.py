"""The time, and numbers that nobody guesses: given, or those of the system."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from sfumato.errors import UsageError

SKEW = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Clock:
    """The time and the number of the next event; None is whatever the system says."""

    now: datetime | None = None
    identity: str | None = None

    @property
    def time(self) -> str:
        return (self.now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")

    def after(self, before: str) -> str:
        """The time of an event that follows one of a given time. Clocks differ a little: if ours is behind, it is that time."""
        now, last = datetime.fromisoformat(self.time), datetime.fromisoformat(before)
        if now >= last:
            return self.time
        if last - now <= SKEW:
            return before
        raise UsageError(
            f"the event before is dated {last:%Y-%m-%d %H:%M} UTC, and your clock says {now:%Y-%m-%d %H:%M}; one of the clocks is wrong",
            where="the record",
        )

    @property
    def fresh(self) -> str:
        return self.identity or uuid4().hex


SYSTEM = Clock()

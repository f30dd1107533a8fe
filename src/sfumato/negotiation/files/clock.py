"""The time, and numbers that nobody guesses: given, or those of the system."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4


@dataclass(frozen=True, slots=True)
class Clock:
    """The time and the number of the next event; None is whatever the system says."""

    now: datetime | None = None
    identity: str | None = None

    @property
    def time(self) -> str:
        return (self.now or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")

    @property
    def fresh(self) -> str:
        return self.identity or uuid4().hex


SYSTEM = Clock()

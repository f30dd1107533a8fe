"""A row of the table of events, or the reason why a record is none."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sfumato.applications.ato.events import FAILED, SIGNED_IN
from sfumato.applications.ato.importing.cleaning import AHEAD, EARLIEST, canonical, country, moment, plain


@dataclass(frozen=True, slots=True)
class Aside:
    """A record that is no event: `ignored` if it is sound and no sign-in, otherwise it cannot be read, for a reason."""

    reason: str
    ignored: bool = False


NO_SIGN_IN = Aside("not a sign-in", ignored=True)
NOT_DONE = Aside("a sign-in that has not ended", ignored=True)
NO_RECORD = Aside("not a JSON object")
TOO_LONG = Aside("longer than 16 MB")
NO_TIME = Aside("no time, or a malformed one")
NO_OUTCOME = Aside("no outcome, or an unknown one")
Row = tuple[str, datetime, str, str | None, str, str, str, str | None, str | None]


@dataclass(frozen=True, slots=True)
class Placed:
    """The place of a row whose log has no ids."""

    place: int

    def id(self, row: tuple[Any, ...]) -> str:
        """An id of the place and the rest of the row."""
        content = "\0".join(map(str, row)).encode()
        return f"row-{self.place}-{hashlib.blake2b(content, digest_size=8).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Said:
    """What a record says, as it says it."""

    id: Any
    time: Any
    failed: bool
    error: str | None
    user: Any
    organization: Any
    address: Any
    country: Any
    agent: Any

    def row(self, now: datetime) -> Row | Aside:
        """The row, or why there is none. A time may be ahead of the clock by a day, and as late as it likes."""
        time, address = moment(self.time), canonical(plain(self.address) or "")
        user, own_id = plain(self.user), plain(self.id)
        if not own_id and not isinstance(self.id, Placed):
            return Aside("no id")
        if time is None:
            return NO_TIME
        if not EARLIEST <= time <= now + AHEAD:
            return Aside("a time in the future" if time > now else "a time before the year 2000")
        if not user:
            return Aside("no user")
        if address is None:
            return Aside("no address, or a malformed one")
        rest = (
            time,
            FAILED if self.failed else SIGNED_IN,
            self.error if self.failed else None,
            _folded(user),
            plain(self.organization) or _domain(user),
            address,
            country(plain(self.country) or ""),
            plain(self.agent),
        )
        return self.id.id(rest) if isinstance(self.id, Placed) else own_id or "", *rest


def _folded(user: str) -> str:
    """Letters of an address of mail are the same large and small: whoever signs in as Ann@ and ann@ is one person."""
    return user.casefold() if "@" in user else user


def _domain(user: str) -> str:
    """Where no organization is named, the domain of the user id stands for it."""
    return user.rpartition("@")[2].casefold() if "@" in user else "unknown"

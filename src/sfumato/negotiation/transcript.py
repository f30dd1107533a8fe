"""The transcript of a negotiation: every event with its author and time, signed, each naming the digest of the one before it.

Whoever has it can show that nothing was changed, left out or put in, who said what, and that the protocol was kept: replaying it gives
the same state. It begins with the owner's sheet, whose digest the first event names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Annotated, Any

from msgspec import Meta

from sfumato.errors import DataError, NotVerified, UsageError
from sfumato.inputs.shape import Digest, Misshapen, Positive, one_of, require_nothing_more, shaped
from sfumato.negotiation.events import Event, Identity, Party, as_dict, event_of
from sfumato.negotiation.protocol import IllegalMove, Negotiation, Rate
from sfumato.signing.canonical import bytes_of, digest_of, text_of
from sfumato.signing.keys import LONGEST_NAME, PrivateKey, PublicKey, named

VERSION = 1
MOST_EVENTS = 10_000
_KEY = 32  # bytes
_YEARS = (2000, 9000)
_PREFIX = b"sfumato negotiation event, version 1\x00"


@dataclass(frozen=True, slots=True)
class Speaker:
    """A party's public key in base64, and the name that its holder goes by."""

    key: Annotated[str, Meta(min_length=44, max_length=44)]
    name: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]

    @classmethod
    def of(cls, key: PublicKey) -> Speaker:
        return cls(text_of(key.raw), key.name)

    @property
    def public(self) -> PublicKey:
        if len(raw := bytes_of(self.key)) != _KEY:
            raise Misshapen(f"key must be {_KEY} bytes in base64")
        return PublicKey(raw, self.name)


@dataclass(frozen=True)  # without slots: what follows from a frozen value is computed once
class Entry:
    """An event of a transcript."""

    previous: Digest
    party: Annotated[str, one_of(*Party)]
    time: Annotated[str, Meta(min_length=20, max_length=40)]
    event: Mapping[str, Any]
    signature: Annotated[str, Meta(min_length=88, max_length=88)]

    @property
    def message(self) -> dict[str, Any]:
        """What is signed."""
        return {"previous": self.previous, "party": self.party, "time": self.time, "event": dict(self.event)}

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {**self.message, "signature": self.signature}

    @cached_property
    def digest(self) -> str:
        return digest_of(self.as_dict())

    @property
    def seconds(self) -> float:
        """Its time in seconds since 1970."""
        try:
            moment = datetime.fromisoformat(self.time)
        except ValueError:
            raise Misshapen("time must be a date and time with an offset, as in 2031-02-03T04:05:06+00:00") from None
        if moment.tzinfo is None or not _YEARS[0] <= moment.year <= _YEARS[1]:
            raise Misshapen("time must be a date and time with an offset, as in 2031-02-03T04:05:06+00:00")
        return moment.timestamp()


@dataclass(frozen=True)
class Transcript:
    """A negotiation as both parties have it. `sheet` is the digest of the owner's sheet, `id` a number that the user draws."""

    id: Identity
    sheet: Digest
    rate: Annotated[str, one_of(*Rate)]
    limit: Positive
    owner: Speaker
    user: Speaker
    entries: tuple[Entry, ...] = ()
    version: int = VERSION

    @property
    def head(self) -> str:
        """The digest that the next entry names."""
        return self.entries[-1].digest if self.entries else digest_of(self.beginning)

    @property
    def beginning(self) -> dict[str, Any]:
        """All but the entries, for machines."""
        parties = {"owner": asdict(self.owner), "user": asdict(self.user)}
        plain = {"id": self.id, "sheet": self.sheet, "rate": self.rate, "limit": self.limit, "version": self.version}
        return plain | parties

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return self.beginning | {"entries": [entry.as_dict() for entry in self.entries]}

    @classmethod
    def of(cls, document: Any, where: str = "transcript") -> Transcript:
        """A transcript from what `as_dict` made; refuses another document in one line."""
        try:
            made = shaped(document, cls, where)
            require_nothing_more(document, made.as_dict(), where)
            require_nothing_more(made.as_dict(), document, where)  # nothing is understood that is not written
        except Misshapen as error:
            raise DataError(f"not a transcript: {error}", where=where) from None
        if made.version != VERSION or len(made.entries) > MOST_EVENTS:
            raise DataError(f"not a transcript of version {VERSION} with at most {MOST_EVENTS:,} events", where=where)
        if not all(named(each.name) for each in (made.owner, made.user)):
            raise DataError("not a transcript: a name has several lines", where=where)
        return made

    def negotiation(self) -> Negotiation:
        """Where it stands: every event replayed, its signature and its place in the chain checked."""
        return self._state

    @cached_property
    def _state(self) -> Negotiation:
        state, previous = Negotiation(Rate(self.rate), self.limit), digest_of(self.beginning)
        for number, entry in enumerate(self.entries, start=1):
            state = self._replayed(state, entry, number, previous)
            previous = entry.digest
        return state

    def _replayed(self, state: Negotiation, entry: Entry, number: int, previous: str) -> Negotiation:
        where = f"event {number}"
        if entry.previous != previous:
            raise NotVerified("it does not follow the event before it: something was changed, left out or put in", where=where)
        try:
            event, time = event_of(entry.event, where), entry.seconds
            speaker = self.owner if entry.party == Party.OWNER else self.user
            held = speaker.public.signed(_PREFIX + digest_of(entry.message).encode(), bytes_of(entry.signature))
        except (Misshapen, ValueError) as error:
            raise NotVerified(f"it cannot be read: {error}", where=where) from None
        if not held:
            raise NotVerified(f"it is not signed with the key of the {entry.party}", where=where)
        if any(made.event.id == event.id for made in state.history):
            raise NotVerified("its id is that of an earlier event", where=where)
        try:
            return state.after(Party(entry.party), event, time)
        except IllegalMove as error:
            raise NotVerified(f"it is out of turn: {error.message}", where=where) from None

    def with_event(self, party: Party, event: Event, time: str, key: PrivateKey) -> Transcript:
        """The transcript with one event more. The same event again changes nothing; a key that is not the party's is refused."""
        speaker = self.owner if party is Party.OWNER else self.user
        if Speaker.of(key.public).key != speaker.key:
            raise NotVerified(f"this is not the key of the {party.value} of this negotiation", where=key.name)
        before, said = self.negotiation(), as_dict(event)
        try:
            event_of(said)
        except Misshapen as error:
            raise UsageError(f"no such event can be written: {error}", where=event.kind) from None
        entry = Entry(self.head, party.value, time, said, "")
        after = before.after(party, event, entry.seconds)
        if after is before:
            return self
        signature = key.sign(_PREFIX + digest_of(entry.message).encode())
        made = replace(self, entries=(*self.entries, replace(entry, signature=text_of(signature))))
        made.__dict__["_state"] = after  # it was just signed, after all before it was checked
        return made

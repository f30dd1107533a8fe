"""Negotiations in the service: what a party says and what the owner's rules answer to it are one transaction.

Both parties' words are signed with the keys of their accounts, so that whoever downloads the record can check it without the service.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from sqlalchemy.engine import Connection

from sfumato.errors import UsageError
from sfumato.negotiation.events import Event, Expire, Offer, Party, RequestRejected
from sfumato.negotiation.files.clock import Clock
from sfumato.negotiation.files.record import Record
from sfumato.negotiation.files.turns import Relaxed, begun, moved, replied
from sfumato.negotiation.owner import TOO_MANY
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import Conflict, IllegalMove, Negotiation, State
from sfumato.signing.keys import PrivateKey
from sfumato.web.service.desks import Desks
from sfumato.web.service.people import Account
from sfumato.web.service.refusals import NoSuch
from sfumato.web.service.store import Database, jobs, listings, negotiations
from sfumato.web.service.store.database import at_once
from sfumato.web.service.store.listings import Listing
from sfumato.web.service.store.negotiations import Negotiated
from sfumato.web.service.store.together import Write

T = TypeVar("T")
DELIVER = "deliver"
Note = Callable[[Connection, Negotiated], None]  # what else is written down in the same transaction; it reads nothing
_ANSWERED = (State.REQUESTED, State.REJECTED)


def _silent(_: Connection, __: Negotiated) -> None:
    """Nobody else wants to know."""


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says: the kind of move, the offer that it is about, and what it needs besides. `event` is the number of the event, if
    the sender has one: the same number again changes nothing."""

    move: str
    offer: str | None = None
    digest: str | None = None
    asked: Relaxed | None = None
    sentence: str | None = None
    event: str | None = None


class Negotiating:
    """The negotiations of a service. `key_of` gives the key of an owner's account, which signs the answers."""

    def __init__(
        self,
        database: Database,
        desks: Desks,
        key_of: Callable[[Connection, str], PrivateKey],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._desks = desks
        self._key_of = key_of
        self._now = now
        self._kept = negotiations.Kept()
        self._keys: dict[str, PrivateKey] = {}  # of owners

    def _clock(self, event: str | None = None) -> Clock:
        return Clock(datetime.fromtimestamp(self._now(), UTC), event)

    def ask(
        self,
        user: Account,
        offered: str,
        pattern: UtilityPattern,
        budget: float | None = None,
        event: str | None = None,
        identity: str | None = None,
        note: Note = _silent,
    ) -> Negotiated:
        """Begin a negotiation: the request and the owner's answer. With the number of one that exists, that one, if it began alike."""
        return self._kept.keep(
            self._database.together(
                lambda connection: self._asked(connection, user, offered, pattern, budget, event, identity, note)
            )
        )

    def _asked(
        self,
        connection: Connection,
        user: Account,
        offered: str,
        pattern: UtilityPattern,
        budget: float | None,
        event: str | None,
        identity: str | None,
        note: Note,
    ) -> Write[Negotiated]:
        before = None if identity is None else negotiations.one(connection, identity)
        if before is not None:
            again = _begun_alike(before, user, pattern, budget)
            return lambda: again
        listing = _open(connection, offered)
        listings.lock(connection, listing.content)
        record = begun(listing.sheet, pattern, user.private_key, budget, self._clock(event), identity)
        number = record.transcript.id
        answered, answer = self._answer(connection, listing, record, user)

        def write() -> Negotiated:
            with at_once(connection):
                made = negotiations.begin(connection, number, listing.id, (listing.account, user.id), answered)
                _note(connection, listing, number, user.id, answer)
                note(connection, made)
            return made

        return write

    def say(self, account: Account, identity: str, said: Said, note: Note = _silent) -> Negotiated:
        """A move of a party, and the owner's answer if it is the owner's turn. What is agreed is delivered by a job."""
        return self._kept.keep(self._database.together(lambda connection: self._said(connection, account, identity, said, note)))

    def _said(self, connection: Connection, account: Account, identity: str, said: Said, note: Note) -> Write[Negotiated]:
        listing = _found(listings.as_made(connection, self._listing(connection, identity, account)))
        listings.lock(connection, listing.content)  # always before the negotiation, so that nobody waits in a circle
        before = _found(self._kept.locked(connection, identity))
        if said.event in {made.event.id for made in before.record.negotiation.history}:
            again = _said_before(before, said)
            return lambda: again
        _require_standing(before.record.negotiation, said)
        record = moved(
            before.record, account.private_key, said.move, self._clock(said.event), asked=said.asked, sentence=said.sentence
        )
        state, event = record.negotiation, None
        if state.state in _ANSWERED and state.turn is Party.OWNER:
            record, event = self._answer(connection, listing, record, account)

        def write() -> Negotiated:
            with at_once(connection):
                made = negotiations.go_on(connection, before, record)
                _note(connection, listing, identity, before.user, event)
                note(connection, made)
            if state.state is State.AGREED:
                jobs.enqueue(connection, listing.dataset, DELIVER, self._now(), negotiation=identity)
            return made

        return write

    def _listing(self, connection: Connection, identity: str, account: Account) -> str:
        """The listing that a negotiation of this account is about. Parties and listing never change: those that are kept are right."""
        known = self._kept.known(identity)
        if known is None or account.id not in (known.owner, known.user):
            return require_party(connection, identity, account)
        return known.offering

    def expire(self) -> list[Negotiated]:
        """Let the offers expire that were open for their time and were not taken."""
        now = self._now()
        with self._database.reading() as connection:
            found = [
                (listing, identity)
                for listing in listings.everything(connection)
                for identity in negotiations.over(connection, listing.id, now - listing.sheet.valid_for)
            ]
        return [ended for listing, identity in found if (ended := self._expired(listing, identity)) is not None]

    def _expired(self, listing: Listing, identity: str) -> Negotiated | None:
        with self._database.writing() as connection:
            before = negotiations.one(connection, identity, lock=True)
            if before is None or before.state != State.OFFERED:
                return None  # somebody has decided meanwhile
            key = self._key(connection, listing.account)
            return negotiations.go_on(connection, before, moved(before.record, key, Expire.kind, self._clock()))

    def _answer(self, connection: Connection, listing: Listing, record: Record, user: Account) -> tuple[Record, Event]:
        ready = self._desks.ready(connection, listing)
        received = ready.answers_to(user.id, record.transcript.id)
        return replied(ready.owner, record, self._key(connection, listing.account), received, self._clock())

    def _key(self, connection: Connection, account: str) -> PrivateKey:
        """The key of an owner, which never changes."""
        if account not in self._keys:
            self._keys[account] = self._key_of(connection, account)
        return self._keys[account]


def theirs(connection: Connection, identity: str, account: Account) -> Negotiated:
    """A negotiation, if the account is one of its parties; for anybody else there is none."""
    require_party(connection, identity, account)
    return _found(negotiations.one(connection, identity))


def require_party(connection: Connection, identity: str, account: Account) -> str:
    """The listing that a negotiation of this account is about; for anybody else there is no such negotiation."""
    found = negotiations.parties(connection, identity)
    if found is None or account.id not in found[:2]:
        raise NoSuch("there is no such negotiation")
    return found[2]


def _open(connection: Connection, identity: str) -> Listing:
    listing = listings.one(connection, identity)
    if listing is None:
        raise NoSuch("there is no such table")
    if listing.closed is not None:
        raise IllegalMove("the owner takes no further requests for this table", where="request")
    return listing


def _found(thing: T | None) -> T:
    if thing is None:
        raise NoSuch("there is no such negotiation")
    return thing


def _require_standing(state: Negotiation, said: Said) -> None:
    """An offer is accepted by its number and the digest of its terms: another one may stand by now."""
    if said.move not in ("accept", "reject"):
        return
    if said.offer is None:
        raise UsageError("say which offer, by its id", where=said.move)
    offer = state.standing
    if offer is None or offer.id != said.offer:
        raise IllegalMove(f"this offer does not stand any more; the negotiation is {state.state.value}", where=said.move)
    if said.move == "accept" and said.digest != offer.terms.digest:
        raise IllegalMove("the terms that are accepted are not those that were offered", where=said.move)


def _begun_alike(before: Negotiated, user: Account, pattern: UtilityPattern, budget: float | None) -> Negotiated:
    first = before.record.negotiation.history[0].event
    alike = getattr(first, "pattern", None) == pattern.as_dict() and getattr(first, "budget", None) == budget
    if before.user != user.id or not alike:
        raise Conflict("this number is that of another negotiation", where="request")
    return before


def _said_before(before: Negotiated, said: Said) -> Negotiated:
    made = next(each for each in before.record.negotiation.history if each.event.id == said.event)
    if made.event.kind != said.move or getattr(made.event, "offer", said.offer) != said.offer:
        raise Conflict("this number is that of another event", where=said.move)
    return before


def _note(connection: Connection, listing: Listing, identity: str, user: str, event: Event | None) -> None:
    """An offer counts from the moment it is made; a refusal that is about the table has told something, too."""
    if not isinstance(event, Offer | RequestRejected) or (isinstance(event, RequestRejected) and event.reason == TOO_MANY):
        return
    answer = {
        "event": event.id,
        "negotiation": identity,
        "offering": listing.id,
        "account": user,
        "content": listing.content,
        "levels": dict(event.terms.levels) if isinstance(event, Offer) else None,
    }
    listings.note_answer(connection, answer)

"""What parties do in negotiations, by page or by program: say something, look, and fetch what was delivered."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from fastapi import Request, Response
from fastapi.responses import FileResponse
from sqlalchemy.engine import Connection

from sfumato.negotiation.events import RequestRejected
from sfumato.negotiation.files.moves import CLOSED
from sfumato.negotiation.owner import LEDGER, TOO_MANY
from sfumato.negotiation.pattern import UtilityPattern
from sfumato.negotiation.protocol import State
from sfumato.web.service import tables
from sfumato.web.service.access import note
from sfumato.web.service.negotiating import Note, Said, theirs
from sfumato.web.service.people import Account
from sfumato.web.service.places import RELEASE
from sfumato.web.service.refusals import NoSuch
from sfumato.web.service.rooms import rooms_of
from sfumato.web.service.showing import View, view_of
from sfumato.web.service.store import jobs, listings, negotiations
from sfumato.web.service.store.jobs import StoredJob
from sfumato.web.service.store.listings import Listing
from sfumato.web.service.store.negotiations import Negotiated

_FAILED = "delivering failed; the owner can start it again"
FILES = (RELEASE, f"{RELEASE}.certificate.json", CLOSED)


def listed(connection: Connection, identity: str) -> Listing:
    """A listing of the catalogue, open or closed."""
    found = listings.one(connection, identity)
    if found is None:
        raise NoSuch("there is no such table")
    return found


def ask(
    request: Request,
    user: Account,
    offered: str,
    pattern: UtilityPattern,
    budget: float | None,
    event: str | None = None,
    identity: str | None = None,
) -> View:
    """Begin a negotiation."""
    made = rooms_of(request).negotiating.ask(user, offered, pattern, budget, event, identity, _noted(request, user, "request"))
    return _heard(request, user, made)


def say(request: Request, account: Account, identity: str, said: Said) -> View:
    """Make a move in a negotiation."""
    made = rooms_of(request).negotiating.say(account, identity, said, _noted(request, account, said.move))
    return _heard(request, account, made)


def _noted(request: Request, account: Account, action: str) -> Note:
    return lambda connection, made: note(connection, account.id, action, made.id, request)


def _heard(request: Request, account: Account, found: Negotiated) -> View:
    rooms = rooms_of(request)
    rooms.news.tell(found.owner, found.user)
    if found.record.negotiation.state is State.AGREED:
        rooms.supervisor.wake()
    return view_of(found, account, rooms.service.now())


def found(request: Request, account: Account, identity: str) -> Negotiated:
    """A negotiation of this account."""
    with rooms_of(request).service.database.reading() as connection:
        return theirs(connection, identity, account)


def view(request: Request, account: Account, identity: str) -> View:
    """A negotiation as this account sees it."""
    return view_of(found(request, account, identity), account, rooms_of(request).service.now())


def record(request: Request, account: Account, identity: str) -> dict[str, Any]:
    """The record of a negotiation, as a document."""
    made: dict[str, Any] = json.loads(found(request, account, identity).record.text())
    return made


def file(request: Request, account: Account, identity: str, name: str) -> Response:
    """A file that was delivered; before that, and for anybody else, there is none."""
    negotiation = found(request, account, identity)
    folder = rooms_of(request).places.delivery(identity)
    if name not in FILES or negotiation.state != State.DELIVERED or not (folder / name).is_file():
        raise NoSuch("there is no such file")
    return FileResponse(folder / name, filename=name)


def key(request: Request, account: Account, identity: str) -> str:
    """The public key of the owner, as a file: whoever verifies a release compares it."""
    return found(request, account, identity).record.sheet.owner.public.text


def delivery(request: Request, account: Account, identity: str) -> StoredJob | None:
    """The job that delivers what was agreed; before that, there is none. Why it failed is for the owner: it may be about the table."""
    with rooms_of(request).service.database.reading() as connection:
        negotiation = theirs(connection, identity, account)
        found = jobs.last(connection, listed(connection, negotiation.offering).dataset, identity)
    hidden = found is not None and found.error is not None and account.id != negotiation.owner
    return replace(found, error=_FAILED) if hidden and found else found


def deliver_again(request: Request, owner: Account, identity: str) -> None:
    """Deliver once more; it has failed."""
    with rooms_of(request).service.database.reading() as connection:
        negotiation = theirs(connection, identity, owner)
        dataset = listed(connection, negotiation.offering).dataset
    tables.again(request, owner, dataset, identity)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no offer (`bounds`, `all_offered`, `budget`, `ledger`, `too_many_answers`), and the negotiations whose offers are in
    the way; of those of other owners who offer the same table, how many. For the owner alone."""

    reason: str
    in_the_way: tuple[str, ...] = ()
    others: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def refusal(request: Request, owner: Account, identity: str) -> Refusal | None:
    """Why the last answer of a negotiation was no offer; None if it was one."""
    rooms = rooms_of(request)
    with rooms.service.database.reading() as connection:
        negotiation = theirs(connection, identity, owner)
        state = negotiation.record.negotiation
        if negotiation.owner != owner.id or state.state is not State.REFUSED:
            return None
        last = state.history[-1].event
        if isinstance(last, RequestRejected) and last.reason == TOO_MANY:
            return Refusal(TOO_MANY)
        desk = rooms.desks.ready(connection, listed(connection, negotiation.offering)).owner
        reason = desk.reason(state)
        deals = desk.in_the_way(state) if reason == LEDGER else ()
        among = {made for deal in deals if (made := listings.negotiation_of(connection, deal.id))}
        own = {each for each in among if (negotiations.parties(connection, each) or ("",))[0] == owner.id}
        return Refusal(reason, tuple(sorted(own)), len(among - own))

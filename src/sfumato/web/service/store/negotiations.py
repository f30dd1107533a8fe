"""Negotiations: every event as it was signed. Nothing that was said is ever changed."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from threading import Lock
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sfumato.negotiation.files.record import Record
from sfumato.negotiation.protocol import State
from sfumato.negotiation.transcript import Transcript
from sfumato.web.service.store import listings
from sfumato.web.service.store.tables import account, event, negotiation, offering

PAGE = 50
_MOST = 512  # records that are kept in memory
# Statements of every answer are made once: to make one takes as long as to execute it.
_ONE = sa.select(negotiation).where(negotiation.c.id == sa.bindparam("wanted"))
_LOCKED = _ONE.with_for_update()
_EVENTS = sa.select(negotiation.c.events).where(negotiation.c.id == sa.bindparam("wanted")).with_for_update()
_ENTRIES = sa.select(event.c.entry).where(event.c.negotiation == sa.bindparam("wanted")).order_by(event.c.number)
_PARTIES = sa.select(negotiation.c.owner, negotiation.c.user, negotiation.c.offering).where(
    negotiation.c.id == sa.bindparam("wanted")
)
_GO_ON = sa.update(negotiation).where(negotiation.c.id == sa.bindparam("wanted"))


@dataclass(frozen=True, slots=True)
class Negotiated:
    """A negotiation, with its record."""

    id: str
    offering: str
    owner: str
    user: str
    state: str
    events: int
    created: float
    changed: float
    record: Record


@dataclass(frozen=True, slots=True)
class Line:
    """A negotiation in a list."""

    id: str
    title: str
    owner: str
    user: str
    state: str
    events: int
    created: float
    changed: float


def begin(connection: Connection, identity: str, offered: str, parties: tuple[str, str], record: Record) -> Negotiated:
    """Write down a negotiation that has begun. `parties` are the accounts of its owner and its user."""
    said = record.transcript
    time = _time(record)
    values: dict[str, Any] = {
        "id": identity,
        "offering": offered,
        "owner": parties[0],
        "user": parties[1],
        "head": said.beginning,
        "state": record.negotiation.state.value,
        "events": len(said.entries),
        "created": time,
        "changed": time,
    }
    connection.execute(sa.insert(negotiation).values(values))
    _add_events(connection, identity, record, 0)
    plain = {key: value for key, value in values.items() if key != "head"}
    return Negotiated(**plain, record=record)


def go_on(connection: Connection, before: Negotiated, record: Record) -> Negotiated:
    """Write down what was said since; whoever has locked the negotiation does so alone."""
    values: dict[str, Any] = {
        "state": record.negotiation.state.value,
        "events": len(record.transcript.entries),
        "changed": _time(record),
    }
    connection.execute(_GO_ON, {"wanted": before.id, **values})
    _add_events(connection, before.id, record, before.events)
    return replace(before, **values, record=record)


def _add_events(connection: Connection, identity: str, record: Record, known: int) -> None:
    values: dict[str, Any] = {"wanted": identity}
    new = record.transcript.entries[known:]
    for place, each in enumerate(new):
        values |= {f"number{place}": known + place, f"entry{place}": each.as_dict()}
    if new:
        connection.execute(_say(len(new)), values)


@cache
def _say(many: int) -> sa.TextClause:
    """A move and its answer are written by one statement; as a text, because SQLAlchemy would make it anew each time."""
    rows = ", ".join(f"(:wanted, :number{place}, :entry{place})" for place in range(many))
    entries = [sa.bindparam(f"entry{place}", type_=event.c.entry.type) for place in range(many)]
    return sa.text(f"INSERT INTO event (negotiation, number, entry) VALUES {rows}").bindparams(*entries)


def _time(record: Record) -> float:
    return datetime.fromisoformat(record.last_time).timestamp()


class Kept:
    """Negotiations that were read and verified, or made here, for whoever asks again. What is said is never changed, so as many events of
    the same negotiation are the same negotiation. Only what is in the store for good is kept: a transaction may fail until its end."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: OrderedDict[str, Negotiated] = OrderedDict()

    def keep(self, found: Negotiated) -> Negotiated:
        """Keep a negotiation."""
        with self._lock:
            self._found[found.id] = found
            self._found.move_to_end(found.id)
            while len(self._found) > _MOST:
                self._found.popitem(last=False)
        return found

    def known(self, identity: str) -> Negotiated | None:
        """A negotiation as it was when it was kept: it may have gone on, its parties are the same."""
        with self._lock:
            return self._found.get(identity)

    def locked(self, connection: Connection, identity: str) -> Negotiated | None:
        """A negotiation as it is; nobody else goes on with it until the end of the transaction."""
        known = self.known(identity)
        if known is not None and connection.scalar(_EVENTS, {"wanted": identity}) == known.events:
            return known
        return one(connection, identity, lock=True)


def one(connection: Connection, identity: str, *, lock: bool = False) -> Negotiated | None:
    """A negotiation; nobody else goes on with it until the end of the transaction if it is locked."""
    row = connection.execute(_LOCKED if lock else _ONE, {"wanted": identity}).first()
    if row is None:
        return None
    entries = connection.scalars(_ENTRIES, {"wanted": identity})
    transcript = Transcript.of({**row.head, "entries": list(entries)})
    record = Record(listings.sheet_of(connection, row.offering), transcript)
    plain = {key: value for key, value in row._mapping.items() if key != "head"}
    return Negotiated(**plain, record=record)


def lines(connection: Connection, whose: str, page: int = 0, state: str | None = None) -> tuple[list[Line], int]:
    """The negotiations of an account, those that changed last first, one page of them; and how many there are."""
    theirs: Any = (negotiation.c.owner == whose) | (negotiation.c.user == whose)
    if state is not None:
        theirs = theirs & (negotiation.c.state == state)
    people = {name: account.alias(name) for name in ("owner", "user")}
    query = (
        sa.select(
            negotiation.c.id,
            offering.c.sheet["title"].as_string().label("title"),
            people["owner"].c.name.label("owner"),
            people["user"].c.name.label("user"),
            negotiation.c.state,
            negotiation.c.events,
            negotiation.c.created,
            negotiation.c.changed,
        )
        .join(offering, negotiation.c.offering == offering.c.id)
        .join(people["owner"], negotiation.c.owner == people["owner"].c.id)
        .join(people["user"], negotiation.c.user == people["user"].c.id)
        .where(theirs)
        .order_by(negotiation.c.changed.desc(), negotiation.c.id)
        .limit(PAGE)
        .offset(page * PAGE)
    )
    total = connection.execute(sa.select(sa.func.count()).select_from(negotiation).where(theirs)).scalar_one()
    return [Line(**row._mapping) for row in connection.execute(query)], int(total)


def of_offering(connection: Connection, offered: str) -> dict[str, int]:
    """How many negotiations about a listing stand where."""
    query = sa.select(negotiation.c.state, sa.func.count()).where(negotiation.c.offering == offered).group_by(negotiation.c.state)
    return {state: int(many) for state, many in connection.execute(query)}


def parties(connection: Connection, identity: str) -> tuple[str, str, str] | None:
    """The accounts of the owner and the user of a negotiation, and the listing that it is about."""
    row = connection.execute(_PARTIES, {"wanted": identity}).first()
    return None if row is None else (row.owner, row.user, row.offering)


def over(connection: Connection, offered: str, since: float) -> list[str]:
    """Negotiations about a listing whose offer has been standing since a time, or longer."""
    query = sa.select(negotiation.c.id).where(
        negotiation.c.offering == offered, negotiation.c.state == State.OFFERED.value, negotiation.c.changed <= since
    )
    return list(connection.scalars(query.limit(PAGE)))

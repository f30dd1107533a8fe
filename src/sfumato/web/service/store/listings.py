"""Listings: tables that can be asked for, and everything that was answered about them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RootTransaction

from sfumato.inputs.shape import shaped
from sfumato.negotiation.files.rules import Rules
from sfumato.negotiation.files.sheet import Sheet
from sfumato.web.service.store.tables import account, given, negotiation, offering


@dataclass(frozen=True, slots=True)
class Listing:
    """A table that can be asked for: the sheet for users, and the rules by which its owner answers."""

    id: str
    dataset: str
    account: str
    content: str
    sheet: Sheet
    rules: Rules
    created: float
    closed: float | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that an account got about a table: the levels of an offer, taken or not, or None for a refusal."""

    number: int
    event: str
    negotiation: str
    offering: str
    account: str
    content: str
    levels: Mapping[str, int] | None


@dataclass(frozen=True, slots=True)
class OfferMade:
    """An offer of a listing: to whom, in which negotiation, and where that stands."""

    event: str
    negotiation: str
    user: str
    levels: Mapping[str, int]
    state: str


# Statements of every answer are made once: to make one takes as long as to execute it.
_STANDING = (offering.c.id, offering.c.closed)  # all that can change
_ONE = sa.select(*_STANDING).where(offering.c.id == sa.bindparam("wanted"))
_AS_MADE = sa.select(*(each for each in offering.c if each is not offering.c.closed)).where(
    offering.c.id == sa.bindparam("wanted")
)
_LOCK = sa.select(offering.c.id).where(offering.c.content == sa.bindparam("wanted")).order_by(offering.c.id).with_for_update()
_NOTE = sa.insert(given).inline()  # nobody asks for its number
_ANSWERS = (
    sa.select(given)
    .where(given.c.content == sa.bindparam("wanted"), given.c.number >= sa.bindparam("first"))
    .order_by(given.c.number)
)
_MOST = 256
_known: OrderedDict[str, Listing] = OrderedDict()  # as they were made
_lock = Lock()
_held: WeakKeyDictionary[RootTransaction | None, set[str]] = WeakKeyDictionary()  # what transactions have locked


def as_made(connection: Connection, identity: str) -> Listing | None:
    """A listing, read and verified once. It never changes, except that it may be closed, which is not told here."""
    with _lock:
        if identity in _known:
            _known.move_to_end(identity)
            return _known[identity]
    row = connection.execute(_AS_MADE, {"wanted": identity}).first()
    if row is None:
        return None
    documents = {"sheet": Sheet.of(row.sheet), "rules": shaped(row.rules, Rules, "rules")}
    made = Listing(**{**row._mapping, **documents})
    with _lock:
        _known[identity] = made
        while len(_known) > _MOST:
            _known.popitem(last=False)
    return made


def sheet_of(connection: Connection, identity: str) -> Sheet:
    """The sheet of a listing that is there."""
    return _certain(connection, identity).sheet


def _certain(connection: Connection, identity: str) -> Listing:
    found = as_made(connection, identity)
    assert found is not None  # noqa: S101 the store has said so
    return found


def _listings(connection: Connection, query: sa.Select[Any], **wanted: str) -> list[Listing]:
    rows = connection.execute(query, wanted).all()
    return [replace(_certain(connection, row.id), closed=row.closed) for row in rows]


def add(connection: Connection, new: Listing) -> None:
    """Offer a table."""
    values = {
        "id": new.id,
        "dataset": new.dataset,
        "account": new.account,
        "content": new.content,
        "sheet": new.sheet.as_dict(),
        "rules": asdict(new.rules),
        "created": new.created,
    }
    connection.execute(sa.insert(offering).values(values))


def close(connection: Connection, identity: str, time: float) -> None:
    """No further negotiation begins; what was offered counts on."""
    connection.execute(sa.update(offering).where(offering.c.id == identity, offering.c.closed.is_(None)).values(closed=time))


def close_all(connection: Connection, account: str, time: float) -> bool:
    """Close all listings of an owner; whether one was open."""
    open_ones = sa.update(offering).where(offering.c.account == account, offering.c.closed.is_(None))
    return connection.execute(open_ones.values(closed=time)).rowcount > 0


def one(connection: Connection, identity: str) -> Listing | None:
    """A listing by its id."""
    return next(iter(_listings(connection, _ONE, wanted=identity)), None)


def open_ones(connection: Connection) -> list[Listing]:
    """Everything that can be asked for, the newest first."""
    query = sa.select(*_STANDING).where(offering.c.closed.is_(None)).order_by(offering.c.created.desc())
    return _listings(connection, query)


def everything(connection: Connection) -> list[Listing]:
    """All listings, open and closed."""
    return _listings(connection, sa.select(*_STANDING))


def of_owner(connection: Connection, account: str) -> list[Listing]:
    """All listings of an owner, the newest first."""
    query = sa.select(*_STANDING).where(offering.c.account == account).order_by(offering.c.created.desc())
    return _listings(connection, query)


def of_table(connection: Connection, identity: str) -> list[Listing]:
    """All listings of a table, the newest first."""
    query = sa.select(*_STANDING).where(offering.c.dataset == identity).order_by(offering.c.created.desc())
    return _listings(connection, query)


def alike(connection: Connection, content: str) -> list[Listing]:
    """All listings of tables with this content, whoever owns them."""
    return _listings(connection, sa.select(*_STANDING).where(offering.c.content == content))


def lock(connection: Connection, content: str) -> None:
    """Nobody else answers about a table with this content until the end of the transaction; on SQLite a writer is alone anyway."""
    if connection.dialect.name == "sqlite":
        return
    held = _held.setdefault(connection.get_transaction(), set())
    if content not in held:
        connection.execute(_LOCK, {"wanted": content}).all()
        held.add(content)


def note_answer(connection: Connection, answer: Mapping[str, Any]) -> None:
    """Write down an answer."""
    connection.execute(_NOTE, dict(answer))


def answers(connection: Connection, content: str, first: int = 0) -> Sequence[Answered]:
    """All answers about tables with a content, in their order, from a number on."""
    return [Answered(**row._mapping) for row in connection.execute(_ANSWERS, {"wanted": content, "first": first})]


def offers_made(connection: Connection, identity: str, most: int) -> list[OfferMade]:
    """The last offers of a listing, the newest first."""
    query = (
        sa.select(given.c.event, given.c.negotiation, account.c.name.label("user"), given.c.levels, negotiation.c.state)
        .join(negotiation, given.c.negotiation == negotiation.c.id)
        .join(account, given.c.account == account.c.id)
        .where(given.c.offering == identity, given.c.levels.is_not(None))
        .order_by(given.c.number.desc())
        .limit(most)
    )
    return [OfferMade(**row._mapping) for row in connection.execute(query)]


def negotiation_of(connection: Connection, event: str) -> str | None:
    """The negotiation in which an offer was made."""
    return connection.execute(sa.select(given.c.negotiation).where(given.c.event == event)).scalar()

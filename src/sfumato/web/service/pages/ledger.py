"""The ledger of an owner: what was offered of each table, to whom, and how much can still be offered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from sqlalchemy.engine import Connection

from sfumato.negotiation.files.sheet import Sheet
from sfumato.negotiation.protocol import State
from sfumato.reporting.markup import Html, tag
from sfumato.web.rendering import show
from sfumato.web.service.access import owner_in
from sfumato.web.service.people import Account
from sfumato.web.service.rooms import Rooms, rooms_of
from sfumato.web.service.store import datasets, listings
from sfumato.web.service.store.listings import Listing, OfferMade
from sfumato.web.service.tables import Room, room_of

router = APIRouter()
MOST = 100  # offers of a listing that are shown
_WIDTH, _HEIGHT = 400, 18
_OUTCOMES = {State.AGREED.value: "deal", State.DELIVERED.value: "deal", State.OFFERED.value: "waits for an answer"}


@dataclass(frozen=True, slots=True)
class Given:
    """An offer in words."""

    offer: OfferMade
    words: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Offered:
    """What was offered of a listing, and what is left."""

    listing: Listing
    room: Room
    picture: Html
    given: tuple[Given, ...]
    offers: int
    refusals: int
    others: int


@router.get("/ledger")
def ledger(request: Request, owner: Annotated[Account, Depends(owner_in)]) -> Response:
    """Everything that was offered, table by table."""
    rooms = rooms_of(request)
    with rooms.service.database.reading() as connection:
        titles = {each.id: each.title for each in datasets.of_owner(connection, owner.id)}
        found = [_account(rooms, connection, each) for each in listings.of_owner(connection, owner.id)]
    by_table = [
        (title, identity, [each for each in found if each.listing.dataset == identity]) for identity, title in titles.items()
    ]
    return show(request, "service/ledger.html", tables=[each for each in by_table if each[2]], most=MOST)


def _account(rooms: Rooms, connection: Connection, listing: Listing) -> Offered:
    room = room_of(rooms, connection, listing)
    mine = [each for each in room.answers if each.offering == listing.id]
    offers = sum(each.levels is not None for each in mine)
    others = sum(each.levels is not None for each in room.answers) - offers
    given = _given(listing.sheet, listings.offers_made(connection, listing.id, MOST))
    return Offered(listing, room, room_picture(listing.id, room), given, offers, len(mine) - offers, others)


def _given(sheet: Sheet, made: list[OfferMade]) -> tuple[Given, ...]:
    """The offers in words. What was agreed in a negotiation is the last that was offered there."""
    offered = {each.name: each for each in sheet.attributes}
    seen: set[str] = set()
    shown = []
    for each in made:
        words = ", ".join(f"{name} {offered[name].levels[level]}" for name, level in each.levels.items())
        shown.append(Given(each, words, "not taken" if each.negotiation in seen else _OUTCOMES.get(each.state, "not taken")))
        seen.add(each.negotiation)
    return tuple(shown)


def room_picture(name: str, room: Room) -> Html:
    """A bar: of all policies those that keep the bounds, and of these those that can still be offered."""
    many = max(room.policies, 1)
    title = f"{room.left:,} of {room.policies:,} policies can still be offered"
    about = f"{room.within:,} keep the bounds; {room.within - room.left:,} of these earlier offers forbid"
    parts = [
        tag("rect", x=0.5, y=0.5, width=_WIDTH - 1, height=_HEIGHT - 1, class_="hollow"),
        tag("rect", x=0, y=0, width=_wide(room.within / many), height=_HEIGHT, class_="was"),
        tag("rect", x=0, y=0, width=_wide(room.left / many), height=_HEIGHT, class_="bar"),
    ]
    return tag(
        "svg",
        tag("title", title, id=f"room-{name}-title"),
        tag("desc", about, id=f"room-{name}-desc"),
        *parts,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_labelledby=f"room-{name}-title room-{name}-desc",
        class_="room",
    )


def _wide(share: float) -> str:
    """A width in the picture; what is there is seen, however little it is."""
    return "0" if share == 0 else f"{max(share * _WIDTH, 2):.1f}"

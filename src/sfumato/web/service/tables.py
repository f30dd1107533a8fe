"""What an owner does with tables: send them, work on them, offer them, and see what is left."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fastapi import Request
from sqlalchemy.engine import Connection

from sfumato.negotiation.files.opening import Offering
from sfumato.web.service.access import note
from sfumato.web.service.jobs.tasks import BEGIN, OFFER
from sfumato.web.service.people import Account
from sfumato.web.service.refusals import NoSuch, Taken
from sfumato.web.service.rooms import Rooms, rooms_of
from sfumato.web.service.secret import new_id
from sfumato.web.service.store import datasets, jobs, listings
from sfumato.web.service.store.datasets import Dataset
from sfumato.web.service.store.listings import Answered, Listing
from sfumato.web.service.uploading import received

BUSY = "something else is being done with this table; wait until it is ready"


async def take_in(request: Request, owner: Account) -> Dataset:
    """Keep the table of a request, and begin to look at it."""
    from starlette.concurrency import run_in_threadpool

    rooms, identity = rooms_of(request), new_id()
    title, size = await received(request, rooms.places.table(identity), rooms.service.upload)
    new = Dataset(identity, owner.id, title, size, rooms.service.now())
    try:
        await run_in_threadpool(_keep, request, new)
    except BaseException:
        shutil.rmtree(rooms.places.table(identity), ignore_errors=True)
        raise
    rooms.supervisor.wake()
    return new


def _keep(request: Request, new: Dataset) -> None:
    with rooms_of(request).service.database.writing() as connection:
        datasets.add(connection, new)
        jobs.enqueue(connection, new.id, BEGIN, new.created)
        note(connection, new.account, "upload", new.id, request)


def table_of(connection: Connection, identity: str, owner: Account) -> Dataset:
    """A table of this owner; for anybody else there is none."""
    found = datasets.one(connection, identity, owner.id)
    if found is None:
        raise NoSuch("there is no such table")
    return found


def listing_of(connection: Connection, identity: str, owner: Account) -> Listing:
    """A listing of this owner; for anybody else there is none."""
    found = listings.one(connection, identity)
    if found is None or found.account != owner.id:
        raise NoSuch("there is no such offer")
    return found


def remove(request: Request, owner: Account, identity: str) -> None:
    """Remove a table, its project and its releases; one that was offered stays, since what was offered counts."""
    rooms = rooms_of(request)
    with rooms.service.database.writing() as connection:
        table_of(connection, identity, owner)
        if datasets.is_offered(connection, identity):
            raise Taken("it was offered to users, and what was offered counts; close the offer instead")
        last = jobs.last(connection, identity)
        if last is not None and last.open:
            raise Taken(BUSY)
        datasets.remove(connection, identity)
        note(connection, owner.id, "remove-table", identity, request)
    rooms.benches.forget(identity)
    shutil.rmtree(rooms.places.table(identity), ignore_errors=True)


def start(request: Request, owner: Account, identity: str, task: str) -> None:
    """Queue a job of a table."""
    rooms = rooms_of(request)
    with rooms.service.database.writing() as connection:
        table_of(connection, identity, owner)
        if jobs.enqueue(connection, identity, task, rooms.service.now()) is None:
            raise Taken(BUSY)
        note(connection, owner.id, task, identity, request)
    rooms.supervisor.wake()


def again(request: Request, owner: Account, identity: str, negotiation: str | None = None) -> None:
    """Do the last job of a table, or of a negotiation about it, once more; it has failed."""
    rooms = rooms_of(request)
    with rooms.service.database.writing() as connection:
        table_of(connection, identity, owner)
        last = jobs.last(connection, identity, negotiation)
        if last is None or not jobs.again(connection, last.number):
            raise Taken("nothing has failed here")
        note(connection, owner.id, f"{last.task}-again", identity, request)
    rooms.supervisor.wake()


def offer(request: Request, owner: Account, identity: str, offering: Offering) -> str:
    """Begin to explore a table and to list it; the id that the listing will have."""
    rooms, listing = rooms_of(request), new_id()
    with rooms.service.database.writing() as connection:
        found = table_of(connection, identity, owner)
        arguments = {"id": listing, "account": owner.id, "offering": {**asdict(offering), "title": offering.title or found.title}}
        if jobs.enqueue(connection, identity, OFFER, rooms.service.now(), arguments=arguments) is None:
            raise Taken(BUSY)
        note(connection, owner.id, "offer", identity, request)
    rooms.supervisor.wake()
    return listing


def close(request: Request, owner: Account, identity: str) -> None:
    """No further negotiation about a listing begins."""
    rooms = rooms_of(request)
    with rooms.service.database.writing() as connection:
        listing_of(connection, identity, owner)
        listings.close(connection, identity, rooms.service.now())
        note(connection, owner.id, "close-offer", identity, request)
    rooms.news.tell_everybody()


@dataclass(frozen=True, slots=True)
class Room:
    """What is left of a listing: how many policies there are, how many keep its bounds, and how many of these no coalition of earlier
    offers forbids; and the answers that were given."""

    listing: Listing
    policies: int
    within: int
    left: int
    answers: Sequence[Answered]

    def as_dict(self) -> dict[str, Any]:
        """For machines. Of answers under other listings of the same table, which may be another owner's, only how many there are."""
        mine = [each for each in self.answers if each.offering == self.listing.id]
        given = [{"negotiation": each.negotiation, "levels": each.levels} for each in mine]
        counts = {"policies": self.policies, "within": self.within, "left": self.left}
        return {**counts, "answers": given, "others": len(self.answers) - len(mine)}


def room_of(rooms: Rooms, connection: Connection, listing: Listing) -> Room:
    """What is left of a listing."""
    owner = rooms.desks.ready(connection, listing).owner
    levels = owner.space.evaluations.levels[owner.within]
    safe = int(owner.within.sum()) if owner.coalitions is None else int(owner.coalitions.safe(levels).sum())
    answers = listings.answers(connection, listing.content)
    return Room(listing, len(owner.space), int(owner.within.sum()), safe, answers)

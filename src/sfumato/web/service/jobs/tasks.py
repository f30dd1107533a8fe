"""The jobs of a service: those of a project, opening a table for negotiation, and delivering what was agreed.

A task works on files first, which nobody sees yet, and returns what is left to do in the transaction that also marks the job as done. So a
job that dies at any moment can be done again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

import pyarrow.parquet as pq
from sqlalchemy.engine import Connection

from sfumato.commit.locks import held
from sfumato.commit.writing import write_text, written_whole
from sfumato.negotiation.files.clock import Clock
from sfumato.negotiation.files.delivering import deliver_now, delivered_before
from sfumato.negotiation.files.opening import Offering, prepared, require_alike
from sfumato.negotiation.files.rules import negotiated
from sfumato.negotiation.protocol import State
from sfumato.signing.keys import PrivateKey
from sfumato.table.source import SOURCE_OPTIONS, Source
from sfumato.web.bench.jobs import Watch
from sfumato.web.bench.looking import look
from sfumato.web.bench.tasks import TASKS as PROJECT_TASKS
from sfumato.web.bench.tasks import WORDS as PROJECT_WORDS
from sfumato.web.service.desks import Desks
from sfumato.web.service.places import RELEASE, SCHEMA, SPACE, Places
from sfumato.web.service.refusals import NoSuch
from sfumato.web.service.store import Database, accounts, listings, negotiations
from sfumato.web.service.store.jobs import StoredJob
from sfumato.web.service.store.listings import Listing
from sfumato.web.service.store.negotiations import Negotiated

BEGIN, OFFER, DELIVER = "begin", "offer", "deliver"
WORDS = {**PROJECT_WORDS, BEGIN: "looking at the table", OFFER: "opening it for requests", DELIVER: "delivering what was agreed"}
Ending = Callable[[Connection], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Given:
    """What a task works with."""

    database: Database
    places: Places
    job: StoredJob
    watch: Watch
    time: float

    @property
    def clock(self) -> Clock:
        return Clock(datetime.fromtimestamp(self.time, UTC))


def done(given: Given) -> Ending:
    """Do a job, all but its ending."""
    os.environ["SFUMATO_LEDGER"] = str(given.places.ledger)  # the releases of a service are recorded with the service
    task = _TASKS.get(given.job.task)
    if task is not None:
        return task(given)
    result = PROJECT_TASKS[given.job.task](given.places.project(given.job.dataset), given.watch)
    return lambda _: result


def _begin(given: Given) -> Ending:
    """A schema and a recipe for a table that was uploaded, and a first look at it."""
    project = given.places.project(given.job.dataset)
    look(replace(project, table=Source(given.places.original(given.job.dataset))), given.watch)
    return lambda _: {}


def _offer(given: Given) -> Ending:
    """Explore a table, and list it in the catalogue. The schema is copied, so that the owner can go on changing the project's."""
    job, places = given.job, given.places
    arguments = dict(job.arguments or {})
    identity, account, offering = arguments["id"], arguments["account"], offering_of(arguments["offering"])
    project, folder = places.project(job.dataset), places.listing(identity)
    source = project.source
    options = {name: value for name in SOURCE_OPTIONS if (value := getattr(source, name)) is not None}
    folder.mkdir(parents=True, exist_ok=True)
    schema = folder / SCHEMA
    write_text(schema, project.schema.to_toml(), force=True)
    with given.database.reading() as connection:
        key = owner_key(connection, account)
    given.watch.step("exploring")
    with negotiated(source.data, schema, offering.sensitive, options) as table:
        files = (str(source.data), str(schema))
        made = prepared(table, offering, key, files, options, given.clock, given.watch.progress)
    with written_whole(folder / SPACE, force=True) as hidden:
        pq.write_table(made.space.to_arrow(), hidden)
    listing = Listing(identity, job.dataset, account, made.rules.content, made.sheet, made.rules, given.time)

    def ending(connection: Connection) -> dict[str, Any]:
        if account not in accounts.owners(connection):
            raise NoSuch("the account of its owner was closed meanwhile")
        for other in listings.alike(connection, listing.content):
            require_alike(listing.rules, other.rules, repr(other.sheet.title))
        if listings.one(connection, identity) is None:
            listings.add(connection, listing)
        return {"offering": identity, "policies": len(made.space), "within": made.within, "withheld": list(made.withheld)}

    return ending


def offering_of(entry: Mapping[str, Any]) -> Offering:
    """What an owner offers, from what a job's arguments say."""
    known = {each.name for each in fields(Offering)}
    plain: dict[str, Any] = {}
    for name, value in entry.items():
        if name in known:
            plain[name] = tuple(value) if isinstance(value, list) else value
    return Offering(**plain)


def _deliver(given: Given) -> Ending:
    """Publish what was agreed. What lies in the folder already, because somebody was interrupted, is what was agreed."""
    identity, places = given.job.negotiation or "", given.places
    with given.database.reading() as connection:
        found = negotiations.one(connection, identity)
        listing = None if found is None else listings.one(connection, found.offering)
        if found is None or listing is None:
            raise NoSuch("there is no such negotiation")
        key = owner_key(connection, found.owner)
    agreed = found.record.negotiation.agreed
    if found.record.negotiation.state is not State.AGREED or agreed is None:
        return lambda _: {}  # it was delivered, or ended, meanwhile
    folder = places.delivery(identity)
    with held(places.listing(listing.id)):  # a worker of a service that was killed may live for a moment
        delivered = delivered_before(found.record, None, folder, RELEASE)
        if delivered is None:
            shutil.rmtree(folder, ignore_errors=True)  # nothing there was ever delivered
            given.watch.step("recoding")
            rules = Desks(places).rules(listing)
            delivered = deliver_now(rules, found.record, agreed, key, folder, given.clock, RELEASE)
    closed = delivered.record

    def ending(connection: Connection) -> dict[str, Any]:
        now: Negotiated | None = negotiations.one(connection, identity, lock=True)
        if now is not None and now.events == found.events:  # otherwise a party has ended it, and nothing is handed over
            negotiations.go_on(connection, now, closed)
        return {"release": RELEASE}

    return ending


def owner_key(connection: Connection, account: str) -> PrivateKey:
    """The key of an account that owns a table."""
    found = accounts.by_id(connection, account)
    if found is None:
        raise NoSuch("there is no such account")
    return found.private_key


_TASKS: Mapping[str, Callable[[Given], Ending]] = {BEGIN: _begin, OFFER: _offer, DELIVER: _deliver}

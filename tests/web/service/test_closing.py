"""Closing an owner while the service answers about their table: on PostgreSQL, where both lock rows, nobody waits in a circle."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sfumato.negotiation.files import Offering
from sfumato.web.service.people import Role
from sfumato.web.service.service import Service
from sfumato.web.service.store import listings
from sfumato.web.service.store.tables import account
from tests.web.service.conftest import make_account
from tests.web.service.offering import offered_in, table_in, waited

STORES = ("postgresql",)
WAITING = sa.text(
    "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()"
)


def test_who_closes_an_owner_waits_for_an_answer_without_standing_in_its_way(
    service: Service, app: FastAPI, as_owner: TestClient
) -> None:
    other = make_account(service, Role.OWNER, "Otto", "otto@example.org")
    listing = offered_in(service, other, table_in(service, other), Offering(epsilon=0.9))

    def waits() -> bool:
        with service.database.reading() as looking:
            return bool(looking.execute(WAITING).scalar_one())

    with ThreadPoolExecutor(1) as pool:
        with service.database.writing() as answering:
            found = listings.one(answering, listing)
            assert found is not None
            listings.lock(answering, found.content)
            closing = pool.submit(as_owner.delete, f"/api/v1/accounts/{other.id}")
            waited(waits)
            # What an answer does next: it names the owner, whose row must not be locked by whoever waits for the listing.
            owner = (
                sa.select(account.c.id).where(account.c.id == other.id).with_for_update(read=True, key_share=True, nowait=True)
            )
            assert answering.execute(owner).scalar_one() == other.id
        assert closing.result(60).status_code == 204
    with service.database.reading() as connection:
        assert listings.open_ones(connection) == []

"""The store of people on SQLite and PostgreSQL: what many do at once is counted, and what is over is forgotten."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
import sqlalchemy as sa

from sfumato.web.service.people import Account
from sfumato.web.service.refusals import Taken
from sfumato.web.service.service import Service
from sfumato.web.service.store import Database, accounts, attempts, sessions
from sfumato.web.service.store import database as store
from sfumato.web.service.store.tables import attempt, session
from tests.web.service.conftest import BOTH

STORES = BOTH
WHO, OTHER = "a" * 64, "b" * 64


def test_tries_of_many_at_once_are_all_counted(database: Database) -> None:
    def one_more(_: int) -> int:
        with database.writing() as connection:
            return attempts.count(connection, WHO, 100.0, 60.0)[0]

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(one_more, range(40))) == list(range(1, 41))


def test_a_window_begins_with_the_first_try_and_ends(database: Database) -> None:
    with database.writing() as connection:
        counts = [attempts.count(connection, WHO, now, 60.0) for now in (100.0, 130.0, 159.0, 160.0, 161.0)]
        assert attempts.count(connection, OTHER, 161.0, 60.0) == (1, 161.0)
    assert counts == [(1, 100.0), (2, 100.0), (3, 100.0), (1, 160.0), (2, 160.0)]


def test_what_is_over_is_forgotten_and_the_rest_is_kept(database: Database, owner: Account) -> None:
    with database.writing() as connection:
        attempts.count(connection, WHO, 100.0, 60.0)
        attempts.count(connection, OTHER, 200.0, 60.0)
        attempts.tidy(connection, 100.0)
        sessions.add(connection, WHO, owner.id, 0.0, 100.0)
        sessions.add(connection, OTHER, owner.id, 0.0, 101.0)
        sessions.tidy(connection, 100.0)
    with database.reading() as connection:
        assert connection.execute(sa.select(attempt.c.who)).scalars().all() == [OTHER]
        assert connection.execute(sa.select(session.c.digest)).scalars().all() == [OTHER]


def test_a_transaction_that_fails_leaves_nothing(service: Service, owner: Account) -> None:
    def both() -> None:
        with service.database.writing() as connection:
            sessions.add(connection, WHO, owner.id, 0.0, 1.0)
            accounts.add(connection, Account("c" * 32, "Ann", owner.mail, owner.role, "key", 0.0), "hash")

    with pytest.raises(Taken):
        both()
    with service.database.reading() as connection:
        assert connection.execute(sa.select(session)).all() == []
        assert [each.id for each in accounts.everybody(connection)] == [owner.id]


def test_an_account_comes_back_as_it_was_kept(service: Service, owner: Account) -> None:
    with service.database.reading() as connection:
        assert accounts.everybody(connection) == [owner]
        found = accounts.by_mail(connection, owner.mail)
        assert found is not None
        assert found[0] == owner
        assert accounts.by_mail(connection, owner.mail.upper()) is None  # small letters are the caller's duty


def test_a_connection_that_was_quiet_and_has_ended_is_replaced(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    if database.embedded:
        return  # a file has no connection that could end
    monkeypatch.setattr(store, "_QUIET", 0.0)
    with database.reading() as connection:
        number = connection.scalar(sa.text("SELECT pg_backend_pid()"))
    with closing(Database(database.address)) as other, other.writing() as connection:
        connection.execute(sa.text("SELECT pg_terminate_backend(:number, 10000)"), {"number": number})
    with database.reading() as connection:
        assert connection.scalar(sa.text("SELECT pg_backend_pid()")) != number

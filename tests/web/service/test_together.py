"""Writers who share a transaction, on SQLite and on PostgreSQL: nobody is told too early, and nobody suffers from another's failure."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from sfumato.errors import UsageError
from sfumato.web.service.store import Database
from sfumato.web.service.store.tables import attempt
from sfumato.web.service.store.together import Decide, Together
from tests.web.service.conftest import BOTH
from tests.web.service.offering import waited

STORES = BOTH
PATIENCE = 60


class Store:
    """Transactions of a store that are counted; the first one waits in its middle until the others are there."""

    def __init__(self, database: Database, others: int) -> None:
        self.transactions = 0
        self._database, self._others = database, others
        self.together = Together(self._writing)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        self.transactions += 1
        with self._database.writing() as connection:
            yield connection

    def _all_there(self) -> bool:
        return len(self.together._waiting) == self._others

    def run(self, first: Decide[Any], *others: Decide[Any]) -> list[Future[Any]]:
        """The first of them, and the others while it is being written."""
        begun = threading.Event()

        def slowly(connection: Connection) -> Callable[[], Any]:
            begun.set()
            waited(self._all_there)
            return first(connection)

        with ThreadPoolExecutor(1 + len(others)) as pool:
            futures = [pool.submit(self.together.write, slowly)]
            assert begun.wait(PATIENCE)
            for number, each in enumerate(others, start=1):  # one after the other, so that their order is known
                futures.append(pool.submit(self.together.write, each))
                waited(lambda number=number: len(self.together._waiting) >= number or self.transactions > 1)
        return futures


def adding(who: str) -> Decide[str]:
    """Write one row, and see how many there are."""

    def decide(connection: Connection) -> Callable[[], str]:
        def write() -> str:
            connection.execute(sa.insert(attempt).values(who=who * 64, since=0.0, count=1))
            return who

        return write

    return decide


def refused(_: Connection) -> Callable[[], None]:
    raise UsageError("not this one", where="here")


def rows(database: Database) -> set[str]:
    with database.reading() as connection:
        return {who[0] for who in connection.scalars(sa.select(attempt.c.who))}


def test_those_who_come_while_one_writes_share_the_next_transaction(database: Database) -> None:
    store = Store(database, others=5)
    futures = store.run(adding("a"), *map(adding, "bcdef"))
    assert [each.result() for each in futures] == list("abcdef")
    assert rows(database) == set("abcdef")
    assert store.transactions == 2


def test_later_ones_see_what_earlier_ones_of_the_same_transaction_have_written(database: Database) -> None:
    def counting(connection: Connection) -> Callable[[], int]:
        many = int(connection.scalar(sa.select(sa.func.count()).select_from(attempt)) or 0)
        return lambda: many

    store = Store(database, others=4)
    futures = store.run(counting, adding("b"), counting, adding("c"), counting)
    assert [each.result() for each in futures] == [0, "b", 1, "c", 2]
    assert store.transactions == 2


def test_whoever_is_refused_is_told_and_the_others_go_on(database: Database) -> None:
    store = Store(database, others=3)
    futures = store.run(adding("a"), adding("b"), refused, adding("c"))
    with pytest.raises(UsageError, match="not this one"):
        futures[2].result()
    assert [futures[place].result() for place in (0, 1, 3)] == ["a", "b", "c"]
    assert rows(database) == {"a", "b", "c"}
    assert store.transactions == 2


def test_a_failure_while_writing_undoes_all_and_each_is_done_again_alone(database: Database) -> None:
    store = Store(database, others=3)
    futures = store.run(adding("a"), adding("b"), adding("a"), adding("c"))
    with pytest.raises(IntegrityError):
        futures[2].result()
    assert [futures[place].result() for place in (0, 1, 3)] == ["a", "b", "c"]
    assert rows(database) == {"a", "b", "c"}
    assert store.transactions == 1 + 1 + 3


def test_nobody_is_told_before_the_transaction_has_ended(database: Database) -> None:
    ended = False

    class Watched(Store):
        @contextmanager
        def _writing(self) -> Iterator[Connection]:
            nonlocal ended
            with super()._writing() as connection:
                yield connection
            ended = self.transactions == 2

    store = Watched(database, others=2)
    reports = []

    def telling(who: str) -> None:
        store.together.write(adding(who))
        reports.append(ended)

    begun, go_on = threading.Event(), threading.Event()

    def slowly(_: Connection) -> Callable[[], None]:
        begun.set()
        assert go_on.wait(PATIENCE)
        return lambda: None

    with ThreadPoolExecutor(3) as pool:
        pool.submit(store.together.write, slowly)
        assert begun.wait(PATIENCE)
        others = [pool.submit(telling, who) for who in "bc"]
        waited(lambda: len(store.together._waiting) == 2)
        go_on.set()
    assert [each.exception() for each in others] == [None, None]
    assert reports == [True, True]


def test_if_the_end_of_a_transaction_fails_nobody_is_told_that_it_is_there(database: Database) -> None:
    class Broken(Store):
        @contextmanager
        def _writing(self) -> Iterator[Connection]:
            with super()._writing() as connection:
                yield connection
                if self.transactions > 1:
                    raise ConnectionError("the disk is full")

    store = Broken(database, others=2)
    futures = store.run(adding("a"), adding("b"), adding("c"))
    assert futures[0].result() == "a"
    for each in futures[1:]:
        with pytest.raises(ConnectionError):
            each.result()
    assert rows(database) == {"a"}
    assert store.transactions == 2  # what may be there is not written once more


def test_many_at_once_are_all_written_once(database: Database) -> None:
    store = Store(database, others=0)

    def one_more(number: int) -> int:
        def decide(connection: Connection) -> Callable[[], int]:
            before = int(connection.scalar(sa.select(sa.func.count()).select_from(attempt)) or 0)

            def write() -> int:
                connection.execute(sa.insert(attempt).values(who=f"{number:064d}", since=0.0, count=1))
                return before

            return write

        return store.together.write(decide)

    with ThreadPoolExecutor(30) as pool:
        assert sorted(pool.map(one_more, range(120))) == list(range(120))

"""A database, with its two kinds of transaction."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ArgumentError, DBAPIError, InvalidatePoolError, OperationalError

from sfumato.errors import UsageError, argument
from sfumato.web.service.store.together import Decide, Together

STORE = "service.sqlite"  # in the folder of a service
T = TypeVar("T")
_WAIT = 30  # seconds that a writer waits for another one
AT_ONCE = 16  # requests that are answered; others wait in the order of coming, while threads would overtake each other
_POOL = AT_ONCE + 2  # and one for the jobs, one for what expires
_QUIET = 1.0  # seconds after which a connection is tried before it is used: nobody starts PostgreSQL anew in less


class Database:
    """SQLite in a file or PostgreSQL. A reader sees one state of everything; a writer is alone on SQLite, and on PostgreSQL locks what it
    is about to change (`SELECT … FOR UPDATE`)."""

    def __init__(self, address: str | sa.URL) -> None:
        try:
            url = sa.make_url(address)
        except ArgumentError:
            raise UsageError("an address such as postgresql://name:password@host/database", where=argument("database")) from None
        # With its password: for the service's own processes, never shown.
        self.address = url.render_as_string(hide_password=False)
        self.embedded = url.get_backend_name() == "sqlite"
        # SQLite lets one write at a time, and whoever comes next sleeps and asks again; within this process they queue instead.
        self._alone = threading.Lock() if self.embedded else nullcontext()
        self._together = Together(self.writing)
        if not self.embedded and url.get_backend_name() != "postgresql":
            raise UsageError("PostgreSQL, or SQLite if none is given", where=argument("database"))
        try:
            self._engine = _embedded(url) if self.embedded else _remote(url)
        except ModuleNotFoundError:
            raise UsageError("needs psycopg: pip install 'sfumato[postgres]'", where=argument("database")) from None

    @classmethod
    def in_folder(cls, folder: Path) -> Database:
        """The embedded one."""
        return cls(sa.URL.create("sqlite", database=str(folder / STORE)))

    @property
    def engine(self) -> Engine:
        """For migrations."""
        return self._engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that changes nothing."""
        with self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def looking(self) -> Iterator[Connection]:
        """For one statement that changes nothing. On PostgreSQL it needs no transaction, which takes as long as the statement."""
        with self._engine.connect() as connection:
            yield connection if self.embedded else connection.execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is there as a whole, or not at all. Once it is left, a crash does not undo it."""
        with self._alone, self._engine.connect() as connection:
            connection = connection.execution_options(writing=True)
            with connection.begin():
                yield connection

    def together(self, decide: Decide[T]) -> T:
        """Such a transaction, perhaps with others who come at the same time: see `Together`."""
        return self._together.write(decide)

    def require_reachable(self) -> None:
        """Refuse a database that does not answer; its password is not in the message."""
        try:
            with self.reading() as connection:
                connection.execute(sa.text("SELECT 1"))
        except (OperationalError, DBAPIError):
            raise UsageError(
                "the database does not answer; check its address, name and password", where=argument("database")
            ) from None

    def close(self) -> None:
        """Give back all connections."""
        self._engine.dispose()


def at_once(connection: Connection) -> AbstractContextManager[object]:
    """Statements whose results nobody needs: PostgreSQL is sent all of them before it is asked what came of them, which is asked at the
    end."""
    if connection.dialect.name == "sqlite":
        return nullcontext()
    driver: Any = connection.connection.driver_connection
    pipeline: AbstractContextManager[object] = driver.pipeline()
    return pipeline


def _remote(url: sa.URL) -> Engine:
    # The connection that was used last is used next: it has its statements prepared and its catalog in memory.
    engine = sa.create_engine(url.set(drivername="postgresql+psycopg"), pool_size=_POOL, pool_use_lifo=True)

    def returned(_: Any, record: Any) -> None:
        record.info["returned"] = time.monotonic()

    def taken(connection: Any, record: Any, _: Any) -> None:
        if time.monotonic() - record.info.get("returned", inf) <= _QUIET:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error:
            raise InvalidatePoolError from None  # PostgreSQL was started anew: all connections are

    sa.event.listen(engine, "checkin", returned)
    sa.event.listen(engine, "checkout", taken)
    return engine


def _embedded(url: sa.URL) -> Engine:
    # SQLite's driver begins transactions by itself, too late for a reader and too weak for a writer; so it is told not to.
    engine = sa.create_engine(url, connect_args={"timeout": _WAIT}, pool_size=_POOL)
    sa.event.listen(engine, "connect", _prepare)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _: object) -> None:
    connection.isolation_level = None
    _write_ahead(connection)
    # Full, so that what was acknowledged is there after a crash of the machine, too.
    for setting in ("synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {setting}")


def _write_ahead(connection: Any) -> None:
    """So that readers do not wait for a writer. Of two who ask for it at once on a new file, SQLite refuses one without any wait."""
    until = time.monotonic() + _WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def _begin(connection: Connection) -> None:
    # A reader who wants to write later would be refused where another one has written meanwhile.
    kind = "IMMEDIATE" if connection.get_execution_options().get("writing") else "DEFERRED"
    connection.exec_driver_sql(f"BEGIN {kind}")

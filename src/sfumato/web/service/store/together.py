"""Writers who come at once share a transaction: what takes longest, to put it on the disk for good, is done once for all of them.

Each has a part of its own, which is there as a whole or not at all: whoever fails undoes that and nothing of the others. Nobody is told
of a result before the transaction has ended. Whoever comes while one is being written waits for the next, in the order of coming.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any, Generic, TypeVar

from sqlalchemy.engine import Connection

from sfumato.web.service.store.database import Database

T = TypeVar("T")
_MOST = 16  # in a transaction, so that the first of them does not wait for too many


@dataclass(slots=True, eq=False)
class _Part(Generic[T]):
    """What one of them wants to be done, and what came of it."""

    work: Callable[[Connection], T]
    woken: Event = field(default_factory=Event)
    over: bool = False
    result: T | None = None
    error: BaseException | None = None

    def do(self, connection: Connection, *, alone: bool) -> None:
        """Do it; if it fails, alone or by undoing this part."""
        if alone:
            self.result = self.work(connection)
            return
        try:
            with connection.begin_nested():
                self.result = self.work(connection)
        except Exception as error:
            self.error = error


class Together:
    """One for each kind of writing that many do at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._waiting: list[_Part[Any]] = []
        self._busy = False

    def write(self, work: Callable[[Connection], T]) -> T:
        """Do some work in a transaction, perhaps with that of others; what it raises is raised here."""
        mine = _Part(work)
        with self._lock:
            self._waiting.append(mine)
            leading, self._busy = not self._busy, True
        if not leading:
            mine.woken.wait()
        if not mine.over:
            self._lead()
        if mine.error is not None:
            raise mine.error
        return mine.result  # type: ignore[return-value]  it is what the work has returned

    def _lead(self) -> None:
        """Do what waits, and wake those who waited; the first of those who came meanwhile leads next."""
        with self._lock:
            parts, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
        self._do(parts)
        with self._lock:
            following = self._waiting[:1]
            self._busy = bool(following)
        for each in parts:
            each.over = True
        for each in (*following, *parts):
            each.woken.set()

    def _do(self, parts: list[_Part[Any]]) -> None:
        try:
            with self._database.writing() as connection:
                for each in parts:
                    each.do(connection, alone=len(parts) == 1)
        except BaseException as error:  # nothing of anybody is in the store
            for each in parts:
                each.error = error

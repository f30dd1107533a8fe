"""Writers who come at once share a transaction: what takes longest, to put it on the disk for good, is done once for all of them.

Each has a part of its own, in two steps: it decides, which only reads and may refuse, and then it writes. So whoever is refused has
written nothing, and the others go on. Should anything else fail, all of them are undone and each is done again alone. Nobody is told of
a result before the transaction has ended; if that fails, everybody is told so. Whoever comes while one is being written waits for the
next, in the order of coming.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any, Generic, TypeVar, cast

from sqlalchemy.engine import Connection

from sfumato.errors import SfumatoError

T = TypeVar("T")
Write = Callable[[], T]
Decide = Callable[[Connection], Write[T]]
_MOST = 64  # in a transaction, so that the first of them does not wait for too many


@dataclass(slots=True, eq=False)
class _Part(Generic[T]):
    """What one of them wants to be done, and what came of it."""

    decide: Decide[T]
    woken: Event = field(default_factory=Event)
    over: bool = False
    result: T | None = None
    error: BaseException | None = None

    def do(self, connection: Connection) -> None:
        """Decide, and write unless it is refused."""
        self.error = None
        try:
            write = self.decide(connection)
        except SfumatoError as refused:
            self.error = refused
            return
        self.result = write()


class Together:
    """One for each store; `writing` is a transaction of it."""

    def __init__(self, writing: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._writing = writing
        self._lock = Lock()
        self._waiting: list[_Part[Any]] = []
        self._busy = False

    def write(self, decide: Decide[T]) -> T:
        """Do something in a transaction, perhaps with others; what it raises is raised here."""
        mine = _Part(decide)
        with self._lock:
            self._waiting.append(mine)
            leading, self._busy = not self._busy, True
        if not leading:
            mine.woken.wait()
        if not mine.over:
            self._lead()
        if mine.error is not None:
            raise mine.error
        return cast("T", mine.result)

    def _lead(self) -> None:
        """Do what waits, and wake those who waited; the first of those who came meanwhile leads next."""
        with self._lock:
            parts, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
        if not self._tried(parts):
            for each in parts:
                self._tried([each])
        with self._lock:
            following = self._waiting[:1]
            self._busy = bool(following)
        for each in parts:
            each.over = True
        for each in (*following, *parts):
            each.woken.set()

    def _tried(self, parts: list[_Part[Any]]) -> bool:
        """Do some parts; false if several of them were undone before the transaction came to its end."""
        ending = False
        try:
            with self._writing() as connection:
                for each in parts:
                    each.do(connection)
                ending = True
        except BaseException as error:
            for each in parts:
                each.error = error
            return ending or len(parts) == 1  # whether an end that fails has come about is not known: it is not tried twice
        return True

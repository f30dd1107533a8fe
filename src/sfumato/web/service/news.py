"""News for open pages: an account hears that something of its own has changed, and its page asks what."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

_QUIET = 20.0  # seconds after which a sign of life is sent, so that nobody in between ends the connection
_MOST = 8  # pages of one account that listen


class News:
    """One for each service. It may be told from any thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listening: dict[str, list[asyncio.Event]] = {}
        self._over = False

    def open(self) -> None:
        """Begin, in the loop that answers requests."""
        self._loop, self._over = asyncio.get_running_loop(), False

    def close(self) -> None:
        """End all streams: an open page must not keep the service from ending."""
        self._over = True
        self._wake([each for events in self._listening.values() for each in events])

    def tell(self, *accounts: str) -> None:
        """Something of these accounts has changed."""
        self._wake([event for account in set(accounts) for event in self._listening.get(account, ())])

    def tell_everybody(self) -> None:
        """The catalogue has changed."""
        self.tell(*list(self._listening))

    def leave(self, account: str) -> None:
        """An account is closed: its pages hear nothing more."""
        mine = self._listening.pop(account, [])
        events = list(mine)
        mine.clear()
        self._wake(events)

    def _wake(self, events: list[asyncio.Event]) -> None:
        if self._loop is None or self._loop.is_closed():
            return
        for event in events:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                self._loop.call_soon_threadsafe(event.set)

    async def stream(self, account: str) -> AsyncIterator[str]:
        """What a page of an account hears, as server-sent events."""
        mine = self._listening.setdefault(account, [])
        event = asyncio.Event()
        mine.append(event)
        if len(mine) > _MOST:
            mine.pop(0).set()
        try:
            yield "retry: 2000\n\n"
            while not self._over and event in mine:
                try:
                    await asyncio.wait_for(event.wait(), _QUIET)
                except TimeoutError:
                    yield ": \n\n"
                    continue
                event.clear()
                if not self._over and event in mine:
                    yield "event: changed\ndata: \n\n"
        finally:
            if event in mine:
                mine.remove(event)

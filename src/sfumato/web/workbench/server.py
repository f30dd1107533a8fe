"""The web server, which Ctrl-C ends: for a command that runs until then, that is no error."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

_ENDING = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """Uvicorn raises the signal again when everything is closed; here it has done what it was sent for."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End what is going on, and answer no more."""
        before = {each: signal.signal(each, self.handle_exit) for each in _ENDING}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

"""The web server, which Ctrl-C ends: for a command that runs until then, that is no error."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

_ENDING = (signal.SIGINT, signal.SIGTERM)


class Server(uvicorn.Server):
    """Uvicorn raises the signal again when everything is closed; here it has done what it was sent for. `ending` ends what would go on
    for ever, which uvicorn waits for."""

    def __init__(self, config: uvicorn.Config, ending: Callable[[], None] = lambda: None) -> None:
        super().__init__(config)
        self._ending = ending

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal came."""
        self._ending()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End what is going on, and answer no more."""
        before = {each: signal.signal(each, self.handle_exit) for each in _ENDING}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

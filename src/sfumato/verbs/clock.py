"""How long each step of a verb takes."""

from __future__ import annotations

import time


class Clock:
    """The seconds that each step took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, step: str) -> None:
        """A step has ended."""
        now = time.perf_counter()
        self.seconds[step], self._last = now - self._last, now

"""A search that may take no longer than some seconds: when the time is up it is stopped as Ctrl-C stops it."""

from __future__ import annotations

import time
from math import inf

from sfumato.errors import UsageError, argument
from sfumato.progress import Progress


def require_seconds(time_limit: float | None) -> None:
    """Refuse a limit that is no number of seconds."""
    if time_limit is not None and not 0 < time_limit < inf:
        raise UsageError("give the seconds as a number above 0", where=argument("time_limit"))


def too_short() -> UsageError:
    """What is told when there is nothing to show yet."""
    return UsageError("no node was found within the time; give it more", where=argument("time_limit"))


class Deadline:
    """Progress that is told to another one, and that raises KeyboardInterrupt when the time is up; then it is `over`."""

    def __init__(self, seconds: float, progress: Progress | None) -> None:
        self.at, self.progress, self.over = time.monotonic() + seconds, progress, False

    def __call__(self, done: int, total: int) -> None:
        if self.progress:
            self.progress(done, total)
        if time.monotonic() > self.at:
            self.over = True
            raise KeyboardInterrupt

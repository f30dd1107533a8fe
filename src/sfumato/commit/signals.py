"""Stop signals that come while files take their places wait until all have theirs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def deferred() -> Iterator[None]:
    """Hold back Ctrl-C and requests to stop; they are obeyed afterwards. Other threads than the main one get no signals anyway."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    waiting: list[int] = []

    def wait(number: int, frame: FrameType | None) -> None:
        waiting.append(number)

    replaced = [number for number, handler in before.items() if callable(handler)]
    for number in replaced:
        signal.signal(number, wait)
    try:
        yield
    finally:
        for number in replaced:
            signal.signal(number, before[number])
        for number in waiting[:1]:
            signal.raise_signal(number)

"""Locks of folders: who writes into one waits until nobody else does. A lock ends with its process, however that ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no such locks: there, names are exclusive all the same
    fcntl = None  # type: ignore[assignment]

Number = tuple[int, int]
_held: ContextVar[frozenset[Number]] = ContextVar("held", default=frozenset())


def holding() -> bool:
    """Whether the caller holds a lock: then it must not wait for another one, or two runs could wait for each other."""
    return bool(_held.get())


@contextmanager
def held(*folders: Path, wait: bool = True) -> Iterator[bool]:
    """Lock folders, in an order that is the same for everybody; whether all are locked, if one does not `wait`. What the caller holds
    already is not locked twice. Folders that cannot be locked, as on some network drives, are passed over."""
    if fcntl is None:
        yield True
        return
    with ExitStack() as stack:
        opened: dict[Number, int] = {}
        for folder in folders:
            with suppress(OSError):
                descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
                stack.callback(os.close, descriptor)
                about = os.fstat(descriptor)
                opened.setdefault((about.st_dev, about.st_ino), descriptor)
        mine = _held.get()
        try:
            for number in sorted(set(opened) - mine):
                _lock(opened[number], wait=wait)
        except BlockingIOError:
            yield False
            return
        token = _held.set(mine | set(opened))
        stack.callback(_held.reset, token)
        yield True


def _lock(descriptor: int, *, wait: bool) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        raise
    except OSError:  # a drive without locks
        return

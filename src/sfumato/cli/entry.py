"""The entry point, which imports next to nothing: whoever stops the command while the rest is being loaded gets an answer, too.

Until a command runs there is nothing to clean up, so a signal ends the process at once. After that it is a KeyboardInterrupt, which
lets the command remove what it has begun. Further signals are not heard while it does so; after some seconds they end the process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

INTERRUPTED = 130
STOPPED = "interrupted; nothing was written"
TWICE = "interrupted twice; temporary data may be left, which the next run removes"
_PATIENCE = 5.0  # seconds that cleaning up may take before a second signal ends it
_AGAIN = 0.05  # seconds until a signal that a finalizer has swallowed comes again
_SELDOM = 100_000  # new objects between two looks for unused ones: loading makes many objects, and all are used

received: list[float] = []  # when stop signals came
_running: list[bool] = []  # whether a command runs


def main() -> NoReturn:
    """Listen to stop signals, then load the commands and run one."""
    listen()
    gc.set_threshold(_SELDOM, *gc.get_threshold()[1:])
    from sfumato.cli.main import main as command

    command()


def listen() -> None:
    """Answer to stop signals."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP, and nohup ignores it
        if number is not None and not (name == "SIGHUP" and signal.getsignal(number) is signal.SIG_IGN):
            signal.signal(number, _stop)


def run_begins() -> None:
    """From now on a stop signal is a KeyboardInterrupt."""
    _running.append(True)
    sys.unraisablehook = _unraisable


def run_ends() -> None:
    """The command is done, whatever comes now: a stop signal can change nothing any more."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def _stop(number: int, frame: FrameType | None) -> None:
    received.append(monotonic())
    if not _running:
        _leave(STOPPED)
    if len(received) == 1:
        raise KeyboardInterrupt
    if received[-1] - received[0] > _PATIENCE:
        _leave(TWICE)


def _leave(message: str) -> NoReturn:
    """End the process as it is, with its one line: modules that are half loaded cannot end in an orderly way."""
    if "--json" in sys.argv:
        error = f'"code": "interrupted",\n    "message": "{message}",\n    "where": null'
        os.write(1, f'{{\n  "schema_version": 1,\n  "error": {{\n    {error}\n  }}\n}}\n'.encode())
    else:
        os.write(2, f"sfumato: {message}\n".encode())
    os._exit(INTERRUPTED)


def _unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """What goes wrong where nobody can be told; after a stop signal that is the signal itself, met in a finalizer: it comes again."""
    if not received:
        sys.__unraisablehook__(unraisable)
    elif issubclass(unraisable.exc_type, KeyboardInterrupt):
        from threading import Timer

        received.clear()
        Timer(_AGAIN, os.kill, (os.getpid(), signal.SIGINT)).start()

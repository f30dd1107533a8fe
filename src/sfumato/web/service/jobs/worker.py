"""One job in a process of its own: `python -m sfumato.web.service.jobs.worker`.

What to do comes by standard input, so that the database's password is on no command line. That pipe stays open as long as the service
lives; when it ends, the worker does, too. How far the job is goes out by standard output, one JSON object per line.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any

from sfumato.errors import SfumatoError
from sfumato.web.service.jobs.tasks import Given, done
from sfumato.web.service.places import Places
from sfumato.web.service.store import Database, jobs

_OFTEN = 0.2  # seconds between two reports
_FAILED = 3


class _Reports:
    """Tells the service how far the job is, not too often."""

    def __init__(self) -> None:
        self._step, self._last = "", 0.0

    def step(self, name: str, engine: object = None) -> None:
        """Say what is being done now."""
        self._step = name
        self._say(None)

    def progress(self, done: int, of: int) -> None:
        """Say how much of the step is done."""
        if time.monotonic() - self._last >= _OFTEN:
            self._say(min(done / of, 1.0) if of else None)

    def _say(self, share: float | None) -> None:
        self._last = time.monotonic()
        say({"step": self._step, "share": share})


def say(what: dict[str, Any]) -> None:
    """One line for the service."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main() -> int:
    """Do the job that is described in the first line of standard input."""
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_service, daemon=True).start()
    database = Database(order["database"])
    number: int = order["job"]
    try:
        with database.reading() as connection:
            job = jobs.one(connection, number)
        if job is None:
            return _FAILED
        ending = done(Given(database, Places(Path(order["folder"])), job, _Reports(), time.time()))
        with database.writing() as connection:
            jobs.finish(connection, number, time.time(), ending(connection))
    except SfumatoError as error:
        say({"error": Places(Path(order["folder"])).unplaced(str(error))})
        return _FAILED
    except Exception as error:
        if "SFUMATO_DEBUG" in os.environ:
            traceback.print_exc()
        say({"error": f"a bug in sfumato ({type(error).__name__})"})
        return _FAILED
    return 0


def _end_with_the_service() -> None:
    sys.stdin.read()
    os._exit(_FAILED)


if __name__ == "__main__":
    sys.exit(main())

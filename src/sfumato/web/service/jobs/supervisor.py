"""Takes up what waits, and starts a process for each job. A process that dies is a job that failed, with its reason."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from sfumato.web.service.store import Database, jobs
from sfumato.web.service.store.jobs import StoredJob

_LOG = logging.getLogger("sfumato.service")
_UNREACHABLE = "the store did not answer while it was being done"
_LOOK = 2.0  # seconds after which the store is asked, even if nobody has said that there is something to do
_END = 5.0  # seconds that a worker has to end with the service


class Supervisor:
    """Does the jobs of a service, some at a time. `tell` hears of every change of a job."""

    def __init__(self, database: Database, folder: Path, tell: Callable[[StoredJob], None], workers: int = 1) -> None:
        self._database, self._folder, self._tell = database, folder, tell
        self._wanted, self._ending = threading.Event(), threading.Event()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(workers)]
        self._running: dict[int, subprocess.Popen[str]] = {}

    def start(self) -> None:
        """Take up what a service that ended has left, and begin."""
        with self._database.writing() as connection:
            jobs.take_up(connection, time.time())
        for thread in self._threads:
            thread.start()

    def wake(self) -> None:
        """There is something to do."""
        self._wanted.set()

    def stop(self) -> None:
        """End. What is being done now waits for the next start."""
        self._ending.set()
        self._wanted.set()
        for process in list(self._running.values()):
            process.terminate()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(_END)

    def _run(self) -> None:
        lost: StoredJob | None = None
        while not self._ending.is_set():
            job: StoredJob | None = None
            try:
                with self._database.writing() as connection:
                    if lost is not None:
                        jobs.fail(connection, lost.number, time.time(), _UNREACHABLE)
                        lost = None
                    job = jobs.claim(connection)
                if job is not None:
                    self._do(job)
                    continue
            except SQLAlchemyError as error:  # a database that is restarted, for one
                _LOG.warning("the store does not answer: %s", type(error).__name__)
                lost = job or lost
            self._wanted.wait(_LOOK)
            self._wanted.clear()

    def _do(self, job: StoredJob) -> None:
        self._tell(job)
        order = {"database": self._database.address, "folder": str(self._folder), "job": job.number}
        command = [sys.executable, "-m", "sfumato.web.service.jobs.worker"]
        errors = None if "SFUMATO_DEBUG" in os.environ else subprocess.DEVNULL
        # A group of its own: Ctrl-C at the terminal is for the service, which ends its workers itself.
        with subprocess.Popen(  # noqa: S603  our own module
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        ) as process:
            self._running[job.number] = process
            why = self._followed(process, order, job)
            code = process.wait()
        self._running.pop(job.number, None)
        if self._ending.is_set() and code != 0:
            return  # it is taken up at the next start
        with self._database.writing() as connection:
            if code != 0:
                jobs.fail(connection, job.number, time.time(), why or _died(code))
            ended = jobs.one(connection, job.number)
        if ended is not None:
            self._tell(ended)

    def _followed(self, process: subprocess.Popen[str], order: dict[str, object], job: StoredJob) -> str | None:
        """Write down how far a job is until its process ends; the reason if it says that it has failed."""
        assert process.stdin is not None  # noqa: S101 they are pipes
        assert process.stdout is not None  # noqa: S101
        why: str | None = None
        try:
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return None
        for line in process.stdout:
            try:
                said = json.loads(line)
            except ValueError:  # something else has written to standard output
                continue
            if "error" in said:
                why = said["error"]
                continue
            with self._database.writing() as connection:
                jobs.progress(connection, job.number, said["step"], said["share"])
                now = jobs.one(connection, job.number)
            if now is not None:
                self._tell(now)
        return why


def _died(code: int) -> str:
    if code == -signal.SIGKILL:
        return "it was killed; there may not be enough memory"
    what = signal.Signals(-code).name if -code in list(signal.Signals) else f"exit {code}"
    return f"its process died ({what})"

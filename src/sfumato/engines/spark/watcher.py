"""Is anybody there to work? A job without executors waits forever, and Spark reports it in its log only, which is off here.

A thread beside the session asks the driver. If a job waits and there has been no executor for as long as Spark's own setting allows, it
cancels the jobs, so that the command ends with one line. A job that waits while executors of ours are alive, on a busy cluster, is left
alone.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from sfumato.errors import UsageError, argument, several

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTING = "spark.scheduler.maxRegisteredResourcesWaitingTime"
_DEFAULT = "30s"  # Spark's own
_SELDOM, _OFTEN = 1.0, 0.05  # seconds between two looks


class Watcher:
    """Watches one session of ours until it is ended."""

    def __init__(self, session: SparkSession, master: str) -> None:
        self._master = master
        self._context: Any = session.sparkContext._jsc.sc()
        self._patience = int(self._context.conf().getTimeAsMs(SETTING, _DEFAULT)) / 1000
        self._since: float | None = None  # when a job was first found to wait for executors
        self._had = False  # whether there has been an executor
        self._cancelled = False  # whether jobs were cancelled, and no executor has come since
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def end(self) -> None:
        self._ended.set()

    def wrong(self) -> UsageError | None:
        """Why jobs were cancelled; None if they were not."""
        if not self._cancelled:
            return None
        if self._had:
            lost = "the connection to Spark was lost, and nothing was published"
            return UsageError(f"{lost}: no executor is left at {self._master}; start again", where=argument("engine"))
        less, longer = argument("conf", "spark.executor.memory=512m"), argument("conf", f"{SETTING}=10min")
        return UsageError(
            f"no executor answers at {self._master}; start a worker, ask for fewer cores or less memory ({less}), "
            f"or wait longer than {several(max(1, round(self._patience)), 'second')} ({longer})",
            where=argument("master"),
        )

    def _watch(self) -> None:
        step = min(_SELDOM, max(_OFTEN, self._patience / 4))
        while not self._ended.wait(step):
            with suppress(Exception):  # Java may be stopping, or have ended
                self._look()

    def _look(self) -> None:
        tracker = self._context.statusTracker()
        if len(tracker.getExecutorInfos()) > 1:  # the driver is one of them
            self._had, self._since, self._cancelled = True, None, False
        elif len(tracker.getActiveJobIds()) == 0:
            self._since = None
        elif self._since is None:
            self._since = monotonic()
        elif monotonic() - self._since >= self._patience:
            self._since, self._cancelled = None, True
            self._context.cancelAllJobs()

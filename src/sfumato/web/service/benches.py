"""The workbench of each table in the service. What takes long is done by the service's workers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from sfumato.web.bench.bench import Bench
from sfumato.web.bench.jobs import Job
from sfumato.web.service.places import Places
from sfumato.web.service.store import Database, jobs
from sfumato.web.service.store.jobs import JobState, StoredJob

_MOST = 8  # tables whose counts are kept in memory


def job_of(stored: StoredJob) -> Job:
    """A job for the pages."""
    step = "waiting for others" if stored.state is JobState.QUEUED else stored.step
    return Job(stored.task, step, stored.share, not stored.open, stored.error, stored.result)


@dataclass(frozen=True, slots=True)
class StoredWork:
    """The jobs of one table, in the store."""

    database: Database
    dataset: str
    wake: Callable[[], None]
    now: Callable[[], float]

    @property
    def current(self) -> Job | None:
        """The job that is being done, or the last one."""
        with self.database.reading() as connection:
            found = jobs.last(connection, self.dataset)
        return None if found is None else job_of(found)

    def start(self, task: str) -> bool:
        """Queue a job; False if another one of this table has not ended."""
        with self.database.writing() as connection:
            made = jobs.enqueue(connection, self.dataset, task, self.now())
        self.wake()
        return made is not None


class Benches:
    """The benches that were used last."""

    def __init__(self, database: Database, places: Places, wake: Callable[[], None], now: Callable[[], float]) -> None:
        self._database, self._places, self._wake, self._now = database, places, wake, now
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Bench] = OrderedDict()

    def of(self, dataset: str) -> Bench:
        """The bench of a table."""
        with self._lock:
            if dataset not in self._known:
                work = StoredWork(self._database, dataset, self._wake, self._now)
                self._known[dataset] = Bench(self._places.project(dataset), work, here=False)
                while len(self._known) > _MOST:
                    self._known.popitem(last=False)
            self._known.move_to_end(dataset)
            return self._known[dataset]

    def forget(self, dataset: str) -> None:
        """A table is gone."""
        with self._lock:
            self._known.pop(dataset, None)

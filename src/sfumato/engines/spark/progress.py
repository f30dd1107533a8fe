"""How far Spark is: the share of tasks that are done, of the stages that have begun.

Spark plans the next stage when it has seen the last one, so nobody knows the share of a whole query. On a Spark that others use, too,
their work is counted along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sfumato.engines.spark.session import is_remote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Share = Callable[[], float | None]


def share_of(session: SparkSession) -> Share:
    """A function that tells how far a session is, in any thread."""
    return Reported(session).share if is_remote(session) else Asked(session).share


class Asked:
    """The tracker of a Spark whose driver is here."""

    def __init__(self, session: SparkSession) -> None:
        self._tracker = session.sparkContext.statusTracker()

    def share(self) -> float | None:
        with suppress(Exception):  # Java may be gone
            return done_of((each.numCompletedTasks, each.numTasks) for each in self._begun())
        return None

    def _begun(self) -> Iterable[Any]:
        """The stages of what is running, without those that wait or that are skipped in the end."""
        jobs = filter(None, map(self._tracker.getJobInfo, self._tracker.getActiveJobsIds()))
        stages = filter(None, (self._tracker.getStageInfo(stage) for job in jobs for stage in job.stageIds))
        return (stage for stage in stages if stage.numActiveTasks or stage.numCompletedTasks)


class Reported:
    """What a server of Spark Connect tells from time to time while it works."""

    def __init__(self, session: SparkSession) -> None:
        self._last: float | None = None
        session.registerProgressHandler(self._hear)  # type: ignore[arg-type]  # any function will do

    def _hear(self, stages: Iterable[Any] | None, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        self._last = None if done else done_of((each.num_completed_tasks, each.num_tasks) for each in stages or ())

    def share(self) -> float | None:
        return self._last


def done_of(stages: Iterable[tuple[int, int]]) -> float | None:
    """The share of tasks that are done, from the tasks done and all tasks of each stage.

    >>> done_of([(4, 4), (2, 8)]), done_of([])
    (0.5, None)
    """
    counted = list(stages)
    every = sum(tasks for _, tasks in counted)
    return sum(done for done, _ in counted) / every if every else None

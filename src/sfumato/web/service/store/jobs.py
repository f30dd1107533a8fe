"""Jobs that wait, are being done, or have ended. One at a time for each table; deliveries besides, one for each negotiation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sfumato.web.service.store.tables import dataset, job

MOST_ATTEMPTS = 3
GAVE_UP = "the service ended while it was being done, several times; it may need more memory than there is"


class JobState(StrEnum):
    """How far a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class StoredJob:
    """A job as it was last written down."""

    number: int
    dataset: str
    negotiation: str | None
    task: str
    arguments: Mapping[str, Any] | None
    state: JobState
    step: str
    share: float | None
    error: str | None
    result: Mapping[str, Any] | None
    attempts: int
    created: float
    ended: float | None

    @property
    def open(self) -> bool:
        return self.state in (JobState.QUEUED, JobState.RUNNING)


def _of(row: sa.Row[Any]) -> StoredJob:
    return StoredJob(**{**row._mapping, "state": JobState(row.state)})


def enqueue(
    connection: Connection,
    identity: str,
    task: str,
    time: float,
    *,
    negotiation: str | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> int | None:
    """The number of a new job; None if the table (or the negotiation) has one that has not ended."""
    connection.execute(sa.select(dataset.c.id).where(dataset.c.id == identity).with_for_update())
    before = last(connection, identity, negotiation)
    if before is not None and before.open:
        return None
    return add(connection, identity, task, time, negotiation=negotiation, arguments=arguments)


def add(
    connection: Connection,
    identity: str,
    task: str,
    time: float,
    *,
    negotiation: str | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> int:
    """The number of a new job, which waits for those before it."""
    values = {
        "dataset": identity,
        "negotiation": negotiation,
        "task": task,
        "arguments": None if arguments is None else dict(arguments),
        "state": JobState.QUEUED.value,
        "created": time,
    }
    return int(connection.execute(sa.insert(job).values(values).returning(job.c.number)).scalar_one())


def again(connection: Connection, number: int) -> bool:
    """Queue a job that failed once more; False if it has not failed."""
    failed = (job.c.number == number) & (job.c.state == JobState.FAILED.value)
    fresh = {"state": JobState.QUEUED.value, "error": None, "step": "", "share": None, "attempts": 0, "ended": None}
    return connection.execute(sa.update(job).where(failed).values(fresh)).rowcount == 1


def last(connection: Connection, identity: str, negotiation: str | None = None) -> StoredJob | None:
    """The newest job of a table, or of a negotiation about it."""
    query = sa.select(job).where(job.c.dataset == identity, job.c.negotiation.is_not_distinct_from(negotiation))
    found = connection.execute(query.order_by(job.c.number.desc()).limit(1)).first()
    return None if found is None else _of(found)


def one(connection: Connection, number: int) -> StoredJob | None:
    """A job by its number."""
    found = connection.execute(sa.select(job).where(job.c.number == number)).first()
    return None if found is None else _of(found)


def claim(connection: Connection) -> StoredJob | None:
    """The next job that waits; it is being done from now on."""
    waiting = sa.select(job).where(job.c.state == JobState.QUEUED.value).order_by(job.c.number).limit(1)
    found = connection.execute(waiting.with_for_update(skip_locked=True)).first()
    if found is None:
        return None
    attempts = found.attempts + 1
    changed = sa.update(job).where(job.c.number == found.number)
    connection.execute(changed.values(state=JobState.RUNNING.value, attempts=attempts))
    return _of(found)


def progress(connection: Connection, number: int, step: str, share: float | None) -> None:
    """Write down how far a job is."""
    running = (job.c.number == number) & (job.c.state == JobState.RUNNING.value)
    connection.execute(sa.update(job).where(running).values(step=step[:200], share=share))


def finish(connection: Connection, number: int, time: float, result: Mapping[str, Any]) -> None:
    """A job has done what it was to do."""
    values = {"state": JobState.DONE.value, "result": dict(result), "ended": time, "share": None, "error": None}
    connection.execute(sa.update(job).where(job.c.number == number).values(values))


def fail(connection: Connection, number: int, time: float, why: str) -> bool:
    """A job that is being done has failed; False if it has ended otherwise."""
    running = (job.c.number == number) & (job.c.state == JobState.RUNNING.value)
    values = {"state": JobState.FAILED.value, "error": why, "ended": time, "share": None}
    return connection.execute(sa.update(job).where(running).values(values)).rowcount == 1


def take_up(connection: Connection, time: float) -> int:
    """After a restart: what was being done waits again, unless it has ended the service too often. How many wait."""
    running = job.c.state == JobState.RUNNING.value
    too_often = running & (job.c.attempts >= MOST_ATTEMPTS)
    connection.execute(sa.update(job).where(too_often).values(state=JobState.FAILED.value, error=GAVE_UP, ended=time))
    connection.execute(sa.update(job).where(running).values(state=JobState.QUEUED.value, step="", share=None))
    return connection.execute(sa.select(sa.func.count()).where(job.c.state == JobState.QUEUED.value)).scalar_one()

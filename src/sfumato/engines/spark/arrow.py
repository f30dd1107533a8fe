"""Results of Spark in Arrow. pyspark waits for the end of a job even if Ctrl-C comes in the middle, which may be hours later; so it waits
in a thread of its own, and the job is cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_T = TypeVar("_T")


def to_arrow(frame: DataFrame) -> pa.Table:
    """All rows of a frame."""
    session, tag = frame.sparkSession, f"sfumato-{uuid4().hex}"
    remote = ".connect." in type(session).__module__
    mark, cancel = (
        (session.addTag, session.interruptTag)
        if remote
        else (session.sparkContext.addJobTag, session.sparkContext.cancelJobsWithTag)
    )

    def collect() -> pa.Table:
        mark(tag)
        return frame.toArrow()

    try:
        return in_time(None, collect)
    except KeyboardInterrupt:
        with suppress(Exception):
            cancel(tag)
        raise


def in_time(patience: float | None, start: Callable[[], _T]) -> _T | None:
    """What a function gives within so many seconds, or None; what goes wrong is raised."""
    found: list[_T] = []
    wrong: list[BaseException] = []

    def run() -> None:
        try:
            found.append(start())
        except BaseException as error:
            wrong.append(error)

    thread = threading.Thread(target=run, daemon=True)  # in this thread, it would take over Ctrl-C
    thread.start()
    thread.join(patience)
    if wrong:
        raise wrong[0]
    return found[0] if found else None

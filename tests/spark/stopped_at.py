"""One command on Spark, again and again in one process, stopped by a signal at another moment each time; at last Java is killed.

Prints the exit status of each as JSON; what a user would see is on standard error. Java is started once: that takes the most time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import py4j.java_gateway as gateway
from py4j.clientserver import ClientServerConnection
from py4j.protocol import MEMORY_COMMAND_NAME
from pyspark.sql.pandas.serializers import ArrowCollectSerializer

from sfumato.cli import entry
from sfumato.cli.main import run
from sfumato.engines.spark import session as sessions
from tests.conftest import SMALL_SPARK
from tests.spark.cluster import until

CALLS = 6  # of those to Java, at so many of which a signal comes


def stop() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@contextmanager
def patched(owner: Any, name: str, at: int = 0) -> Iterator[list[int]]:
    """Stop when a function is called for the `at`-th time, and count how often it is called; 0 is never. A signal that a finalizer
    swallows comes again, perhaps when the command is done, so that has a moment of its own."""
    before, calls = getattr(owner, name), [0]

    def stopping(*arguments: Any, **named: Any) -> Any:
        counted = not (name == "send_command" and arguments[1].startswith(MEMORY_COMMAND_NAME))  # those are of finalizers
        calls[0] += counted
        if counted and calls[0] == at:
            stop()
        return before(*arguments, **named)

    setattr(owner, name, stopping)
    try:
        yield calls
    finally:
        setattr(owner, name, before)


def kill() -> None:
    assert sessions._running is not None
    os.kill(sessions._running.gateway.proc.pid, signal.SIGKILL)


@contextmanager
def in_a_job(act: Callable[[], None]) -> Iterator[None]:
    """Do something as soon as Spark works on a job."""
    assert sessions._running is not None
    tracker = sessions._running.session.sparkContext.statusTracker()
    watching = Thread(target=lambda: (until(tracker.getActiveJobsIds, 0.001), act()))
    watching.start()
    yield
    watching.join()


def main(words: list[str]) -> None:
    entry.listen()
    entry.run_begins()
    sessions.session_for(sessions.Settings(master="local[2]", conf=SMALL_SPARK))
    with patched(ClientServerConnection, "send_command") as calls:
        statuses = {"whole": run(words)}
    moments: dict[str, Callable[[], Any]] = {
        f"call {at}": lambda at=at: patched(ClientServerConnection, "send_command", at)  # type: ignore[misc]
        for at in (1 + place * (calls[0] - 1) // CALLS for place in range(CALLS))
    }
    moments["job"] = lambda: in_a_job(stop)
    moments["rows"] = lambda: patched(ArrowCollectSerializer, "load_stream", 1)
    moments["finalizer"] = lambda: patched(gateway, "_garbage_collect_object", 1)
    moments["killed"] = lambda: in_a_job(kill)
    for name, moment in moments.items():
        entry.received.clear()
        with moment():
            statuses[name] = run([*words, "--force"])
    sys.stdout.write(json.dumps(statuses) + "\n")
    sessions.stop()


if __name__ == "__main__":
    main(sys.argv[1:])

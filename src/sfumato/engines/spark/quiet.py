"""What Spark and py4j print of their own accord in this process: errors with all that they quote, and tracebacks of what is raised, too.

py4j reports through the root logger, which everybody uses: only records that were made in its own files are dropped.
"""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PY4J = "py4j"
_SPARKS = "SQLQueryContextLogger"


class _Others(logging.Filter):
    """Lets everybody's records pass except py4j's."""

    def filter(self, record: logging.LogRecord) -> bool:
        return _PY4J not in Path(record.pathname).parts


class _Silence:
    """Begun and ended several times, perhaps by several threads: it lasts from the first beginning to the last end."""

    def __init__(self) -> None:
        self._depth, self._lock, self._filter = 0, threading.RLock(), _Others()
        self._before = (False, True)

    def begin(self) -> None:
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                sparks, py4j = logging.getLogger(_SPARKS), logging.getLogger(_PY4J)
                self._before = sparks.disabled, py4j.propagate
                logging.getLogger().addFilter(self._filter)
                # The root logger has a handler as soon as py4j has used it, and then whatever py4j's own loggers say is printed, too.
                sparks.disabled, py4j.propagate = True, False

    def end(self) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                logging.getLogger().removeFilter(self._filter)
                logging.getLogger(_SPARKS).disabled, logging.getLogger(_PY4J).propagate = self._before


silence = _Silence()


@contextmanager
def quiet() -> Iterator[None]:
    """Run something of which neither Spark nor py4j says anything itself."""
    silence.begin()
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="pyspark")
            yield
    finally:
        silence.end()

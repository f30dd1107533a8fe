"""Spark's errors in our words: errors of the engine, for one about the table would say that a release is wrong.

Spark's messages quote rows and values, so none of them is shown. What helps to find a fault, the names of exceptions and the places in
the code, goes to a file that is named.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sfumato.engines.spark.quiet import quiet
from sfumato.errors import OutputError, SfumatoError, UsageError, argument, raise_alone
from sfumato.temporary import PREFIX

LOG = "java.log"  # in a folder of its own, which only its owner can enter
_FRAME = re.compile(r"\s*at [\w.$/<>]+\([\w. :$]*\)")
_NAMED = re.compile(r"\s*(?:Caused by: )?((?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error|Failure))")
_LOST = ("SparkContext was shut down", "stopped SparkContext", "Answer from Java side is empty", "RpcError", "Connection refused")
_ROOM = ("OutOfMemoryError", "maxResultSize", "Not enough memory to build and broadcast")
_UNSEEN = ("FILE_NOT_EXIST", "FileNotFoundException", "PATH_NOT_FOUND", "FAILED_READ_FILE", "NoSuchFileException")
_SHUT = ("Permission denied", "Mkdirs failed", "AccessDeniedException", "Read-only file system")
_FULL = ("No space left on device", "Disk quota exceeded")


class _Kept:
    """The files that an error has named: those stay."""

    def __init__(self) -> None:
        self._named: set[Path] = set()

    def __call__(self, log: Path | None, error: BaseException | None = None, *, whole: bool = False) -> Path:
        """A file with what is known of an error, a new one if none is given; as a `whole` if no row can have been read yet."""
        if log is None:
            log = Path(tempfile.mkdtemp(prefix="sfumato-spark-"), LOG)
        with log.open("a", encoding="utf-8") as opened:
            lines = text_of(error).splitlines() if error is not None and whole else _without_values(error)
            opened.writelines(f"{line}\n" for line in lines)
        self._named.add(log)
        return log

    def forget(self, log: Path) -> None:
        """Remove a file that no error has named, and its folder."""
        if log not in self._named:
            shutil.rmtree(log.parent, ignore_errors=True)


log_kept = _Kept()


def _without_values(error: BaseException | None) -> Iterator[str]:
    """The names of exceptions and the places in the code; messages are left out."""
    if error is None:
        return
    yield type(error).__name__
    for line in text_of(error).splitlines():
        if frame := _FRAME.match(line):
            yield frame[0]
        elif named := _NAMED.match(line):
            yield named[1]


def text_of(error: BaseException) -> str:
    """Everything that an error says, for us alone."""
    parts: list[Any] = [error, getattr(error, "_stackTrace", ""), getattr(error, "_desc", "")]
    try:
        return "\n".join(map(str, parts))
    except Exception:  # the error asks Java, which may be gone
        return type(error).__name__


@contextmanager
def reading(where: str) -> Iterator[None]:
    """Run what reads the source."""
    handled = sys.exception()
    try:
        with quiet():
            yield
    except (SfumatoError, GeneratorExit, KeyboardInterrupt):
        raise
    except Exception as error:
        _require_ours(error, handled)
        raise_alone(_in_words(error, argument("engine") if PREFIX in where else where))  # a hidden name means nothing to the user


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Run what reads the source and writes a release."""
    handled = sys.exception()
    try:
        with quiet():
            yield
    except (SfumatoError, KeyboardInterrupt):
        raise
    except Exception as error:
        _require_ours(error, handled)
        text = text_of(error)
        if any(sign in text for sign in _SHUT):
            message = "the executors cannot write here; it must be a folder that all machines share, and that you can write to"
            raise_alone(OutputError(message, where=str(path)))
        raise_alone(_in_words(error, argument("engine")))


@contextmanager
def leaving() -> Iterator[None]:
    """Run what lets go of something in Spark, which may be lost already."""
    handled = sys.exception()
    try:
        with quiet():
            yield
    except Exception as error:
        if _hides_interrupt(error, handled):
            raise_alone(KeyboardInterrupt())


def _require_ours(error: Exception, handled: BaseException | None) -> None:
    """Pass on what is not from Spark. Ctrl-C breaks the connection, and what Spark says of that hides it."""
    from sfumato.engines.spark.session import has_ended

    if _hides_interrupt(error, handled):
        raise_alone(KeyboardInterrupt())
    if not is_sparks(error) and not has_ended():
        raise error


def _hides_interrupt(error: BaseException | None, handled: BaseException | None) -> bool:
    """Whether an error arose while Ctrl-C was handled, and not only within a handler that was running before."""
    while error is not None and error is not handled and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None and error is not handled


def is_sparks(error: Exception) -> bool:
    """Whether an error comes from Spark, or from the way to it."""
    return type(error).__module__.split(".")[0] in ("pyspark", "py4j", "grpc") or isinstance(error, ConnectionError)


def _is_lost(error: Exception, text: str) -> bool:
    """Whether the way to Spark is interrupted: py4j has its own error for that, or one without anything that Java has said."""
    from sfumato.engines.spark.session import has_ended

    name = type(error).__name__
    broken = isinstance(error, ConnectionError) or name == "Py4JNetworkError" or (name == "Py4JError" and "Trace:" not in text)
    return broken or any(sign in text for sign in _LOST) or has_ended()


def _in_words(error: Exception, where: str) -> UsageError:
    from sfumato.engines.spark.session import log_of_session, without_executors

    if (nobody := without_executors()) is not None:
        return nobody
    text, log = text_of(error), log_kept(log_of_session(), error)
    more = f"; where it failed is in {log}"
    if _is_lost(error, text):
        message = f"the connection to Spark was lost, and nothing was published; start again{more}"
        return UsageError(message, where=argument("engine"))
    return UsageError(_what_failed(text, more), where=where)


def _what_failed(text: str, more: str) -> str:
    if any(sign in text for sign in _ROOM):
        return f"Spark has too little memory; raise {argument('conf', 'spark.driver.memory=4g')}, or spark.executor.memory{more}"
    if any(sign in text for sign in _FULL):
        return f"a disk is full; free some space, or name another folder with {argument('temp')}{more}"
    if any(sign in text for sign in _UNSEEN):
        return (
            "the executors do not see a file that is here; the table and the folder for temporary data "
            f"({argument('temp')}) must lie where all machines see them{more}"
        )
    if "EMPTY_PARTITION_COLUMN_VALUE" in text:
        return "a folder of the table is named after a column without a value (`column=`), which Spark does not read"
    return f"Spark has failed{more}"

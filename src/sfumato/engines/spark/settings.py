"""The settings that a user passes on to Spark: which are refused, and which one Spark did not take."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sfumato.engines.spark.counting import LIMIT, kilobytes
from sfumato.errors import UsageError, argument

LEAST = 512  # megabytes that Spark needs to start
# Settings that would break what we promise, or that have an option of their own.
_REFUSED = {
    "spark.master": f"the address of Spark is {argument('master')}",
    "spark.log.level": "Spark logs nothing here, because what it logs quotes values of the table",
}
# What Spark says of settings that it does not name: in org.apache.spark.deploy.SparkSubmitArguments.
_UNNAMED = {
    "Executor memory must be": "spark.executor.memory",
    "Executor cores must be": "spark.executor.cores",
    "Total executor cores must be": "spark.cores.max",
    "Number of executors must be": "spark.executor.instances",
}


def require_free(conf: Mapping[str, str]) -> None:
    """Refuse settings that are not the user's."""
    for name in conf:
        if name in _REFUSED:
            raise UsageError(f"{name} cannot be set: {_REFUSED[name]}", where=argument("conf"))


def enough_to_start(memory: str) -> float:
    """The memory of the driver in kilobytes; refuses what Spark would not start with."""
    size = kilobytes(memory)
    if size is None:
        raise UsageError("spark.driver.memory is not an amount of memory; 4g would work", where=argument("conf"))
    if size < LEAST * 1024:
        raise UsageError(
            "the memory of the driver is too small for Spark; spark.driver.memory=1g would work", where=argument("conf")
        )
    return size


def require_room_for_results(limit: str | None) -> None:
    """Refuse a limit under which Spark loses what the tasks return: then it only says that something was lost. 0 is none."""
    size = None if limit is None else kilobytes(limit)
    if limit is not None and (size is None or 0 < size < 1024):
        raise UsageError(
            f"{LIMIT} is too small, or no amount of memory; {LIMIT}=1g would work, or leave it out", where=argument("conf")
        )


def not_taken(text: str, asked: Mapping[str, str]) -> UsageError | None:
    """The refusal of the first of these settings that Spark complains about when it does not start, naming it and its value; None if there
    is none."""
    unnamed = {name for sign, name in _UNNAMED.items() if sign in text}
    for name, value in asked.items():
        if name in unnamed or (value in text and re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.]*\w)", text)):
            return refusal(name)
    return None


def refusal(name: str) -> UsageError:
    """Spark does not take the value of a setting."""
    return UsageError(f"Spark does not take this value of {name}", where=argument("conf"))

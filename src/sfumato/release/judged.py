"""The last word of the models on a release: about the classes as they were read back from the file, before it is put in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType

from sfumato.errors import NotVerified
from sfumato.frequency import FrequencySet
from sfumato.models import Verdict

Judge = Callable[[FrequencySet, int], Sequence[Verdict]]


def recounted(kept: FrequencySet, written: FrequencySet) -> FrequencySet:
    """The kept classes with the counts of the file. Where people have several rows the file shows rows only."""
    if kept.basis == "owner":
        return replace(kept, rows=written.rows)
    payloads = {
        name: replace(payload, rows=written.payloads[name].rows, people=written.payloads[name].rows)
        for name, payload in kept.payloads.items()
    }
    people = int(written.rows.sum())
    return replace(
        kept, rows=written.rows, people=written.rows, total_people=people, payloads=MappingProxyType(payloads), incidence=None
    )


def judged(judge: Judge | None, counts: FrequencySet, suppressed: int) -> Sequence[Verdict] | None:
    """The verdicts, if somebody judges; refuses a release that does not satisfy every model."""
    if judge is None:
        return None
    verdicts = judge(counts, suppressed)
    for verdict in verdicts:
        if verdict.satisfied is not True:
            what = "is violated by" if verdict.satisfied is False else f"cannot be judged ({verdict.reason}) on"
            of = f" of {verdict.sensitive!r}" if verdict.sensitive else ""
            raise NotVerified(f"{verdict.model}{of} {what} the written file; nothing was published")
    return verdicts

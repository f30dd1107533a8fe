"""What a small suppression would save: a few people with rare values often force everybody's values to be coarser."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from threading import Event
from typing import Any

from sfumato.errors import UsageError, several
from sfumato.progress import Progress
from sfumato.search.algorithms.search import Search
from sfumato.search.outcome import Found, Interrupted
from sfumato.search.problem import Problem
from sfumato.vocabulary.node import Node

SHARES = (Decimal("0.01"), Decimal("0.02"), Decimal("0.05"))
WORTH = 0.85  # of the loss: what is left of it must be less
_AT_LEAST = 0.5  # seconds for further searches
_TURN = 0.0005  # seconds: whoever writes asks the engine many short questions, and waits a turn of the search after each


@dataclass(frozen=True, slots=True)
class Advice:
    """A share of people who might be suppressed, how many they are at the most, and what the loss would be, where it is now."""

    share: Decimal
    people: int
    minimize: str
    loss: float
    now: float
    node: Node

    def __str__(self) -> str:
        return (
            f"if up to {several(self.people, 'person', 'people')} may be suppressed (--suppress {self.share:.0%}), "
            f"the {self.minimize} falls from {self.now:.3g} to {self.loss:.3g}"
        )

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "suppress": float(self.share),
            "people": self.people,
            "loss": {"now": self.now, "then": self.loss},
            "node": self.node.as_dict(),
        }


@contextmanager
def advising(problem: Problem, loss: str, found: Found, seconds: float) -> Iterator[Callable[[], Advice | None]]:
    """Look for advice beside what is done within: to write a release is to wait for the engine most of the time. Whatever ends that early
    ends the looking, too. What is given waits for the advice."""
    stop, usual = Event(), sys.getswitchinterval()
    with ThreadPoolExecutor(1) as aside:
        looking = aside.submit(advise, problem, loss, found, seconds, stop)
        sys.setswitchinterval(_TURN)
        try:
            yield looking.result
        except BaseException:
            stop.set()
            raise
        finally:
            sys.setswitchinterval(usual)


def advise(problem: Problem, loss: str, found: Found, seconds: float, stop: Event) -> Advice | None:
    """The smallest of the usual shares of people whose suppression would lower the loss by much; None if there is none. All of them
    together are searched for about as long as the release was."""
    now, until = float(found.evaluation[loss]), time.monotonic() + max(_AT_LEAST, seconds)
    for share in SHARES:
        limit, left = int(share * problem.people), until - time.monotonic()
        if limit <= problem.limit or left <= 0:
            continue
        try:
            other = Search(minimize=loss, time_limit=left).run(replace(problem, limit=limit), loss, progress=_until(stop))
        except (UsageError, Interrupted):  # not one node within the time, or nobody waits for it any more
            return None
        if isinstance(other, Found) and other.evaluation[loss] < WORTH * now:
            return Advice(share, limit, loss, float(other.evaluation[loss]), now, other.node)
    return None


def _until(stop: Event) -> Progress:
    """What ends a search as Ctrl-C does; a signal itself reaches only the main thread."""

    def go_on(done: int, total: int) -> None:
        if stop.is_set():
            raise KeyboardInterrupt

    return go_on

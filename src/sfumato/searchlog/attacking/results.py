"""What came of the attacks on a log and its release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.intervals import LEVEL, wilson
from sfumato.results import Rows

HEADS = ("attacker", "log", "targets", "rate", "low", "high", "baseline", "alone", "candidates")


@dataclass(frozen=True, slots=True)
class Leak:
    """What candidates give away of a secret topic. `distribution` and `entropy` are L_PD and L_PE of the belief about a target against the
    shares of all people: the mean over targets, and the largest. Of the targets who have a topic (`tries`), the attacker names that of
    `hits`; whoever knows the shares only, that of `baseline` of them."""

    topics: int
    distribution: tuple[float, float]
    entropy: tuple[float, float]
    tries: int
    hits: int
    baseline: float

    def as_dict(self) -> dict[str, Any]:
        low, high = wilson(self.hits, self.tries)
        losses = {"distribution": dict(zip(("mean", "max"), self.distribution, strict=True))}
        losses["entropy"] = dict(zip(("mean", "max"), self.entropy, strict=True))
        share = self.hits / self.tries if self.tries else 0.0
        rate = {"tries": self.tries, "hits": self.hits, "rate": share, "low": low, "high": high, "baseline": self.baseline}
        return {"topics": self.topics, "losses": losses, "named": rate}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attacker on one side. `hits` are right claims about targets, in expectation where the attacker chooses among candidates; `alone`
    are targets with one candidate, who is the right one; `sizes` the numbers of candidates of those who have any. Where it could not be
    tried, `reason` says why."""

    attacker: str
    side: str
    targets: int = 0
    hits: float = 0.0
    baseline: float = 0.0
    alone: int = 0
    sizes: Sequence[int] = field(default=(), repr=False)
    leak: Leak | None = None
    reason: str | None = None

    @property
    def rate(self) -> float:
        return self.hits / self.targets if self.targets else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.hits, self.targets)

    @property
    def middle(self) -> int | None:
        """The median number of candidates."""
        return int(np.percentile(self.sizes, 50, method="lower")) if len(self.sizes) else None

    def row(self) -> tuple[Any, ...]:
        if self.reason is not None:
            return self.attacker, self.side, *(None,) * 7
        return self.attacker, self.side, self.targets, self.rate, *self.interval, self.baseline, self.alone, self.middle

    def as_dict(self) -> dict[str, Any]:
        head = {"attacker": self.attacker, "log": self.side}
        if self.reason is not None:
            return {**head, "reason": self.reason}
        low, high = self.interval
        rate = {"targets": self.targets, "hits": self.hits, "rate": self.rate, "low": low, "high": high, "level": LEVEL}
        sizes = {name: _at(self.sizes, share) for name, share in (("least", 0), ("median", 50), ("most", 100))}
        found = {"alone": self.alone, "with_candidates": len(self.sizes), "candidates": sizes}
        return {**head, **rate, "baseline": self.baseline, **found, "leak": self.leak and self.leak.as_dict()}


def _at(sizes: Sequence[int], share: int) -> int | None:
    return int(np.percentile(sizes, share, method="lower")) if len(sizes) else None


@dataclass(frozen=True, slots=True)
class Attacked:
    """What all attackers achieved. `people` are those of the log, `ids` those of the release."""

    people: int
    ids: int | None
    seed: int
    attempts: tuple[Attempt, ...]

    def table(self) -> Rows:
        """One row per attempt."""
        return Rows(HEADS, tuple(each.row() for each in self.attempts))

    def leaks(self) -> Rows:
        """One row per attempt that infers a topic."""
        rows = [
            (each.attacker, each.side, *each.leak.distribution, *each.leak.entropy, each.leak.hits, each.leak.tries)
            for each in self.attempts
            if each.leak is not None
        ]
        heads = ("attacker", "log", "L_PD mean", "L_PD max", "L_PE mean", "L_PE max", "named", "have a topic")
        return Rows(heads, tuple(rows))

    def as_dict(self) -> dict[str, Any]:
        return {"people": self.people, "ids": self.ids, "seed": self.seed, "attempts": [each.as_dict() for each in self.attempts]}

"""Background knowledge.

Who: somebody near the person: a relative, a colleague, a doctor's neighbor. What they hold: the release, the person's quasi-
identifiers, and one thing more. What they want: the sensitive value (positive disclosure), or to know that the person does not
have one (negative disclosure). The three kinds of knowledge are those of the channel paper, 3.2.1, after Chen, LeFevre and
Ramakrishnan (2007): values that the person does not have, the values of other people of the class, and people who have the same
value as the person. Of all such knowledge the most helpful is taken, so that a rate is the worst case (thesis, Example 1: Carl;
the lecture's Umeko).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Attack, Attempt
from sfumato.attacks.claims import Rule, attempt, shares, top
from sfumato.attacks.view import Secret, View
from sfumato.errors import UsageError
from sfumato.frequency import Counts, Mask
from sfumato.models.parameter import choice, share, whole
from sfumato.statistics import TOLERANCE, Floats


@dataclass(frozen=True, slots=True)
class Background(Attack):
    """`excludes`: knows so many values that the person does not have. `knows`: knows the values of so many other people of the class.
    `like`: knows so many people of the class who have the person's value. `negative`: claims that the person does not have a value that
    would be likely without the release. A claim is made if it is at least so probable."""

    name: ClassVar[str] = "background"
    threat: ClassVar[str] = "A"

    knowledge: str = field(default="excludes", metadata=choice("excludes", "knows", "like", "negative"))
    amount: int = field(default=1, metadata=whole(at_least=1, example=1))
    confidence: float = field(default=0.9, metadata=share(example=0.9))

    def __post_init__(self) -> None:
        Attack.__post_init__(self)
        if self.confidence <= 0.5:  # below it, two values could be claimed at once
            raise UsageError("confidence must be more than 0.5", where=f"attack {self.name}")

    def run(self, view: View) -> Iterable[Attempt]:
        compares = self.knowledge == "negative"
        return [attempt(self, view, secret, self._rule(secret), compares=compares) for secret in view.secrets()]

    def _rule(self, secret: Secret) -> Rule:
        if self.knowledge == "negative":
            return lambda counts, people: _ruled_out(shares(counts), secret.belief(), 1 - self.confidence)
        if self.knowledge == "like":
            return lambda counts, people: top(_alike(counts, self.amount, _one_person(counts, people)), self.confidence)
        if self.knowledge == "knows":
            return lambda counts, people: self._sure(counts, _left(counts, self.amount * _one_person(counts, people)))
        return lambda counts, people: self._sure(counts, _without_values(counts, self.amount))

    def _sure(self, counts: Counts, left: Counts | Floats) -> Mask:
        """The values that enough of those who are left have."""
        return np.asarray((counts > 0) & (counts >= self.confidence * left - TOLERANCE))


def _one_person(counts: Counts, people: Counts) -> Floats:
    """How much one person counts in each pool: 1, unless the release has groups."""
    return np.asarray(counts.sum(axis=1) / np.maximum(people, 1))[:, None]


def _without_values(counts: Counts, amount: int) -> Counts:
    """For each value, how many people of the class are left when so many of the most frequent other values are ruled out."""
    total = counts.sum(axis=1, keepdims=True)
    places = np.argsort(-counts, axis=1, kind="stable")
    ranks = np.empty_like(places)
    np.put_along_axis(ranks, places, np.arange(counts.shape[1])[None, :], axis=1)
    sums = np.cumsum(np.take_along_axis(counts, places, axis=1), axis=1)
    last = counts.shape[1] - 1
    among = sums[:, [min(amount, last)]] - counts  # ranks 0 to amount without the value itself
    ruled_out = np.where(ranks < amount, among, sums[:, [min(amount - 1, last)]])
    return np.asarray(total - np.minimum(ruled_out, total - counts))


def _left(counts: Counts, known: Floats) -> Floats:
    """For each value, how many people of the class are left when so many who have other values are known."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(total - np.minimum(known, total - counts))


def _alike(counts: Counts, amount: int, person: Floats) -> Floats:
    """How probable each value is, when so many others of the class have the same value as the person: in how many ways people with this
    value could be chosen, of all ways to choose people with one value."""
    ways = np.ones(counts.shape)
    for taken in range(amount + 1):
        ways *= np.maximum(counts - taken * person, 0) / np.maximum(counts.sum(axis=1, keepdims=True) - taken * person, person)
    total = ways.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(ways, total, out=np.zeros(ways.shape), where=total > 0))


def _ruled_out(posterior: Floats, prior: Floats, most: float) -> Mask:
    """Who does not have the value that is ruled out: of those at most so probable now and more probable before, the likeliest before."""
    ruled_out = (posterior <= most + TOLERANCE) & (prior > most + TOLERANCE) & (posterior.sum(axis=1, keepdims=True) > 0)
    value = np.where(ruled_out, prior, -1.0).argmax(axis=1)
    right = np.ones(posterior.shape, bool)
    right[np.arange(len(posterior)), value] = False
    return np.asarray(right & ruled_out.any(axis=1, keepdims=True))

"""Similarity.

Who: somebody who need not know a value exactly. What they hold: the release and a person's quasi-identifiers. What they want:
roughly what the person has. All values of a class may differ and still be diseases of the stomach, or salaries between 3 and 5
thousand (thesis, Example 3). Near values are those under one label of the sensitive attribute's hierarchy, or numbers within a
window.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Attack, Attempt, NotApplicable, about_each
from sfumato.attacks.claims import Rule, attempt, shares, top
from sfumato.attacks.fitting.matching import middles
from sfumato.attacks.view import Secret, View
from sfumato.frequency import Counts, Mask
from sfumato.models.parameter import share, whole
from sfumato.statistics import TOLERANCE, Floats


@dataclass(frozen=True, slots=True)
class Similarity(Attack):
    """Claim that the value is among near ones, if at least this share of the class is: under one label at a level of the hierarchy, or
    within a window that is this share of the range of all numbers."""

    name: ClassVar[str] = "similarity"
    threat: ClassVar[str] = "A"

    confidence: float = field(default=1.0, metadata=share(example=1))
    level: int = field(default=1, metadata=whole(at_least=1, example=1))
    window: float = field(default=0.25, metadata=share(example=0.25))

    def run(self, view: View) -> Iterable[Attempt]:
        secrets = {secret.name: secret for secret in view.secrets()}
        return about_each(self, secrets, lambda name: attempt(self, view, secrets[name], self._rule(secrets[name])))

    def _rule(self, secret: Secret) -> Rule:
        if self.level < secret.hierarchy.height:
            return _by_label(_labels(secret, self.level), self.confidence)
        numbers = middles(secret.values)
        if numbers is None or secret.hierarchy.height > 1:
            wanted = f"level {self.level} below the root" if secret.hierarchy.height > 1 else "a hierarchy, or numbers"
            raise NotApplicable(f"near values of {secret.name!r} need {wanted}: declare a hierarchy in the schema")
        return _by_window(numbers, secret.prior, self.window, self.confidence)


def _labels(secret: Secret, level: int) -> Counts:
    """The label of each value at a level; a value that the original does not have is a label of its own."""
    above = secret.hierarchy.ancestors(0, level)
    own = len(secret.hierarchy.labels[0])
    places = np.arange(secret.width)
    codes: Counts = np.where(places < own, above[np.minimum(places, own)], int(above.max(initial=0)) + 1 + places)
    return codes


def _by_label(labels: Counts, confidence: float) -> Rule:
    distinct, place = np.unique(labels, return_inverse=True)

    def rule(counts: Counts, people: Counts) -> Mask:
        grouped = np.zeros((len(counts), len(distinct)), np.int64)
        np.add.at(grouped.T, place, counts.T)
        return top(shares(grouped), confidence)[:, place]

    return rule


def _by_window(numbers: Floats, prior: Counts, window: float, confidence: float) -> Rule:
    """Values in ascending order; for every value the window that begins with it."""
    order = np.argsort(numbers, kind="stable")
    ascending = numbers[order]
    occurring = numbers[prior[:-1] > 0]
    width = window * float(occurring.max() - occurring.min()) if len(occurring) else 0.0
    ends = np.searchsorted(ascending, ascending + width + TOLERANCE, side="right")

    def rule(counts: Counts, people: Counts) -> Mask:
        sums = np.concatenate([np.zeros((len(counts), 1), np.int64), np.cumsum(counts[:, order], axis=1)], axis=1)
        inside = sums[:, ends] - sums[:, :-1]
        first, rows = inside.argmax(axis=1), np.arange(len(counts))
        sure = inside[rows, first] >= confidence * counts.sum(axis=1) - TOLERANCE
        sure &= counts.sum(axis=1) > 0
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        near = (place >= first[:, None]) & (place < ends[first][:, None]) & sure[:, None]
        return np.concatenate([near, np.zeros((len(counts), 1), bool)], axis=1)

    return rule

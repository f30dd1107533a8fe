"""Inference, with a control set.

Who: somebody who knows a person's quasi-identifiers. What they hold: the release, whatever was done to its values. What they
want: the sensitive value. They take that of the nearest row. If it is right more often for people of the original than for
people outside, the release says something about its own people.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Attack, Attempt
from sfumato.attacks.control import DRAWN, compared, control_of
from sfumato.attacks.neighbors import nearest
from sfumato.attacks.view import Secret, View
from sfumato.frequency import Counts, FrequencySet, Mask
from sfumato.models.parameter import whole
from sfumato.release.numbering import codes_among
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes, Hierarchy


@dataclass(frozen=True, slots=True)
class Inference(Attack):
    """Guess the sensitive value of the nearest row, one of equals, for so many people of each side."""

    name: ClassVar[str] = "inference"
    threat: ClassVar[str] = "A"

    people: int = field(default=DRAWN, metadata=whole(at_least=1, example=DRAWN))

    def run(self, view: View) -> Iterable[Attempt]:
        control_of(view)
        return [compared(self, view, secret.name, partial(self._right, view, secret)) for secret in view.secrets()]

    def _right(self, view: View, secret: Secret, people: FrequencySet) -> tuple[int, float]:
        """How many people were tried, and of how many the guess is right, in expectation."""
        cells, true = _targets(people, secret, self.people, np.random.default_rng(view.seed))
        having, rows, hits = _Having.of(secret), view.release.rows.astype(np.float64), 0.0
        for places, near in nearest(view, people, cells, view.held):
            fitting = near @ rows
            for value in np.unique(true[places]):
                who = true[places] == value
                hits += float((having.rows_of(near[who], int(value)) / (fitting[who] * view.parts)).sum())
        return len(cells), hits


@dataclass(frozen=True, slots=True, eq=False)
class _Having:
    """The classes that have each value, and how many of their rows: classes[offsets[v]:offsets[v + 1]]."""

    offsets: Counts
    classes: Counts
    rows: Counts

    @classmethod
    def of(cls, secret: Secret) -> _Having:
        payload = secret.released
        values = secret.released_codes[payload.values]
        order = np.argsort(values, kind="stable")
        classes = np.repeat(np.arange(len(payload.offsets) - 1), np.diff(payload.offsets))
        offsets = np.searchsorted(values[order], np.arange(secret.width + 1))
        return cls(offsets, classes[order], payload.rows[order])

    def rows_of(self, near: Mask, value: int) -> Floats:
        """For each person, how many rows of the classes that are near have the value; nobody has one that the release does not know."""
        if value < 0:
            return np.zeros(len(near))
        span = slice(self.offsets[value], self.offsets[value + 1])
        return np.asarray(near[:, self.classes[span]] @ self.rows[span].astype(np.float64))


def _targets(people: FrequencySet, secret: Secret, count: int, rng: np.random.Generator) -> tuple[Counts, Codes]:
    """The cells of drawn people, and the place of the sensitive value of each."""
    payload = people.payloads[secret.name]
    codes = codes_among(payload.hierarchy.labels[0], Hierarchy.flat(secret.values), 0)[payload.values]
    cell: Counts = np.repeat(np.arange(people.classes), np.diff(payload.offsets))
    everybody = np.repeat(np.arange(len(cell)), payload.rows)
    chosen = everybody if len(everybody) <= count else np.sort(rng.choice(everybody, count, replace=False))
    return cell[chosen], codes[chosen]

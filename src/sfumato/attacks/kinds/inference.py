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
from sfumato.attacks.control import DRAWN, compared, compared_values, control_of
from sfumato.attacks.fitting.neighbors import nearest
from sfumato.attacks.fitting.whose import Entries
from sfumato.attacks.view import Secret, View
from sfumato.frequency import Counts, FrequencySet
from sfumato.models.parameter import whole
from sfumato.release.numbering import codes_among
from sfumato.vocabulary.hierarchy import Codes, Hierarchy


@dataclass(frozen=True, slots=True)
class Inference(Attack):
    """Guess the sensitive value of the nearest row, one of equals, for so many people of each side."""

    name: ClassVar[str] = "inference"
    threat: ClassVar[str] = "A"

    people: int = field(default=DRAWN, metadata=whole(at_least=1, example=DRAWN))

    def effort(self, view: View) -> int:
        return compared_values(view, self.people)

    def run(self, view: View) -> Iterable[Attempt]:
        control_of(view)
        return [compared(self, view, secret.name, partial(self._right, view, secret)) for secret in view.secrets()]

    def _right(self, view: View, secret: Secret, people: FrequencySet) -> tuple[int, float]:
        """How many people were tried, and of how many the guess is right, in expectation."""
        cells, true = _targets(people, secret, self.people, np.random.default_rng(view.seed))
        released = secret.released_codes.astype(np.int64)
        having = Entries.of(secret.true, secret.true_codes.astype(np.int64), secret.released, released, secret.width)
        hits = 0.0
        for places, links in nearest(view, people, cells, view.held):
            value = true[places][links.cells()]
            known = value >= 0  # nobody has a value that the release does not know
            rows = np.where(known, having.rows_of(links.classes * secret.width + np.maximum(value, 0)), 0)
            right = np.bincount(links.cells(), rows, len(places))
            hits += float((right / (links.summed(view.release.rows) * view.parts)).sum())
        return len(cells), hits


def _targets(people: FrequencySet, secret: Secret, count: int, rng: np.random.Generator) -> tuple[Counts, Codes]:
    """The cells of drawn people, and the place of the sensitive value of each."""
    payload = people.payloads[secret.name]
    codes = codes_among(payload.hierarchy.labels[0], Hierarchy.flat(secret.values), 0)[payload.values]
    cell: Counts = np.repeat(np.arange(people.classes), np.diff(payload.offsets))
    everybody = np.repeat(np.arange(len(cell)), payload.rows)
    chosen = everybody if len(everybody) <= count else np.sort(rng.choice(everybody, count, replace=False))
    return cell[chosen], codes[chosen]

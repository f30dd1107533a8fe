"""Skewness.

Who: somebody who is interested in rare values. What they hold: the release, a person's quasi-identifiers, and the distribution
of the whole table. What they want: people who are much more likely to have a value than others are. A class with equal numbers
of positive and negative tests is diverse, and everybody in it is a suspect at 50 % where 1 % is usual (thesis, Example 2).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Attack, Attempt
from sfumato.attacks.claims import attempt, shares, top
from sfumato.attacks.view import Secret, View
from sfumato.frequency import Counts, Mask
from sfumato.models.parameter import number
from sfumato.statistics import TOLERANCE, Floats


@dataclass(frozen=True, slots=True)
class Skewness(Attack):
    """Claim the value whose share in the class has grown most, if it is at least so many times its share in the table. The baseline: the
    same claims are right as often as the value is in the table."""

    name: ClassVar[str] = "skewness"
    threat: ClassVar[str] = "A"

    times: float = field(default=5.0, metadata=number(at_least=1, example=5))

    def run(self, view: View) -> Iterable[Attempt]:
        return [self._about(view, secret) for secret in view.secrets()]

    def _about(self, view: View, secret: Secret) -> Attempt:
        belief = secret.belief()
        largest = max(
            (float(_growth(each.released, belief).max(initial=1.0)) for each in view.blocks(secret, view.pools)), default=1.0
        )
        least = max(self.times, 1 + TOLERANCE)  # what has not grown is no news

        def rule(counts: Counts, people: Counts) -> Mask:
            return top(_growth(counts, belief), least)

        return attempt(self, view, secret, rule, compares=True, figures={"largest growth": largest})


def _growth(released: Counts, belief: Floats) -> Floats:
    """How many times its share in the table each value's share in a pool is; values that the table does not have are noise, no growth."""
    return np.divide(shares(released), belief, out=np.zeros(released.shape), where=belief > 0)

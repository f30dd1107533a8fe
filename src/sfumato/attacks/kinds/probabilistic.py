"""Probabilistic: change of belief.

Who: somebody with a belief about everybody, the distribution of the whole table. What they hold: the release and a person's
quasi-identifiers. What they want: a better belief. They guess the most probable value of everybody, and the figure `largest
change` is how far the probability of a value moved at most, in the class that the attempt names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Attack, Attempt
from sfumato.attacks.claims import attempt, shares, top
from sfumato.attacks.view import Secret, View


@dataclass(frozen=True, slots=True)
class Probabilistic(Attack):
    """Guess the most probable value of everybody, before and after seeing the release."""

    name: ClassVar[str] = "probabilistic"
    threat: ClassVar[str] = "P"

    def run(self, view: View) -> Iterable[Attempt]:
        return [self._about(view, secret) for secret in view.secrets()]

    def _about(self, view: View, secret: Secret) -> Attempt:
        found = attempt(self, view, secret, lambda counts, people: top(shares(counts), 0.0))
        pool, change = _largest_change(view, secret)
        return replace(found, classes=view.numbers_of_pools(pool, view.pools), figures={"largest change": change})


def _largest_change(view: View, secret: Secret) -> tuple[np.ndarray, float]:
    """The first pool with the largest change of the probability of a value, and that change."""
    pool, largest = np.zeros(0, np.int64), 0.0
    for block in view.blocks(secret, view.pools):
        changes = np.abs(shares(block.released) - secret.belief()).max(axis=1)
        if len(changes) and changes.max() > largest:
            pool, largest = block.pools[[int(changes.argmax())]], float(changes.max())
    return pool, largest

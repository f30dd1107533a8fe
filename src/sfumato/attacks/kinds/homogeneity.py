"""Homogeneity.

Who: somebody who knows a person's quasi-identifiers and that the person is in the release. What they hold: the release. What
they want: the person's sensitive value. Everybody in the person's class has the same one, or nearly everybody: then it is
known, and no row need be linked (thesis, Example 1: Bob; the lecture's Tom).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.attacks.base import Attack, Attempt
from sfumato.attacks.claims import attempt, shares, top
from sfumato.attacks.view import View
from sfumato.models.parameter import share


@dataclass(frozen=True, slots=True)
class Homogeneity(Attack):
    """Claim the most frequent value of the class if at least this share of the class has it: all of them, unless stated otherwise."""

    name: ClassVar[str] = "homogeneity"
    threat: ClassVar[str] = "A"

    confidence: float = field(default=1.0, metadata=share(example=1))

    def run(self, view: View) -> Iterable[Attempt]:
        return [
            attempt(self, view, secret, lambda counts, people: top(shares(counts), self.confidence)) for secret in view.secrets()
        ]

"""Linkability, with a control set.

Who: somebody with two tables about the same people that share no column. What they hold: both, and the release. What they want:
which rows of their tables are of one person. They look for the row of the release that is nearest to each half. If both halves
lead to one row, they are linked. What works as often for people outside the release is not due to the release.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Attack, Attempt, NotApplicable
from sfumato.attacks.control import DRAWN, compared, compared_values, control_of, drawn
from sfumato.attacks.fitting.neighbors import nearest
from sfumato.attacks.view import View
from sfumato.frequency import FrequencySet
from sfumato.models.parameter import whole


@dataclass(frozen=True, slots=True)
class Linkability(Attack):
    """Link the two halves of the held columns, every other one, through their nearest row, one of equals, for so many people of each
    side."""

    name: ClassVar[str] = "linkability"
    threat: ClassVar[str] = "R"

    people: int = field(default=DRAWN, metadata=whole(at_least=1, example=DRAWN))

    def effort(self, view: View) -> int:
        return compared_values(view, self.people)

    def run(self, view: View) -> Iterable[Attempt]:
        control_of(view)
        if len(view.held) < 2:
            raise NotApplicable("needs two columns that the attacker holds, one for each half")
        return [compared(self, view, None, lambda side: self._linked(view, side))]

    def _linked(self, view: View, people: FrequencySet) -> tuple[int, float]:
        cells = drawn(people, self.people, np.random.default_rng(view.seed))
        rows, hits = view.release.rows.astype(np.float64), 0.0
        halves = (nearest(view, people, cells, view.held[half::2]) for half in (0, 1))
        for (places, one), (_, other) in zip(*halves, strict=True):
            shared = one.contains(other.cells(), other.classes)
            both = np.bincount(other.cells(), rows[other.classes] * shared, len(places))
            hits += float((both / (one.summed(rows) * other.summed(rows))).sum())
        return len(cells), hits

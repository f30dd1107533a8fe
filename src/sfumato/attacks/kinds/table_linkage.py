"""Table linkage.

Who: somebody with a list of people, of whom the table's people are a part. What they hold: the list and the release. What they
want: to know whether a person is in the table, which may say enough: it is the table of a clinic. Of the people of the list who
fit a class, as many are present as the class has rows (the lecture's Alice 4/5, Bob 3/4).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Attack, Attempt, NotApplicable
from sfumato.attacks.view import View
from sfumato.models.parameter import share
from sfumato.statistics import TOLERANCE, Floats


@dataclass(frozen=True, slots=True)
class TableLinkage(Attack):
    """Claim that a person is in the release, or is not, if that is at least so probable."""

    name: ClassVar[str] = "table-linkage"
    threat: ClassVar[str] = "T"

    confidence: float = field(default=0.9, metadata=share(example=0.9))

    def run(self, view: View) -> Iterable[Attempt]:
        if view.external is None:
            raise NotApplicable("needs an external table: a list of people, some of whom are in the release")
        people = view.external
        links = view.linked(people)
        fitting = np.maximum(links.gathered(people.rows), view.release.rows)
        presence = np.minimum(links.summed(view.release.rows / fitting), 1.0)
        right = people.rows * self._right(presence)
        share = min(int(view.release.rows.sum()) / max(int(people.rows.sum()), 1), 1.0)
        certain = np.unique(links.classes[links.places(np.flatnonzero((right > 0) & (presence > 0.5)))])
        yield Attempt(
            attack=str(self),
            threat=self.threat,
            tries=int(people.rows.sum()),
            hits=float(right.sum()),
            baseline=float(self._right(np.array([share]))[0]),
            unit="people of the external table",
            classes=view.numbers(certain),
            figures={"largest presence": float(presence.max(initial=0.0)), "least presence": float(presence.min(initial=1.0))},
            visible=view.visible_by_label,
            remark="everybody of the release is taken to be in the external table",
        )

    def _right(self, presence: Floats) -> Floats:
        """How often a claim is right, where one is made."""
        present, absent = presence >= self.confidence - TOLERANCE, 1 - presence >= self.confidence - TOLERANCE
        return np.asarray(np.where(present, presence, np.where(absent, 1 - presence, 0.0)))

"""The game that payments follow from: a coalition is worth what its members find by sharing with each other, all owners counted.

Members of a coalition know their own log and each other's shares, everybody else only their own log. The worth is a measure over the
later sign-ins of all owners, less what it is if all are alone; so a coalition of one is worth nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sfumato.applications.ato.collaborating.counting import Whole
from sfumato.applications.ato.collaborating.learning import Fewest, Setting, fewest, learned
from sfumato.applications.ato.collaborating.scoring import Later, Score
from sfumato.errors import UsageError, argument, unknown

MEASURES = {
    "f1": "the increase of F1, the harmonic mean of precision and recall",
    "campaigns": "the increase of the share of campaigns that are met, each counted at every owner whom it tries",
}


def require_measure(measure: str) -> None:
    """Refuse a measure that there is not."""
    if measure not in MEASURES:
        raise UsageError(unknown("measure", measure, MEASURES, within="this version"), where=argument("measure"))


@dataclass(frozen=True, eq=False)
class Game:
    """Owners with their own counts, what they share, the later sign-ins that they are judged by, and how often their honest logins fail."""

    raw: Whole
    shared: Whole
    later: tuple[Later, ...]
    rates: tuple[float | None, ...]
    setting: Setting
    measure: str = "f1"
    _known: dict[tuple[int, frozenset[int]], Score] = field(default_factory=dict)

    def view(self, owner: int, coalition: frozenset[int]) -> Whole:
        """What an owner knows within a coalition."""
        others = sorted(coalition - {owner})
        return np.asarray(self.raw[owner] + self.shared[others].sum(axis=0), np.int64)

    def score(self, owner: int, coalition: frozenset[int]) -> Score:
        """What an owner finds within a coalition; alone if it is not in it."""
        members = coalition if owner in coalition else frozenset({owner})
        key = owner, members
        if key not in self._known:
            later = self.later[owner]
            self._known[key] = Score.of(later, later.alerts(self.view(owner, members), self.rates[owner], self.setting))
        return self._known[key]

    def scores(self, coalition: frozenset[int]) -> list[Score]:
        """What every owner finds if some of them share."""
        return [self.score(owner, coalition) for owner in range(len(self.later))]

    def fewest(self, coalition: frozenset[int]) -> list[Fewest]:
        """How many people must fail, as each owner's detector has it if some of them share."""
        groups = (coalition if owner in coalition else frozenset({owner}) for owner in range(len(self.later)))
        views = (self.view(owner, group) for owner, group in enumerate(groups))
        return [fewest(learned(view, rate, self.setting)) for view, rate in zip(views, self.rates, strict=True)]

    def worth(self, coalition: frozenset[int]) -> float:
        """What a coalition is worth."""
        return self._measured(coalition) - self._measured(frozenset())

    def _measured(self, coalition: frozenset[int]) -> float:
        found = Score.together(self.scores(coalition))
        if self.measure == "f1":
            return found.f1
        return len(found.campaigns) / len(found.known) if found.known else 0.0

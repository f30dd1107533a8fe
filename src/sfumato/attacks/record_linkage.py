"""Record linkage with an external table.

Who: a *prosecutor* looks for one person who is known to be in the release; a *journalist* wants to show that one row can be
given a name, whosever it is; a *marketer* gives every row a name and is content if many are right (Elliot and Dale 1999; El
Emam and Dankar 2008). What they hold: a table with names and quasi-identifiers, the original's own if no other is given,
perhaps with typing errors. What they want: the row of a person, or the person of a row. Among rows or people that fit equally
well they choose one at random.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Attack, Attempt
from sfumato.attacks.linking import Links
from sfumato.attacks.people import People, mistyped, people_of
from sfumato.attacks.view import View
from sfumato.frequency import Counts
from sfumato.models.parameter import choice, share
from sfumato.statistics import TOLERANCE, Floats


@dataclass(frozen=True, slots=True)
class RecordLinkage(Attack):
    """The prosecutor and the journalist make a link if it is right with at least the confidence; the marketer makes all links. `errors` is
    the share of values in the attacker's table that are mistyped, `matching` whether labels are understood or compared as texts."""

    name: ClassVar[str] = "record-linkage"
    threat: ClassVar[str] = "R"

    scenario: str = field(default="prosecutor", metadata=choice("prosecutor", "journalist", "marketer"))
    confidence: float = field(default=0.5, metadata=share(example=0.5))
    errors: float = field(default=0.0, metadata=share(example=0.05))
    matching: str = field(default="hierarchy", metadata=choice("hierarchy", "exact"))

    def run(self, view: View) -> Iterable[Attempt]:
        people = people_of(view)
        seen = mistyped(people, self.errors, np.random.default_rng(view.seed)) if self.errors else people
        links = view.linked(seen.cells, literally=self.matching == "exact")
        truth = _Truth.of(view, people)
        prosecutor = self.scenario == "prosecutor"
        fitting = links.summed(view.release.rows) if prosecutor else links.gathered(seen.cells.rows)
        chance = np.divide(1.0, fitting, out=np.zeros(len(fitting)), where=fitting > 0)
        made = chance * (chance >= self._sure - TOLERANCE)
        hits = truth.right(seen, links) * made[links.cells() if prosecutor else links.classes]
        tries = round(float(people.shared.sum())) if prosecutor else int(view.release.rows.sum())
        among = int((view.release if prosecutor else people.cells).rows.sum())
        return [self._attempt(view, tries, float(hits.sum()), truth.guessed(among, self._sure), links.classes[hits > 0])]

    @property
    def _sure(self) -> float:
        """The least probability at which a link is made."""
        return 0.0 if self.scenario == "marketer" else self.confidence

    def _attempt(self, view: View, tries: int, hits: float, guessed: float, classes: Counts) -> Attempt:
        people = "people of the attacker's table who are in the original"
        return Attempt(
            attack=str(self),
            threat=self.threat,
            tries=tries,
            hits=hits,
            baseline=guessed / max(tries, 1),
            unit=people if self.scenario == "prosecutor" else "rows of the release",
            classes=view.numbers(np.unique(classes)) if self._sure else (),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Truth:
    """Whose row is where, as far as counts say: which classes people truly fit, what share of the people who fit a class is in it, and how
    many rows of each person there would be by these shares, of whom nobody has more than one."""

    people: People
    links: Links
    kept: Floats
    rows: Floats

    @classmethod
    def of(cls, view: View, people: People) -> _Truth:
        links = view.linked(people.cells)
        of_class = np.maximum(view.links.gathered(view.original.rows), view.release.rows)
        kept = view.release.rows / np.maximum(of_class, 1)
        return cls(people, links, kept, links.summed(kept))

    def right(self, seen: People, links: Links) -> Floats:
        """For every link of what the attacker sees, how many people have their own row in the class."""
        cells = links.cells()
        true = seen.true_cell[cells]
        own = self.links.contains(true, links.classes)
        return np.asarray(seen.shared[cells] * self.kept[links.classes] * own / np.maximum(self.rows, 1.0)[true])

    def guessed(self, among: int, sure: float) -> float:
        """How many links are right that are made at random among so many, if anybody is sure enough to make them."""
        present = float((self.people.shared * np.minimum(self.rows, 1.0)).sum())
        return present / among if among and 1 / among >= sure - TOLERANCE else 0.0

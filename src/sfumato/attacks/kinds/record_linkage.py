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

from sfumato.attacks.base import Attack, Attempt, NotApplicable, better
from sfumato.attacks.fitting.linking import Links
from sfumato.attacks.fitting.truth import Truth, guessed, truth_of
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
        if view.drawn < 1 and self.scenario != "prosecutor":
            raise NotApplicable(
                "needs everybody, and comparing all people with all classes would take too long; the prosecutor draws some"
            )
        people = people_of(view)
        observed = mistyped(people, self.errors, np.random.default_rng(view.seed)) if self.errors else people
        truth = truth_of(view, people)
        prosecutor = self.scenario == "prosecutor"
        tries = round(float(people.shared.sum())) if prosecutor else int(view.release.rows.sum())
        among = int((view.release if prosecutor else people.cells).rows.sum())
        guess = guessed(truth, among, self._sure) / max(tries, 1)
        return [better([self._attempt(view, tries, guess, truth, observed, links) for links in self._ways(view, observed)])]

    def _ways(self, view: View, observed: People) -> list[Links]:
        """How the attacker may go about it."""
        if self.matching == "exact":
            return [view.linked(observed.cells, literally=True)]
        found = view.found(observed.cells)
        return [found, view.linked(observed.cells)] if view.doubtful else [found]

    def _made(self, links: Links, rows: Counts, people: Counts) -> Floats:
        """How probable it is that each link is made, for one person and one row: to one of the likeliest rows, or people, if it is likely
        enough."""
        by_class = self.scenario != "prosecutor"
        side, size = (links.classes, len(rows)) if by_class else (links.cells(), len(people))
        many = (people[links.cells()] if by_class else rows[links.classes]).astype(np.float64)
        odds, best = links.odds(by_class=by_class), links.likeliest(by_class=by_class)
        all_, equal = np.bincount(side, many * odds, size)[side], np.bincount(side, many * best, size)[side]
        if by_class:  # of a class's rows nobody has more than one
            all_ = np.maximum(all_, rows[links.classes])
        sure = best & (odds >= (self._sure - TOLERANCE) * all_)
        return np.divide(1.0, equal, out=np.zeros(len(equal)), where=sure & (equal > 0))

    @property
    def _sure(self) -> float:
        """The least probability at which a link is made."""
        return 0.0 if self.scenario == "marketer" else self.confidence

    def _attempt(self, view: View, tries: int, guess: float, truth: Truth, observed: People, links: Links) -> Attempt:
        hits = truth.right(observed, links) * self._made(links, view.release.rows, observed.cells.rows)
        people = "people of the attacker's table who are in the original"
        return Attempt(
            attack=str(self),
            threat=self.threat,
            tries=tries,
            hits=float(hits.sum()),
            baseline=guess,
            unit=people if self.scenario == "prosecutor" else "rows of the release",
            classes=view.numbers(np.unique(links.classes[hits > 0])) if self._sure else (),
            visible=view.visible_by_label if self.matching == "exact" else view.visible,
        )

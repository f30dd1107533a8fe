"""Whether a link is right, as far as the owner can say: rows are shuffled, and only counts remain.

Where labels are true, the people who fit a class are taken to have its rows in equal shares. Where values were changed, the beliefs of the
owner say how probable it is that a person's row is in a class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sfumato.attacks.fitting.linking import Links
from sfumato.attacks.fitting.whose import Beliefs
from sfumato.attacks.people import People
from sfumato.attacks.view import View
from sfumato.statistics import TOLERANCE, Floats


class Truth(Protocol):
    """How many of the people whom an attacker sees have their own row in a class."""

    def right(self, observed: People, links: Links) -> Floats:
        """For every link of what the attacker sees, how many people have their own row in the class."""

    def present(self) -> float:
        """How many people of the attacker's table have a row."""


def truth_of(view: View, people: People) -> Truth:
    """What the owner knows about an attacker's people."""
    if not view.changed or people.own is None:
        return Shared.of(view, people)
    return Believed(people, view.beliefs)


def guessed(truth: Truth, among: int, sure: float) -> float:
    """How many links are right that are made at random among so many, if anybody is sure enough to make them."""
    return truth.present() / among if among and 1 / among >= sure - TOLERANCE else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Labels are true: which classes people fit, what share of the people who fit a class is in it, and how many rows of each person there
    would be by these shares, of whom nobody has more than one."""

    people: People
    links: Links
    kept: Floats
    rows: Floats

    @classmethod
    def of(cls, view: View, people: People) -> Shared:
        links = view.linked(people.cells)
        of_class = np.maximum(view.labeled.gathered(view.original.rows), view.release.rows)
        kept = view.release.rows / np.maximum(of_class, 1)
        return cls(people, links, kept, links.summed(kept))

    def right(self, observed: People, links: Links) -> Floats:
        cells = links.cells()
        true = observed.true_cell[cells]
        own = self.links.contains(true, links.classes)
        return np.asarray(observed.shared[cells] * self.kept[links.classes] * own / np.maximum(self.rows, 1.0)[true])

    def present(self) -> float:
        return float((self.people.shared * np.minimum(self.rows, 1.0)).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Believed:
    """Values were changed: beliefs about every cell."""

    people: People
    beliefs: Beliefs

    def right(self, observed: People, links: Links) -> Floats:
        assert self.people.own is not None  # noqa: S101
        cells = links.cells()
        own = self.people.own[observed.true_cell[cells]]
        return np.asarray(observed.shared[cells] * self.beliefs.of(own, links.classes))

    def present(self) -> float:
        return float(self.people.shared.sum())  # nobody was left out

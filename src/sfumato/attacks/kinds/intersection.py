"""Intersection of several releases.

Who: somebody with two or more releases about overlapping people. What they hold: the releases and a person's quasi-identifiers.
What they want: the sensitive value. The person is in one class of each release, so the value is in all of them (Ganta,
Kasiviswanathan and Smith 2008). Given the value, the classes are taken to be independent: the shares of the classes are
multiplied, and the table's own share is divided out. Somebody who fits no class of a release learns nothing from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Attack, Attempt, NotApplicable, about_each
from sfumato.attacks.claims import shares, top
from sfumato.attacks.fitting.pools import Pools, pools_of, tallied
from sfumato.attacks.view import Secret, View, secret_of
from sfumato.frequency import Counts, FrequencySet
from sfumato.models.parameter import share
from sfumato.release.numbering import codes_among
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Hierarchy

_BLOCK = 4_000_000


@dataclass(frozen=True, slots=True)
class Intersection(Attack):
    """Claim the value that all releases together make at least so probable. The baseline is the best of the releases alone."""

    name: ClassVar[str] = "intersection"
    threat: ClassVar[str] = "A"

    confidence: float = field(default=0.9, metadata=share(example=0.9))

    def run(self, view: View) -> Iterable[Attempt]:
        if not view.others:
            raise NotApplicable("needs a second release with people of the same table")
        people = view.whole.project(view.known)
        sides = [_Side.of(view, people, release) for release in (view.published, *view.others)]
        return about_each(self, [secret.name for secret in view.secrets()], lambda name: self._about(view, people, name, sides))

    def _about(self, view: View, people: FrequencySet, name: str, sides: Sequence[_Side]) -> Attempt:
        about = [side for side in sides if name in side.release.payloads]
        if len(about) < 2:
            raise NotApplicable(f"no other release has {name!r}")
        secret = secret_of(name, about[0].release.payloads[name], people.payloads[name])
        hits = [self._right(people, secret, [side]) for side in about]
        together = self._right(people, secret, about)
        total = int(secret.prior.sum())
        return Attempt(
            attack=str(self),
            threat=self.threat,
            about=name,
            tries=total,
            hits=float(together.sum()),
            baseline=max(float(each.sum()) for each in hits) / max(total, 1),
            classes=_classes(sides[0], together),
            figures={"releases": float(len(about))},
            visible=view.visible_by_label,
        )

    def _right(self, people: FrequencySet, secret: Secret, sides: Sequence[_Side]) -> Counts:
        """For every cell of people, how many of them the claim is right about."""
        right = np.zeros(people.classes, np.int64)
        step = max(_BLOCK // secret.width, 1)
        for start in range(0, people.classes, step):
            cells = np.arange(start, min(start + step, people.classes))
            claimed = top(_together(secret, sides, cells), self.confidence)
            at = np.arange(secret.true.offsets[cells[0]], secret.true.offsets[cells[-1] + 1])
            cell = np.repeat(cells, np.diff(secret.true.offsets)[cells])
            hit = claimed[cell - start, secret.true_codes[secret.true.values[at]]]
            np.add.at(right, cell, np.where(hit, secret.true.rows[at], 0))
        return right


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """A release by the columns that the attacker knows, all its classes, and the pools of the people."""

    release: FrequencySet
    pools: Pools

    @classmethod
    def of(cls, view: View, people: FrequencySet, release: FrequencySet) -> _Side:
        return cls(release, pools_of(view.linked(people, release), release.rows))


def _together(secret: Secret, sides: Sequence[_Side], cells: Counts) -> Floats:
    """How probable each value is to somebody who has all releases: zeros where a person fits no class of any."""
    prior = secret.belief()
    belief, fitting = np.tile(prior, (len(cells), 1)), np.zeros(len(cells), bool)
    for side in sides:
        pools = side.pools.of_cell[cells]
        known, place = np.unique(pools[pools >= 0], return_inverse=True)
        payload = side.release.payloads[secret.name]
        codes = codes_among(payload.hierarchy.labels[0], Hierarchy.flat(secret.values), 0)
        posterior = shares(tallied(payload, codes, side.pools.classes, known, secret.width))
        ratio = np.divide(posterior, prior, out=np.zeros(posterior.shape), where=prior > 0)
        belief[pools >= 0] *= ratio[place]
        fitting |= pools >= 0
    belief[~fitting] = 0.0
    total = belief.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(belief, total, out=np.zeros(belief.shape), where=total > 0))


def _classes(first: _Side, right: Counts) -> tuple[int, ...]:
    """The classes of the first release where the claims are right."""
    pools = first.pools.of_cell[right > 0]
    found = first.pools.classes
    return tuple((np.unique(found.classes[found.places(np.unique(pools[pools >= 0]))]) + 1).tolist())

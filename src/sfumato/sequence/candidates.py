"""What somebody believes about people who knows their class in every release, and cannot tell which rows belong together.

A person's sensitive value occurs in the person's class of every release, so only the values that occur in all of them remain: the
candidates (Ganta, Kasiviswanathan and Smith 2008). Candidates never become more when a release is added.

What is believed is in proportion to the people who can have the value: no more than the fewest in any of the classes, the intersection
of multisets. If one class contains the others' people, that is its own distribution, and a release that repeats another changes nothing;
multiplying evidence as if releases were independent would count it twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.frequency import Counts, Mask
from sfumato.sequence.classes import Shown
from sfumato.sequence.joint import Joint
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes

_BLOCK = 4_000_000


@dataclass(frozen=True, slots=True)
class Known:
    """What is known after some releases: people by the number of values that remain, and the losses of what is believed about them."""

    people: int
    by_candidates: tuple[tuple[int, int], ...]
    distribution_max: float
    distribution_mean: float
    entropy_max: float
    entropy_mean: float

    @property
    def certain(self) -> int:
        """People of whom one value remains."""
        return dict(self.by_candidates).get(1, 0)


def known_after(joint: Joint, attribute: str) -> tuple[Known, ...]:
    """What is known of an attribute after the first release, the first two, and so on."""
    shown, lives = [joint.shown(place, attribute) for place in range(len(joint.members))], joint.lives_of(attribute)
    prior = _prior(joint, attribute, shown[0].width)
    sums = [_Sum(shown[0].width) for _ in shown]
    step = max(_BLOCK // shown[0].width, 1)
    for start in range(0, lives.classes, step):
        codes, people = lives.codes[start : start + step], lives.people[start : start + step]
        among = _possible(joint, shown, codes)
        for place, believed in enumerate(_believed(joint, shown, codes, among)):
            sums[place].add(believed, people, prior, among)
    return tuple(each.known() for each in sums)


def _prior(joint: Joint, attribute: str, width: int) -> Floats:
    """The shares of the first table, by the codes of the attribute."""
    prior, labels = joint.priors[attribute], (*joint.counts.payloads[attribute].hierarchy.labels[0], None)
    share_of = dict(zip(prior.values, prior.shares.tolist(), strict=True))
    return np.array([share_of.get(label, 0.0) for label in labels])[:width]


@dataclass(frozen=True, slots=True, eq=False)
class _Believed:
    """Of cells that are in a release so far (`inside`): the most people who can have each of some values."""

    least: Floats
    inside: Mask


def _published(joint: Joint, place: int, numbers: Codes) -> Mask:
    """Which cells are in a class of a release."""
    return np.asarray((numbers > 0) & (numbers <= joint.members[place].classes), bool)


def _possible(joint: Joint, shown: Sequence[Shown], codes: Codes) -> Counts:
    """The values that somebody of some cells may have: those of the first class of each, because no later release adds one. Cells that
    follow each other share it, so these are few where a class has few of very many values."""
    before, found = np.zeros(len(codes), bool), []
    for place, own in enumerate(shown):
        published = _published(joint, place, codes[:, place])
        found.append(own.values_of(np.unique(codes[published & ~before, place])))
        before |= published
    return np.unique(np.concatenate(found))


def _believed(joint: Joint, shown: Sequence[Shown], codes: Codes, among: Counts) -> Iterator[_Believed]:
    least, inside = np.full((len(codes), len(among)), np.inf), np.zeros(len(codes), bool)
    for place, own in enumerate(shown):
        number = codes[:, place]
        published = _published(joint, place, number)
        known, row = np.unique(number[published], return_inverse=True)
        least[published] = np.minimum(least[published], own.of_classes(known, among)[row])
        inside = inside | published
        yield _Believed(least[inside], inside)


class _Sum:
    """Sums over blocks of cells."""

    def __init__(self, width: int) -> None:
        self.people = np.zeros(width + 1, np.int64)
        self.most = np.zeros(2)
        self.total = np.zeros(2)

    def add(self, believed: _Believed, people: Counts, prior: Floats, among: Counts) -> None:
        """Take in the cells of a block. `among` are the values that its columns are of; nobody in it has another one."""
        inside, least = believed.inside, believed.least
        if not inside.any():
            return
        np.add.at(self.people, (least > 0).sum(axis=1), people[inside])
        shares, others = least / least.sum(axis=1, keepdims=True), prior.copy()
        others[among] = 0
        distribution = np.sqrt(((shares - prior[among]) ** 2).sum(axis=1) + (others**2).sum())
        losses = np.stack([distribution, np.abs(_entropy(prior[None, :]) - _entropy(shares))])
        self.most = np.maximum(self.most, losses.max(axis=1))
        self.total += losses @ people[inside]

    def known(self) -> Known:
        people = int(self.people.sum())
        remaining = tuple((number, int(count)) for number, count in enumerate(self.people) if count)
        mean = (self.total / max(people, 1)).tolist()
        return Known(people, remaining, float(self.most[0]), mean[0], float(self.most[1]), mean[1])


def _entropy(shares: Floats) -> Floats:
    logarithm = np.log2(shares, out=np.zeros(shares.shape), where=shares > 0)
    return np.asarray(-(shares * logarithm).sum(axis=1), np.float64)

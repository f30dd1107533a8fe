"""Every two releases of a sequence, put together without the others: whom they single out, and for how many people they break what is
broken. So an owner sees which two must not meet.

A pair of a release with itself is that release alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet
from sfumato.sequence.classes import Shown
from sfumato.sequence.coalitions import Bound, Broken, Judge, bounds_of
from sfumato.sequence.invariance import invariance_of, m_of
from sfumato.sequence.joint import Joint

Bits = npt.NDArray[np.uint64]
_WORD = 64
_MOST_BYTES = 512_000_000  # of the values of all classes as bits; with more, nobody is counted as certain
_BLOCK = 4_000_000  # words of the people who are looked at together


@dataclass(frozen=True, slots=True)
class Pair:
    """What two releases tell together: people in a class of either, those who share both classes with nobody, and the people who are
    certain by sensitive attribute: one value is in the classes that they have in both. `harmed` are the people in groups that break a
    model, by the models that the sequence breaks. An attribute with too many values is not in `certain`."""

    releases: tuple[str, str]
    people: int
    alone: int
    certain: Mapping[str, int]
    harmed: Mapping[str, int]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        counts = {"people": self.people, "alone": self.alone}
        return {"releases": list(self.releases), **counts, "certain": dict(self.certain), "harmed": dict(self.harmed)}


def pairs_of(joint: Joint, together: Sequence[str], broken: Sequence[Broken]) -> tuple[Pair, ...]:
    """Every release alone, and every two of them. `together` are the models that were asked for, `broken` what came out."""
    bounds = _bounds(joint, together, broken)
    moved = _moved(joint, [each.model for each in broken if m_of(each.model) is not None])
    values = {name: found for name in joint.priors if (found := _values(joint, name)) is not None}
    pairs = []
    for places in combinations_with_replacement(range(len(joint.members)), 2):
        chosen = tuple(dict.fromkeys(places))
        judge = Judge(joint, chosen)
        one, other = (joint.names[place] for place in places)
        pairs.append(
            Pair(
                releases=(one, other),
                people=judge.counts.total_people,
                alone=int((judge.counts.people == 1).sum()),
                certain={
                    name: _certain(joint.by_value(chosen, name, starred=False), [bits[place] for place in chosen])
                    for name, bits in values.items()
                },
                harmed=_harmed(judge, bounds, places) | {name: people.get(places, 0) for name, people in moved.items()},
            )
        )
    return tuple(pairs)


def harmed_by_all(joint: Joint, together: Sequence[str], broken: Sequence[Broken]) -> dict[str, int]:
    """For how many people all releases together break each model; m-invariance, which is about two of them, is left out."""
    places = range(len(joint.members))
    return _harmed(Judge(joint, tuple(places)), _bounds(joint, together, broken), places)


def _bounds(joint: Joint, together: Sequence[str], broken: Sequence[Broken]) -> list[Bound]:
    """What is broken, but for m-invariance."""
    names = {each.model for each in broken}
    bounds, _ = bounds_of(joint, [text for text in together if m_of(text) is None])
    return [each for each in bounds if str(each.model) in names]


def _harmed(judge: Judge, bounds: Sequence[Bound], places: Sequence[int]) -> dict[str, int]:
    """The people in groups that break each model; none where no release of the pair must keep it."""
    found = {str(bound.model): judge.broken(bound) if bound.applies(places) else None for bound in bounds}
    return {name: 0 if broken is None else broken.people for name, broken in found.items()}


def _moved(joint: Joint, names: Sequence[str]) -> dict[str, dict[tuple[int, int], int]]:
    """For m-invariance: the people of each two releases whose signatures differ, for the attribute with the most."""
    if not names:
        return {}
    place_of = {name: place for place, name in enumerate(joint.names)}
    most: dict[tuple[int, int], int] = {}
    for attribute in joint.priors:
        for one, other, people in invariance_of(joint, attribute).moved:
            places = place_of[one], place_of[other]
            most[places] = max(most.get(places, 0), people)
    return dict.fromkeys(names, most)


def _values(joint: Joint, attribute: str) -> list[Bits] | None:
    """For every release the values of its classes as bits; None if they would take too much memory."""
    shown = [joint.shown(place, attribute) for place in range(len(joint.members))]
    words = -(-shown[0].width // _WORD)
    if sum(len(own.offsets) for own in shown) * words * 8 > _MOST_BYTES:
        return None
    return [_bits(own, words) for own in shown]


def _bits(shown: Shown, words: int) -> Bits:
    """One row per class, a bit for every value in it. Who is in no class, the first row and the last, may have any value."""
    classes = len(shown.offsets) - 1
    bits = np.zeros((classes, words), np.uint64)
    each = np.uint64(1) << (shown.values % _WORD).astype(np.uint64)
    at = np.repeat(np.arange(classes), np.diff(shown.offsets)) * words + shown.values // _WORD  # ascending, as the values are
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    if len(starts):
        bits.flat[at[starts]] = np.bitwise_or.reduceat(each, starts)
    bits[[0, -1]] = ~np.uint64(0)
    return bits


def _certain(counts: FrequencySet, bits: Sequence[Bits]) -> int:
    """The people of whom one value remains: exactly one bit is set in the classes of all releases."""
    step = max(_BLOCK // bits[0].shape[1], 1)
    people = 0
    for start in range(0, counts.classes, step):
        block = slice(start, start + step)
        left = np.bitwise_and.reduce([own[counts.codes[block, place]] for place, own in enumerate(bits)])
        single = ((left & (left - np.uint64(left > 0))) == 0).all(axis=1) & ((left > 0).sum(axis=1) == 1)
        people += int(counts.people[block][single].sum())
    return people

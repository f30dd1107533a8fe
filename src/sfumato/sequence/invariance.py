"""m-invariance, a model of a sequence of releases (Xiao and Tao, "m-Invariance: Towards Privacy Preserving Re-publication of Dynamic
Datasets", 2007).

Every class of every release has at least m records, all with different sensitive values. And whoever is in several releases is always in
classes with the same set of sensitive values, the signature. Then the values that remain possible for somebody are the whole signature,
however many releases are put together: at least m, none of them more likely than another to somebody who knows no frequencies.

The paper asks for this while somebody stays without a break; here it is asked of everybody who comes back, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import FrequencySet
from sfumato.models.base import AT_LEAST
from sfumato.release.invariant import M_INVARIANCE
from sfumato.sequence.classes import Shown
from sfumato.sequence.coalitions import Broken
from sfumato.sequence.joint import Joint
from sfumato.vocabulary.hierarchy import Codes


@dataclass(frozen=True, slots=True)
class Invariance:
    """What m-invariance says of a sequence: the largest m that it keeps (0: none), and what is in the way: classes of each release with a
    repeated value, and for each pair of releases the people whose signatures differ."""

    sensitive: str
    m: int
    repeated: tuple[tuple[str, int], ...]
    moved: tuple[tuple[str, str, int], ...]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "sensitive": self.sensitive,
            "m": self.m,
            "classes_with_repeated_values": {name: count for name, count in self.repeated if count},
            "changed_signatures": [{"releases": [a, b], "people": people} for a, b, people in self.moved if people],
        }


def invariance_of(joint: Joint, attribute: str, places: Sequence[int] | None = None, having: int | None = None) -> Invariance:
    """Judge some releases of a sequence, all by default. `having`: only what this release adds to the others."""
    chosen = range(len(joint.members)) if places is None else places
    shown = {place: joint.shown(place, attribute) for place in chosen}
    repeated = [(joint.names[place], _with_repeats(own)) for place, own in shown.items() if having in (None, place)]
    signatures = _signatures(list(shown.values()))
    lives = joint.lives_of(attribute)
    of_cell = {place: own[lives.codes[:, place]] for place, own in zip(chosen, signatures, strict=True)}
    pairs = [pair for pair in combinations(chosen, 2) if having is None or having in pair]
    moved = [(joint.names[a], joint.names[b], _moved(lives, of_cell[a], of_cell[b])) for a, b in pairs]
    broken = any(count for _, count in repeated) or any(people for *_, people in moved)
    least = min(int(np.diff(own.offsets)[1:-1].min(initial=own.width)) for own in shown.values())
    return Invariance(attribute, 0 if broken else least, tuple(repeated), tuple(moved))


def broken_invariance(
    joint: Joint, attribute: str, m: int, places: Sequence[int] | None = None, having: int | None = None
) -> Broken | None:
    """What breaks m-invariance, in the form of other models: the pair of releases with the most people of changed signature. `having`:
    only what this release breaks."""
    found = invariance_of(joint, attribute, places, having)
    if found.m >= m:
        return None
    first, second, people = max(found.moved, key=lambda each: each[2], default=("", "", 0))
    names = (first, second) if people else joint.names
    return Broken(f"{M_INVARIANCE}:{m}", attribute, names, people, found.m, m, AT_LEAST)


def m_of(text: str) -> int | None:
    """The m of `m-invariance:3`; None if a text names another model."""
    name, _, parameter = text.partition(":")
    if name.strip() != M_INVARIANCE:
        return None
    if not parameter.strip().isdigit() or int(parameter) < 2:
        raise UsageError(
            f"{M_INVARIANCE} is written {M_INVARIANCE}:3, with a whole number of at least 2", where=argument("together")
        )
    return int(parameter)


def _with_repeats(shown: Shown) -> int:
    """How many classes have a sensitive value more than once."""
    class_of = np.repeat(np.arange(len(shown.offsets) - 1), np.diff(shown.offsets))
    return len(np.unique(class_of[shown.rows > 1]))


def _signatures(shown: Sequence[Shown]) -> list[Codes]:
    """The number of each class's set of values, the same in all releases; -1 for what is no class."""
    known: dict[bytes, int] = {}
    numbered = []
    for own in shown:
        values, ends = own.values.astype(np.int32), own.offsets.tolist()
        numbers = [known.setdefault(values[a:b].tobytes(), len(known)) if b > a else -1 for a, b in pairwise(ends)]
        numbered.append(np.array(numbers, np.int32))
    return numbered


def _moved(lives: FrequencySet, one: Codes, other: Codes) -> int:
    """People in classes of both releases whose signatures differ."""
    return int(lives.people[(one >= 0) & (other >= 0) & (one != other)].sum())

"""Who fits best: the ids that have the most telling of the things that an attacker knows.

What few ids have says more: a known thing weighs log(ids / ids that have it). The candidates are the ids with the largest sum. They are
found by trying sets of known things from the heaviest on; the first that some id has completely is the answer, for an id that had a heavier
set would have been found before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, groupby
from math import log

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
MOST_KNOWN = 8
_ALIKE = 1e-9


@dataclass(frozen=True, slots=True)
class Known:
    """One thing that is known: the ids that have it, in order, and its weight."""

    ids: Ids
    weight: float


def known(ids: Ids, total: int) -> Known | None:
    """A known thing; None for one that no id has, which helps nobody."""
    return Known(ids, log(max(total, 1) / len(ids))) if len(ids) else None


def candidates(things: Sequence[Known], without: int | None = None) -> Ids:
    """The ids that fit best; none if no id has anything. `without`: an id that is no candidate."""
    ordered = sorted(things, key=lambda each: len(each.ids))[:MOST_KNOWN]
    sets = [chosen for size in range(len(ordered), 0, -1) for chosen in combinations(ordered, size)]
    weighed = sorted(((sum(each.weight for each in chosen), place) for place, chosen in enumerate(sets)), reverse=True)
    for _, group in groupby(weighed, key=lambda each: round(each[0] / _ALIKE)):
        found = [_all_of(sets[place]) for _, place in group]
        together = np.unique(np.concatenate(found))
        together = together if without is None else together[together != without]
        if len(together):
            return together
    return np.zeros(0, np.int64)


def _all_of(chosen: Sequence[Known]) -> Ids:
    return reduce(_both, (each.ids for each in chosen))


def _both(few: Ids, many: Ids) -> Ids:
    """The ids in both; the first are few."""
    places = np.searchsorted(many, few)
    return np.asarray(few[many[np.minimum(places, len(many) - 1)] == few])

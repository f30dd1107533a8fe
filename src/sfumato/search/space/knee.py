"""The front of two losses and its knee.

The knee is a proposal, not an optimum: the point of the front where more of one loss stops paying in the other. Exactly: both losses are
scaled to [0, 1] over the front, and it is the point that lies farthest from the chord between the front's ends, towards the ideal
point (0, 0). Where no point lies on that side (a front of one or two points, or one that bulges the other way), it is the point
nearest to the ideal. Of points that are equally good, the first, by the first loss.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.search.outcome import tie
from sfumato.search.space.front import front
from sfumato.statistics import Floats

Places = npt.NDArray[np.intp]
_SAME = 1e-12


def front_of_two(values: Floats, levels: npt.NDArray[np.integer]) -> Places:
    """The places of the rows that no other row beats, by rising first loss; equal rows all stay, the least general first."""
    places = np.flatnonzero(front(values))
    order = np.lexsort((*levels[places].T[::-1], levels[places].sum(axis=1), values[places, 1], values[places, 0]))
    return np.asarray(places[order])


def knee(values: Floats) -> int:
    """The place of the knee among the rows of a front, which are in order of the first loss."""
    finite = np.flatnonzero(np.isfinite(values).all(axis=1))
    if not len(finite):
        return 0
    low, high = values[finite].min(axis=0), values[finite].max(axis=0)
    spans = np.where(high - low > tie(float(np.abs(high).max())), high - low, 1.0)
    scaled = (values[finite] - low) / spans
    towards = 1 - scaled.sum(axis=1)
    worth = towards if towards.max() > _SAME else -np.sqrt((scaled**2).sum(axis=1))
    return int(finite[np.flatnonzero(worth >= worth.max() - _SAME)[0]])

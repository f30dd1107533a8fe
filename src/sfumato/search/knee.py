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
from sfumato.statistics import Floats

Places = npt.NDArray[np.intp]
_SAME = 1e-12


def front_of_two(values: Floats, levels: npt.NDArray[np.integer]) -> Places:
    """The places of the rows that no other row beats, by rising first loss; equal rows all stay, the least general first.

    The same as `front` for two columns, in one sweep: sorted by both, a row stays if its second loss is lower than any before it.
    """
    order = np.lexsort((*levels.T[::-1], levels.sum(axis=1), values[:, 1], values[:, 0]))
    first, second = values[order, 0], values[order, 1]
    before = np.concatenate(([np.inf], np.minimum.accumulate(second)[:-1]))
    fresh = second < before
    fresh[:1] = True
    # An equal row follows the one that it equals.
    leader = np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0)) if len(order) else order
    return np.asarray(order[fresh | ((first == first[leader]) & (second == second[leader]))])


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

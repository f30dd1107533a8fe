"""Fewer nodes where there are more than a page can hold or an eye can see: one per cell of a grid over both axes,
and others as far as there is room.

Never left out: the front within the bounds, that of all feasible nodes, and the best feasible node of every loss.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.search.evaluation import Measure
from sfumato.search.space import PolicySpace
from sfumato.search.space.knee import front_of_two
from sfumato.search.space.trade_off import TradeOff
from sfumato.statistics import Floats

Places = npt.NDArray[np.intp]
# The exact losses of so many nodes, and some of their classes, are a page of less than five megabytes.
MOST_ON_PAGE = 10_000
MOST_IN_PICTURE = 20_000
_FINEST, _COARSEST = 256, 8


def losses_in(space: PolicySpace) -> tuple[str, ...]:
    """The losses that a space holds for every node, in its order: what an axis can be."""
    return tuple(str(key) for key in space.evaluations.columns if isinstance(key, Measure) and key.sensitive is None)


def shown(found: TradeOff, most: int) -> Places:
    """The places of the nodes to show, in order: all of them if they are no more than `most`."""
    if len(found.space) <= most:
        return np.arange(len(found.space))
    kept = _kept(found)
    size = _FINEST
    while True:
        places = np.union1d(kept, _spread(found, size))
        if len(places) <= most or size <= _COARSEST:
            return _filled(places, len(found.space), most)
        size //= 2


def _filled(places: Places, nodes: int, most: int) -> Places:
    """As many of the others as there is room for, evenly by their numbers: they may stand alone on other axes."""
    rest = np.setdiff1d(np.arange(nodes), places)
    room = max(most - len(places), 0)
    return np.union1d(places, rest[np.linspace(0, len(rest) - 1, room).astype(np.intp)])


def _kept(found: TradeOff) -> Places:
    """What is never left out."""
    feasible = np.flatnonzero(found.feasible)
    if not len(feasible):
        return np.zeros(0, np.intp)
    values = np.stack([found.space[axis][feasible] for axis in found.axes], axis=1).astype(np.float64)
    front = feasible[front_of_two(values, found.space.evaluations.levels[feasible])]
    best = [feasible[found.space[name][feasible].argmin()] for name in losses_in(found.space)]
    return np.unique(np.concatenate([found.front, front, best])).astype(np.intp)


def _spread(found: TradeOff, size: int) -> Places:
    """One node per cell of a grid and kind: within the bounds, feasible, or neither."""
    kinds = found.within.astype(np.int64) + found.feasible
    cells = kinds
    for axis in found.axes:
        cells = cells * size + _steps(found.space[axis].astype(np.float64), size)
    return np.unique(cells, return_index=True)[1]


def _steps(values: Floats, size: int) -> npt.NDArray[np.int64]:
    """Which of so many equal steps from the least to the largest value."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    share = np.nan_to_num((values - low) / ((high - low) or 1.0), nan=0.0, posinf=1.0)
    return np.asarray(np.minimum(share * size, size - 1), np.int64)

"""A selection of nodes where there are too many for a page or a picture: one per cell of a grid over both axes, and more while there
is room.

Always selected: the front within the bounds, the front of all feasible nodes, and the best feasible node of every loss.
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
# With this many nodes, their exact losses and some of their classes fit on a page of five megabytes.
MOST_ON_PAGE = 10_000
MOST_IN_PICTURE = 20_000
_FINEST, _COARSEST = 256, 8


def losses_in(space: PolicySpace) -> tuple[str, ...]:
    """The losses that the space has for every node, in its order. Each can be an axis."""
    return tuple(str(key) for key in space.evaluations.columns if isinstance(key, Measure) and key.sensitive is None)


def nodes_to_show(result: TradeOff, most: int) -> Places:
    """The places of the nodes to show, in order: all nodes if there are at most `most`."""
    if len(result.space) <= most:
        return np.arange(len(result.space))
    kept = _kept(result)
    size = _FINEST
    while True:
        places = np.union1d(kept, _spread(result, size))
        if len(places) <= most or size <= _COARSEST:
            return _filled(places, len(result.space), most)
        size //= 2


def _filled(places: Places, nodes: int, most: int) -> Places:
    """Add other nodes while there is room, spread evenly: on other axes they may be alone."""
    rest = np.setdiff1d(np.arange(nodes), places)
    room = max(most - len(places), 0)
    return np.union1d(places, rest[np.linspace(0, len(rest) - 1, room).astype(np.intp)])


def _kept(result: TradeOff) -> Places:
    """The nodes that are always selected."""
    feasible = np.flatnonzero(result.feasible)
    if not len(feasible):
        return np.zeros(0, np.intp)
    values = np.stack([result.space[axis][feasible] for axis in result.axes], axis=1).astype(np.float64)
    front = feasible[front_of_two(values, result.space.evaluations.levels[feasible])]
    best = [feasible[result.space[name][feasible].argmin()] for name in losses_in(result.space)]
    return np.unique(np.concatenate([result.front, front, best])).astype(np.intp)


def _spread(result: TradeOff, size: int) -> Places:
    """One node per grid cell and kind (within the bounds, feasible, neither)."""
    kinds = result.within.astype(np.int64) + result.feasible
    cells = kinds
    for axis in result.axes:
        cells = cells * size + _steps(result.space[axis].astype(np.float64), size)
    return np.unique(cells, return_index=True)[1]


def _steps(values: Floats, size: int) -> npt.NDArray[np.int64]:
    """The index of each value among `size` equal steps from the smallest to the largest value."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    share = np.nan_to_num((values - low) / ((high - low) or 1.0), nan=0.0, posinf=1.0)
    return np.asarray(np.minimum(share * size, size - 1), np.int64)

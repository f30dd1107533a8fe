"""The Pareto front: what nothing else beats."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Mask


def front(values: npt.NDArray[np.float64]) -> Mask:
    """Which rows no other row beats: none is as small everywhere and smaller somewhere. Equal rows all stay."""
    return _of_two(values) if values.shape[1] == 2 else _of_several(values)


def _of_two(values: npt.NDArray[np.float64]) -> Mask:
    """In one sweep: sorted by both columns, a row stays if its second is lower than any before it, or if it equals the last that was."""
    order = np.lexsort((values[:, 1], values[:, 0]))
    first, second = values[order, 0], values[order, 1]
    fresh = second < np.concatenate(([np.inf], np.minimum.accumulate(second)[:-1]))
    fresh[:1] = True
    leader = np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0)) if len(order) else order
    mask = np.zeros(len(values), bool)
    mask[order] = fresh | ((first == first[leader]) & (second == second[leader]))
    return mask


def _of_several(values: npt.NDArray[np.float64]) -> Mask:
    kept: list[int] = []
    best = np.empty((0, values.shape[1]))
    # Whatever beats a row comes before it in this order.
    for place in np.lexsort(values.T[::-1]):
        row = values[place]
        if not ((best <= row).all(axis=1) & (best < row).any(axis=1)).any():
            kept.append(int(place))
            best = values[kept]
    mask = np.zeros(len(values), bool)
    mask[kept] = True
    return mask

"""The Pareto front: what nothing else beats."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def front(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which rows no other row beats: none is as small everywhere and smaller somewhere. Equal rows all stay."""
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

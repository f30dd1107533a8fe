"""Every distribution of a fine grid, as the oracle of the solver; and strategies that draw priors and bounds."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from sfumato.tradeoff.formulas import largest, losses_of

Floats = npt.NDArray[np.float64]
# How much worse than the best point of a grid an answer may be.
TOLERANCE = 1e-7


@cache
def grid(values: int) -> Floats:
    """All distributions over two values in steps of 1/20000, or over three in steps of 1/400."""
    if values == 2:
        first = np.linspace(0, 1, 20_001)
        return np.stack([first, 1 - first], axis=1)
    first, second = (axis.ravel() for axis in np.meshgrid(np.arange(401), np.arange(401)))
    inside = first + second <= 400
    return np.stack([first, second, 400 - first - second], axis=1)[inside] / 400


def zoomed(center: Floats, width: float) -> Floats:
    """A grid around a distribution, many times finer: its points lie within the width, moved along the simplex."""
    steps = np.linspace(-width, width, 201)
    if len(center) == 2:
        result = center + steps[:, None] * np.array([1.0, -1.0])
    else:
        one, other = (axis.ravel() for axis in np.meshgrid(steps, steps))
        result = center + np.stack([one, other, -one - other], axis=1)
    return np.asarray(result[(result >= 0).all(axis=1)])


def least_on_grid(prior: Floats, weights: Floats, bounds: Floats, *, near: Floats | None = None) -> float | None:
    """The least weighted sum of losses of any grid point within the bounds; around a point also of a finer grid."""
    points = grid(len(prior))
    for width in (0.0, 1e-2, 1e-3, 1e-4) if near is not None else (0.0,):
        points = np.concatenate([points, zoomed(near, width)]) if near is not None and width else points
    losses = losses_of(points, prior)
    fine = (losses <= bounds).all(axis=1)
    return float((losses[fine] @ weights).min()) if fine.any() else None


@st.composite
def priors(draw: st.DrawFn, most: int = 3) -> Floats:
    """Shares over two or three values, all above zero."""
    counts = draw(st.lists(st.integers(1, 200), min_size=2, max_size=most))
    return np.array(counts) / sum(counts)


@st.composite
def bounds(draw: st.DrawFn, prior: Floats, places: tuple[int, ...]) -> Floats:
    """Bounds on some losses, as shares of the largest values, small ones too."""
    result = np.full(4, np.inf)
    for place in places:
        share = draw(st.one_of(st.none(), st.floats(1e-3, 1), st.floats(1e-5, 1e-2)))
        if share is not None:
            result[place] = share * largest(prior)[place]
    return result

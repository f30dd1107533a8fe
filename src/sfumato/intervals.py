"""Intervals of shares that were counted."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

LEVEL = 0.95


def wilson(hits: float, tries: int, level: float = LEVEL) -> tuple[float, float]:
    """The score interval of a share (Wilson 1927); everything if nothing was tried.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    if tries == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, room = hits / tries, z * z / tries
    middle = share + room / 2
    half = sqrt(max(room * (share * (1 - share) + room / 4), 0.0))
    low, high = (middle - half) / (1 + room), (middle + half) / (1 + room)
    # At the ends the formula gives them up to rounding only.
    return (0.0 if hits <= 0 else max(low, 0.0)), (1.0 if hits >= tries else min(high, 1.0))

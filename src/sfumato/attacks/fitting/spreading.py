"""Runs of whole numbers, one after the other: how lists of different lengths that lie in one array are read without a loop."""

from __future__ import annotations

import numpy as np

from sfumato.frequency import Counts


def spread(starts: Counts, counts: Counts) -> Counts:
    """start, start + 1, … for each start, as many as counted."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) - np.repeat(ends - counts, counts) + np.repeat(starts, counts)

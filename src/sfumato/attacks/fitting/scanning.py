"""Scores of all pairs of people and classes, compiled: for each person the best classes, and nothing else is kept.

`weighing` has the plain way, which the tests compare it with.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@njit(cache=True, nogil=True)
def scan(
    cells: Places,
    starts: Places,
    ends: Places,
    classes: Places,
    own: Places,
    their: Places,
    tables: Floats,
    margin: float,
    most: int,
    found: Places,
    scores: Floats,
) -> Places:
    """How many classes are kept of each cell; they and their scores are written one cell after the other. The classes of a cell are
    classes[start:end]; own[j, cell] is where the row of its value begins in the tables, and their[j, class] the place in that row."""
    counts = np.zeros(len(cells), np.int64)
    widest = 0
    for place in range(len(cells)):
        widest = max(widest, ends[place] - starts[place])
    total = np.empty(widest)
    written = 0
    for place in range(len(cells)):
        start, count = starts[place], ends[place] - starts[place]
        best = -np.inf
        for at in range(count):
            score = 0.0
            for column in range(len(own)):
                score += tables[own[column, cells[place]] + their[column, classes[start + at]]]
            total[at] = score
            best = max(best, score)
        if best == -np.inf:
            continue
        least, ties = _threshold(total[:count], best - margin, most)
        first = written
        for at in range(count):
            if total[at] > least or (total[at] == least and ties > 0):
                ties -= total[at] == least
                found[written], scores[written] = classes[start + at], total[at]
                written += 1
        counts[place] = written - first
    return counts


@njit(cache=True, nogil=True)
def _threshold(total: Floats, least: float, most: int) -> tuple[float, int]:
    """The least score that is kept, and how many of those that have it."""
    above = 0
    for score in total:
        above += score >= least
    if above <= most:
        return least, len(total)
    bound = np.partition(total, len(total) - most)[len(total) - most]
    larger = 0
    for score in total:
        larger += score > bound
    return bound, most - larger

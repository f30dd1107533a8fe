"""Groups of at least k near records: MDAV (Domingo-Ferrer and Mateo-Sanz 2002), compiled. The tests have a plain one to compare with.

Around the record that is farthest from the middle, and around the one that is farthest from that, the k nearest form a group each, until
fewer than 3k are left. Numbers are compared as they are given (scaled, see `microaggregate`), by squares of differences; categories count
1 where they differ. Of equal distances the record that comes first wins, so the groups depend on nothing else.

Columns lie one after the other in memory, so that the processor compares several records at once. Records in groups are marked, and taken
out of the columns when they are many.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
_MANY = 8  # one in so many records is in a group: then those are taken out


@dataclass(slots=True, eq=False)
class Left:
    """The records that are in no group yet, and some that are (`taken`): their numbers, columns of numbers and of categories."""

    rows: Places
    numbers: Floats
    codes: Codes
    taken: Mask

    def without_taken(self) -> Left:
        """Those that are in no group."""
        kept = ~self.taken
        numbers, codes = np.ascontiguousarray(self.numbers[:, kept]), np.ascontiguousarray(self.codes[:, kept])
        return Left(self.rows[kept], numbers, codes, np.zeros(int(kept.sum()), bool))


def grouped(left: Left, k: int, group: int, group_of: Places, steps: int) -> tuple[Left, int]:
    """Make up to `steps` pairs of groups while 3k records are left, and the last groups then: who is left, and the next number."""
    count, widths = len(left.rows), np.array([int(column.max()) + 1 for column in left.codes], np.int64)
    while steps > 0 and count >= 3 * k:
        some = min(steps, max(1, count // (2 * k * _MANY)))
        pairs = some_pairs(left.rows, left.numbers, left.codes, left.taken, widths, k, group, group_of, some, count)
        left, group, steps = left.without_taken(), group + 2 * pairs, steps - some
        count = len(left.rows)
    if count >= 3 * k:
        return left, group
    if count >= 2 * k:
        one_group(left.rows, left.numbers, left.codes, left.taken, widths, k, group, group_of)
        left, group = left.without_taken(), group + 1
    group_of[left.rows] = group
    left.taken[:] = True
    return left.without_taken(), group + 1


@njit(cache=True, nogil=True)
def fill_distances(
    numbers: Floats, codes: Codes, taken: Mask, middle: Floats, modes: Codes, away: Floats
) -> None:  # pragma: no cover - compiled
    """How far each record is from a point; -1 for those that are taken."""
    count = len(away)
    for place in range(count):
        away[place] = 0.0
    for column in range(numbers.shape[0]):
        own, value = numbers[column], middle[column]
        for place in range(count):
            apart = own[place] - value
            away[place] += apart * apart
    for column in range(codes.shape[0]):
        kinds, mode = codes[column], modes[column]
        for place in range(count):
            away[place] += 1.0 if kinds[place] != mode else 0.0
    for place in range(count):
        if taken[place]:
            away[place] = -1.0


@njit(cache=True, nogil=True)
def farthest(away: Floats) -> int:  # pragma: no cover - compiled
    """The first of the records that are farthest away."""
    best = 0
    for place in range(1, len(away)):
        if away[place] > away[best]:
            best = place
    return best


@njit(cache=True, nogil=True)
def take_nearest(
    rows: Places, taken: Mask, away: Floats, k: int, group: int, group_of: Places
) -> None:  # pragma: no cover - compiled
    """Put the k records that are nearest into a group."""
    near, far = np.empty(k, np.int64), np.full(k, np.inf)
    have = 0
    for place in range(len(away)):
        apart = away[place]
        if apart < 0 or (have == k and apart >= far[k - 1]):
            continue
        at = min(have, k - 1)
        while at > 0 and far[at - 1] > apart:
            far[at], near[at] = far[at - 1], near[at - 1]
            at -= 1
        far[at], near[at] = apart, place
        have = min(have + 1, k)
    for chosen in near:
        group_of[rows[chosen]] = group
        taken[chosen] = True
        away[chosen] = -1.0


@njit(cache=True, nogil=True)
def find_middle(
    numbers: Floats, codes: Codes, taken: Mask, widths: Places, middle: Floats, modes: Codes
) -> None:  # pragma: no cover - compiled
    """The mean of the numbers and the most frequent categories of the records that are not taken."""
    count = 0
    for each in taken:
        count += 0 if each else 1
    for column in range(numbers.shape[0]):
        total = 0.0
        for place in range(len(taken)):
            total += 0.0 if taken[place] else numbers[column, place]
        middle[column] = total / count
    for column in range(codes.shape[0]):
        often = np.zeros(widths[column], np.int64)
        for place in range(len(taken)):
            often[codes[column, place]] += 0 if taken[place] else 1
        modes[column] = np.argmax(often)


@njit(cache=True, nogil=True)
def some_pairs(
    rows: Places,
    numbers: Floats,
    codes: Codes,
    taken: Mask,
    widths: Places,
    k: int,
    group: int,
    group_of: Places,
    most: int,
    count: int,
) -> int:  # pragma: no cover - compiled
    """Make up to so many pairs of groups, as long as 3k records are left; how many were made."""
    away = np.empty(len(rows))
    middle, modes = np.empty(numbers.shape[0]), np.empty(codes.shape[0], np.int32)
    made = 0
    while made < most and count >= 3 * k:
        find_middle(numbers, codes, taken, widths, middle, modes)
        fill_distances(numbers, codes, taken, middle, modes, away)
        first = farthest(away)
        fill_distances(numbers, codes, taken, numbers[:, first].copy(), codes[:, first].copy(), away)
        take_nearest(rows, taken, away, k, group + 2 * made, group_of)
        second = farthest(away)
        fill_distances(numbers, codes, taken, numbers[:, second].copy(), codes[:, second].copy(), away)
        take_nearest(rows, taken, away, k, group + 2 * made + 1, group_of)
        made += 1
        count -= 2 * k
    return made


@njit(cache=True, nogil=True)
def one_group(
    rows: Places, numbers: Floats, codes: Codes, taken: Mask, widths: Places, k: int, group: int, group_of: Places
) -> None:  # pragma: no cover - compiled
    """Make one group, around the record that is farthest from the middle."""
    away = np.empty(len(rows))
    middle, modes = np.empty(numbers.shape[0]), np.empty(codes.shape[0], np.int32)
    find_middle(numbers, codes, taken, widths, middle, modes)
    fill_distances(numbers, codes, taken, middle, modes, away)
    first = farthest(away)
    fill_distances(numbers, codes, taken, numbers[:, first].copy(), codes[:, first].copy(), away)
    take_nearest(rows, taken, away, k, group, group_of)

"""Compiled walks through the trees of a forest. Indices are not looked at: `Forest.checked` has done so.

Nobody can foretell at which side of a threshold a value lies, so the walk does not branch: both children of a node lie beside each
other (`laid_out`), a leaf leads to itself, and every row takes as many steps as its tree is deep. Rows are taken in blocks that walk
down a tree side by side, so that its nodes stay near the processor and one row need not wait for another. For each row the trees are
summed in their order, as scikit-learn sums them: the scores are the same to the last bit. The loops hold no lock of the interpreter and
run without the compiler too (NUMBA_DISABLE_JIT=1).
"""

from __future__ import annotations

import numpy as np
from numba import njit

_BLOCK = 512


@njit(cache=True, nogil=True)
def laid_out(offsets, feature, left, right):  # type: ignore[no-untyped-def]
    """The nodes of each tree level by level, siblings beside each other: the old place of each, the new place of its left child (its own
    for a leaf), and how many steps the deepest leaf of each tree is from the root."""
    old = np.empty(len(feature), np.int64)
    child = np.empty(len(feature), np.uint32)
    depth = np.zeros(len(offsets) - 1, np.int64)
    for tree in range(len(offsets) - 1):
        first = offsets[tree]
        old[first], free, level_end = first, first + 1, first + 1
        for place in range(first, offsets[tree + 1]):
            if place == level_end:
                depth[tree] += 1
                level_end = free
            node = old[place]
            if feature[node] < 0:
                child[place] = place
            else:
                child[place] = free
                old[free], old[free + 1] = first + left[node], first + right[node]
                free += 2
    return old, child, depth


@njit(cache=True, nogil=True)
def scores(rows, offsets, depth, feature, threshold, child, share):  # type: ignore[no-untyped-def]
    """The sum of the shares of the leaves that each row comes to."""
    count = len(rows)
    total = np.zeros(count, np.float64)
    at = np.empty(_BLOCK, np.uint32)
    for start in range(0, count, _BLOCK):
        size = min(_BLOCK, count - start)
        block = rows[start : start + size]
        for tree in range(len(offsets) - 1):
            at[:size] = offsets[tree]
            for _ in range(depth[tree]):
                for row in range(size):
                    node = at[row]
                    at[row] = child[node] + np.uint32(block[row, feature[node]] > threshold[node])
            for row in range(size):
                total[start + row] += share[at[row]]
    return total


@njit(cache=True, nogil=True)
def contributions(rows, offsets, depth, feature, threshold, child, share):  # type: ignore[no-untyped-def]
    """The sums of what each feature changes the share by, along the paths of each row: where it is at most a threshold, and where it is
    above one."""
    count, features = rows.shape
    total = np.zeros((count, 2, features), np.float64)
    at = np.empty(_BLOCK, np.uint32)
    for start in range(0, count, _BLOCK):
        size = min(_BLOCK, count - start)
        block = rows[start : start + size]
        for tree in range(len(offsets) - 1):
            at[:size] = offsets[tree]
            for _ in range(depth[tree]):
                for row in range(size):
                    node = at[row]
                    by = feature[node]
                    above = np.uint32(block[row, by] > threshold[node])
                    at[row] = child[node] + above
                    total[start + row, above, by] += share[at[row]] - share[node]
    return total

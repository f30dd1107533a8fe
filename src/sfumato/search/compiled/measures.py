"""What is measured of a class, one row of statistics and losses each, what of a prior that takes, and what rows add up to.

`narrow` makes the rows for domains of few values, `wide` for those of many.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sfumato.search.compiled.stale import require_fresh

# What is measured of a class: columns of the class statistics, and the entropy loss.
ROWS = (
    "top", "entropy", "kl", "js", "distribution", "l1", "chi2", "hellinger", "utility_distribution",
    "emd_ordered", "emd_hierarchical", "emd_equal", "entropy_loss",
)  # fmt: skip
STEP = 6  # the column of a belief
TOP, ENTROPY, KL, JS, DISTRIBUTION, L1, CHI2, HELLINGER, UTILITY, ORDERED, TREE, EQUAL, LOSS = range(len(ROWS))
# What may be wanted of a class, as bits: the earth mover's distances along the order and up the tree, and what is made together.
ALONG, UP, GAPS, LOGS, ROOTS, SURPRISE = (1 << bit for bit in range(6))
WITHOUT_MOVES = GAPS | LOGS | ROOTS | SURPRISE
PART_OF = {
    "emd_ordered": ALONG, "emd_hierarchical": UP, "distribution": GAPS, "l1": GAPS, "chi2": GAPS, "emd_equal": GAPS, "entropy": LOGS,
    "kl": LOGS, "js": LOGS, "entropy_loss": LOGS, "hellinger": ROOTS, "utility_distribution": SURPRISE,
}  # fmt: skip


@njit(cache=True, nogil=True)
def beliefs(prior, steps):  # type: ignore[no-untyped-def]
    """What is needed of a prior a, one row per value: a, a^2, root of a, log2 a, a log2 a, 1 / a, the step to the next value."""
    rows = np.zeros((len(prior), 7))
    rows[: len(steps), STEP] = steps
    for value in range(len(prior)):
        a = prior[value]
        rows[value, 0] = a
        rows[value, 1] = a * a
        rows[value, 2] = np.sqrt(a)
        rows[value, 3] = np.log2(a) if a > 0 else -np.inf
        rows[value, 4] = a * np.log2(a) if a > 0 else 0.0
        rows[value, 5] = 1 / a if a > 0 else np.inf
    return rows


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"}, inline="always")
def log2_of(x):  # type: ignore[no-untyped-def]
    """log2 of x > 0 to 4e-16 of max(1, |log2 x|), and something finite of 0; without a call, so that loops of it become vectors.

    x = 2^e z with z between the roots of 1/2 and 2; ln z = s (2 + R(s^2)) with s = (z - 1) / (z + 1), the polynomial of fdlibm.
    """
    bits = np.float64(x).view(np.int64)
    e = (bits - np.int64(0x3FE6A09E667F3BCD)) >> np.int64(52)
    f = np.int64(bits - (e << np.int64(52))).view(np.float64) - 1.0
    s = f / (f + 2.0)
    w = s * s
    r = 0.1818357216161805012 + w * (0.1531383769920937332 + w * 0.1479819860511658591)
    r = w * (
        0.6666666666666735130 + w * (0.3999999999940941908 + w * (0.2857142874366239149 + w * (0.2222219843214978396 + w * r)))
    )
    return e + s * (2.0 + r) * 1.4426950408889634


@njit(cache=True, nogil=True)
def totals(row_of, people, kept, starts, rows, width):  # type: ignore[no-untyped-def]
    """Per node over its kept classes: the largest value of every one of ROWS, and the sum over people."""
    most, total = np.empty((len(starts) - 1, len(ROWS))), np.empty((len(starts) - 1, len(ROWS)))
    people_of = np.empty(width, np.int64)  # people of the node in classes of one value
    own_most, own_total = np.empty(len(ROWS)), np.empty(len(ROWS))
    for node in range(len(starts) - 1):
        people_of[:], own_most[:], own_total[:] = 0, -np.inf, 0.0
        for c in range(starts[node], starts[node + 1]):
            if kept[c]:
                if row_of[c] < width:
                    people_of[row_of[c]] += people[c]
                else:
                    _add(rows[row_of[c]], people[c], own_most, own_total)
        for value in range(width):
            if people_of[value] > 0:
                _add(rows[value], people_of[value], own_most, own_total)
        most[node], total[node] = own_most, own_total
    return most, total


@njit(cache=True, nogil=True, inline="always")
def _add(row, n, most, total):  # type: ignore[no-untyped-def]
    for column in range(len(ROWS)):
        total[column] += row[column] * n
        most[column] = row[column] if row[column] > most[column] else most[column]


require_fresh(totals)

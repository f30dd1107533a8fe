"""Compiled loops that measure classes cell by cell: one row of statistics and losses per class, and what rows add up to.

`narrow` makes the same rows in another way, for domains of few values.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sfumato.search.compiled.stale import require_fresh

# What is measured of a class: columns of the class statistics, and the entropy loss. The loops of `narrow` use the numbers too.
ROWS = (
    "top", "entropy", "kl", "js", "distribution", "l1", "chi2", "hellinger", "utility_distribution",
    "emd_ordered", "emd_hierarchical", "emd_equal", "entropy_loss",
)  # fmt: skip
STEP = 6  # the column of a belief
TOP, ENTROPY, KL, JS, DISTRIBUTION, L1, CHI2, HELLINGER, UTILITY, ORDERED, TREE, EQUAL, LOSS = range(len(ROWS))


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


@njit(cache=True, nogil=True, inline="always")
def _rest(total, touched, beside, span, values, belief, column, seen):  # type: ignore[no-untyped-def]
    """What the values that a class lacks add up to. A difference that is small beside its parts has lost its digits: added up anew,
    unless what it is added to (`beside`) is so large that they do not matter. `seen` is 0 before and after."""
    if total - touched + beside > 1e-3 * total:
        return max(total - touched, 0.0)
    for cell in range(span[0], span[1]):
        seen[values[cell]] = 1.0
    rest = 0.0
    for value in range(len(belief)):
        rest += belief[value, column] * (1.0 - seen[value])
    for cell in range(span[0], span[1]):
        seen[values[cell]] = 0.0
    return rest


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _losses(first, last, values, people, belief, sums, seen, row):  # type: ignore[no-untyped-def]
    """Everything but the earth mover's distances, in three passes over the cells of a class.

    Differences are taken value by value, so that none loses its digits; values that the class lacks are accounted for together.
    """
    n, at, touched, squares, own_prior = 0, first, 0.0, 0.0, 0.0
    for cell in range(first, last):
        v, count = values[cell], people[cell]
        n += count
        at = cell if count > people[at] else at
        touched += belief[v, 0]
        squares += belief[v, 1]
        own_prior += belief[v, 4]
    own, kl, gaps, gap, chi2, apart, middle, others, other_squares = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for cell in range(first, last):
        v, x = values[cell], people[cell] / n
        d, r, log = x - belief[v, 0], np.sqrt(x) - belief[v, 2], log2_of(x)
        own += x * log
        kl += x * (log - belief[v, 3])
        gap += abs(d)
        gaps += d * d
        chi2 += d * d * belief[v, 5]
        apart += r * r
        middle += (x + belief[v, 0]) * log2_of(0.5 * (x + belief[v, 0]))
        others += x if cell != at else 0.0
        other_squares += x * x if cell != at else 0.0
    most = people[at] / n
    far, base = most * np.sqrt(others * others + other_squares), 1 + most * most + other_squares
    for cell in range(first, last):
        x = people[cell] / n
        far += x * np.sqrt(base - 2 * x) if cell != at else 0.0
    rest, rest_squares = 0.0, 0.0
    if last - first < len(belief):
        rest = _rest(sums[0], touched, gap, (first, last), values, belief, 0, seen)
        rest_squares = _rest(sums[1], squares, gaps, (first, last), values, belief, 1, seen)
    row[TOP], row[ENTROPY], row[LOSS] = people[at], abs(own), abs(abs(sums[4]) - abs(own))
    row[KL], row[JS] = max(kl, 0.0), max((own + own_prior - middle + rest) / 2, 0.0)
    row[DISTRIBUTION], row[L1], row[EQUAL] = np.sqrt(gaps + rest_squares), gap + rest, (gap + rest) / 2
    row[CHI2], row[HELLINGER], row[UTILITY] = chi2 + rest, np.sqrt((apart + rest) / 2), far
    return n


@njit(cache=True, nogil=True, inline="always")
def _ordered(first, last, values, people, n, belief, extra, row):  # type: ignore[no-untyped-def]
    """Earth mover's distance along the order of the values."""
    width = len(belief)
    for value in range(width):
        extra[value] = -belief[value, 0]
    for cell in range(first, last):
        extra[values[cell]] += people[cell] / n
    running, moved = 0.0, 0.0
    for value in range(width - 1):
        running += extra[value]
        moved += abs(running) * belief[value, STEP]
        extra[value] = 0.0
    extra[width - 1] = 0.0
    row[ORDERED] = moved


@njit(cache=True, nogil=True, inline="always")
def _hierarchical(span, cells, n, tree, total, room, row):  # type: ignore[no-untyped-def]
    """Earth mover's distance up and down the tree as `narrow` has it, looking only at nodes that the class has people under.

    `tree`: the parent of every node, its share of the prior, and the height; nodes are numbered through all levels, leaves first, the
    root last. The nodes without people lack their share of the prior: what is left of all levels.
    """
    parents, weights, height = tree
    values, people = cells
    shares, marks = room
    count = 0
    for cell in range(span[0], span[1]):
        shares[values[cell]] = people[cell] / n
        marks[count] = values[cell]
        count += 1
    moved = height * total
    for _ in range(height):
        above = 0
        for place in range(count):
            node = marks[place]
            parent = parents[node]
            if shares[parent] == 0:
                marks[above] = parent
                above += 1
            shares[parent] += shares[node]
            moved += abs(shares[node] - weights[node]) - weights[node]
            shares[node] = 0.0
        count = above
    shares[marks[0]] = 0.0
    row[TREE] = max(moved, 0.0) / (2 * height)


@njit(cache=True, nogil=True, error_model="numpy")
def measure_wide(cells, row_of, against, rows, used):  # type: ignore[no-untyped-def]
    """As `measure_narrow`, cell by cell. `moves` says which earth mover's distances are wanted: 1 ordered, 2 hierarchical, 3 both."""
    offsets, values, people = cells
    belief, tree, moves = against
    shares, marks, sums = np.zeros(len(tree[0])), np.empty(len(belief), np.int64), belief.sum(axis=0)
    for c in range(len(row_of)):
        if row_of[c] < 0:
            first, last, row = offsets[c], offsets[c + 1], rows[used]
            n = _losses(first, last, values, people, belief, sums, shares, row)
            row[ORDERED], row[TREE] = 0.0, 0.0
            if moves & 1:
                _ordered(first, last, values, people, n, belief, shares, row)
            if moves & 2:
                _hierarchical((first, last), (values, people), n, tree, sums[0], (shares, marks), row)
            row_of[c] = used
            used += 1
    return used


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


require_fresh(measure_wide)

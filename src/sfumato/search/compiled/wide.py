"""Compiled loops for domains of many values: classes are measured one by one, by the values that they have.

The cells of a class are laid out in columns, and one loop over these makes sums that may be added in any order, so that the compiler
makes vector instructions of it. Values that the class lacks are accounted for together. The rows are those of `measures`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from sfumato.search.compiled.measures import (
    ALONG,
    CHI2,
    DISTRIBUTION,
    ENTROPY,
    EQUAL,
    HELLINGER,
    JS,
    KL,
    L1,
    LOSS,
    ORDERED,
    STEP,
    TOP,
    TREE,
    UP,
    UTILITY,
    log2_of,
)  # fmt: skip
from sfumato.search.compiled.stale import require_fresh

Room = tuple[tuple[npt.NDArray[np.float64], ...], npt.NDArray[np.float64], npt.NDArray[np.int64]]
_COLUMNS = 5  # of a cell: share, and of the prior: share, log, root, inverse
_LANES = 8  # numbers in a vector; a class is filled up to whole vectors with cells of nobody
# Inlined, so that passing arrays from loop to loop costs nothing: a class of few cells would spend a third of its time on that.
_plain = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"}, forceinline=True)
_inlined = njit(cache=True, nogil=True, error_model="numpy", inline="always")
# Additions in any order: else a sum is made one by one.
_vectors = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc"}, forceinline=True)


def room_for(values: int, nodes: int) -> Room:
    """Room for a class: its cells in columns, shares by value and by node of the tree, which are 0 between classes, and marked nodes."""
    return tuple(np.empty(values + _LANES) for _ in range(_COLUMNS)), np.zeros(nodes), np.empty(values, np.int64)


@_vectors
def _counted(people):  # type: ignore[no-untyped-def]
    """How many people a class has, and how many of them its most frequent value."""
    n, top = 0, 0
    for cell in range(len(people)):
        n += people[cell]
        top = max(top, people[cell])
    return n, top


@_plain
def _laid_out(values, people, top, belief, columns):  # type: ignore[no-untyped-def]
    """Write the columns of a class, people in place of shares; the place of its most frequent value, and the end of whole vectors."""
    held, prior, logs, roots, inverse = columns
    count, at = len(values), 0
    for cell in range(count):
        value = values[cell]
        held[cell] = people[cell]
        prior[cell], logs[cell] = belief[value, 0], belief[value, 3]
        roots[cell], inverse[cell] = belief[value, 2], belief[value, 5]
        at = cell if people[cell] == top else at
    end = (count + _LANES - 1) // _LANES * _LANES
    for column in columns:
        for cell in range(count, end):
            column[cell] = 0.0
    return at, end


@_vectors
def _compared(columns, end, at, n):  # type: ignore[no-untyped-def]
    """What a class and its differences from the prior add up to, over the values that it has; people become shares. Of the shares and
    their squares, those of all values but the most frequent one, `at`.

    Differences are taken value by value, so that none loses its digits.
    """
    shares, prior, logs, roots, inverse = columns
    touched, squares, own_prior, own, kl, middle = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    gap, gaps, chi2, apart, others, other_squares = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for cell in range(end):
        x, a = shares[cell] / n, prior[cell]
        d, r, log = x - a, np.sqrt(x) - roots[cell], log2_of(x)
        shares[cell] = x
        touched += a
        squares += a * a
        own_prior += a * (logs[cell] if a > 0 else 0.0)
        own += x * log
        kl += x * (log - logs[cell])
        middle += (x + a) * log2_of(0.5 * (x + a))
        gap += abs(d)
        gaps += d * d
        chi2 += d * d * inverse[cell]
        apart += r * r
        y = x if cell != at else 0.0
        others += y
        other_squares += y * y
    return (touched, squares), (own_prior, own, kl, middle), (gap, gaps, chi2, apart), (others, other_squares)


@_vectors
def _surprise(shares, end, at, others, squares):  # type: ignore[no-untyped-def]
    """Utility in terms of distributions: for the most frequent value from the other shares alone, see `statistics`."""
    most = shares[at]
    far, base = most * np.sqrt(others * others + squares), 1 + most * most + squares
    for cell in range(end):
        x = shares[cell] if cell != at else 0.0
        far += x * np.sqrt(base - 2 * x)
    return far


@_inlined
def _rest(total, touched, beside, values, belief, column, marks):  # type: ignore[no-untyped-def]
    """What the values that a class lacks add up to. A difference that is small beside its parts has lost its digits: added up anew,
    unless what it is added to (`beside`) is so large that they do not matter. `marks` is 0 before and after."""
    if len(values) == len(belief):
        return 0.0
    if total - touched + beside > 1e-3 * total:
        return max(total - touched, 0.0)
    for cell in range(len(values)):
        marks[values[cell]] = 1.0
    rest = 0.0
    for value in range(len(belief)):
        rest += belief[value, column] * (1.0 - marks[value])
    for cell in range(len(values)):
        marks[values[cell]] = 0.0
    return rest


@_plain
def _losses(values, people, belief, sums, columns, marks, row):  # type: ignore[no-untyped-def]
    """Everything but the earth mover's distances; how many people the class has."""
    n, top = _counted(people)
    at, end = _laid_out(values, people, top, belief, columns)
    (touched, squares), (own_prior, own, kl, middle), (gap, gaps, chi2, apart), others = _compared(columns, end, at, n)
    rest = _rest(sums[0], touched, gap, values, belief, 0, marks)
    rest_squares = _rest(sums[1], squares, gaps, values, belief, 1, marks)
    row[TOP], row[ENTROPY], row[LOSS] = top, abs(own), abs(abs(sums[4]) - abs(own))
    row[KL], row[JS] = max(kl, 0.0), max((own + own_prior - middle + rest) / 2, 0.0)
    row[DISTRIBUTION], row[L1], row[EQUAL] = np.sqrt(gaps + rest_squares), gap + rest, (gap + rest) / 2
    row[CHI2], row[HELLINGER], row[UTILITY] = chi2 + rest, np.sqrt((apart + rest) / 2), _surprise(columns[0], end, at, *others)
    return n


@_inlined
def _ordered(values, people, n, belief, extra, row):  # type: ignore[no-untyped-def]
    """Earth mover's distance along the order of the values."""
    width = len(belief)
    for value in range(width):
        extra[value] = -belief[value, 0]
    for cell in range(len(values)):
        extra[values[cell]] += people[cell] / n
    running, moved = 0.0, 0.0
    for value in range(width - 1):
        running += extra[value]
        moved += abs(running) * belief[value, STEP]
        extra[value] = 0.0
    extra[width - 1] = 0.0
    row[ORDERED] = moved


@_inlined
def _hierarchical(values, people, n, tree, total, shares, marks, row):  # type: ignore[no-untyped-def]
    """Earth mover's distance up and down the tree as `narrow` has it, looking only at nodes that the class has people under.

    `tree`: the parent of every node, its share of the prior, and the height; nodes are numbered through all levels, leaves first, the
    root last. The nodes without people lack their share of the prior: what is left of all levels.
    """
    parents, weights, height = tree
    count = len(values)
    for cell in range(count):
        shares[values[cell]] = people[cell] / n
        marks[cell] = values[cell]
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


@_plain
def measure_wide(cells, row_of, against, room, rows, used):  # type: ignore[no-untyped-def]
    """As `measure_narrow`, class by class. Everything but the earth mover's distances is always made."""
    offsets, every_value, everybody = cells
    belief, sums, tree, wanted = against
    columns, shares, marks = room
    every_value = every_value.view(np.uint32)
    for c in range(len(row_of)):
        if row_of[c] < 0:
            values, people, row = every_value[offsets[c] : offsets[c + 1]], everybody[offsets[c] : offsets[c + 1]], rows[used]
            n = _losses(values, people, belief, sums, columns, shares, row)
            row[ORDERED], row[TREE] = 0.0, 0.0
            if wanted & ALONG:
                _ordered(values, people, n, belief, shares, row)
            if wanted & UP:
                _hierarchical(values, people, n, tree, sums[0], shares, marks, row)
            row_of[c] = used
            used += 1
    return used


require_fresh(measure_wide)

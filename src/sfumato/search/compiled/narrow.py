"""Compiled loops for domains of few values: classes are measured side by side, every value of the domain for many of them at once.

A loop runs over the classes and does the same for each, without branches, so that the compiler makes vector instructions of it; that
is quicker than looking for the values that a class has, and no value has to be accounted for apart. Each loop writes few arrays:
the compiler must see that they do not overlap. The rows are those of `measures`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sfumato.search.compiled.measures import (
    ALONG,
    CHI2,
    DISTRIBUTION,
    ENTROPY,
    EQUAL,
    GAPS,
    HELLINGER,
    JS,
    KL,
    L1,
    LOGS,
    LOSS,
    ORDERED,
    ROOTS,
    ROWS,
    STEP,
    SURPRISE,
    TOP,
    TREE,
    UP,
    UTILITY,
    log2_of,
)  # fmt: skip
from sfumato.search.compiled.stale import require_fresh

NARROW = 48  # values of a domain up to which this is quicker, unless most classes have but a few of them
_LANES = 64  # classes side by side
_ONE = np.uint64(1)
# No check for division by zero, and products may be added without rounding: else there are no vector instructions, or fewer.
_vectors = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
_inlined = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"}, inline="always")


@_vectors
def _shares(counts, lanes, belief, shares, extra, at, top, mass):  # type: ignore[no-untyped-def]
    """The shares of all values, what they exceed the prior by, and which value is the most frequent."""
    for lane in range(lanes):
        mass[lane], top[lane], at[lane] = 0.0, 0.0, 0
    for value in range(len(belief)):
        for lane in range(lanes):
            mass[lane] += counts[value, lane]
    for value in range(len(belief)):
        for lane in range(lanes):
            count = np.float64(counts[value, lane])
            more = count > top[lane]
            at[lane] = value if more else at[lane]
            top[lane] = count if more else top[lane]
    for value in range(len(belief)):
        a = belief[value, 0]
        for lane in range(lanes):
            shares[value, lane] = counts[value, lane] / mass[lane]
            extra[value, lane] = shares[value, lane] - a


@_vectors
def _gaps(extra, lanes, belief, measured):  # type: ignore[no-untyped-def]
    """What is made of the differences: L1, Euclidean distance, chi^2."""
    l1, squares, chi2, equal = measured[L1], measured[DISTRIBUTION], measured[CHI2], measured[EQUAL]
    for lane in range(lanes):
        l1[lane], squares[lane], chi2[lane] = 0.0, 0.0, 0.0
    for value in range(len(belief)):
        over = belief[value, 5] if belief[value, 0] > 0 else 0.0
        for lane in range(lanes):
            d = extra[value, lane]
            l1[lane] += abs(d)
            squares[lane] += d * d
            chi2[lane] += d * d * over
    for lane in range(lanes):
        squares[lane] = np.sqrt(squares[lane])
        equal[lane] = l1[lane] / 2


@_vectors
def _logs(shares, lanes, belief, measured):  # type: ignore[no-untyped-def]
    """Entropy, its distance from that of the prior, Kullback-Leibler and Jensen-Shannon divergence."""
    own, kl, middle, loss = measured[ENTROPY], measured[KL], measured[JS], measured[LOSS]
    prior = 0.0
    for lane in range(lanes):
        own[lane], kl[lane], middle[lane] = 0.0, 0.0, 0.0
    for value in range(len(belief)):
        a, log = belief[value, 0], belief[value, 3] if belief[value, 0] > 0 else 0.0
        prior += belief[value, 4]
        for lane in range(lanes):
            x = shares[value, lane]
            term = x * log2_of(x)
            own[lane] += term
            kl[lane] += term - x * log
            middle[lane] += (x + a) * log2_of(0.5 * (x + a))
    for lane in range(lanes):
        middle[lane] = max((own[lane] + prior - middle[lane]) / 2, 0.0)
        kl[lane] = max(kl[lane], 0.0)
        own[lane] = abs(own[lane])
        loss[lane] = abs(abs(prior) - own[lane])


@_vectors
def _roots(shares, lanes, belief, measured):  # type: ignore[no-untyped-def]
    """Hellinger distance."""
    apart = measured[HELLINGER]
    for lane in range(lanes):
        apart[lane] = 0.0
    for value in range(len(belief)):
        root = belief[value, 2]
        for lane in range(lanes):
            d = np.sqrt(shares[value, lane]) - root
            apart[lane] += d * d
    for lane in range(lanes):
        apart[lane] = np.sqrt(apart[lane] / 2)


@_vectors
def _surprise(shares, lanes, at, measured, scratch):  # type: ignore[no-untyped-def]
    """Utility in terms of distributions: for the most frequent value from the other shares alone, see `statistics`. Spoils `shares`."""
    far, others, base = measured[UTILITY], scratch[0], scratch[1]
    for lane in range(lanes):
        far[lane] = shares[at[lane], lane]
        shares[at[lane], lane] = 0.0
        others[lane], base[lane] = 0.0, 0.0
    for value in range(len(shares)):
        for lane in range(lanes):
            x = shares[value, lane]
            others[lane] += x
            base[lane] += x * x
    for lane in range(lanes):
        most = far[lane]
        far[lane] = most * np.sqrt(others[lane] * others[lane] + base[lane])
        base[lane] += 1 + most * most
    for value in range(len(shares)):
        for lane in range(lanes):
            x = shares[value, lane]
            far[lane] += x * np.sqrt(base[lane] - 2 * x)


@_vectors
def _along(extra, lanes, belief, moved, running):  # type: ignore[no-untyped-def]
    """Earth mover's distance along the order of the values."""
    for lane in range(lanes):
        moved[lane], running[lane] = 0.0, 0.0
    for value in range(len(belief) - 1):
        step = belief[value, STEP]
        for lane in range(lanes):
            running[lane] += extra[value, lane]
            moved[lane] += abs(running[lane]) * step


@_vectors
def _up(extra, lanes, width, tree, moved):  # type: ignore[no-untyped-def]
    """Earth mover's distance up and down the tree: half of what all nodes but the root have too much or too little, per level.

    That is the sum over nodes of their height times the lesser of what their children have too much and too little, written as half of
    the children's differences less the node's own, and added up. Spoils `extra` above the leaves.
    """
    parents, _, height = tree
    for lane in range(lanes):
        moved[lane] = 0.0
    for node in range(width, len(parents)):
        for lane in range(lanes):
            extra[node, lane] = 0.0
    for node in range(len(parents) - 1):
        above = extra[parents[node]]
        for lane in range(lanes):
            moved[lane] += abs(extra[node, lane])
            above[lane] += extra[node, lane]
    for lane in range(lanes):
        moved[lane] /= 2 * height


@_vectors
def _move(extra, lanes, belief, tree, wanted, measured, scratch):  # type: ignore[no-untyped-def]
    """The earth mover's distances that are wanted."""
    if wanted & ALONG:
        _along(extra, lanes, belief, measured[ORDERED], scratch[0])
    if wanted & UP:
        _up(extra, lanes, len(belief), tree, measured[TREE])


@_vectors
def _rule_out(counts, lanes, belief, measured):  # type: ignore[no-untyped-def]
    """What is infinite, because the prior rules out a value that occurs."""
    for value in range(len(belief)):
        if belief[value, 0] == 0:
            for lane in range(lanes):
                if counts[value, lane] > 0:
                    measured[KL, lane], measured[CHI2, lane] = np.inf, np.inf


@_vectors
def _room(belief, tree):  # type: ignore[no-untyped-def]
    """Room for the classes that are measured side by side: counts, shares, differences, the most frequent value, rows, scratch."""
    width = len(belief)
    counts, shares, extra = np.empty((width, _LANES), np.int64), np.empty((width, _LANES)), np.empty((len(tree[0]), _LANES))
    return counts, shares, extra, np.empty(_LANES, np.int64), np.zeros((len(ROWS), _LANES)), np.empty((2, _LANES))


@_vectors
def _measure(room, lanes, belief, tree, wanted, rows, used):  # type: ignore[no-untyped-def]
    """Write the rows of the classes whose counts are in the first lanes; of each what is `wanted`."""
    counts, shares, extra, at, measured, scratch = room
    _shares(counts, lanes, belief, shares, extra, at, measured[TOP], scratch[0])
    if wanted & GAPS:
        _gaps(extra, lanes, belief, measured)
    if wanted & LOGS:
        _logs(shares, lanes, belief, measured)
    if wanted & ROOTS:
        _roots(shares, lanes, belief, measured)
    if wanted & SURPRISE:
        _surprise(shares, lanes, at, measured, scratch)
    _move(extra, lanes, belief, tree, wanted, measured, scratch)
    _rule_out(counts, lanes, belief, measured)
    for lane in range(lanes):
        for column in range(len(measured)):
            rows[used + lane, column] = measured[column, lane]
    return used + lanes


@_vectors
def measure_narrow(cells, row_of, against, rows, used):  # type: ignore[no-untyped-def]
    """Measure the classes that have no row yet (-1), side by side, into the rows after the first `used`; how many are used then.

    `cells`: offsets, values and people. `against`: the belief, its tree, and what is wanted, see `measures`.
    """
    offsets, values, people = cells
    belief, tree, wanted = against
    room = _room(belief, tree)
    counts, lanes = room[0], 0
    for c in range(len(row_of)):
        if row_of[c] < 0:
            row_of[c] = used + lanes
            counts[:, lanes] = 0
            for cell in range(offsets[c], offsets[c + 1]):
                counts[values[cell], lanes] = people[cell]
            lanes += 1
        if lanes == _LANES:
            used, lanes = _measure(room, lanes, belief, tree, wanted, rows, used), 0
    return _measure(room, lanes, belief, tree, wanted, rows, used)


@_vectors
def merge_narrow(groups, cells, old, against, rows, used):  # type: ignore[no-untyped-def]
    """As `kernels.merge`, and the rows of the groups: `old` ones of lone members, those of values, new ones after the first `used`.

    `groups`: the first member of each, and the chain after it; `cells` and `against` as in `measure_narrow`.
    """
    first, after = groups
    belief, tree, wanted = against
    people = cells[2]
    offsets, values, none, width = cells[0].view(np.uint64), cells[1].view(np.uint32), len(after) - 1, len(belief)
    new_offsets, row_of = np.empty(len(first) + 1, np.int64), np.empty(len(first), np.int32)
    new_values, new_people = np.empty(len(values) + width, np.int32), np.empty(len(values) + width, np.int64)
    room, total, lanes, end = _room(belief, tree), np.zeros(width, np.int64), 0, np.uint64(0)
    new_offsets[0] = 0
    for g in range(len(first)):
        begin, member = end, first[g]
        if after[member] == none:
            row_of[g] = old[member]
            for cell in range(offsets[member], offsets[member + _ONE]):
                new_values[end], new_people[end] = values[cell], people[cell]
                end += _ONE
        else:
            _add_up(member, after, offsets, values, people, total)
            end = _write(total, new_values, new_people, end, room[0], lanes)
            lone = end == begin + _ONE
            row_of[g] = new_values[begin] if lone else used + lanes
            lanes += 0 if lone else 1
            if lanes == _LANES:
                used, lanes = _measure(room, lanes, belief, tree, wanted, rows, used), 0
        new_offsets[g + 1] = end
    used = _measure(room, lanes, belief, tree, wanted, rows, used)
    return (new_offsets, new_values[:end], new_people[:end]), row_of, used


@_inlined
def _add_up(member, after, offsets, values, people, total):  # type: ignore[no-untyped-def]
    while member != len(after) - 1:
        for cell in range(offsets[member], offsets[member + _ONE]):
            total[values[cell]] += people[cell]
        member = after[member]


@_inlined
def _write(total, values, people, end, counts, lane):  # type: ignore[no-untyped-def]
    """Write the cells of a class and its lane, and clear it. A value that it lacks is overwritten by the next one."""
    for value in range(len(total)):
        count = total[value]
        counts[value, lane] = count
        values[end], people[end] = value, count
        end += _ONE if count > 0 else np.uint64(0)
        total[value] = 0
    return end


require_fresh(measure_narrow)

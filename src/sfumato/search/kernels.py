"""Compiled loops over the classes of a node: merging them into those of a more general node, and measuring them.

Everything here has a plain numpy counterpart (`partition`, `statistics`) that it is tested against, and runs without the compiler too
(NUMBA_DISABLE_JIT=1). The loops hold no lock of the interpreter, so threads run them side by side; each call has its own scratch.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# What is measured of a class: columns of the class statistics, and the entropy loss.
ROWS = (
    "mass", "distinct", "top", "entropy", "kl", "js", "distribution", "l1", "chi2", "hellinger", "utility_distribution",
    "emd_ordered", "emd_hierarchical", "emd_equal", "entropy_loss",
)  # fmt: skip
_MASS, _DISTINCT, _TOP, _ENTROPY, _KL, _JS, _DISTRIBUTION, _L1, _CHI2, _HELLINGER, _UTILITY, _ORDERED, _TREE, _EQUAL, _LOSS = (
    range(15)
)
_TABLED = 1 << 14  # counts whose logarithm and root are looked up
_GOLDEN = np.uint64(11400714819323198485)


@njit(cache=True, nogil=True)
def group(keys, word, shift, mask, start, lut):  # type: ignore[no-untyped-def]
    """Raise some attributes of every key by their look-up tables; number the distinct keys in the order of appearance.

    Attribute a stands in word[a] of a key, shift[a] bits up, under mask[a]; code c becomes lut[start[a] + c].
    Returns the new keys and the group of each old key.
    """
    words, count = keys.shape
    size = 4
    while size < 2 * count:
        size *= 2
    slots = np.full(size, -1, np.int32)
    last = np.uint64(size - 1)
    made = np.empty((words, count), np.uint64)
    group_of = np.empty(count, np.int32)
    key = np.empty(words, np.uint64)
    groups = 0
    for place in range(count):
        for w in range(words):
            key[w] = keys[w, place]
        for a in range(len(word)):
            old = key[word[a]]
            code = (old >> shift[a]) & mask[a]
            key[word[a]] = (old & ~(mask[a] << shift[a])) | (lut[start[a] + np.int64(code)] << shift[a])
        mixed = key[0] * _GOLDEN
        for w in range(1, words):
            mixed = (mixed ^ (mixed >> np.uint64(29)) ^ key[w]) * _GOLDEN
        slot = np.int64((mixed >> np.uint64(32)) & last)
        while True:
            found = slots[slot]
            if found < 0:
                slots[slot] = groups
                for w in range(words):
                    made[w, groups] = key[w]
                group_of[place] = groups
                groups += 1
                break
            same = True
            for w in range(words):
                same = same and made[w, found] == key[w]
            if same:
                group_of[place] = found
                break
            slot = (slot + 1) & np.int64(last)
    return made[:, :groups].copy(), group_of


@njit(cache=True, nogil=True)
def added(people, group_of, groups):  # type: ignore[no-untyped-def]
    """Sums of people per group."""
    total = np.zeros(groups, np.int64)
    for place in range(len(people)):
        total[group_of[place]] += people[place]
    return total


@njit(cache=True, nogil=True)
def members(group_of, groups):  # type: ignore[no-untyped-def]
    """The members of each group: order[start[g]:start[g + 1]], by counting."""
    start = np.zeros(groups + 1, np.int64)
    for place in range(len(group_of)):
        start[group_of[place] + 1] += 1
    for g in range(groups):
        start[g + 1] += start[g]
    fill = start[:-1].copy()
    order = np.empty(len(group_of), np.int32)
    for place in range(len(group_of)):
        g = group_of[place]
        order[fill[g]] = place
        fill[g] += 1
    return order, start


@njit(cache=True, nogil=True)
def merge(order, start, offsets, values, people, width):  # type: ignore[no-untyped-def]
    """The cells of the groups: those of their members, equal values added up."""
    groups = len(start) - 1
    new_offsets = np.empty(groups + 1, np.int64)
    new_values = np.empty(len(values), np.int32)
    new_people = np.empty(len(values), np.int64)
    held = np.zeros(width, np.int64)
    touched = np.empty(width, np.int32)
    end = 0
    new_offsets[0] = 0
    for g in range(groups):
        if start[g + 1] - start[g] == 1:
            member = order[start[g]]
            for cell in range(offsets[member], offsets[member + 1]):
                new_values[end] = values[cell]
                new_people[end] = people[cell]
                end += 1
        else:
            count = 0
            for place in range(start[g], start[g + 1]):
                member = order[place]
                for cell in range(offsets[member], offsets[member + 1]):
                    value = values[cell]
                    if held[value] == 0:
                        touched[count] = value
                        count += 1
                    held[value] += people[cell]
            for place in range(count):
                value = touched[place]
                new_values[end] = value
                new_people[end] = held[value]
                held[value] = 0
                end += 1
        new_offsets[g + 1] = end
    return new_offsets, new_values[:end].copy(), new_people[:end].copy()


@njit(cache=True, nogil=True)
def tables():  # type: ignore[no-untyped-def]
    """For small counts c: c log2 c, and the root of c."""
    found = np.zeros((_TABLED, 2))
    for count in range(1, _TABLED):
        found[count, 0] = count * np.log2(count)
        found[count, 1] = np.sqrt(count)
    return found


@njit(cache=True, nogil=True)
def beliefs(prior):  # type: ignore[no-untyped-def]
    """What is needed of a prior a, one row per value: a, a^2, root of a, log2 a, a log2 a, 1 / a."""
    found = np.zeros((len(prior), 6))
    for value in range(len(prior)):
        a = prior[value]
        found[value, 0] = a
        found[value, 1] = a * a
        found[value, 2] = np.sqrt(a)
        found[value, 3] = np.log2(a) if a > 0 else -np.inf
        found[value, 4] = a * np.log2(a) if a > 0 else 0.0
        found[value, 5] = 1 / a if a > 0 else np.inf
    return found


@njit(cache=True, nogil=True, inline="always")
def _rest(total, touched, first, last, values, belief, column):  # type: ignore[no-untyped-def]
    """What the values that a class lacks add up to. A difference that is small beside its parts has lost its digits: added up anew."""
    if total - touched > 1e-3 * total:
        return total - touched
    rest = 0.0
    for value in range(len(belief)):
        lacks = True
        for cell in range(first, last):
            lacks = lacks and values[cell] != value
        if lacks:
            rest += belief[value, column]
    return rest


@njit(cache=True, nogil=True, inline="always")
def _losses(first, last, values, people, belief, table, sums, row):  # type: ignore[no-untyped-def]
    """Everything but the earth mover's distances, in three passes over the cells of a class.

    Differences are taken value by value, so that none loses its digits; values that the class lacks are accounted for together.
    """
    n, at, own, cross, touched, squares, own_prior = 0, first, 0.0, 0.0, 0.0, 0.0, 0.0
    for cell in range(first, last):
        v, count = values[cell], people[cell]
        n += count
        if count > people[at]:
            at = cell
        own += table[count, 0] if count < _TABLED else count * np.log2(count)
        cross += count * belief[v, 3]
        touched += belief[v, 0]
        squares += belief[v, 1]
        own_prior += belief[v, 4]
    inv = 1.0 / n
    root = 1.0 / (table[n, 1] if n < _TABLED else np.sqrt(n))
    gaps, gap, chi2, apart, middle, others, other_squares = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for cell in range(first, last):
        v, count = values[cell], people[cell]
        x = count * inv
        d = x - belief[v, 0]
        r = (table[count, 1] if count < _TABLED else np.sqrt(count)) * root - belief[v, 2]
        gap += abs(d)
        gaps += d * d
        chi2 += d * d * belief[v, 5]
        apart += r * r
        middle += (x + belief[v, 0]) * np.log2(0.5 * (x + belief[v, 0]))
        others += x if cell != at else 0.0
        other_squares += x * x if cell != at else 0.0
    most = people[at] * inv
    far, base = most * np.sqrt(others * others + other_squares), 1 + most * most + other_squares
    for cell in range(first, last):
        x = people[cell] * inv
        far += x * np.sqrt(base - 2 * x) if cell != at else 0.0
    rest, rest_squares = 0.0, 0.0
    if last - first < len(belief):
        rest = _rest(sums[0], touched, first, last, values, belief, 0)
        rest_squares = _rest(sums[1], squares, first, last, values, belief, 1)
    entropy = abs((table[n, 0] * inv if n < _TABLED else np.log2(n)) - own * inv)
    row[_MASS], row[_DISTINCT], row[_TOP] = n, last - first, people[at]
    row[_ENTROPY], row[_LOSS] = entropy, abs(abs(sums[4]) - entropy)
    row[_KL] = max(-entropy - cross * inv, 0.0)
    row[_JS] = max((-entropy + own_prior - middle + rest) / 2, 0.0)
    row[_DISTRIBUTION], row[_L1], row[_EQUAL] = np.sqrt(gaps + rest_squares), gap + rest, (gap + rest) / 2
    row[_CHI2], row[_HELLINGER], row[_UTILITY] = chi2 + rest, np.sqrt((apart + rest) / 2), far


@njit(cache=True, nogil=True, inline="always")
def _ordered(first, last, values, people, belief, extra, row):  # type: ignore[no-untyped-def]
    """Earth mover's distance along the order of the values."""
    width = len(belief)
    for value in range(width):
        extra[value] = -belief[value, 0]
    for cell in range(first, last):
        extra[values[cell]] += people[cell] / row[_MASS]
    running, moved = 0.0, 0.0
    for value in range(width - 1):
        running += extra[value]
        moved += abs(running)
    row[_ORDERED] = moved / max(width - 1, 1)


@njit(cache=True, nogil=True, inline="always")
def _up_the_tree(first, last, values, people, nodes, parents, weights, scratch, marks, row):  # type: ignore[no-untyped-def]
    """Earth mover's distance up and down the tree of the values, looking only at nodes that the class has people under.

    `nodes` are numbered through all levels, leaves first, the root last; weights[node] is its share of the prior. A node's children
    have `over` too much and over - (held - weight) too little; a child without people has nothing too much. scratch: held, over.
    """
    held, over = scratch[0], scratch[1]
    count = 0
    for cell in range(first, last):
        held[values[cell]] = people[cell] / row[_MASS]
        marks[count] = values[cell]
        count += 1
    cost = 0.0
    for height in range(1, nodes + 1):
        above = 0
        for place in range(count):
            node = marks[place]
            parent = parents[node]
            if held[parent] == 0:
                marks[above] = parent
                above += 1
            held[parent] += held[node]
            over[parent] += max(held[node] - weights[node], 0.0)
            held[node] = 0.0
        for place in range(above):
            node = marks[place]
            cost += height * max(min(over[node], over[node] - (held[node] - weights[node])), 0.0)
            over[node] = 0.0
        count = above
    held[marks[0]] = 0.0
    row[_TREE] = cost / nodes


@njit(cache=True, nogil=True, inline="always")
def _fill(first, last, values, people, belief, table, sums, tree, moves, scratch, marks, row):  # type: ignore[no-untyped-def]
    """Everything about one class; `moves` says which earth mover's distances are wanted: 1 ordered, 2 hierarchical, 3 both."""
    parents, weights, height = tree
    _losses(first, last, values, people, belief, table, sums, row)
    if moves & 1:
        _ordered(first, last, values, people, belief, scratch[0], row)
        scratch[0, :] = 0.0
    if moves & 2:
        _up_the_tree(first, last, values, people, height, parents, weights, scratch, marks, row)


@njit(cache=True, nogil=True)
def _scratch(belief, parents):  # type: ignore[no-untyped-def]
    """Room for the nodes of the tree, and the sums of the prior's columns."""
    width, nodes = len(belief), len(parents)
    sums = np.zeros(belief.shape[1])
    for value in range(width):
        for column in (0, 1, 4):
            sums[column] += belief[value, column]
    return np.zeros((2, nodes)), np.empty(width, np.int64), sums


@njit(cache=True, nogil=True)
def measure_all(offsets, values, people, belief, table, tree, moves, rows):  # type: ignore[no-untyped-def]
    """Write the rows of all classes into `rows` and return which row each class has, and how many there are.

    Row v belongs to every class whose people all hold value v (but for its mass and top); the others follow in the order of the classes.
    """
    classes, width = len(offsets) - 1, len(belief)
    row_of = np.empty(classes, np.int32)
    scratch, marks, sums = _scratch(belief, tree[0])
    one, own = np.ones(1, np.int64), np.empty(1, np.int32)
    for value in range(width):
        own[0] = value
        _fill(0, 1, own, one, belief, table, sums, tree, moves, scratch, marks, rows[value])
    used = width
    for c in range(classes):
        first, last = offsets[c], offsets[c + 1]
        if last - first == 1:
            row_of[c] = values[first]
        else:
            _fill(first, last, values, people, belief, table, sums, tree, moves, scratch, marks, rows[used])
            row_of[c] = used
            used += 1
    return row_of, used


@njit(cache=True, nogil=True)
def measure_new(start, order, old, offsets, values, people, belief, table, tree, moves, rows, used):  # type: ignore[no-untyped-def]
    """The same after a merge: groups of one member keep its row, the others get rows after the first `used`."""
    groups = len(start) - 1
    row_of = np.empty(groups, np.int32)
    scratch, marks, sums = _scratch(belief, tree[0])
    for g in range(groups):
        first, last = offsets[g], offsets[g + 1]
        if last - first == 1:
            row_of[g] = values[first]
        elif start[g + 1] - start[g] == 1:
            row_of[g] = old[order[start[g]]]
        else:
            _fill(first, last, values, people, belief, table, sums, tree, moves, scratch, marks, rows[used])
            row_of[g] = used
            used += 1
    return row_of, used


@njit(cache=True, nogil=True)
def totals(row_of, people, kept, starts, rows, width):  # type: ignore[no-untyped-def]
    """Per node over its kept classes: the largest value of every one of ROWS, and the sum over people."""
    most = np.full((len(starts) - 1, rows.shape[1]), -np.inf)
    total = np.zeros((len(starts) - 1, rows.shape[1]))
    held = np.zeros(width, np.int64)  # people of the node in classes of one value
    for node in range(len(starts) - 1):
        held[:] = 0
        for c in range(starts[node], starts[node + 1]):
            if kept[c]:
                if row_of[c] < width:
                    held[row_of[c]] += people[c]
                else:
                    _add(rows[row_of[c]], people[c], most[node], total[node])
        for value in range(width):
            if held[value] > 0:
                _add(rows[value], held[value], most[node], total[node])
    return most, total


@njit(cache=True, nogil=True, inline="always")
def _add(row, n, most, total):  # type: ignore[no-untyped-def]
    for place in range(len(row)):
        most[place] = max(most[place], row[place])
        total[place] += row[place] * n


@njit(cache=True, nogil=True)
def tail(offsets, people, start):  # type: ignore[no-untyped-def]
    """The people of the start-th most frequent value of each class and of all rarer ones."""
    classes = len(offsets) - 1
    out = np.empty(classes, np.int64)
    most = np.empty(start - 1, np.int64)
    for c in range(classes):
        most[:] = 0
        total = 0
        for cell in range(offsets[c], offsets[c + 1]):
            count = people[cell]
            total += count
            for place in range(start - 1):  # the largest so far, in falling order
                if count > most[place]:
                    count, most[place] = most[place], count
        out[c] = total - most.sum()
    return out

"""Compiled loops over the classes of a node: merging them into those of a more general node, and counting their tails.

Everything here has a plain numpy counterpart (`partition`, `statistics`) that it is tested against, and runs without the compiler too
(NUMBA_DISABLE_JIT=1). The loops hold no lock of the interpreter, so threads run them side by side; each call has its own scratch.
Places are unsigned where it matters, because a signed one is looked at first whether it counts from the end. The compiler's cache does
not notice a change in another file: `stale` does.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sfumato.search.compiled.stale import require_fresh

_GOLDEN = np.uint64(11400714819323198485)
_ONE = np.uint64(1)


@njit(cache=True, nogil=True)
def group(keys, people, place_of, tables, steps):  # type: ignore[no-untyped-def]
    """Raise the QIDs of every key by their look-up tables, and group equal keys in the order of their first appearance.

    `place_of`: word, shift and mask of every QID in a key. `steps`: its level before and after. `tables`: `start`, `lut` and `codes`:
    code c becomes lut[start[q, before, after] + c], one of codes[q, after]. Returns the new keys, their people, and the members of each
    group as a chain: first[g], then after[member], until that is the number of keys.
    """
    made = _raised(keys, place_of, tables, steps)
    words, count = made.shape
    slot_of, last = _slots(made, _most(tables[2], steps[1], count))
    none, slots = np.uint64(count), np.full(last + _ONE, count, np.uint32)
    total = np.zeros(count, np.int64)
    first, latest = np.empty(count, np.uint32), np.empty(count, np.uint32)
    after = np.full(count + 1, count, np.uint32)
    groups = np.uint64(0)
    for place in range(count):
        # Noted as if it were new; if it is not, the next one is noted in its place. Nobody can foretell which: a branch would be slow.
        first[groups] = place
        made[0, groups] = made[0, place]
        for w in range(1, words):
            made[w, groups] = made[w, place]
        slot = slot_of[place]
        g = np.uint64(slots[slot])
        while g != none and _differ(made, g, groups):
            slot = (slot + _ONE) & last
            g = np.uint64(slots[slot])
        known = g != none
        g = g if known else groups
        slots[slot] = g
        groups += np.uint64(0) if known else _ONE
        after[latest[g] if known else count] = place
        latest[g] = place
        total[g] += people[place]
    return made[:, :groups].copy(), total[:groups], first[:groups], after


@njit(cache=True, nogil=True)
def matched(keys, others, people):  # type: ignore[no-untyped-def]
    """The people that other classes have under the same keys, 0 where none has the key; keys are distinct on both sides."""
    both = np.concatenate((others, keys), axis=1)
    slot_of, last = _slots(both, both.shape[1])
    count = others.shape[1]
    none, slots = np.uint64(count), np.full(last + _ONE, count, np.uint32)
    for place in range(count):
        slot = slot_of[place]
        while slots[slot] != none:
            slot = (slot + _ONE) & last
        slots[slot] = place
    found = np.zeros(keys.shape[1], np.int64)
    for place in range(keys.shape[1]):
        slot = slot_of[count + place]
        while slots[slot] != none and _differ(both, slots[slot], count + place):
            slot = (slot + _ONE) & last
        if slots[slot] != none:
            found[place] = people[slots[slot]]
    return found


@njit(cache=True, nogil=True)
def _raised(keys, place_of, tables, steps):  # type: ignore[no-untyped-def]
    word, shift, mask = place_of
    start, lut, codes = tables
    made = keys.copy()
    cleared = np.zeros(len(keys), np.uint64)
    for q in range(len(word)):
        low, high = steps[0, q], steps[1, q]
        if low != high and codes[q, high] == 1:
            cleared[word[q]] |= mask[q] << shift[q]
        elif low != high:
            row, up, under, base = made[word[q]], shift[q], mask[q], start[q, low, high]
            others = ~(under << up)
            for place in range(len(row)):
                code = (row[place] >> up) & under
                row[place] = (row[place] & others) | (lut[base + np.int64(code)] << up)
    for w in range(len(keys)):
        if cleared[w]:
            made[w] &= ~cleared[w]
    return made


@njit(cache=True, nogil=True)
def _most(codes, levels, count):  # type: ignore[no-untyped-def]
    """How many distinct keys there can be among so many at a node."""
    most = 1
    for q in range(len(levels)):
        most *= codes[q, levels[q]]
        if most >= count:
            return count
    return most


@njit(cache=True, nogil=True)
def _slots(keys, distinct):  # type: ignore[no-untyped-def]
    """Where to look for each key first in a table that stays at least three quarters empty, and the last slot of that."""
    size = 4
    while size < 4 * distinct:
        size *= 2
    mixed = keys[0] * _GOLDEN
    for w in range(1, len(keys)):
        mixed = (mixed ^ (mixed >> np.uint64(29)) ^ keys[w]) * _GOLDEN
    last = np.uint64(size - 1)
    return (mixed >> np.uint64(32)) & last, last


@njit(cache=True, nogil=True)
def _differ(keys, one, other):  # type: ignore[no-untyped-def]
    """Whether two keys differ; most have one word."""
    differ = keys[0, one] != keys[0, other]
    for w in range(1, len(keys)):
        differ = differ or keys[w, one] != keys[w, other]
    return differ


@njit(cache=True, nogil=True)
def merge(first, after, offsets, values, people, width):  # type: ignore[no-untyped-def]
    """The cells of the groups: those of their members, equal values added up."""
    offsets, values, none = offsets.view(np.uint64), values.view(np.uint32), len(after) - 1
    new_offsets = np.empty(len(first) + 1, np.int64)
    new_values, new_people = np.empty(len(values), np.uint32), np.empty(len(values), np.int64)
    place_of = np.zeros(width, np.uint64)  # the place after the last cell with a value: in this group if beyond its begin
    end = np.uint64(0)
    new_offsets[0] = 0
    for g in range(len(first)):
        begin, member = end, first[g]
        for cell in range(offsets[member], offsets[member + _ONE]):
            new_values[end], new_people[end] = values[cell], people[cell]
            end += _ONE
        member = after[member]
        if member != none:
            for place in range(begin, end):
                place_of[new_values[place]] = place + _ONE
        while member != none:
            end = _add_cells(
                offsets[member], offsets[member + _ONE], values, people, new_values, new_people, place_of, begin, end
            )
            member = after[member]
        new_offsets[g + 1] = end
    return new_offsets, new_values[:end].view(np.int32), new_people[:end]


@njit(cache=True, nogil=True, inline="always")
def _add_cells(start, stop, values, people, new_values, new_people, place_of, begin, end):  # type: ignore[no-untyped-def]
    """Add the cells of a member to those of its group. Nobody can foretell which values are new to it: a branch would be slow."""
    for cell in range(start, stop):
        value = values[cell]
        known = place_of[value] > begin
        at = place_of[value] - _ONE if known else end
        new_values[at], new_people[at] = value, people[cell] + (new_people[at] if known else 0)
        place_of[value] = at + _ONE
        end += np.uint64(0) if known else _ONE
    return end


@njit(cache=True, nogil=True)
def rolled(keys, people, place_of, tables, steps, cells, width):  # type: ignore[no-untyped-def]
    """`group`, then `merge`, in one call: where nodes are small, calls are what takes long."""
    offsets, values, counts = cells
    made, total, first, after = group(keys, people, place_of, tables, steps)
    return made, total, merge(first, after, offsets, values, counts, width)


@njit(cache=True, nogil=True)
def kept_rows(first, after, offsets, values, old):  # type: ignore[no-untyped-def]
    """The row of each group: that of its value if it has but one, that of its class if it is one class as it was, else none (-1)."""
    row_of = np.empty(len(first), np.int32)
    for g in range(len(first)):
        begin, one = np.uint64(offsets[g]), first[g]
        kept = old[one] if after[one] == len(old) else np.int32(-1)
        row_of[g] = values[begin] if offsets[g + 1] == offsets[g] + 1 else kept
    return row_of


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


@njit(cache=True, nogil=True)
def covered(keys, place_of, marked, people, starts, first, cover):  # type: ignore[no-untyped-def]
    """Per node and QID the sum of what the labels of marked classes cover, each times its people.

    `place_of`: word, shift and mask of every QID in a key; first[node, q] is where `cover` has the labels of the QID's level there.
    """
    word, shift, mask = place_of
    total = np.zeros(first.shape)
    for node in range(len(first)):
        for c in range(starts[node], starts[node + 1]):
            if marked[c]:
                for q in range(len(word)):
                    code = np.int64((keys[word[q], c] >> shift[q]) & mask[q])
                    total[node, q] += cover[first[node, q] + code] * people[c]
    return total


require_fresh(group)

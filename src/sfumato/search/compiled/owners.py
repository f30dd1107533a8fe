"""Compiled loops over the people who are in several classes: uniting them when classes merge, and counting who leaves with some classes.

A member is an owner, or a pair of an owner and a sensitive value, by number; `shared` says who is listed. The plain counterpart, which
lists everybody, is `frequency.Incidence`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sfumato.search.compiled.stale import require_fresh


@njit(cache=True, nogil=True)
def unite(first, after, offsets, members, many):  # type: ignore[no-untyped-def]
    """The members of the groups of a roll-up that are in several groups, and those whom a group has more than once.

    `first`, `after`: the old classes of each group, see `kernels`. Whoever is in k classes of a group is named k - 1 times `again`.
    """
    groups, none = len(first), len(after) - 1
    new_offsets, again_offsets = np.empty(groups + 1, np.int64), np.empty(groups + 1, np.int64)
    new, again = np.empty(len(members), np.int32), np.empty(len(members), np.int32)
    last, times = np.full(many, -1, np.int32), np.zeros(many, np.int32)  # the last group that has a member; how many have
    end, more = 0, 0
    for g in range(groups):
        new_offsets[g], again_offsets[g] = end, more
        member = first[g]
        while member != none:
            for place in range(offsets[member], offsets[member + 1]):
                one = members[place]
                if last[one] == g:
                    again[more] = one
                    more += 1
                else:
                    last[one] = g
                    times[one] += 1
                    new[end] = one
                    end += 1
            member = after[member]
    new_offsets[groups], again_offsets[groups] = end, more
    return new_offsets, new[: _only_several(new_offsets, new, times)].copy(), again_offsets, again[:more].copy()


@njit(cache=True, nogil=True)
def _only_several(offsets, members, times):  # type: ignore[no-untyped-def]
    """Keep the members that are in several groups, in place; how many entries are left."""
    end, begin = 0, 0
    for g in range(len(offsets) - 1):
        stop = offsets[g + 1]
        for place in range(begin, stop):
            members[end] = members[place]
            end += 1 if times[members[place]] > 1 else 0
        begin, offsets[g + 1] = stop, end
    return end


@njit(cache=True, nogil=True)
def discount(offsets, values, people, again_offsets, again, value_of, width):  # type: ignore[no-untyped-def]
    """Take from the people of every cell, in place, the pairs that were counted again; `value_of` is the value of each pair."""
    cell_of = np.empty(width, np.int64)
    for c in range(len(offsets) - 1):
        if again_offsets[c] < again_offsets[c + 1]:
            for cell in range(offsets[c], offsets[c + 1]):
                cell_of[values[cell]] = cell
            for place in range(again_offsets[c], again_offsets[c + 1]):
                people[cell_of[value_of[again[place]]]] -= 1


@njit(cache=True, nogil=True)
def leaving(marked, people, offsets, members, many):  # type: ignore[no-untyped-def]
    """How many people have no class that is not marked."""
    counted = np.zeros(many, np.bool_)
    total = 0
    for c in range(len(people)):
        if marked[c]:
            total += people[c] - (offsets[c + 1] - offsets[c])
        else:
            for place in range(offsets[c], offsets[c + 1]):
                counted[members[place]] = True
    for c in range(len(people)):
        if marked[c]:
            for place in range(offsets[c], offsets[c + 1]):
                total += 0 if counted[members[place]] else 1
                counted[members[place]] = True
    return total


@njit(cache=True, nogil=True)
def last_with(worse, people, offsets, members, many):  # type: ignore[no-untyped-def]
    """How many people each class is the last of, when classes leave from the worst to the best: everybody is counted once."""
    best, last = np.full(many, -1, np.int32), np.empty(len(people), np.int64)
    for c in range(len(people)):
        last[c] = people[c] - (offsets[c + 1] - offsets[c])
        for place in range(offsets[c], offsets[c + 1]):
            one = members[place]
            if best[one] < 0 or worse[c] < worse[best[one]]:
                best[one] = c
    for one in range(many):
        if best[one] >= 0:
            last[best[one]] += 1
    return last


require_fresh(unite)

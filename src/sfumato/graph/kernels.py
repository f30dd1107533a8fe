"""Compiled loops over the neighbors of nodes. Each has a plain counterpart that tests compare it with.

`offsets` and `neighbors` are those of a `Graph`: neighbors ascending within each node.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def component_of(offsets, neighbors):  # type: ignore[no-untyped-def]
    """The number of the connected component of every node, in the order of their first nodes."""
    nodes = len(offsets) - 1
    component = np.full(nodes, -1, np.int64)
    waiting = np.empty(nodes, np.int64)
    count = 0
    for start in range(nodes):
        if component[start] >= 0:
            continue
        component[start] = count
        waiting[0], left = start, 1
        while left:
            left -= 1
            node = waiting[left]
            for place in range(offsets[node], offsets[node + 1]):
                other = neighbors[place]
                if component[other] < 0:
                    component[other] = count
                    waiting[left] = other
                    left += 1
        count += 1
    return component


@njit(cache=True, nogil=True)
def distances(offsets, neighbors, start, most):  # type: ignore[no-untyped-def]
    """How many steps every node is from one; -1 for those that are not reached within `most` steps."""
    nodes = len(offsets) - 1
    found = np.full(nodes, -1, np.int32)
    queue = np.empty(nodes, np.int64)
    queue[0], found[start] = start, 0
    first, end = 0, 1
    while first < end:
        node = queue[first]
        first += 1
        if found[node] == most:
            break
        for place in range(offsets[node], offsets[node + 1]):
            other = neighbors[place]
            if found[other] < 0:
                found[other] = found[node] + 1
                queue[end] = other
                end += 1
    return found


@njit(cache=True, nogil=True)
def _adjacent(offsets, neighbors, one, other):  # type: ignore[no-untyped-def]
    row = neighbors[offsets[one] : offsets[one + 1]]
    place = np.searchsorted(row, other)
    return place < len(row) and row[place] == other


@njit(cache=True, nogil=True)
def common(offsets, neighbors):  # type: ignore[no-untyped-def]
    """For every entry of `neighbors`, how many neighbors its two ends have in common: the triangles over that edge."""
    shared = np.zeros(len(neighbors), np.int64)
    for node in range(len(offsets) - 1):
        for place in range(offsets[node], offsets[node + 1]):
            few, many = node, neighbors[place]
            if offsets[few + 1] - offsets[few] > offsets[many + 1] - offsets[many]:
                few, many = many, few
            for third in range(offsets[few], offsets[few + 1]):
                shared[place] += _adjacent(offsets, neighbors, many, neighbors[third])
    return shared


@njit(cache=True, nogil=True)
def least_raises(falling, k):  # type: ignore[no-untyped-def]
    """Liu and Terzi's dynamic program: for degrees in falling order, the start of the group that ends with each degree where the sum of
    raises is least, and that sum. A group is raised to its largest degree and has k to 2k - 1 members."""
    nodes = len(falling)
    total = np.zeros(nodes + 1, np.int64)
    for place in range(nodes):
        total[place + 1] = total[place] + falling[place]
    best = np.full(nodes + 1, np.iinfo(np.int64).max // 2, np.int64)
    start = np.zeros(nodes + 1, np.int64)
    best[0] = 0
    for end in range(k, nodes + 1):
        for first in range(max(0, end - 2 * k + 1), end - k + 1):
            raised = best[first] + falling[first] * (end - first) - (total[end] - total[first])
            if raised < best[end]:
                best[end], start[end] = raised, first
    return start, best[nodes]


@njit(cache=True, nogil=True)
def join(offsets, neighbors, wanted, rank):  # type: ignore[no-untyped-def]
    """Edges that give every node as many new neighbors as it wants, none of them there already: the node that wants most is joined to
    those that want most of the others; ties fall by rank. Also how many wishes of each are left at the end."""
    nodes = len(wanted)
    heap: Any = [(np.int64(0), np.int64(0), np.int64(0))]
    heap.pop()
    for node in range(nodes):
        if wanted[node]:
            heap.append((-np.int64(wanted[node]), np.int64(rank[node]), np.int64(node)))
    heapq.heapify(heap)
    made = np.empty((wanted.sum() // 2 + 1, 2), np.int64)
    keys = {np.int64(-1)}
    count, left = 0, np.zeros(nodes, np.int64)
    while len(heap):
        wish, _, node = heapq.heappop(heap)
        aside: Any = [(np.int64(0), np.int64(0), np.int64(0))]
        aside.pop()
        while wish < 0 and len(heap):
            most, order, other = heapq.heappop(heap)
            key = min(node, other) * np.int64(nodes) + max(node, other)
            if key in keys or _adjacent(offsets, neighbors, node, other):
                aside.append((most, order, other))
                continue
            keys.add(key)
            made[count, 0], made[count, 1] = node, other
            count += 1
            wish += 1
            if most < -1:
                aside.append((most + 1, order, other))
        left[node] = -wish
        for each in aside:
            heapq.heappush(heap, each)
    return made[:count], left


@njit(cache=True, nogil=True)
def switch(edges, nodes, wanted, draws):  # type: ignore[no-untyped-def]
    """Take pairs of edges a-b and c-d and make them a-d and c-b, or a-c and b-d, where neither is there yet; how many were switched.
    `draws` has a row per try: two edges and a bit. `edges` is changed."""
    keys = {np.int64(-1)}
    for place in range(len(edges)):
        keys.add(min(edges[place, 0], edges[place, 1]) * nodes + max(edges[place, 0], edges[place, 1]))
    done = 0
    for row in range(len(draws)):
        if done == wanted:
            break
        first, second = draws[row, 0], draws[row, 1]
        a, b, c, d = edges[first, 0], edges[first, 1], edges[second, 0], edges[second, 1]
        if draws[row, 2]:
            c, d = d, c
        if a in (c, d) or b in (c, d):
            continue
        one, other = min(a, d) * nodes + max(a, d), min(c, b) * nodes + max(c, b)
        if one in keys or other in keys:
            continue
        keys.remove(min(a, b) * nodes + max(a, b))
        keys.remove(min(c, d) * nodes + max(c, d))
        keys.add(one)
        keys.add(other)
        edges[first, 0], edges[first, 1] = a, d
        edges[second, 0], edges[second, 1] = c, b
        done += 1
    return done


@njit(cache=True, nogil=True)
def _best_community(node, offsets, neighbors, weights, share, community, total, toward, near):  # type: ignore[no-untyped-def]
    """The community near a node that raises modularity most; its own unless another one raises it more."""
    own, count = community[node], 0
    for place in range(offsets[node], offsets[node + 1]):
        group = community[neighbors[place]]
        if neighbors[place] != node:
            if toward[group] == 0:
                near[count] = group
                count += 1
            toward[group] += weights[place]
    best, most = own, toward[own] - total[own] * share
    for each in near[:count]:
        gain = toward[each] - total[each] * share
        if gain > most + 1e-12:
            best, most = each, gain
    toward[near[:count]] = 0
    return best


@njit(cache=True, nogil=True)
def move_between_communities(offsets, neighbors, weights, strength, order, rounds):  # type: ignore[no-untyped-def]
    """The first phase of Louvain: nodes in turn join the neighboring community that raises modularity most, until none does."""
    nodes = len(offsets) - 1
    community = np.arange(nodes)
    total, everything = strength.copy(), strength.sum()
    toward, near = np.zeros(nodes, np.float64), np.empty(nodes, np.int64)
    for _ in range(rounds):
        moved = 0
        for node in order:
            own = community[node]
            total[own] -= strength[node]
            share = strength[node] / everything
            community[node] = _best_community(node, offsets, neighbors, weights, share, community, total, toward, near)
            total[community[node]] += strength[node]
            moved += community[node] != own
        if moved == 0:
            break
    return community


@njit(cache=True, nogil=True)
def _noted(node, others, near, known, ends, stubs):  # type: ignore[no-untyped-def]
    """Note the edges of a new node: who is near whom, and ends that are drawn by degree. A node is noted once more than it has edges, so
    that one without any can be drawn, too."""
    for other in others:
        for one, two in ((node, other), (other, node)):
            near[one, known[one] % 4] = two
            known[one] += 1
        ends[stubs], ends[stubs + 1] = other, node
        stubs += 2
    ends[stubs] = node
    return stubs + 1


@njit(cache=True, nogil=True)
def cluster_graph(each, closing, draws):  # type: ignore[no-untyped-def]
    """Holme and Kim's graph: node v comes with each[v] edges, at most v, to nodes drawn by their degrees, some of which close triangles.
    `draws` are uniform numbers, used in turn and from the start again."""
    nodes = len(each)
    edges = np.empty((each.sum(), 2), np.int64)
    ends = np.empty(2 * each.sum() + nodes, np.int64)
    near = np.zeros((nodes, 4), np.int64)  # some neighbors of each node, to close triangles with
    known = np.zeros(nodes, np.int64)
    marked = np.full(nodes, -1, np.int64)
    count, stubs, drawn = 0, 0, 0
    for node in range(nodes):
        start, last = count, -1
        while count < start + each[node]:
            other = -1
            if last >= 0 and known[last] and draws[drawn % len(draws)] < closing:
                other = near[last, int(draws[(drawn + 1) % len(draws)] * min(known[last], 4))]
            drawn += 2
            if other < 0 or marked[other] == node:
                other = ends[int(draws[drawn % len(draws)] * stubs)]
                drawn += 1
                if marked[other] == node:
                    last = -1
                    continue
            marked[other] = node
            edges[count, 0], edges[count, 1] = other, node
            count += 1
            last = other
        stubs = _noted(node, edges[start:count, 0], near, known, ends, stubs)
    return edges


@njit(cache=True, nogil=True)
def _fitting(offsets, neighbors, low, high, chosen, place, back, waiting):  # type: ignore[no-untyped-def]
    """The nodes that may come next in a path: neighbors of the last one or, with `back`, of the one before, with fitting degrees."""
    count = 0
    for before in range(place - 1, max(place - (3 if back else 2), -1), -1):
        for entry in range(offsets[chosen[before]], offsets[chosen[before] + 1]):
            node = neighbors[entry]
            degree = offsets[node + 1] - offsets[node]
            new = low[place] <= degree <= high[place] and (
                before == place - 1 or not _adjacent(offsets, neighbors, chosen[place - 1], node)
            )
            for each in range(place):
                new = new and chosen[each] != node
            if new:
                waiting[place, count] = node
                count += 1
    return count


@njit(cache=True, nogil=True)
def _differing(offsets, neighbors, chosen, node, wanted):  # type: ignore[no-untyped-def]
    """In how many of its edges to the chosen nodes a node is not as wanted."""
    count = 0
    for before in range(len(chosen)):
        count += _adjacent(offsets, neighbors, chosen[before], node) != wanted[before]
    return count


@njit(cache=True, nogil=True)
def embeddings(offsets, neighbors, low, high, inner, allowed, back, most):  # type: ignore[no-untyped-def]
    """The choices of nodes, in order, with degrees within bounds and joined among themselves as `inner` says, that differ in the fewest
    edges: two of them at most, how many there are, and the steps taken, at most `most`. `allowed[p]` edges may differ among the first p."""
    accounts = len(low)
    degrees = offsets[1:] - offsets[:-1]
    chosen = np.zeros(accounts, np.int64)
    differing = np.zeros(accounts + 1, np.int64)
    waiting = np.empty((accounts, 2 * degrees.max() + 1), np.int64)
    left = np.zeros(accounts, np.int64)
    best = np.zeros((2, accounts), np.int64)
    count, least, steps = 0, allowed[accounts], 0
    for root in range(len(degrees)):
        if not low[0] <= degrees[root] <= high[0]:
            continue
        chosen[0], place = root, 1
        left[1] = _fitting(offsets, neighbors, low, high, chosen, 1, back, waiting)
        while place:
            if left[place] == 0:
                place -= 1
                continue
            left[place] -= 1
            node = waiting[place, left[place]]
            steps += 1
            if steps > most:
                return best, count, steps
            differs = differing[place] + _differing(offsets, neighbors, chosen[:place], node, inner[place])
            if differs > min(least, allowed[place + 1]):
                continue
            chosen[place] = node
            if place + 1 < accounts:
                differing[place + 1] = differs
                place += 1
                left[place] = _fitting(offsets, neighbors, low, high, chosen, place, back, waiting)
                continue
            count = count if differs == least else 0
            least = differs
            best[min(count, 1)] = chosen
            count += 1
    return best, count, steps

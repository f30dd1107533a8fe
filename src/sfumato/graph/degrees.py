"""k-degree anonymity: everybody has as many neighbors as at least k - 1 others (Liu and Terzi 2008), by added edges only.

First degrees are raised as little as possible: in falling order, groups of k to 2k - 1 get their largest degree, by dynamic programming.
Then edges are added that give everybody their raise. Where that cannot be done, because too few others want an edge, too, somewhat more
people are raised to the next degree, by the condition of Erdős and Gallai at least as many as are missing, and it is tried again.
Where somebody is joined to nearly everybody that does not help, for whoever is raised must not be joined to them yet. After some tries
the edges that are missing are made to anybody instead, and the degrees that come of it are raised anew.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from sfumato.errors import DataSayNo, LongSearchWarning, UsageError, argument, several
from sfumato.graph.graph import Graph, Places
from sfumato.graph.kernels import join, least_raises
from sfumato.progress import Progress

TRIES = 100
MANY = 1_000_000  # added edges, beyond which it is said before if they are also more than there are
_AS_RAISED = 20  # tries with the least raise; nearly all graphs that are not close to complete need fewer than ten


def is_graphic(degrees: Places) -> bool:
    """Whether some graph has these degrees (Erdős and Gallai 1960).

    Parameters
    ----------
    degrees : array of int
        How many neighbors each node is to have, in any order.

    Returns
    -------
    bool
        Whether a graph without self-loops and parallel edges has them.
    """
    degrees = np.asarray(degrees, np.int64)
    return bool((degrees >= 0).all() and int(degrees.sum()) % 2 == 0 and missing(degrees) <= 0)


def missing(degrees: Places) -> int:
    """By how much the condition of Erdős and Gallai fails at worst; nothing is missing if this is 0 or less."""
    falling = np.sort(np.asarray(degrees, np.int64))[::-1]
    if not len(falling):
        return 0
    first = np.arange(1, len(falling) + 1)
    # Of the others, those with at least r count r, the rest their degree.
    large = np.maximum(np.searchsorted(-falling, -first, side="right"), first)
    below = np.concatenate(([0], np.cumsum(falling[::-1])))[len(falling) - large]
    return int((np.cumsum(falling) - first * (first - 1) - first * (large - first) - below).max())


def raised(degrees: Places, k: int) -> Places:
    """The least raise of degrees after which each occurs at least k times.

    Parameters
    ----------
    degrees : array of int
        The degrees, in any order.
    k : int
        How often each degree must occur.

    Returns
    -------
    array of int
        The raised degree of each node. No other one with this property has a smaller sum.
    """
    degrees = np.asarray(degrees, np.int64)
    require_k(k, len(degrees))
    order = np.argsort(-degrees, kind="stable")
    falling = degrees[order]
    start, _ = least_raises(falling, k)
    end = len(falling)
    while end:
        falling[start[end] : end] = falling[start[end]]
        end = int(start[end])
    result = np.empty_like(degrees)
    result[order] = falling
    return result


def require_k(k: int, nodes: int) -> None:
    """Refuse a k that no graph of so many nodes can have."""
    if isinstance(k, bool) or k < 1:
        raise UsageError("k is a whole number of at least 1", where=argument("method"))
    if k > nodes:
        raise UsageError(f"k is {k:,}, and the graph has {several(nodes, 'node')}; choose a smaller k", where=argument("method"))


@dataclass(frozen=True, slots=True, eq=False)
class Raised:
    """A graph with more edges, in which every degree occurs at least k times. `optimum` is the least sum of raises, `added` the number of
    edges; `tries` is how often edges were looked for."""

    graph: Graph
    k: int
    optimum: int
    added: int
    tries: int


def k_degree(graph: Graph, k: int, rng: np.random.Generator, progress: Progress | None = None) -> Raised:
    """Add edges until every degree occurs at least k times."""
    wanted = raised(graph.degrees, k)
    optimum = int((wanted - graph.degrees).sum())
    _say_if_many(graph, k, optimum)
    for tries in range(1, _AS_RAISED + 1):
        wishes = wanted - graph.degrees
        lacking = max(missing(wishes), int(wishes.sum()) % 2)
        if lacking <= 0:
            made, left = join(graph.offsets, graph.neighbors, wishes, rng.permutation(graph.nodes))
            lacking = int(left.sum())
            if not lacking:
                return Raised(_with(graph, made), k, optimum, len(made), tries)
        wanted = _raised_further(wanted, int(lacking), k, rng)
        if progress:
            progress(tries, TRIES)
    found = graph
    for tries in range(_AS_RAISED + 1, TRIES + 1):
        wishes = raised(found.degrees, k) - found.degrees
        if not wishes.any():
            return Raised(found, k, optimum, found.size - graph.size, tries)
        made, left = join(found.offsets, found.neighbors, wishes, rng.permutation(graph.nodes))
        found = _with(found, made)
        found = _with(found, *(_to_anybody(found, node, int(left[node]), k, rng) for node in np.flatnonzero(left).tolist()))
        if progress:
            progress(tries, TRIES)
    raise DataSayNo(
        f"no {k}-degree anonymous graph was found by adding edges in {TRIES} tries; choose another k or seed", where="k-degree"
    )


def _say_if_many(graph: Graph, k: int, optimum: int) -> None:
    """Warn, before the work, of very many edges."""
    least = (optimum + 1) // 2  # an edge raises two
    if least > max(graph.size, MANY):
        edges = f"{several(least, 'edge')} to {graph.size:,}"
        text = f"k-degree:{k} adds at least {edges}, which may take long; a smaller k adds fewer"
        warnings.warn(LongSearchWarning(text), stacklevel=3)


def _to_anybody(graph: Graph, node: int, count: int, k: int, rng: np.random.Generator) -> Places:
    """Edges of a node to so many others, if there are as many: first to those whose class is large enough to lose one to the next."""
    apart = np.ones(graph.nodes, bool)
    apart[graph.neighbors[graph.offsets[node] : graph.offsets[node + 1]]] = False
    apart[node] = False
    others = rng.permutation(np.flatnonzero(apart))
    sizes = np.bincount(graph.degrees, minlength=graph.nodes + 1)
    can_lose = np.append((sizes[:-1] > k) & (sizes[1:] >= k), False)
    classes = graph.degrees[others]
    chosen = others[np.lexsort((-sizes[classes], ~can_lose[classes]))][:count]
    return np.stack((np.full(len(chosen), node), chosen), axis=1)


def _with(graph: Graph, *made: Places) -> Graph:
    """The graph with more edges; two of these may be the same."""
    return Graph.of(graph.nodes, np.concatenate((graph.edges.astype(np.int64), *made)), simplify=True)


def _raised_further(wanted: Places, lacking: int, k: int, rng: np.random.Generator) -> Places:
    """At least so many nodes raised to the next degree, drawn from the largest class that can spare them; every degree still occurs at
    least k times. A class moves as a whole if it must."""
    degrees, place, sizes = np.unique(wanted, return_inverse=True, return_counts=True)
    movable = degrees < len(wanted) - 1
    if not movable.any():  # everybody is joined to everybody
        return wanted
    largest = int(np.where(movable, sizes, 0).argmax())
    members = np.flatnonzero(place.ravel() == largest)
    has_next = bool((degrees == degrees[largest] + 1).any())
    count = lacking if has_next else max(lacking, k)
    count += (int(wanted.sum()) + count) % 2
    if len(members) - count < k:
        count = len(members)
    result = wanted.copy()
    result[rng.permutation(members)[:count]] += 1
    return result

"""Graphs changed at random: some edges deleted and as many added, or pairs of edges switched, which keeps all degrees."""

from __future__ import annotations

import numpy as np

from sfumato.errors import DataSayNo, several
from sfumato.graph.graph import Graph, Places
from sfumato.graph.kernels import switch

_TRIES = 20  # per edge to switch


def add_delete(graph: Graph, share: float, rng: np.random.Generator) -> Graph:
    """Delete a share of the edges, and add as many between people who were not joined; all are equally likely."""
    count = round(share * graph.size)
    free = free_pairs(graph)
    if count > free:
        pairs = f"{several(free, 'pair')} of people"
        raise DataSayNo(
            f"{several(count, 'edge')} cannot be added: {pairs} can still be joined; choose a smaller share", where="add-delete"
        )
    kept = np.delete(graph.keys, rng.choice(graph.size, count, replace=False))
    return Graph.of_keys(graph.nodes, np.sort(np.concatenate((kept, absent(graph, count, rng)))))


def free_pairs(graph: Graph) -> int:
    """How many pairs of people are not joined."""
    return graph.nodes * (graph.nodes - 1) // 2 - graph.size


def absent(graph: Graph, count: int, rng: np.random.Generator) -> Places:
    """Some pairs that are not joined."""
    if count * 3 > free_pairs(graph):
        one, other = np.triu_indices(graph.nodes, 1)
        return rng.choice(np.setdiff1d(one * np.int64(graph.nodes) + other, graph.keys), count, replace=False)
    found = np.zeros(0, np.int64)
    while len(found) < count:
        pairs = np.sort(rng.integers(0, graph.nodes, (2 * count + 10, 2)), axis=1)
        keys = (pairs[:, 0] * np.int64(graph.nodes) + pairs[:, 1])[pairs[:, 0] < pairs[:, 1]]
        found = np.unique(np.concatenate((found, np.setdiff1d(keys, graph.keys))))
    return rng.choice(found, count, replace=False)


def switched(graph: Graph, share: float, rng: np.random.Generator) -> Graph:
    """Switch pairs of edges, a-b and c-d to a-d and c-b, until about a share of the edges took part. Degrees stay as they are."""
    wanted = round(share * graph.size / 2)
    if not wanted:
        return Graph.of_keys(graph.nodes, graph.keys)
    edges = graph.edges.astype(np.int64)
    draws = np.empty((_TRIES * wanted, 3), np.int64)
    draws[:, :2] = rng.integers(0, graph.size, (len(draws), 2))
    draws[:, 2] = rng.integers(0, 2, len(draws))
    done = switch(edges, graph.nodes, wanted, draws)
    if done < wanted:
        raise DataSayNo(
            f"only {done:,} of {wanted:,} pairs of edges could be switched in {len(draws):,} tries; choose a smaller share",
            where="switch",
        )
    return Graph.of(graph.nodes, edges)

"""Generated graphs, to try methods and attacks on: the same for the same seed."""

from __future__ import annotations

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.graph.graph import Graph, require_whole
from sfumato.graph.kernels import cluster_graph
from sfumato.graph.perturbing import absent

CLUSTER, RANDOM = "cluster", "random"
KINDS = (CLUSTER, RANDOM)
MOST = 100_000_000


def generate(nodes: int, edges: int, *, kind: str = CLUSTER, closing: float = 0.5, seed: int = 0) -> Graph:
    """Generate a graph.

    Parameters
    ----------
    nodes : int
        How many people.
    edges : int
        How many edges.
    kind : str
        `cluster`: a few people have very many neighbors, and acquaintances know each other (Holme and Kim 2002). `random`: all graphs
        with so many nodes and edges are equally likely.
    closing : float
        How often, in a `cluster` graph, a new edge leads to an acquaintance of an acquaintance.
    seed : int
        Of everything that is random.

    Returns
    -------
    Graph
        The graph.
    """
    for name, value in (("nodes", nodes), ("edges", edges), ("seed", seed)):
        require_whole(value, 0, name)
    if max(nodes, edges) > MOST:
        raise UsageError(f"at most {MOST:,} are generated", where="nodes" if nodes > MOST else "edges")
    if nodes < 2 or edges < 1:
        raise UsageError("at least two nodes and one edge are generated", where="nodes" if nodes < 2 else "edges")
    if edges > nodes * (nodes - 1) // 2:
        raise UsageError("more edges than pairs of nodes; choose fewer", where="edges")
    if not 0 <= closing <= 1:
        raise UsageError("a share between 0 and 1, as in 0.5", where=argument("closing"))
    rng = np.random.default_rng(seed)
    if kind == RANDOM:
        return _random(nodes, edges, rng)
    if kind != CLUSTER:
        raise UsageError(f"choose {CLUSTER} or {RANDOM}", where=argument("kind"))
    return _cluster(nodes, edges, closing, rng)


def _cluster(nodes: int, edges: int, closing: float, rng: np.random.Generator) -> Graph:
    """Most nodes come with few edges, some with many; what does not fit among the first nodes is added at random."""
    least = 1 if edges >= nodes else 0
    weights = rng.exponential(size=nodes)
    each = least + rng.multinomial(edges - least * nodes, weights / weights.sum())
    each = np.minimum(each, np.arange(nodes))
    made = cluster_graph(each, closing, rng.random(max(1_000_003, 4 * edges + 1)))
    return _with_more(Graph.of(nodes, made), edges - len(made), rng)


def _random(nodes: int, edges: int, rng: np.random.Generator) -> Graph:
    return _with_more(Graph.of(nodes, []), edges, rng)


def _with_more(graph: Graph, extra: int, rng: np.random.Generator) -> Graph:
    """A graph with further edges between nodes that are not joined."""
    return Graph.of_keys(graph.nodes, np.sort(np.concatenate((graph.keys, absent(graph, extra, rng)))))

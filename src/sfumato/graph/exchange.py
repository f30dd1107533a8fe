"""Graphs from networkx and back. Needs the extra `graph`."""

from __future__ import annotations

from typing import Any

from sfumato.errors import UsageError, argument
from sfumato.graph.graph import SIMPLIFY, Graph
from sfumato.graph.leak import Attribute


def from_networkx(graph: Any, *, simplify: bool = False) -> Graph:
    """Make a graph of one of networkx; its nodes are numbered in their order there, and their names kept.

    Parameters
    ----------
    graph : networkx.Graph
        An undirected graph.
    simplify : bool
        Leave out self-loops, count parallel edges once, and take a directed graph as undirected.

    Returns
    -------
    Graph
        The graph.
    """
    _require_networkx(graph)
    if graph.is_directed() and not simplify:
        raise UsageError(f"a directed graph; {SIMPLIFY} takes its arcs as edges", where=argument("graph"))
    number = {node: place for place, node in enumerate(graph.nodes)}
    pairs = [(number[one], number[other]) for one, other in graph.edges()]
    return Graph.of(len(number), pairs, tuple(map(str, number)), simplify=simplify)


def attribute_from_networkx(graph: Any, name: str) -> Attribute:
    """An attribute of the nodes of a graph of networkx, in their order there.

    Parameters
    ----------
    graph : networkx.Graph
        The graph.
    name : str
        The attribute, which every node must have.

    Returns
    -------
    Attribute
        A value per node.
    """
    _require_networkx(graph)
    values = [data.get(name) for _, data in graph.nodes(data=True)]
    if any(value is None for value in values):
        raise UsageError(f"not every node has the attribute {name!r}", where=argument("graph"))
    return Attribute.of(name, values)


def to_networkx(graph: Graph) -> Any:
    """A graph of networkx with the same nodes, under their names; of a release, from 1.

    Parameters
    ----------
    graph : Graph
        The graph.

    Returns
    -------
    networkx.Graph
        The same graph.
    """
    try:
        import networkx
    except ImportError:
        raise UsageError('needs networkx: pip install "sfumato[graph]"', where="to_networkx") from None
    names = graph.names or range(1, graph.nodes + 1)
    made = networkx.Graph()
    made.add_nodes_from(names)
    made.add_edges_from((names[one], names[other]) for one, other in graph.edges.tolist())
    return made


def _require_networkx(graph: Any) -> None:
    """Refuse anything else; graphs of igraph and graph-tool know whether they are directed, too."""
    if not (hasattr(graph, "is_directed") and hasattr(graph, "nodes") and callable(getattr(graph, "edges", None))):
        raise UsageError("is no graph of networkx; others can be saved as GraphML, and read", where=argument("graph"))

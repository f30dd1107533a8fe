"""Small graphs for tests: drawn by hypothesis, or worked by hand."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from sfumato.graph import Graph

# A path of five people, 0-1-2-3-4.
PATH = Graph.of(5, [(0, 1), (1, 2), (2, 3), (3, 4)], ["Ann", "Bob", "Cid", "Dan", "Eve"])


@st.composite
def graphs(draw: st.DrawFn, least: int = 1, most: int = 9) -> Graph:
    """Any graph of a few nodes."""
    nodes = draw(st.integers(least, most))
    pairs = list(combinations(range(nodes), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph.of(nodes, edges)


def near(graph: Graph, node: int) -> list[int]:
    """The neighbors of a node, from the edges alone."""
    return [int(a + b - node) for a, b in graph.edges.tolist() if node in (a, b)]

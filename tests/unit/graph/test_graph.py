"""A graph as numbers, and what is refused."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from sfumato.errors import UsageError
from sfumato.graph import Graph, attribute_from_networkx, from_networkx, generate, to_networkx
from tests.unit.graph.small import PATH, graphs, near


def test_edges_are_sorted_and_each_node_knows_its_neighbors() -> None:
    graph = Graph.of(4, [(3, 1), (0, 3), (1, 0)])
    assert graph.edges.tolist() == [[0, 1], [0, 3], [1, 3]]
    assert graph.degrees.tolist() == [2, 2, 0, 2]
    assert graph.components.tolist() == [3, 1]


@given(graphs())
def test_the_neighbors_of_a_node_are_those_of_its_edges(graph: Graph) -> None:
    for node in range(graph.nodes):
        row = graph.neighbors[graph.offsets[node] : graph.offsets[node + 1]]
        assert row.tolist() == sorted(near(graph, node))


@given(graphs())
def test_networkx_gives_back_the_graph_that_it_was_given(graph: Graph) -> None:
    there = to_networkx(graph)
    assert nx.number_connected_components(there) == len(graph.components)
    assert np.array_equal(from_networkx(there).edges, graph.edges)


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        (3, [(0, 1), (2, 2)], "edge 2 joins a node to itself"),
        (3, [(0, 1), (1, 0)], "1 edge is there twice"),
        (2, [(0, 2)], "an edge names a node that is not there"),
        (2, [(0, 1, 2)], "edges are pairs of whole numbers"),
        (2, [(0.5, 1)], "edges are pairs of whole numbers"),
        (2, [(0,), (0, 1)], "edges are pairs of whole numbers"),
        (-1, [], "nodes: a whole number of at least 0"),
        (2.5, [(0, 1)], "nodes: a whole number of at least 0"),
        (2**31, [], "a graph has at most 2,147,483,647 nodes"),
    ],
)
def test_what_is_no_simple_graph_is_refused(nodes: Any, edges: list[tuple[float, ...]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Graph.of(nodes, edges)


def test_simplify_leaves_out_self_loops_and_repeated_edges() -> None:
    assert Graph.of(3, [(0, 1), (1, 0), (2, 2)], simplify=True).edges.tolist() == [[0, 1]]
    with pytest.raises(UsageError, match="directed"):
        from_networkx(nx.DiGraph([(0, 1)]))
    with pytest.raises(UsageError, match="two nodes have the same name"):
        Graph.of(2, [], ["Ann", "Ann"])


def test_graphs_of_other_libraries_are_refused_and_how_they_are_read_is_said() -> None:
    class OfIgraph:
        vs = es = ()

        def is_directed(self) -> bool:
            return False

    for graph in (OfIgraph(), None, "Ann"):
        with pytest.raises(UsageError, match=r"graph: is no graph of networkx; others can be saved as GraphML"):
            from_networkx(graph)
        with pytest.raises(UsageError, match="is no graph of networkx"):
            attribute_from_networkx(graph, "club")


def test_no_name_is_in_what_a_graph_prints() -> None:
    assert repr(PATH) == "Graph(5 nodes, 4 edges)"


def test_an_attribute_of_networkx_is_refused_unless_everybody_has_it() -> None:
    graph = nx.karate_club_graph()
    assert attribute_from_networkx(graph, "club").people.tolist() == [17, 17]
    with pytest.raises(UsageError, match="not every node has the attribute 'age'"):
        attribute_from_networkx(graph, "age")


@pytest.mark.parametrize("kind", ["cluster", "random"])
@pytest.mark.parametrize(("nodes", "edges"), [(2, 1), (10, 45), (100, 60), (500, 1500)])
def test_a_generated_graph_has_as_many_nodes_and_edges_as_asked_for(kind: str, nodes: int, edges: int) -> None:
    graph = generate(nodes, edges, kind=kind, seed=3)
    assert (graph.nodes, graph.size) == (nodes, edges)
    assert np.array_equal(graph.edges, generate(nodes, edges, kind=kind, seed=3).edges)


def test_acquaintances_know_each_other_more_often_in_a_graph_of_clusters() -> None:
    clustered, random = (nx.transitivity(to_networkx(generate(400, 1200, kind=kind, seed=1))) for kind in ("cluster", "random"))
    assert clustered > 3 * random

"""Clustering, paths and communities: against networkx, and by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import normalized_mutual_info_score

from sfumato.graph import Graph, changed, compare, from_networkx, generate, to_networkx
from sfumato.graph.charts import compared_chart
from sfumato.graph.communities import agreement, communities, modularity
from sfumato.graph.utility import shape_of
from tests.unit.graph.small import PATH, graphs


@given(graphs())
def test_a_shape_is_as_networkx_counts_it(graph: Graph) -> None:
    there, found = to_networkx(graph), shape_of(graph, sources=np.arange(graph.nodes), rng=np.random.default_rng(0))
    assert found.transitivity == pytest.approx(nx.transitivity(there))
    assert found.mean_clustering == pytest.approx(nx.average_clustering(there))
    lengths = [steps for _, row in nx.all_pairs_shortest_path_length(there) for steps in row.values()]
    assert found.steps.tolist() == np.bincount(lengths).tolist()
    assert found.components == nx.number_connected_components(there)
    assert found.largest == max(map(len, nx.connected_components(there)))


def test_a_path_of_five_by_hand() -> None:
    found = shape_of(PATH, sources=np.arange(5), rng=np.random.default_rng(0))
    assert found.degrees.tolist() == [0, 2, 3]
    assert found.steps.tolist() == [5, 8, 6, 4, 2]
    assert found.mean_path == 2.0
    assert found.reached == 1.0
    (kept,) = compare(PATH, [changed(PATH, "deidentify", seed=1)]).releases
    assert (kept.degrees_apart, kept.steps_apart, kept.edges_kept) == (0, 0, 1)


@given(graphs(least=2))
def test_modularity_is_that_of_networkx(graph: Graph) -> None:
    community = communities(graph, np.random.default_rng(1))
    if graph.size:
        groups = [np.flatnonzero(community == each).tolist() for each in np.unique(community)]
        there = nx.empty_graph(graph.nodes)
        there.add_edges_from(graph.edges.tolist())
        assert modularity(graph, community) == pytest.approx(nx.community.modularity(there, groups))


def test_communities_are_as_good_as_those_of_networkx() -> None:
    for there in (nx.karate_club_graph(), nx.les_miserables_graph()):
        graph = from_networkx(there)
        plain = nx.community.louvain_communities(there, weight=None, seed=1)
        theirs = nx.community.modularity(there, plain, weight=None)
        assert modularity(graph, communities(graph, np.random.default_rng(1))) > theirs - 0.02


def test_two_circles_with_one_edge_between_are_two_communities() -> None:
    ring = [(node, other) for start in (0, 5) for node in range(start, start + 5) for other in range(start, node)]
    graph = Graph.of(10, [*ring, (4, 5)])
    assert communities(graph, np.random.default_rng(0)).tolist() == [0] * 5 + [1] * 5


def test_agreement_is_normalized_mutual_information() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        one, other = rng.integers(0, 4, 30), rng.integers(0, 3, 30)
        assert agreement(one, other) == pytest.approx(normalized_mutual_info_score(one, other))
    assert agreement(one, one) == pytest.approx(1)
    assert agreement(np.zeros(4, np.int64), np.zeros(4, np.int64)) == 1


def test_a_graph_that_falls_apart_is_compared_all_the_same() -> None:
    graph = Graph.of(6, [(0, 1), (2, 3)])
    found = compare(graph, [changed(graph, "add-delete:100%", seed=1)])
    (kept,) = found.releases
    assert found.original.reached == pytest.approx(4 / 30)
    assert kept.edges_kept == 0
    assert compare(Graph.of(3, []), [changed(Graph.of(3, []), "deidentify", seed=1)]).original.mean_path == 0


def test_random_changes_cost_clustering() -> None:
    graph = generate(1000, 3000, seed=1)
    less, more = compare(graph, [changed(graph, f"add-delete:{share}", seed=1) for share in ("5%", "40%")]).releases
    assert compare(graph, []).original.transitivity > less.shape.transitivity > more.shape.transitivity
    assert less.edges_kept == pytest.approx(0.95)


def test_a_regular_graph_has_one_point_which_is_drawn_and_no_half_steps() -> None:
    ring = Graph.of(6, [(node, (node + 1) % 6) for node in range(6)])
    picture = compared_chart(compare(ring, [changed(ring, "deidentify", seed=1)]))
    neighbors, steps, _ = (panel for panel in picture["hconcat"])
    assert neighbors["mark"]["point"] == {"size": 30}
    assert steps["mark"]["point"] is False
    assert steps["encoding"]["x"]["axis"]["values"] == [1, 2, 3]

"""Clustering, paths and communities: against networkx, and by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import normalized_mutual_info_score

from sfumato.graph import Graph, attack, changed, compare, from_networkx, generate, profile, to_networkx
from sfumato.graph.charts import compared_chart
from sfumato.graph.communities import Agreement, agreement, communities, gathered, modularity, runs_for
from sfumato.graph.page import GraphReport, _clustering
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
    neighbors, steps, *_ = picture["concat"]
    assert neighbors["mark"]["point"] == {"size": 30}
    assert steps["mark"]["point"] is False
    assert steps["encoding"]["x"]["axis"]["values"] == [1, 2, 3]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_release_in_which_nothing_was_changed_keeps_its_communities_up_to_noise(seed: int) -> None:
    """With one run on either side, new numbers alone seemed to cost more than the edges that k-degree anonymity adds."""
    graph = generate(1000, 3000, seed=2)
    releases = [changed(graph, method, seed=1) for method in ("deidentify", "add-delete:5%")]
    found = compare(graph, releases, seed=seed)
    same, other = found.releases
    noise = np.hypot(found.again.error, same.communities_error)
    assert 0 < noise < found.again.spread
    assert abs(found.again.mean - same.same_communities) < 4 * noise
    assert same.same_communities > other.same_communities + 4 * noise
    assert found.runs == 20


def test_communities_are_looked_for_less_often_in_large_graphs_and_several_times_in_all() -> None:
    assert [runs_for(edges) for edges in (0, 1, 100_000, 200_000, 1_000_000, 10**8)] == [20, 20, 20, 10, 3, 3]


def test_agreement_of_runs_is_the_mean_over_all_pairs_with_its_spread() -> None:
    rng = np.random.default_rng(1)
    one, other = ([rng.integers(0, 3, 40) for _ in range(5)] for _ in range(2))
    found, within = Agreement.between(one, other), Agreement.within(one)
    both = [agreement(a, b) for a in one for b in other]
    own = [agreement(one[a], one[b]) for a in range(5) for b in range(a)]
    assert (found.mean, found.spread) == (pytest.approx(np.mean(both)), pytest.approx(np.std(both)))
    assert (within.mean, within.spread) == (pytest.approx(np.mean(own)), pytest.approx(np.std(own)))
    assert Agreement.within([one[0]] * 4) == Agreement(pytest.approx(1), pytest.approx(0, abs=1e-7), pytest.approx(0, abs=1e-7))


def test_the_error_of_an_agreement_is_how_far_it_is_off_when_all_of_it_is_done_again() -> None:
    rng = np.random.default_rng(2)
    graph = generate(200, 500, seed=1)
    many = [[communities(graph, rng) for _ in range(8)] for _ in range(60)]
    for measured in ([Agreement.within(each) for each in many], [Agreement.between(*each) for each in zip(many, many[1:])]):  # noqa: B905, RUF007
        off = np.std([each.mean for each in measured])
        assert 0.6 < np.mean([each.error for each in measured]) / off < 1.6


def test_people_are_gathered_in_communities_of_their_size() -> None:
    assert gathered([np.array([0, 0, 0, 1, 2, 2])]).tolist() == [0, 1, 2, 3]
    assert gathered([np.array([0, 0]), np.array([0, 1])]).tolist() == [0, 1, 1]


def test_communities_are_in_the_picture_and_on_the_page() -> None:
    graph = generate(60, 150, seed=1)
    found = compare(graph, [changed(graph, "add-delete:20%", seed=1)])
    *_, panel = compared_chart(found)["concat"]
    assert panel["encoding"]["x"]["title"] == "people in the community, at least"
    assert {each["graph"] for each in panel["data"]["values"]} == {"original", "add-delete:20%"}
    page = GraphReport(
        profile(graph, knows=["degree"]), attack(graph, [changed(graph, "deidentify", seed=1)], knows=["degree"]), found
    )
    html = page.html()
    for name in ("degrees", "steps", "clustering", "communities"):
        assert f'aria-labelledby="{name}-0-title {name}-0-desc"' in html
    assert "not for publication" in html


def test_clustering_on_the_page_is_the_mean_over_people_of_one_order() -> None:
    triangle = Graph.of(5, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)])
    (kept,) = compare(triangle, [changed(triangle, "deidentify", seed=1)]).releases
    # Of 0, 1 and 3, who have two neighbors, all, all and none of the pairs know each other; of 2, who has three, one in three.
    ((label, before, after),) = _clustering(kept.shape, kept.shape)
    assert (label, before, after) == ("2 to 3", pytest.approx((1 + 1 + 0 + 1 / 3) / 4), before)


def test_labels_on_the_page_are_not_crossed_by_the_lines_of_the_grid() -> None:
    graph = generate(60, 150, seed=1)
    found = compare(graph, [changed(graph, "deidentify", seed=1)])
    html = GraphReport(
        profile(graph, knows=["degree"]), attack(graph, [changed(graph, "deidentify", seed=1)], knows=["degree"]), found
    ).html()
    assert "svg text{paint-order:stroke;stroke:var(--paper)" in html

"""Who looks alike: against counting by hand, against plain refinement, and against isomorphism of networkx."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from sfumato.errors import UsageError
from sfumato.graph import Graph, from_networkx, profile
from sfumato.graph.graph import Places
from sfumato.graph.kernels import common
from sfumato.graph.knowledge import (
    KNOWLEDGE,
    by_hubs,
    by_neighborhood,
    by_neighbors,
    by_second_round,
    hubs_of,
    jointly,
    rows_alike,
)
from sfumato.graph.neighborhoods import isomorphic
from tests.unit.graph.small import PATH, graphs, near


def same_division(classes: Places, looks: list[Hashable]) -> bool:
    """Whether nodes are in one class if and only if they look the same."""
    return len(set(zip(classes.tolist(), looks, strict=True))) == len(set(looks)) == len(set(classes.tolist()))


def plain_rounds(graph: Graph, rounds: int) -> list[Hashable]:
    """What is known of each node after some rounds, written out in full: no number, no hash."""
    looks: list[Hashable] = [len(near(graph, node)) for node in range(graph.nodes)]
    for _ in range(rounds):
        looks = [
            (looks[node], tuple(sorted((looks[other] for other in near(graph, node)), key=repr))) for node in range(graph.nodes)
        ]
    return looks


@pytest.mark.parametrize(("name", "rounds"), [("degree", 0), ("neighbors", 1), ("second-round", 2)])
@given(graph=graphs())
def test_a_round_of_refinement_divides_as_the_plain_one_does(name: str, rounds: int, graph: Graph) -> None:
    assert same_division(KNOWLEDGE[name](graph), plain_rounds(graph, rounds))


def test_a_path_of_five_by_hand() -> None:
    # Degrees 1 2 2 2 1. The neighbors of Bob and Dan have degrees 1 and 2, those of Cid 2 and 2.
    found = profile(PATH, knows=["degree", "neighbors", "second-round"])
    assert [(each.classes, each.singled_out, each.smallest, each.median) for each in found.alike] == [
        (2, 0, 2, 3),
        (3, 1, 1, 2),
        (3, 1, 1, 2),
    ]
    assert sorted(np.bincount(by_neighbors(PATH)).tolist()) == [1, 2, 2]
    assert all(each.few == 5 for each in found.alike)


def test_hubs_are_known_by_their_distance_up_to_a_horizon() -> None:
    # Star with center 0, and a tail 1-4-5-6: distances from the center are 0 1 1 1 2 3 4, beyond the horizon of 3 unknown.
    graph = Graph.of(7, [(0, 1), (0, 2), (0, 3), (1, 4), (4, 5), (5, 6)])
    assert hubs_of(graph, 1).tolist() == [0]
    assert same_division(by_hubs(graph, hubs_of(graph, 1), 3), [0, 1, 1, 1, 2, 3, None])
    assert same_division(by_hubs(graph, hubs_of(graph, 1), 4), [0, 1, 1, 1, 2, 3, 4])


@given(graphs())
def test_common_neighbors_are_counted_as_sets_are(graph: Graph) -> None:
    rows = [set(near(graph, node)) for node in range(graph.nodes)]
    expected = [len(rows[one] & rows[other]) for one, other in zip(graph.owner.tolist(), graph.neighbors.tolist(), strict=True)]
    assert common(graph.offsets, graph.neighbors).tolist() == expected


def ego(graph: Graph, node: int) -> nx.Graph:
    """The neighborhood of a node, which is marked."""
    whole = nx.Graph(graph.edges.tolist())
    whole.add_nodes_from(range(graph.nodes))
    part = whole.subgraph([node, *whole[node]]).copy()
    nx.set_node_attributes(part, {each: each == node for each in part}, "person")
    return part


@settings(max_examples=60)
@given(graphs(most=8))
def test_neighborhoods_are_alike_if_and_only_if_networkx_finds_them_isomorphic(graph: Graph) -> None:
    classes = by_neighborhood(graph)
    egos = [ego(graph, node) for node in range(graph.nodes)]
    for one in range(graph.nodes):
        for other in range(one):
            alike = nx.is_isomorphic(egos[one], egos[other], node_match=lambda a, b: a["person"] == b["person"])
            assert (classes[one] == classes[other]) == alike


@settings(max_examples=60)
@given(graphs(most=6), graphs(most=6))
def test_isomorphism_is_that_of_networkx(one: Graph, other: Graph) -> None:
    shapes = [[set(near(graph, node)) for node in range(graph.nodes)] for graph in (one, other)]
    made = []
    for graph in (one, other):
        there = nx.empty_graph(graph.nodes)
        there.add_edges_from(graph.edges.tolist())
        made.append(there)
    assert isomorphic(*shapes) == nx.is_isomorphic(*made)


def test_refinement_alone_would_take_two_triangles_for_a_hexagon() -> None:
    hexagon = [{(node + 1) % 6, (node - 1) % 6} for node in range(6)]
    triangles = [{3 * (node // 3) + (node + step) % 3 for step in (1, 2)} for node in range(3)]
    triangles += [{each + 3 for each in row} for row in triangles]
    assert not isomorphic(hexagon, triangles)
    assert isomorphic(hexagon, [hexagon[0], *hexagon[1:]])
    # The same as neighborhoods: two people with six friends each.
    edges = [(0, friend + 1) for friend in range(6)] + [(7, friend + 8) for friend in range(6)]
    edges += [(one + 1, other + 1) for one, row in enumerate(hexagon) for other in row if one < other]
    edges += [(one + 8, other + 8) for one, row in enumerate(triangles) for other in row if one < other]
    classes = by_neighborhood(Graph.of(14, edges))
    assert classes[0] != classes[7]


def shape_of(graph: nx.Graph) -> list[set[int]]:
    place = {node: number for number, node in enumerate(graph)}
    return [{place[near] for near in graph[node]} for node in graph]


def regular_parts() -> list[nx.Graph]:
    """Graphs that refinement cannot tell apart: unions of regular graphs, joins of them, and both again."""
    ring, square, cube = nx.cycle_graph(6), nx.cycle_graph(4), nx.cubical_graph()
    parts = [ring, square, cube, nx.complete_graph(4), nx.petersen_graph(), nx.complete_bipartite_graph(3, 3)]
    parts += [nx.circular_ladder_graph(3), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)), nx.complement(square)]
    pairs = [nx.disjoint_union(one, other) for place, one in enumerate(parts) for other in parts[: place + 1]]
    return [*parts, *pairs, *map(nx.complement, pairs), *(nx.disjoint_union(nx.complement(each), square) for each in pairs)]


@pytest.mark.slow
def test_graphs_of_regular_parts_are_compared_as_networkx_compares_them() -> None:
    made = regular_parts()
    rng = np.random.default_rng(5)
    for place, one in enumerate(made):
        renamed = nx.relabel_nodes(one, dict(zip(one, rng.permutation(len(one)).tolist(), strict=True)))
        assert isomorphic(shape_of(one), shape_of(renamed))
        for other in made[:place]:
            if (len(one), one.size()) == (len(other), other.size()):
                assert isomorphic(shape_of(one), shape_of(other)) == nx.is_isomorphic(one, other)


def test_two_strongly_regular_graphs_with_the_same_numbers_are_told_apart() -> None:
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    steps = [(0, 1), (1, 0), (1, 1)]
    shrikhande = nx.Graph(((x, y), ((x + a) % 4, (y + b) % 4)) for x in range(4) for y in range(4) for a, b in steps)
    assert not isomorphic(shape_of(rook), shape_of(shrikhande))


@pytest.mark.parametrize(
    ("graph", "classes"),
    [
        (nx.complete_graph(200), 1),
        (nx.disjoint_union(nx.windmill_graph(800, 4), nx.windmill_graph(800, 4)), 2),
        (nx.complete_multipartite_graph(*[1] * 5, 3000), 2),  # a star that was made 5-degree anonymous
    ],
)
def test_large_neighborhoods_that_look_alike_everywhere_are_compared(graph: nx.Graph, classes: int) -> None:
    assert len(set(by_neighborhood(from_networkx(graph)).tolist())) == classes


@given(graphs(), graphs())
def test_two_graphs_are_divided_in_the_same_numbers(one: Graph, other: Graph) -> None:
    first, second = jointly("neighbors", one, other, np.arange(one.nodes))
    both = [*first.tolist(), *second.tolist()]
    assert same_division(np.array(both), [*plain_rounds(one, 1), *plain_rounds(other, 1)])


@pytest.mark.parametrize("name", sorted(set(KNOWLEDGE) - {"hubs"}))  # which nodes are hubs among equals depends on their order
def test_who_looks_alike_does_not_depend_on_numbers(name: str) -> None:
    graph = Graph.of(9, [(0, 1), (0, 2), (0, 3), (1, 2), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8)])
    labels = np.random.default_rng(1).permutation(9)
    assert same_division(KNOWLEDGE[name](graph), KNOWLEDGE[name](graph.relabeled(labels))[labels].tolist())


def test_rows_of_equal_bytes_and_of_other_lengths_stay_apart() -> None:
    offsets = np.array([0, 1, 3, 5, 6])
    assert same_division(rows_alike(offsets, np.array([1, 2, 1, 1, 2, 1]), np.zeros(4, np.int64)), ["1", "12", "12", "1"])


def test_unknown_knowledge_and_an_empty_graph_are_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'neighbors'"):
        profile(PATH, knows=["neighbours"])
    with pytest.raises(UsageError, match="the graph is empty"):
        profile(Graph.of(0, []))


def test_one_round_more_divides_further() -> None:
    graph = Graph.of(7, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)])
    counts: list[Callable[[Graph], Places]] = [by_neighbors, by_second_round]
    assert [len(Counter(of(graph).tolist())) for of in counts] == [3, 4]

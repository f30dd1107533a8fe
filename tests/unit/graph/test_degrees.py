"""Degrees that everybody shares with others: the condition of Erdos and Gallai, the least raise, and edges that carry it out."""

from __future__ import annotations

import warnings
from collections import Counter
from itertools import combinations_with_replacement, product
from math import comb

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import DataSayNo, LongSearchWarning, UsageError
from sfumato.graph import Graph, changed, from_networkx, generate, is_graphic, raised
from sfumato.graph import degrees as degrees_of
from sfumato.graph.degrees import k_degree, missing
from sfumato.graph.kernels import join
from tests.unit.graph.small import PATH, graphs

DEGREES = st.lists(st.integers(0, 7), min_size=1, max_size=8)


@given(DEGREES)
def test_a_sequence_is_graphic_as_networkx_says(degrees: list[int]) -> None:
    assert is_graphic(np.array(degrees)) == nx.is_graphical(degrees, method="hh")


def test_the_condition_of_erdos_and_gallai_by_hand() -> None:
    # 3 3 1 1: the first two want 6 ends, have 2 between them and 1 from each of the others: 2 are missing.
    assert missing(np.array([3, 3, 1, 1])) == 2
    assert not is_graphic(np.array([3, 3, 1, 1]))
    assert is_graphic(np.array([3, 3, 2, 2]))
    assert not is_graphic(np.array([2, 2, 1]))  # an odd sum
    assert is_graphic(np.zeros(3, int))
    assert not is_graphic(np.array([-1, 1]))


def least_by_trying(degrees: list[int], k: int) -> int:
    """The least sum of raises over all degrees in falling order that are at least as large and occur k times each."""
    falling = sorted(degrees, reverse=True)
    possible = combinations_with_replacement(range(max(degrees), -1, -1), len(degrees))
    sums = [
        sum(each) - sum(falling)
        for each in possible
        if all(a >= b for a, b in zip(each, falling, strict=True)) and min(Counter(each).values()) >= k
    ]
    return min(sums)


@settings(max_examples=150)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=7), st.integers(1, 7))
def test_no_raise_is_smaller_than_the_least(degrees: list[int], k: int) -> None:
    k = min(k, len(degrees))
    found = raised(np.array(degrees), k)
    assert (found >= degrees).all()
    assert min(Counter(found.tolist()).values()) >= k
    assert int(found.sum()) - sum(degrees) == least_by_trying(degrees, k)


def test_the_least_raise_by_hand() -> None:
    # 7 5 | 3 3 | 2 1: 2 + 0 + 1; together with the groups 7 5, 3 3 2 1 it would be 2 + 0 + 0 + 1 + 2.
    assert raised(np.array([3, 7, 1, 5, 2, 3]), 2).tolist() == [3, 7, 2, 7, 2, 3]
    assert raised(np.array([4, 2, 1]), 3).tolist() == [4, 4, 4]


@settings(max_examples=80)
@given(graphs(), st.integers(1, 9), st.integers(0, 5))
def test_a_k_degree_graph_has_all_edges_and_each_degree_k_times(graph: Graph, k: int, seed: int) -> None:
    k = min(k, graph.nodes)
    found = k_degree(graph, k, np.random.default_rng(seed))
    assert set(graph.keys.tolist()) <= set(found.graph.keys.tolist())
    assert min(Counter(found.graph.degrees.tolist()).values()) >= k
    assert found.added == found.graph.size - graph.size >= found.optimum / 2


def test_a_graph_that_is_anonymous_already_stays_as_it_is() -> None:
    square = Graph.of(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    assert k_degree(square, 4, np.random.default_rng(0)).added == 0


@pytest.mark.parametrize("k", [2, 5, 10])
@pytest.mark.parametrize("people", [40, 150])
def test_whoever_knows_everybody_gets_others_who_do_and_little_else_changes(people: int, k: int) -> None:
    # One person's network, with that person in it: k - 1 others are joined to everybody, which is nearly all that is needed.
    network = nx.gnp_random_graph(people, 0.1, seed=1)
    network.add_edges_from((people, other) for other in range(people))
    graph = from_networkx(network)
    found = k_degree(graph, k, np.random.default_rng(0))
    assert set(graph.keys.tolist()) <= set(found.graph.keys.tolist())
    assert min(Counter(found.graph.degrees.tolist()).values()) >= k
    hubs = np.argsort(-graph.degrees)[:k]
    assert (k - 1) * people - int(graph.degrees[hubs[1:]].sum()) <= found.added + comb(k - 1, 2)
    assert found.added <= 1.4 * (k - 1) * people


@given(graphs(least=2), st.data())
def test_wishes_are_joined_to_new_neighbors_only(graph: Graph, data: st.DataObject) -> None:
    wishes = np.array(data.draw(st.lists(st.integers(0, 3), min_size=graph.nodes, max_size=graph.nodes)))
    made, left = join(graph.offsets, graph.neighbors, wishes, np.arange(graph.nodes))
    both = Graph.of(graph.nodes, [*map(tuple, graph.edges.tolist()), *map(tuple, made.tolist())])
    given_ends = both.degrees - graph.degrees
    assert (given_ends <= wishes).all()
    assert (given_ends + left == wishes).all()


@pytest.mark.parametrize("k", [0, 6])
def test_a_k_that_no_graph_of_this_size_can_have_is_refused(k: int) -> None:
    with pytest.raises(UsageError, match="k is"):
        raised(PATH.degrees, k)


@pytest.mark.parametrize(("method", "message"), [
    ("k-degre:5", "did you mean 'k-degree'"), ("k-degree:x", "whole number"), ("k-degree:0", "whole number"),
    ("switch:1.5", "a share of the edges"), ("add-delete:", "a share"), ("switch:nan", "a share"), ("deidentify:1", "takes no parameter"),
])  # fmt: skip
def test_a_method_that_there_is_not_is_refused(method: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        changed(PATH, method, seed=0)


@given(graphs(least=4, most=9), st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.integers(0, 3))
def test_add_delete_changes_as_many_edges_as_asked_for(graph: Graph, share: float, seed: int) -> None:
    count = round(share * graph.size)
    free = graph.nodes * (graph.nodes - 1) // 2 - graph.size
    if count > free:
        with pytest.raises(DataSayNo, match="cannot be added"):
            changed(graph, f"add-delete:{share}", seed=seed)
        return
    found = changed(graph, f"add-delete:{share}", seed=seed)
    assert found.graph.size == graph.size
    assert np.isin(found.relabel(graph), found.graph.keys).sum() == graph.size - count


@pytest.mark.parametrize("share", ["0%", "20%", "100%"])
def test_switching_keeps_every_degree_and_changes_edges(share: str) -> None:
    graph = generate(60, 150, seed=1)
    found = changed(graph, f"switch:{share}", seed=2)
    assert np.array_equal(found.graph.degrees[found.truth], graph.degrees)
    assert found.graph.size == graph.size
    kept = np.isin(found.relabel(graph), found.graph.keys).mean()
    assert kept == 1 if share == "0%" else kept < 0.95


def test_a_triangle_has_nothing_to_switch() -> None:
    with pytest.raises(DataSayNo, match="could be switched"):
        changed(Graph.of(3, [(0, 1), (1, 2), (0, 2)]), "switch:100%", seed=0)


def test_every_method_gives_new_numbers_by_the_seed_alone() -> None:
    graph = generate(50, 100, seed=1)
    for method, seed in product(("deidentify", "k-degree:3", "add-delete:10%", "switch:10%"), (1, 2)):
        one, other = (changed(graph, method, seed=seed) for _ in range(2))
        assert np.array_equal(one.graph.edges, other.graph.edges)
        assert one.graph.names is None
        assert sorted(one.truth.tolist()) == list(range(50))
    assert not np.array_equal(changed(graph, "deidentify", seed=1).truth, changed(graph, "deidentify", seed=2).truth)


def test_many_added_edges_are_said_before_and_few_or_no_more_than_there_are_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A star of ten: for all ten to have nine neighbors, 36 edges come to nine."""
    star = from_networkx(nx.star_graph(9))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        monkeypatch.setattr(degrees_of, "MANY", 36)
        assert k_degree(star, 10, np.random.default_rng(0)).added == 36
        monkeypatch.setattr(degrees_of, "MANY", 0)
        assert k_degree(from_networkx(nx.path_graph(9)), 3, np.random.default_rng(0)).added < 8
    monkeypatch.setattr(degrees_of, "MANY", 35)
    text = "k-degree:10 adds at least 36 edges to 9, which may take long; a smaller k adds fewer"
    with pytest.warns(LongSearchWarning, match=f"^{text}$"):
        k_degree(star, 10, np.random.default_rng(0))

"""Attacks on releases: against trying every node, and by hand."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.graph import Changed, Graph, attack, attack_actively, changed, compare, generate, method_of, profile
from sfumato.graph.active import find, targets_of
from sfumato.graph.kernels import embeddings
from sfumato.graph.planting import Planted, most_targets, plant
from tests.unit.graph.small import PATH, graphs, near
from tests.unit.graph.test_knowledge import plain_rounds


def released(graph: Graph) -> Changed:
    """A graph as it is, under its own numbers."""
    return Changed(graph, np.arange(graph.nodes), method_of("deidentify"))


@settings(max_examples=80)
@given(graphs(least=2), graphs(least=2), st.sampled_from([("degree", 0), ("neighbors", 1), ("second-round", 2)]))
def test_a_passive_attack_finds_what_trying_every_node_finds(graph: Graph, other: Graph, knowledge: tuple[str, int]) -> None:
    count = min(graph.nodes, other.nodes)
    graph, other = (
        Graph.of(count, [tuple(edge) for edge in each.edges.tolist() if max(edge) < count]) for each in (graph, other)
    )
    name, rounds = knowledge
    before, after = plain_rounds(graph, rounds), plain_rounds(other, rounds)
    candidates = [[node for node in range(count) if after[node] == look] for look in before]
    (found,) = attack(graph, [released(other)], knows=[name]).attempts
    assert found.right == sum(each == [person] for person, each in enumerate(candidates))
    assert found.wrong == sum(len(each) == 1 and each != [person] for person, each in enumerate(candidates))
    assert found.none == sum(not each for each in candidates)
    assert found.hits == pytest.approx(sum(1 / len(each) for person, each in enumerate(candidates) if person in each))
    assert found.median == sorted(map(len, candidates))[(count - 1) // 2]


def test_a_path_of_five_by_hand() -> None:
    # By degree: two ends and three in the middle, 2/2 + 3/3 right guesses. With the neighbors' degrees: pairs {A, E}, {B, D} and Cid alone.
    one, other, nearest = attack(PATH, [released(PATH)], knows=["degree", "neighbors", "nearest"]).attempts
    assert (one.right, one.hits, one.rate, one.baseline) == (0, pytest.approx(2), pytest.approx(0.4), 0.2)
    assert (other.right, other.hits) == (1, pytest.approx(3))
    assert (nearest.right, nearest.hits) == (1, pytest.approx(3))
    low, high = other.interval
    assert (round(low, 4), round(high, 4)) == (0.1466, 0.9473)  # Clopper and Pearson for 3 of 5, from their tables


def test_who_is_attacked_in_a_graph_without_names_is_singled_out_in_its_profile() -> None:
    graph = generate(200, 500, seed=2)
    profiled = profile(graph).alike
    attempts = attack(graph, [changed(graph, "deidentify", seed=3)], knows=[each.knowledge for each in profiled]).attempts
    assert [each.singled_out for each in profiled] == [each.right for each in attempts]
    assert all(each.wrong == each.none == 0 for each in attempts)


def test_k_degree_anonymity_stops_the_degree_and_little_else() -> None:
    graph = generate(2000, 6000, seed=1)
    degree, neighbors, nearest = attack(
        graph, [changed(graph, "k-degree:5", seed=1)], knows=["degree", "neighbors", "nearest"]
    ).attempts
    assert degree.right == 0
    assert degree.rate < 0.05
    assert neighbors.rate > 0.2
    assert nearest.rate > 0.5


def test_the_nearest_attacker_needs_no_exact_match() -> None:
    graph = generate(2000, 6000, seed=1)
    exact, nearest = attack(graph, [changed(graph, "add-delete:5%", seed=1)], knows=["second-round", "nearest"]).attempts
    assert exact.rate < 0.05 < nearest.rate / 4


def planted_in(graph: Graph, seed: int, accounts: int = 4, targets: int = 2) -> Planted:
    return plant(graph, accounts, targets, np.random.default_rng(seed))


def test_the_nearest_of_a_star_are_counted_and_not_listed() -> None:
    star = Graph.of(20_001, [(0, leaf + 1) for leaf in range(20_000)])
    tracemalloc.start()
    (found,) = attack(star, [changed(star, "deidentify", seed=1)], knows=["nearest"]).attempts
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.median == 20_000
    assert peak < 150e6  # lists of all leaves for each of 1,000 targets take 800 MB


@pytest.mark.parametrize("people", range(6, 20))
def test_where_everybody_has_the_same_numbers_everybody_is_equally_near(people: int) -> None:
    wheel = Graph.of(
        people,
        [(0, other) for other in range(1, people)] + [(other, other % (people - 1) + 1) for other in range(1, people)],
    )
    release = changed(wheel, f"k-degree:{people}", seed=1)
    assert len(set(release.graph.degrees.tolist())) == 1
    (found,) = attack(wheel, [release], knows=["nearest"]).attempts
    assert (found.median, found.right, found.wrong) == (people, 0, 0)
    assert found.hits == pytest.approx(1)  # the rate was infinite where rounding made equal numbers differ


@settings(max_examples=15)
@given(graphs(least=3, most=5), st.integers(0, 20), st.integers(0, 2))
def test_accounts_are_found_as_by_trying_every_choice(graph: Graph, seed: int, budget: int) -> None:
    planted = planted_in(graph, seed)
    release, low, high = planted.graph, planted.degrees - 1, planted.degrees + 1
    joined = [set(near(release, node)) for node in range(release.nodes)]
    choices = []
    for chosen in permutations(range(release.nodes), 4):
        differs = sum(
            (one in joined[other]) != planted.matrix[a, b] for a, one in enumerate(chosen) for b, other in enumerate(chosen[:a])
        )
        fits = all(low[place] <= len(joined[node]) <= high[place] for place, node in enumerate(chosen))
        path = all(
            node in joined[chosen[place]] or (place and node in joined[chosen[place - 1]])
            for place, node in enumerate(chosen[1:])
        )
        if fits and path and differs <= budget:
            choices.append((differs, chosen))
    allowed = np.full(5, budget)
    best, count, _ = embeddings(release.offsets, release.neighbors, low, high, planted.matrix, allowed, True, 10**9)
    least = [chosen for differs, chosen in choices if differs == min(choices)[0]]
    assert count == len(least)
    assert {tuple(each) for each in best[: min(count, 2)].tolist()} <= set(least)


def test_planted_accounts_are_found_again_and_name_their_targets() -> None:
    graph = generate(500, 1500, seed=1)
    planted = planted_in(graph, 1, accounts=9, targets=10)
    release = changed(planted.graph, "deidentify", seed=5)
    where, gave_up = find(release.graph, planted)
    assert not gave_up
    assert where is not None
    assert where.tolist() == release.truth[planted.accounts].tolist()
    named = targets_of(release.graph, planted, where, exact=True)
    assert named == {place: release.truth[target] for place, target in enumerate(planted.targets)}


def test_planting_adds_accounts_and_changes_nothing_else() -> None:
    graph = generate(100, 200, seed=1)
    planted = planted_in(graph, 3, accounts=6, targets=8)
    assert set(map(tuple, graph.edges.tolist())) <= set(map(tuple, planted.graph.edges.tolist()))
    assert planted.graph.nodes == 106
    assert len(set(planted.targets.tolist())) == len(set(planted.marks)) == 8
    assert all(account + 1 in planted.inner[account] for account in range(5))
    for target, mark in zip(planted.targets.tolist(), planted.marks, strict=True):
        assert {node - 100 for node in near(planted.graph, target) if node >= 100} == mark


def test_names_change_nothing_for_an_active_attacker_and_a_forgiving_one_survives_changes() -> None:
    graph = generate(500, 1500, seed=1)
    found = attack_actively(graph, ["deidentify", "switch:3%"], accounts=9, targets=10, runs=3, seed=2)
    rates = {(each.method, each.attacker): each.rate for each in found.attempts}
    assert rates["deidentify", "exact"] == 1
    assert rates["switch:3%", "forgiving"] > rates["switch:3%", "exact"]
    assert all(each.baseline == 1 / 500 and each.pairs == 3 * 45 for each in found.attempts)
    assert found.attempts[0].learned == 3 * 45


def test_a_search_that_takes_too_long_is_given_up() -> None:
    planted = planted_in(generate(200, 2000, seed=1), 1, accounts=5)
    where, gave_up = find(planted.graph, planted, 0.5, steps=10)
    assert where is None
    assert gave_up


@pytest.mark.parametrize(
    ("accounts", "targets", "message"), [(2, 1, "at least three"), (4, 99, "mark between 1 and 5 targets"), (4, 0, "mark")]
)
def test_what_cannot_be_planted_is_refused(accounts: int, targets: int, message: str) -> None:
    assert most_targets(4) == 6 + 4
    with pytest.raises(UsageError, match=message):
        attack_actively(PATH, ["deidentify"], accounts=accounts, targets=targets)


def test_without_scipy_the_right_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["sfumato.graph.profile"], "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"sfumato\[graph\]"):
        attack(PATH, [released(PATH)])


def test_a_single_name_or_release_needs_no_list() -> None:
    release = released(PATH)
    assert profile(PATH, knows="neighbors").as_dict() == profile(PATH, knows=["neighbors"]).as_dict()
    assert attack(PATH, release, knows="nearest").as_dict() == attack(PATH, [release], knows=["nearest"]).as_dict()
    assert compare(PATH, release).as_dict() == compare(PATH, [release]).as_dict()
    assert [each.method for each in attack_actively(PATH, "deidentify", runs=1).attempts] == ["deidentify"] * 2


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda: attack(PATH, []), "releases: name a release"),
        (lambda: attack(PATH, "deidentify"), "releases: a release is what changed"),  # type: ignore[arg-type]
        (lambda: attack(PATH, released(generate(6, 6))), "a release of another graph: it has 6 nodes, this one 5"),
        (lambda: compare(PATH, released(generate(6, 6))), "a release of another graph"),
        (lambda: compare(PATH, [], sources=0), "sources: a whole number of at least 1"),
        (lambda: attack_actively(PATH, []), "methods: name a method"),
        (lambda: attack_actively(PATH, "deidentify", runs=0), "runs: a whole number of at least 1"),
        (lambda: attack_actively(PATH, "deidentify", targets=1.5), "targets: a whole number"),  # type: ignore[arg-type]
        (lambda: changed(PATH, "deidentify", seed=-1), "seed: a whole number of at least 0"),
        (lambda: changed(PATH, 5, seed=1), "method: a method is text, as in k-degree:5"),  # type: ignore[arg-type]
        (lambda: generate(6.5, 6), "nodes: a whole number of at least 0"),  # type: ignore[arg-type]
        (lambda: generate(6, 6, seed=True), "seed: a whole number of at least 0"),
    ],
)
def test_what_is_of_another_kind_is_refused_in_one_line(asked: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        asked()

"""Incognito finds every minimal node, subset of QIDs by subset, and refuses what it cannot promise."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.models import MODELS
from sfumato.search.algorithms.incognito import incognito, require_monotone
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import Found, NotFound
from sfumato.search.problem import Problem
from sfumato.search.space import PolicySpace
from sfumato.search.space.exploring import about
from sfumato.statements import Statement
from tests.contracts.model_world import World
from tests.strategies import Drawn, Row
from tests.unit.search.problems import (
    OWNERS,
    PUBLIC,
    ROWS,
    TEXTS,
    TWELVE,
    Case,
    cases,
    limits,
    plainly,
    problems,
    several,
    stated_about,
)

MONOTONE = [name for name in ROWS if MODELS[name].monotone]
HEREDITARY = ["k-anonymity", "distinct-diversity", "ke-anonymity"]
Nodes = set[tuple[int, ...]]


def minimal(problem: Problem) -> Nodes:
    """The feasible nodes with no feasible node below them, by comparing every pair."""
    found = plainly(problem, [])
    feasible = [tuple(levels) for levels, holds in zip(found.levels.tolist(), found["feasible"], strict=True) if holds]

    def under(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        return one != other and all(a <= b for a, b in zip(one, other, strict=True))

    return {node for node in feasible if not any(under(other, node) for other in feasible)}


def require_minimal(problem: Problem, loss: str = "loss") -> None:
    right = minimal(problem)
    found = incognito(problem, loss)
    whole = plainly(problem, [loss])
    assert found.trace.visited <= found.trace.nodes == len(whole)
    space = PolicySpace(Lattice.of(problem.counts), whole, about(problem, ""))
    assert {tuple(levels) for levels in space.minimal().evaluations.levels.tolist()} == right
    if not right:
        assert isinstance(found, NotFound)
        return
    assert isinstance(found, Found)
    assert found.all is not None
    assert {tuple(levels) for levels in found.all.levels.tolist()} == right
    values = {tuple(levels): value for levels, value in zip(whole.levels.tolist(), whole.named()[loss].tolist(), strict=True)}
    assert values[found.node.levels] == pytest.approx(min(values[node] for node in right), rel=1e-12, abs=1e-12)


@given(problems([name for name in MONOTONE if name != "average-risk"], limit=0))
@settings(max_examples=40)
def test_incognito_finds_the_minimal_nodes_of_the_whole_space(problem: Problem) -> None:
    require_minimal(problem)


@pytest.mark.parametrize("name", MONOTONE)
@given(data=st.data())
@settings(max_examples=5)
def test_incognito_finds_the_minimal_nodes_for_every_monotone_model(name: str, data: st.DataObject) -> None:
    """Of some models only one basis or one distance is monotone; the others are refused."""
    text = data.draw(TEXTS[name])
    require_minimal(data.draw(cases()).problem([text]), data.draw(st.sampled_from(["precision", "utility-distribution"])))


@given(st.data())
@settings(max_examples=30)
def test_with_suppression_incognito_finds_the_minimal_nodes_for_sizes_and_distinct_values(data: st.DataObject) -> None:
    case = data.draw(cases())
    require_minimal(case.problem(data.draw(several(HEREDITARY)), limit=data.draw(limits(case))))


@given(st.data())
@settings(max_examples=30)
def test_incognito_finds_the_minimal_nodes_with_owners_for_models_that_allow_it(data: st.DataObject) -> None:
    case = data.draw(cases(owned=True))
    require_minimal(case.problem(data.draw(several([*HEREDITARY, *OWNERS]))))


@given(st.data())
@settings(max_examples=30)
def test_incognito_finds_the_minimal_nodes_with_a_population(data: st.DataObject) -> None:
    case = data.draw(cases())
    require_minimal(case.problem(data.draw(several([*PUBLIC, "k-anonymity"])), population=True))


@given(st.data())
@settings(max_examples=30)
def test_incognito_finds_the_minimal_nodes_under_beliefs_about_everybody(data: st.DataObject) -> None:
    case = data.draw(cases())
    assume(stated_about(case))
    names = ["t-closeness", "distribution-loss", "beta-likeness", "delta-disclosure", "k-anonymity"]
    require_minimal(case.problem([text for text in data.draw(several(names)) if "total" not in text], stated=stated_about(case)))


def test_with_suppression_incognito_finds_the_minimal_nodes_of_k_map() -> None:
    """The people of the population in a part of a class are fewer than in the class: whoever violates k-map violates it below."""
    case = replace(TWELVE, world=replace(TWELVE.world, others=(Row((0, 0), None, 99, 3),)))
    for limit in (0, 2, 4):
        require_minimal(case.problem(["k-map:3"], limit=limit, population=True))


def test_incognito_finds_the_minimal_nodes_with_owners_and_suppression() -> None:
    """2-anonymity, one person may leave. Rows (q0, q1): owners 0 and 2 at (a, u), owner 0 also at (a, v), owner 1 at (b, u).

    At the leaves (a, v) and (b, u) leave; owner 0 stays at (a, u), so one person leaves, and the node is feasible. With q0 withheld
    (*, v) would leave, and nobody with it: owner 0 stays at (*, u). A node above a feasible one is feasible.
    """
    paths = ((("a", "*"), ("b", "*")), (("u", "*"), ("v", "*")))
    cells = (((0, 0), 0), ((0, 0), 2), ((0, 1), 0), ((1, 0), 1))
    rows = tuple(Row(leaves, None, owner, 1) for leaves, owner in cells)
    problem = Case(World(Drawn(paths, rows, owned=True), (0,) * 4, (None,) * 4), {}).problem(["k-anonymity:2"], limit=1)
    whole = plainly(problem, [])
    feasible = {tuple(levels) for levels, holds in zip(whole.levels.tolist(), whole["feasible"], strict=True) if holds}
    assert (0, 0) in feasible
    assert feasible == {(0, 0), (0, 1), (1, 0), (1, 1)}
    require_minimal(problem)


# What it refuses


@pytest.mark.parametrize(
    "text",
    ["utility-distribution-loss:0.5", "entropy-loss:0.5", "em-anonymity:1,2", "ct-isolation:1.5,2", "population-uniqueness:0.1"],
)
def test_a_model_that_is_not_monotone_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=rf"{text} is not monotone, .*use optimal") as refused:
        incognito(TWELVE.problem(["k-anonymity:2", text]), "loss")
    assert refused.value.where == "incognito"


@pytest.mark.parametrize("text", ["t-closeness:0.3", "entropy-diversity:2", "alpha-k-anonymity:0.5,2", "average-risk:0.3"])
def test_with_suppression_a_model_that_splitting_can_cure_is_refused(text: str) -> None:
    require_monotone(TWELVE.problem([text]))
    with pytest.raises(UsageError, match=rf"with suppression {text} is not monotone .*use optimal"):
        incognito(TWELVE.problem(["k-anonymity:2", text], limit=1), "loss")


@given(case=cases(owned=True), text=TEXTS["t-closeness"] | TEXTS["entropy-diversity"] | TEXTS["average-risk"])
@settings(max_examples=10)
def test_with_owners_a_model_of_shares_is_refused(case: Case, text: str) -> None:
    with pytest.raises(UsageError, match=r"people have several rows.*use optimal"):
        incognito(case.problem([text]), "loss")


@given(case=cases(), text=TEXTS["t-closeness"])
@settings(max_examples=10)
def test_with_beliefs_about_a_group_a_model_of_sensitive_values_is_refused(case: Case, text: str) -> None:
    assume(stated_about(case))
    problem = case.problem([text])
    label = problem.counts.hierarchies[0].at(0)[0]
    about_a_group = {"value": [Statement({problem.counts.node.attributes[0]: label}, stated_about(case))]}
    with pytest.raises(UsageError, match="use optimal"):
        incognito(replace(problem, statements=about_a_group), "loss")


@given(case=cases(), data=st.data())
@settings(max_examples=40)
def test_a_node_above_a_feasible_one_is_feasible_where_nothing_is_refused(case: Case, data: st.DataObject) -> None:
    """What incognito rests on, for whatever models and limits it accepts."""
    limit = data.draw(limits(case))
    problem = case.problem(data.draw(several(HEREDITARY if limit else MONOTONE)), limit=limit)
    require_monotone(problem)
    found = plainly(problem, [])
    for levels in found.levels[found["feasible"]]:
        assert found["feasible"][(found.levels >= levels).all(axis=1)].all()


# By hand


def test_the_phases_of_a_tiny_lattice_are_those_worked_out_by_hand() -> None:
    """Two QIDs, 2-anonymity, nobody suppressed.

    q0 has leaves a, b in the group g, and c in the group h: levels 0, 1, 2 (`*`). q1 has leaves u, v: levels 0, 1 (`*`).
    Rows (q0, q1): (a, u), (b, u), (b, v), (c, v), (c, v).

    Phase 1, q0 alone: level 0 has a: 1, b: 2, c: 2 and violates. Level 1 has g: 3, h: 2 and satisfies. Level 2 lies above it and
    satisfies unseen. q1 alone: level 0 has u: 2, v: 3 and satisfies; level 1 lies above. So there are 3 + 2 = 5 candidates;
    evaluated are [0,*], [1,*] and [*,0]: 3; satisfying are q0: 1, 2 and q1: 0, 1: 4.

    Phase 2, (q0, q1): candidates are the pairs of survivors {1, 2} x {0, 1}: 4. Bottom up: [1,0] has (g, u): 2, (g, v): 1, (h, v): 2
    and violates; it is new. [1,1] and [2,0] are the nodes [1,*] and [*,0] of phase 1, known to satisfy: not evaluated again. [2,1]
    lies above them. So 1 node is evaluated and 3 satisfy; the minimal ones are [1,1] and [2,0].

    Losses: `precision` is the mean share of the height: [1,1] has (1/2 + 1) / 2 = 0.75, [2,0] has (1 + 0) / 2 = 0.5: the best is [2,0].
    """
    paths = ((("a", "g", "*"), ("b", "g", "*"), ("c", "h", "*")), (("u", "*"), ("v", "*")))
    rows = tuple(Row(leaves, None, 0, 1) for leaves in ((0, 0), (1, 0), (1, 1), (2, 1), (2, 1)))
    case = Case(World(Drawn(paths, rows, owned=False), (0,) * 5, (None,) * 5), {})
    found = incognito(case.problem(["k-anonymity:2"]), "precision")
    assert isinstance(found, Found)
    assert found.trace.details.as_dict()["phases"] == [
        {"qids": 1, "candidates": 5, "visited": 3, "satisfying": 4},
        {"qids": 2, "candidates": 4, "visited": 1, "satisfying": 3},
    ]
    assert (found.trace.algorithm, found.trace.nodes, found.trace.visited) == ("incognito", 6, 4)
    assert found.all is not None
    assert sorted(map(tuple, found.all.levels.tolist())) == [(1, 1), (2, 0)]
    assert found.node.levels == (2, 0)
    assert found.evaluation["precision"] == 0.5


def test_a_subset_that_is_infeasible_has_no_candidates_above_it() -> None:
    """Three people: 4-anonymity fails everywhere, so phase 2 has nothing to join.

    Phase 1 looks at all levels of both QIDs: [0,*], [1,*], [*,*] and [*,0]; the node [*,*] of q1 is known from q0. 3 + 2 candidates.
    """
    paths = ((("a", "g", "*"), ("b", "g", "*")), (("u", "*"), ("v", "*")))
    rows = tuple(Row(leaves, None, 0, 1) for leaves in ((0, 0), (1, 0), (1, 1)))
    case = Case(World(Drawn(paths, rows, owned=False), (0,) * 3, (None,) * 3), {})
    found = incognito(case.problem(["k-anonymity:4"]), "loss")
    assert isinstance(found, NotFound)
    assert [phase.candidates for phase in found.trace.details.phases] == [5, 0]
    assert [phase.satisfying for phase in found.trace.details.phases] == [0, 0]
    assert found.trace.visited == 4


def test_incognito_tells_how_far_it_is() -> None:
    steps: list[tuple[int, int]] = []
    incognito(TWELVE.problem(["k-anonymity:2"]), "loss", progress=lambda done, total: steps.append((done, total)))
    assert steps == [(0, 2), (0, 2), (1, 2), (1, 2), (2, 2)]  # after every subset, and after every size

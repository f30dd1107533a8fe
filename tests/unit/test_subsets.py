"""Which QIDs to release: every subset by the best of the nodes that release exactly these."""

from __future__ import annotations

from importlib import import_module
from itertools import combinations

import pyarrow as pa
import pytest

from sfumato.data import adult
from sfumato.errors import UsageError
from sfumato.question import Question, problem_of
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import least_of
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Problem
from sfumato.search.space import PolicySpace
from sfumato.verbs.anonymize import Anonymized, anonymize
from sfumato.verbs.subsets import Subsets, subsets
from sfumato.vocabulary.schema import Schema

module = import_module("sfumato.verbs.subsets")

QUASI = ["workclass", "marital-status", "race", "sex"]
MODELS = ["k-anonymity:50", "t-closeness:0.35"]


@pytest.fixture(scope="module")
def found() -> Subsets:
    with adult() as table:
        return subsets(table, models=MODELS, quasi=QUASI, minimize="utility-distribution")


@pytest.fixture(scope="module")
def problem() -> Problem:
    with adult() as table:
        return problem_of(table, Question(MODELS, quasi=QUASI))[0]


def test_every_subset_stands_once_the_smallest_first(found: Subsets) -> None:
    names = ("workclass", "marital-status", "race", "sex")
    assert [each.quasi for each in found.subsets] == [chosen for size in range(5) for chosen in combinations(names, size)]


def test_the_best_node_of_a_subset_is_the_least_of_those_that_release_it(found: Subsets, problem: Problem) -> None:
    lattice = Lattice.of(problem.counts)
    plain = PlainEvaluator(problem, ["utility-distribution"]).evaluate(lattice.levels())
    for subset in found.subsets:
        own = [
            (plain.named()["utility-distribution"][place], levels)
            for place, levels in enumerate(plain.levels.tolist())
            if tuple(n for n, level, top in zip(lattice.attributes, levels, lattice.heights, strict=True) if level < top)
            == subset.quasi
        ]
        feasible = [loss for loss, levels in own if plain["feasible"][lattice.numbers([levels])[0]]]
        assert (subset.nodes, subset.feasible) == (len(own), len(feasible))
        assert (subset.best is None) == (not feasible)
        if feasible:
            assert found.loss_of(subset) == pytest.approx(min(feasible), rel=1e-12)


def test_the_best_subset_is_what_a_search_over_its_qids_finds(found: Subsets) -> None:
    assert found.best is not None
    with adult() as table:
        made = anonymize(table, models=MODELS, quasi=found.best.quasi, minimize="utility-distribution")
    assert isinstance(made, Anonymized)
    assert made.loss == pytest.approx(found.loss_of(found.best), rel=1e-12)
    assert dict(made.release.certificate.node) == found.best.levels()


def test_qids_that_must_be_kept_are_in_every_subset() -> None:
    with adult() as table:
        kept = subsets(table, models=MODELS, quasi=QUASI, keep=["race"])
    assert len(kept.subsets) == 8
    assert all("race" in each.quasi for each in kept.subsets)


def test_the_table_shows_the_best_of_each_size(found: Subsets) -> None:
    rows = found.table().rows
    assert [row[0] for row in rows] == sorted({row[0] for row in rows})
    for size, _, loss, *_ in rows:
        assert loss == min(found.loss_of(each) for each in found.subsets if len(each.quasi) == size)


def test_where_nothing_can_be_released_there_is_no_best() -> None:
    with adult() as table:
        none = subsets(table, models=["k-anonymity:30163"], quasi=["sex"])
    assert none.best is None
    assert none.as_dict()["status"] == "infeasible"
    assert none.table().rows == ()


def test_thousands_of_subsets_are_told_without_a_look_at_the_whole_space_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of each subset only its own nodes are looked at: with 19 QIDs of two values there are as many subsets as nodes."""
    looked: list[int] = []
    monkeypatch.setattr(
        module, "least_of", lambda values, places, levels: looked.append(len(places)) or least_of(values, places, levels)
    )
    monkeypatch.setattr(PolicySpace, "_place", None)
    people = pa.table({f"q{bit:02}": [str(n >> bit & 1) for n in range(1024)] for bit in range(10)})
    schema = Schema.parse("".join(f'[attributes.{name}]\nrole = "quasi"\n' for name in people.column_names))
    found = subsets(people, schema, models="k-anonymity:4")
    assert (len(found.subsets), sum(looked)) == (1024, sum(each.feasible for each in found.subsets))
    assert [len(each.quasi) for each in found.leading()] == list(range(9))


@pytest.mark.parametrize(
    ("given", "said"),
    [({"models": []}, "name at least one model"), ({"models": MODELS, "keep": ["sx"]}, "did you mean 'sex'?")],
)
def test_bad_input_is_told(given: dict[str, list[str]], said: str) -> None:
    with adult() as table, pytest.raises(UsageError) as error:
        subsets(table, quasi=["sex", "race"], **given)
    assert said in error.value.message

"""The evolutionary search: exact about every node it tells of, never over its budget, and near the exact front."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.beliefs import Prior
from sfumato.errors import UsageError
from sfumato.frequency import FrequencySet
from sfumato.models import model_of
from sfumato.search.algorithms.evolutionary import Evolved, evolve
from sfumato.search.compiled.evaluator import QuickEvaluator, evaluator_of
from sfumato.search.compiled.walk import walked
from sfumato.search.evaluation import Evaluations, every_loss
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute, Schema
from tests.strategies import Drawn, drawn_tables

Floats = npt.NDArray[np.float64]
PAIRS = (("distribution.max", "utility-distribution"), ("entropy.max", "utility-entropy"), ("distribution", "loss"))
MODELS = ("k-anonymity:2", "distinct-diversity:2", "t-closeness:0.4,equal", "average-risk:0.4")


def census(*models: str, limit: float = 0) -> Problem:
    """The bundled sample: 2,160 nodes."""
    counts, schema = counted()
    occupation, prior = schema["occupation"], Prior.of(counts, "occupation")
    allowed = int(limit * counts.total_people)
    return Problem(counts, {"occupation": occupation}, {"occupation": prior}, tuple(model_of(m) for m in models), allowed)


@cache
def counted() -> tuple[FrequencySet, Schema]:
    with sf.data.adult() as table:
        return table.count(), table.schema


@cache
def exact(*models: str) -> Evaluations:
    """Every node of the bundled sample."""
    problem = census(*models)
    evaluator = QuickEvaluator(problem, every_loss(), compiled=True)
    return walked(evaluator.batches, evaluator.base, Lattice.of(problem.counts))


def dominated(row: Floats, others: Floats) -> bool:
    return any((other <= row).all() and (other < row).any() for other in others)


def plain_front(evaluations: Evaluations, objectives: Sequence[str]) -> list[int]:
    """By the definition, pair by pair."""
    values = np.column_stack([evaluations.named()[name] for name in objectives])
    feasible = np.flatnonzero(evaluations["feasible"])
    return [int(place) for place in feasible if not dominated(values[place], values[feasible])]


def hypervolume(values: Floats) -> float:
    """The area between two-dimensional points and (1, 1)."""
    area, height = 0.0, 1.0
    for x, y in values[np.lexsort(values.T[::-1])]:
        area += (1 - x) * max(height - y, 0)
        height = min(height, y)
    return area


def share_of_hypervolume(evolved: Evolved, whole: Evaluations, objectives: Sequence[str]) -> float:
    """Of the exact front's; the reference point is the worst of all nodes."""
    every = np.column_stack([whole.named()[name] for name in objectives])
    low, high = every.min(axis=0), every.max(axis=0)
    found = np.column_stack([evolved.evaluations.named()[name] for name in objectives])[evolved.front]
    return hypervolume((found - low) / (high - low)) / hypervolume(((every - low) / (high - low))[whole["feasible"]])


@st.composite
def small_problems(draw: st.DrawFn) -> Problem:
    """Small tables of any kind under any models, with and without suppression."""
    table: Drawn = draw(drawn_tables())
    counts = table.count()
    disease = Attribute("disease", Role.SENSITIVE, Kind.TEXT)
    models = tuple(model_of(text) for text in draw(st.sets(st.sampled_from(MODELS))))
    limit = draw(st.integers(0, counts.total_people))
    return Problem(counts, {"disease": disease}, {"disease": Prior.of(counts, "disease")}, models, limit)


objective_names = st.lists(
    st.sampled_from(("distribution.max", "entropy", "utility-entropy", "loss", "suppressed")), min_size=1, max_size=3, unique=True
)


@settings(max_examples=40)
@given(small_problems(), objective_names, st.integers(1, 40), st.integers(0, 3))
def test_what_it_tells_is_exact_and_within_the_budget(problem: Problem, objectives: list[str], budget: int, seed: int) -> None:
    evolved = evolve(problem, objectives, budget=budget, seed=seed)
    numbers = Lattice.of(problem.counts).numbers(evolved.evaluations.levels)
    assert len(set(numbers.tolist())) == len(numbers) <= budget
    assert evolved.front.tolist() == plain_front(evolved.evaluations, objectives)
    again = evaluator_of(problem, objectives, nodes=budget).evaluate(evolved.evaluations.levels)
    columns = evolved.evaluations.named()
    assert again.named().keys() == columns.keys()
    for name, column in again.named().items():
        np.testing.assert_allclose(columns[name], column, rtol=1e-12, atol=1e-12)


@settings(max_examples=40)
@given(small_problems(), objective_names)
def test_a_budget_of_the_whole_lattice_finds_the_exact_front(problem: Problem, objectives: list[str]) -> None:
    lattice = Lattice.of(problem.counts)
    evolved = evolve(problem, objectives, budget=lattice.size)
    whole = evaluator_of(problem, objectives, nodes=lattice.size).evaluate(lattice.levels())
    # Compared by rounded values: a node's sums may differ in the last bit with the way by which it was rolled up.
    found = evolved.evaluations.only(evolved.front)
    assert rounded(found, objectives) == rounded(whole.only(np.array(plain_front(whole, objectives), np.int64)), objectives)


def rounded(evaluations: Evaluations, objectives: Sequence[str]) -> set[tuple[float, ...]]:
    values = np.column_stack([evaluations.named()[name] for name in objectives])
    return {tuple(row) for row in (values.round(9) + 0.0).tolist()}


def test_the_same_seed_gives_the_same_result() -> None:
    runs = [evolve(census(), PAIRS[0], budget=100, seed=seed) for seed in (7, 7, 8)]
    first, again, other = (run.evaluations.levels.tolist() for run in runs)
    assert first == again
    assert runs[0].front.tolist() == runs[1].front.tolist()
    assert first != other


@pytest.mark.slow
@pytest.mark.parametrize("models", [(), ("k-anonymity:5",)])
@pytest.mark.parametrize("objectives", PAIRS)
def test_the_front_of_the_census_is_found_by_looking_at_few_nodes(objectives: tuple[str, str], models: tuple[str, ...]) -> None:
    problem, whole = census(*models), exact(*models)
    for seed in (0, 1):
        evolved = evolve(problem, objectives, budget=324, seed=seed)
        assert len(evolved.evaluations) <= 0.15 * len(whole)
        assert share_of_hypervolume(evolved, whole, objectives) >= 0.99


def test_no_node_below_a_hopeless_one_is_looked_at() -> None:
    evaluations = evolve(census("k-anonymity:5"), PAIRS[0], budget=324).evaluations
    assert evaluations["hopeless"].any()
    # It is a corner of the first population, but a country alone shows that it is hopeless.
    assert [0] * 7 not in evaluations.levels.tolist()


def test_nothing_is_searched_where_nothing_can_be_feasible() -> None:
    evolved = evolve(census("k-anonymity:40000"), PAIRS[0], budget=100)
    assert (len(evolved.evaluations), evolved.front.tolist(), evolved.generations) == (1, [], 0)


def test_progress_is_told_up_to_the_budget() -> None:
    reports: list[tuple[int, int]] = []
    evolve(census(), ("loss",), budget=50, progress=lambda done, of: reports.append((done, of)))
    assert reports == sorted(reports)
    assert reports[-1] == (50, 50)


def test_further_measures_are_columns() -> None:
    evolved = evolve(census(), ("loss",), budget=3, wanted=("emd", "precision"))
    assert {"loss", "emd", "emd.max", "precision"} <= set(evolved.evaluations.named())


def test_infinite_objectives_are_the_worst() -> None:
    objective = "value:recursive-diversity:3,3"
    evolved = evolve(census("recursive-diversity:3,3", limit=0.1), (objective, "loss"), budget=100)
    values = evolved.evaluations.named()[objective]
    assert np.isinf(values).any()
    assert np.isfinite(values[evolved.front]).all()


@pytest.mark.parametrize(
    ("objectives", "budget", "message"),
    [
        (("loss",), 0, "at least one node"),
        ((), 5, "at least one objective"),
        (("utility-entropi",), 5, "did you mean 'utility-entropy'"),
    ],
)
def test_wrong_arguments_are_refused(objectives: tuple[str, ...], budget: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        evolve(census(), objectives, budget=budget)


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymoo.algorithms.moo.nsga2", None)
    with pytest.raises(UsageError, match=r'pip install "sfumato\[evolve\]"'):
        evolve(census(), ("loss",), budget=5)


def finer(hierarchy: Hierarchy, levels: int) -> Hierarchy:
    """The same leaves under so many levels: cuts between neighbors vanish, in an order that keeps the groups even."""
    leaves = hierarchy.labels[0]
    cuts = sorted(range(1, len(leaves)), key=lambda cut: (-(cut & -cut), cut))
    kept = np.linspace(len(cuts), 0, levels).round().astype(int)
    groups = [np.searchsorted(sorted(cuts[:count]), np.arange(len(leaves)), side="right") for count in kept[1:-1]]
    columns = [[f"{level}: {group}" for group in each] for level, each in enumerate(groups, 1)]
    return Hierarchy.of_columns("finer", [leaves, *columns, ["*"] * len(leaves)])


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, 0.02])
def test_a_lattice_of_five_million_nodes(limit: float) -> None:
    problem = census("k-anonymity:5", limit=limit)
    heights = (40, 7, 14, 20, 7, 5, 2)
    hierarchies = tuple(finer(*pair) for pair in zip(problem.counts.hierarchies, heights, strict=True))
    problem = replace(problem, counts=replace(problem.counts, hierarchies=hierarchies))
    assert Lattice.of(problem.counts).size > 5_000_000
    evolved = evolve(problem, ("distribution.max", "loss"), budget=2_000)
    # Without suppression fewer are enough: all others are below hopeless ones.
    assert len(evolved.evaluations) == 2_000 or limit == 0
    assert len(evolved.front) > 5
    assert evolved.evaluations["feasible"][evolved.front].all()

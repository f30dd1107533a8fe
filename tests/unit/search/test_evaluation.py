"""Nodes evaluated the quick way, compiled or not, in one walk or one by one, are what the plain definitions say."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.beliefs import Prior
from sfumato.frequency import CellTable, FrequencySet
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION
from sfumato.models import MODELS, model_of
from sfumato.search.compiled.evaluator import QuickEvaluator, evaluator_of
from sfumato.search.compiled.walk import walked
from sfumato.search.evaluation import Evaluations, every_loss, wanted_losses
from sfumato.search.lattice import Lattice
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Loops, Problem
from sfumato.vocabulary.builders import Listed
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.node import Node
from tests.contracts.model_oracle import ORACLES, answer, close
from tests.unit.search.problems import (
    ATTRIBUTES,
    OF_VALUE,
    OWNERS,
    PUBLIC,
    ROWS,
    TEXTS,
    TWELVE,
    Case,
    assert_same,
    cases,
    limits,
    plainly,
    problems,
    unusual,
)

WAYS = pytest.mark.parametrize("compiled", [False, True], ids=["plain arrays", "compiled"])


def test_every_model_is_drawn() -> None:
    assert set(TEXTS) == set(MODELS)


def test_every_loss_is_wanted() -> None:
    assert every_loss() == (*LOSSES, *INFORMATION)
    assert wanted_losses(["loss", "emd.max", "kl"]) == (("emd", "kl"), ("loss",))


# The quick way against the plain one


@WAYS
@given(problem=problems(most=4))
@settings(max_examples=25)
def test_the_quick_way_gives_the_columns_of_the_plain_one(problem: Problem, compiled: bool) -> None:
    quick = QuickEvaluator(problem, every_loss(), compiled=compiled)
    assert_same(quick.evaluate(Lattice.of(problem.counts).levels()), plainly(problem, every_loss()))


@pytest.mark.parametrize("name", ROWS)
@given(data=st.data())
@settings(max_examples=4)
def test_every_model_is_judged_alike_the_quick_way_and_the_plain_one(name: str, data: st.DataObject) -> None:
    case = data.draw(cases())
    about = [("value",)] if name in OF_VALUE else [("value",), ("score", "value")]
    problem = case.problem([data.draw(TEXTS[name])], limit=data.draw(limits(case)), sensitive=data.draw(st.sampled_from(about)))
    levels = Lattice.of(problem.counts).levels()
    right = plainly(problem, [])
    for compiled in (False, True):
        assert_same(QuickEvaluator(problem, [], compiled=compiled).evaluate(levels), right)


@WAYS
@pytest.mark.parametrize("total", ["privacy-loss:0,0,total", "utility-loss:0,0,total"])
def test_a_bound_of_zero_on_a_pair_of_totals_has_the_same_value_either_way(total: str, compiled: bool) -> None:
    """The share of a bound of 0 that is used is infinite: a node must not say that it has no number."""
    problem = TWELVE.problem([total])
    quick = QuickEvaluator(problem, [], compiled=compiled)
    assert_same(quick.evaluate(Lattice.of(problem.counts).levels()), plainly(problem, []))


@pytest.mark.parametrize("kind", ["", ",enhanced"])
def test_beta_likeness_of_zero_is_evaluated_without_a_warning(kind: str) -> None:
    problem = TWELVE.problem([f"beta-likeness:0{kind}"])
    quick = QuickEvaluator(problem, [], compiled=False)
    assert_same(quick.evaluate(Lattice.of(problem.counts).levels()), plainly(problem, []))


@WAYS
@given(problem=problems(["k-anonymity", "average-risk"]), wanted=st.sampled_from(["loss", "class-size", "emd.max", "kl"]))
@settings(max_examples=15)
def test_what_is_not_asked_for_changes_nothing(problem: Problem, wanted: str, compiled: bool) -> None:
    """Without a model or loss of sensitive values these are not carried along."""
    levels = Lattice.of(problem.counts).levels()
    asked = replace(problem, loops=Loops.COMPILED if compiled else Loops.IF_WORTH_LOADING)
    evaluator = evaluator_of(asked, [wanted], len(levels))
    assert evaluator.roller.compiled == compiled
    assert_same(evaluator.evaluate(levels), plainly(problem, [wanted]))


def test_only_the_question_decides_whether_the_compiled_loops_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not whether something else has loaded them before: the same call gives the same digits whatever came before it."""
    problem = TWELVE.problem(["k-anonymity:2"])
    short = replace(problem, loops=Loops.IF_WORTH_LOADING)
    worth = 1 + 6_000_000 // problem.counts.classes
    for loaded in (True, False):
        if not loaded:
            monkeypatch.delitem(sys.modules, "numba", raising=False)
        assert evaluator_of(problem, [], 1).roller.compiled
        assert not evaluator_of(short, [], 1).roller.compiled
        assert evaluator_of(short, [], worth).roller.compiled


@WAYS
@given(problem=problems(), seed=st.integers(0, 9))
@settings(max_examples=15)
def test_the_order_in_which_nodes_are_asked_for_changes_nothing(problem: Problem, seed: int, compiled: bool) -> None:
    """One by one in any order, with a memory of two, and from a node on that everything left lies above."""
    lattice, right = Lattice.of(problem.counts), plainly(problem, ["loss", "distribution"])
    quick = QuickEvaluator(problem, ["loss", "distribution"], compiled=compiled)
    order = np.random.default_rng(seed).permutation(lattice.size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.search.compiled.evaluator._REMEMBERED", 2)
        patch.setattr("sfumato.search.compiled.evaluator._CLASSES_PER_BATCH", 3)
        for start in range(0, lattice.size, 3):
            chosen = order[start : start + 3]
            assert_same(quick.evaluate(right.levels[chosen]), right.only(chosen))
        meet = right.levels[order[0]]
        above = np.flatnonzero((right.levels >= meet).all(axis=1))
        quick.rise(meet)
        assert_same(quick.evaluate(right.levels[above]), right.only(above))


@WAYS
@pytest.mark.parametrize("times", [0, 1, 8])
@given(problem=problems(), seed=st.integers(0, 9))
@settings(max_examples=15)
def test_what_is_kept_to_start_from_holds_no_more_than_some_times_the_base(
    times: int, problem: Problem, seed: int, compiled: bool
) -> None:
    """Many nodes of a large table, each nearly as large as the base, would fill the memory."""
    lattice = Lattice.of(problem.counts)
    quick = QuickEvaluator(problem, ["loss"], compiled=compiled)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.search.compiled.evaluator._HELD", times)
        for place in np.random.default_rng(seed).permutation(lattice.size):
            levels = np.maximum(lattice.levels()[place], quick.base.levels)
            quick.evaluate(np.array([levels, quick.base.levels, lattice.heights]))
            if place % 7 == 0:
                quick.rise(levels)
            others = [known for known in quick._known.values() if known is not quick.base]
            assert quick.base in quick._known.values()
            assert sum(known.weight for known in others) == quick._held <= times * quick.base.weight


@WAYS
@given(problem=problems(), seed=st.integers(0, 9))
@settings(max_examples=15)
def test_families_are_evaluated_like_single_nodes(problem: Problem, seed: int, compiled: bool) -> None:
    right = plainly(problem, ["loss"])
    firsts = np.random.default_rng(seed).integers(0, len(right), 3)
    families = [np.flatnonzero((right.levels >= right.levels[first]).all(axis=1)) for first in firsts]
    quick = QuickEvaluator(problem, ["loss"], compiled=compiled)
    found = quick.evaluate_above([right.levels[family] for family in families])
    assert_same(found, right.only(np.concatenate(families)))


@given(problem=problems(), seed=st.integers(0, 9))
@settings(max_examples=15)
def test_nodes_of_families_are_measured_in_batches_and_not_held_together(problem: Problem, seed: int) -> None:
    """The pairs of many QIDs of a large table, each with nearly as many classes as rows, would fill the memory."""
    lattice, right = Lattice.of(problem.counts), plainly(problem, ["loss"])
    order = np.random.default_rng(seed).permutation(lattice.size)
    quick, batches = QuickEvaluator(problem, ["loss"], compiled=False), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.search.compiled.evaluator._CLASSES_PER_BATCH", 0)
        patch.setattr(quick, "batches", SimpleNamespace(evaluate=lambda some: batches.append(len(some)) or judged(some)))
        judged = QuickEvaluator(problem, ["loss"], compiled=False).batches.evaluate
        found = quick.evaluate_above([right.levels[[place]] for place in order])
    assert batches == [1] * lattice.size
    assert_same(found, right.only(order))


# The walk


@pytest.mark.slow
@given(problem=problems(), classes=st.sampled_from([0, 5, 10_000]), tasks=st.sampled_from([1, 12]))
@settings(max_examples=25)
def test_a_walk_gives_the_columns_of_the_plain_way_whatever_the_number_of_threads(
    problem: Problem, classes: int, tasks: int
) -> None:
    lattice, right = Lattice.of(problem.counts), plainly(problem, every_loss())
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.search.compiled.walk._CLASSES_PER_BATCH", classes)
        patch.setattr("sfumato.search.compiled.walk._TASKS_PER_THREAD", tasks)
        for threads in (1, 2, 3):
            quick = QuickEvaluator(problem, every_loss(), compiled=True)
            found.append(walked(quick.batches, quick.base, lattice, threads=threads))
    assert_same(found[0], right)
    assert_same(found[1], found[0], close=0)
    assert_same(found[2], found[0], close=0)


def test_a_walk_tells_how_far_it_is() -> None:
    problem = TWELVE.problem(["k-anonymity:2"])
    lattice = Lattice.of(problem.counts)
    quick = QuickEvaluator(problem, [], compiled=True)
    steps: list[tuple[int, int]] = []
    walked(quick.batches, quick.base, lattice, threads=2, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1] == (lattice.size, lattice.size)
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})


def test_an_interrupted_walk_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight QIDs of three levels in tasks of 3^5 nodes: whoever presses Ctrl-C does not wait for the tasks that run to be done."""
    counts, _, _ = wide(8, 40, 60, seed=1)
    problem = Problem(counts, {"value": ATTRIBUTES["value"]}, {"value": Prior.of(counts, "value")}, (model_of("k-anonymity:2"),))
    quick = QuickEvaluator(problem, [], compiled=True)
    evaluate, stopped, after = quick.batches.evaluate, [], []

    def counted(*given: Any) -> Evaluations:
        after.extend(stopped)
        return evaluate(*given)

    def stop(done: int, total: int) -> None:
        stopped.append(done)
        raise KeyboardInterrupt

    monkeypatch.setattr("sfumato.search.compiled.walk._CLASSES_PER_BATCH", 0)
    monkeypatch.setattr(quick.batches, "evaluate", counted)
    with pytest.raises(KeyboardInterrupt):
        walked(quick.batches, quick.base, Lattice.of(counts), threads=2, progress=stop)
    assert len(stopped) == 1
    assert len(after) <= 50


# Where people do not add up


@pytest.mark.slow
@given(problem=unusual(("owners",)), wanted=st.sampled_from([every_loss(), ("loss",), ()]))
@settings(max_examples=60)
def test_owners_are_counted_by_the_compiled_loops_as_by_the_plain_definitions(problem: Problem, wanted: Sequence[str]) -> None:
    levels = Lattice.of(problem.counts).levels()
    evaluator = evaluator_of(problem, wanted, len(levels))
    assert isinstance(evaluator, QuickEvaluator)
    assert evaluator.roller.compiled
    assert evaluator.base.shared
    assert_same(evaluator.evaluate(levels), plainly(problem, wanted))


@pytest.mark.parametrize("name", [*ROWS, *OWNERS])
@given(data=st.data())
@settings(max_examples=4)
def test_every_model_is_judged_alike_where_people_have_several_rows(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(owned=True))
    about = [("value",)] if name in OF_VALUE else [("value",), ("score", "value")]
    problem = case.problem([data.draw(TEXTS[name])], limit=data.draw(limits(case)), sensitive=data.draw(st.sampled_from(about)))
    levels = Lattice.of(problem.counts).levels()
    assert_same(QuickEvaluator(problem, [], compiled=True).evaluate(levels), plainly(problem, []))


@given(problem=unusual(("owners",)), threads=st.sampled_from([1, 3]))
@settings(max_examples=25)
def test_a_walk_counts_owners_as_the_plain_way_does(problem: Problem, threads: int) -> None:
    lattice = Lattice.of(problem.counts)
    quick = QuickEvaluator(problem, every_loss(), compiled=True)
    assert_same(walked(quick.batches, quick.base, lattice, threads=threads), plainly(problem, every_loss()))


@pytest.mark.slow
@given(problem=unusual(("population",)), wanted=st.sampled_from([every_loss(), ("loss",), ()]))
@settings(max_examples=60)
def test_the_people_of_a_population_are_found_by_the_compiled_loops(problem: Problem, wanted: Sequence[str]) -> None:
    levels = Lattice.of(problem.counts).levels()
    evaluator = evaluator_of(problem, wanted, len(levels))
    assert isinstance(evaluator, QuickEvaluator)
    assert evaluator.roller.compiled
    assert_same(evaluator.evaluate(levels), plainly(problem, wanted))
    lattice = Lattice.of(problem.counts)
    assert_same(walked(evaluator.batches, evaluator.base, lattice, threads=2), plainly(problem, wanted))


@WAYS
@given(problem=unusual(("stated",)))
@settings(max_examples=25)
def test_what_everybody_is_believed_to_have_is_one_prior_for_the_quick_way(problem: Problem, compiled: bool) -> None:
    levels = Lattice.of(problem.counts).levels()
    loops = Loops.COMPILED if compiled else Loops.IF_WORTH_LOADING
    evaluator = evaluator_of(replace(problem, loops=loops), every_loss(), len(levels))
    assert isinstance(evaluator, QuickEvaluator)
    assert evaluator.roller.compiled == compiled
    assert_same(evaluator.evaluate(levels), plainly(problem, every_loss()))


@given(problem=unusual(("owners", "population")))
@settings(max_examples=20)
def test_without_the_compiled_loops_owners_and_populations_go_the_plain_way(problem: Problem) -> None:
    levels = Lattice.of(problem.counts).levels()
    evaluator = evaluator_of(replace(problem, loops=Loops.IF_WORTH_LOADING), every_loss(), 1)
    assert isinstance(evaluator, PlainEvaluator)
    assert not problem.additive
    assert len(evaluator.evaluate(levels)["feasible"]) == len(levels)


@pytest.mark.slow
@given(case=cases())
@settings(max_examples=15)
def test_verdicts_without_suppression_are_those_of_a_plain_reading_of_the_rows(case: Case) -> None:
    problem = case.problem([name for name in ORACLES if not name.startswith(PUBLIC)])
    found = plainly(problem, [])
    for place, levels in enumerate(found.levels.tolist()):
        for name in map(str, problem.models):
            value, satisfied = answer(name, case.world, tuple(levels))
            assert found.named()[f"satisfied:{name}"][place] == satisfied
            if value is not None:
                assert close(float(found.named()[f"value:{name}"][place]), value)


@given(case=cases(), k=st.integers(1, 6), data=st.data())
@settings(max_examples=40)
def test_small_classes_leave_if_they_are_within_the_limit_and_not_everybody(case: Case, k: int, data: st.DataObject) -> None:
    limit = data.draw(limits(case))
    problem = case.problem([f"k-anonymity:{k}"], limit=limit)
    found = QuickEvaluator(problem, ["class-size", "distribution"], compiled=False).evaluate(Lattice.of(problem.counts).levels())
    for place, levels in enumerate(found.levels.tolist()):
        sizes = list(case.world.table.people(levels).values())
        small = sum(size for size in sizes if size < k)
        leave = small if small <= limit and small < sum(sizes) else 0
        kept = [size for size in sizes if size >= k] if leave else sizes
        row = found.row(place)
        assert (row["violating"], row["suppressed"], row["people"]) == (small, leave, sum(sizes) - leave)
        assert (row["classes"], row["smallest"], row["class-size"]) == (len(kept), min(kept), sum(kept) / len(kept))
        assert row["feasible"] == (small == leave)


# Many QIDs with many codes


def wide(qids: int, leaves: int, rows: int, seed: int) -> tuple[FrequencySet, list[list[int]], np.ndarray]:
    """Rows of random leaves, a few of them near each other so that classes merge; hierarchies of groups of 20."""
    rng = np.random.default_rng(seed)
    centers = rng.integers(0, leaves, (4, qids))
    codes = np.where(rng.random((rows, qids)) < 0.8, centers[rng.integers(0, 4, rows)], rng.integers(0, leaves, (rows, qids)))
    paths = tuple((f"v{leaf}", f"g{leaf // 20}", "*") for leaf in range(leaves))
    hierarchies = [Listed(paths).build(f"q{q}", Kind.TEXT, ()) for q in range(qids)]
    values = rng.integers(0, 4, rows).astype(np.int32)
    tree = ATTRIBUTES["value"].builder.build("value", Kind.INTEGER, ())
    cells = CellTable([column.astype(np.int32) for column in codes.T], np.ones(rows, np.int64), {"value": (tree, values)})
    names = [f"q{q}" for q in range(qids)]
    return FrequencySet.of_cells(Node.bottom(names), hierarchies, cells), codes.tolist(), values


@WAYS
@pytest.mark.parametrize(
    ("qids", "leaves", "words"), [(8, 255, 1), (9, 255, 2), (7, 900, 2), (12, 3000, 3), (64, 1, 1), (65, 1, 2)]
)
def test_keys_of_more_than_one_word_tell_classes_apart(qids: int, leaves: int, words: int, compiled: bool) -> None:
    """With the missing value 255 leaves take 8 bits, 900 take 10 and 3000 take 12; a QID is never cut in two."""
    counts, codes, values = wide(qids, leaves, 120, seed=qids)
    problem = Problem(
        counts, {"value": ATTRIBUTES["value"]}, {"value": Prior.of(counts, "value")}, (model_of("k-anonymity:2"),), 30
    )
    quick = QuickEvaluator(problem, ["distribution", "loss"], compiled=compiled)
    assert quick.roller.layout.words == words
    rng = np.random.default_rng(1)
    heights = np.array([hierarchy.height for hierarchy in counts.hierarchies])
    levels = np.minimum(rng.integers(0, 3, (25, qids)) + (rng.random((25, 1)) < 0.5), heights)
    found = quick.evaluate(levels.astype(np.int16))
    for place, node in enumerate(levels.tolist()):
        held = Counter(tuple(_up(code, level) for code, level in zip(row, node, strict=True)) for row in codes)
        small = sum(size for size in held.values() if size < 2)
        assert found["violating"][place] == small
        if small > 30:
            assert found["classes"][place] == len(held)
    assert_same(found, PlainEvaluator(problem, ["distribution", "loss"]).evaluate(levels.astype(np.int16)))
    assert len(values) == 120


def _up(code: int, level: int) -> Any:
    return (code, code // 20, "*")[level]

"""The optimum is the minimum over all nodes, found without looking at most of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.data import adult
from sfumato.errors import UsageError
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION
from sfumato.question import Question, problem_of
from sfumato.search.algorithms.optimal import optimal
from sfumato.search.algorithms.remaining import Pairs, Remaining
from sfumato.search.compiled.evaluator import QuickEvaluator, evaluator_of
from sfumato.search.compiled.walk import Room, walked
from sfumato.search.detail import Detail
from sfumato.search.evaluation import Evaluations, Fact, Measure, every_loss
from sfumato.search.lattice import Lattice
from sfumato.search.least import least_detail
from sfumato.search.outcome import Found, Interrupted, NotFound, best_of, is_interrupt
from sfumato.search.problem import Loops, Problem
from sfumato.table.source import opened
from tests.contracts.model_world import World
from tests.strategies import Drawn, Row
from tests.unit.search.problems import (
    OWNERS,
    PUBLIC,
    ROWS,
    TWELVE,
    Case,
    assert_same,
    cases,
    limits,
    plainly,
    problems,
    several,
    stated_about,
)

MEASURES = [*LOSSES, *(f"{name}.max" for name in LOSSES), *INFORMATION]
EIGHT = Case(
    World(
        Drawn(
            ((("a", "g", "*"), ("b", "g", "*")),) * 3,
            tuple(Row((place & 1, place >> 1 & 1, place >> 2), None, 0, 1) for place in range(8)),
            owned=False,
        ),
        (0,) * 8,
        (None,) * 8,
    ),
    {},
)
WAYS = pytest.mark.parametrize("compiled", [False, True], ids=["plain arrays", "compiled"])


def least(found: Evaluations, loss: str) -> tuple[int, ...] | None:
    """The feasible node with the least loss; among those within 1e-12 the least sum of levels, then the first levels."""
    nodes = [
        (tuple(levels), float(found.named()[loss][place]))
        for place, levels in enumerate(found.levels.tolist())
        if found["feasible"][place]
    ]
    if not nodes:
        return None
    best = min(value for _, value in nodes)
    return min((node for node, value in nodes if value <= best + 1e-12 * max(1, abs(best))), key=lambda node: (sum(node), node))


def require_least(problem: Problem, loss: str, *, compiled: bool = False) -> None:
    """The search and the minimum over all nodes give the same answer."""
    everything = plainly(problem, [loss])
    right = least(everything, loss)
    found = optimal(replace(problem, loops=Loops.COMPILED if compiled else Loops.IF_WORTH_LOADING), loss)
    assert found.trace.nodes == Lattice.of(problem.counts).size
    assert compiled or found.trace.visited <= found.trace.nodes
    if right is None:
        assert isinstance(found, NotFound)
        return
    assert isinstance(found, Found)
    assert found.node.levels == right
    place = everything.levels.tolist().index(list(right))
    row = everything.row(place)
    assert set(found.evaluation) == set(row)
    for name in ("classes", "people", "suppressed", "feasible", loss):
        assert found.evaluation[name] == pytest.approx(row[name], rel=1e-12, abs=1e-12)


@given(problem=problems(least=2), loss=st.sampled_from(MEASURES), compiled=st.booleans())
@settings(max_examples=60)
def test_the_optimum_is_the_minimum_over_all_nodes(problem: Problem, loss: str, compiled: bool) -> None:
    require_least(problem, loss, compiled=compiled)


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
@given(data=st.data(), loss=st.sampled_from(["loss", "precision", "utility-distribution"]))
@settings(max_examples=5)
def test_the_optimum_of_every_model_is_the_minimum_over_all_nodes(name: str, data: st.DataObject, loss: str) -> None:
    require_least(data.draw(problems([name], sensitive=("value",), least=3)), loss)


@pytest.mark.parametrize("loss", MEASURES)
@given(problem=problems(["k-anonymity", "distinct-diversity", "t-closeness", "utility-distribution-loss"], most=2, least=3))
@settings(max_examples=5)
def test_every_loss_is_minimized(loss: str, problem: Problem) -> None:
    require_least(problem, loss)


@pytest.mark.slow
@WAYS
@given(
    problem=problems(["k-anonymity", "entropy-diversity", "t-closeness", "average-risk"], most=2, least=3),
    few=st.sampled_from([1, 2, 256]),
)
@settings(max_examples=20)
def test_however_the_next_node_is_chosen_the_optimum_is_the_same(problem: Problem, few: int, compiled: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.search.algorithms.optimal._FEW", 0)
        patch.setattr("sfumato.search.algorithms.remaining._SAMPLE", few)
        patch.setattr("sfumato.search.algorithms.remaining._TRIED", 2)
        require_least(problem, "loss", compiled=compiled)


@WAYS
@given(
    problem=problems(
        ["k-anonymity", "t-closeness", "beta-likeness", "delta-disclosure", "entropy-loss", "average-risk"], least=3
    ),
    loss=st.sampled_from(["loss", "precision", "discernibility"]),
    worth=st.sampled_from([0, 20, 10**6]),
)
@settings(max_examples=25)
def test_however_large_a_lattice_is_held_to_be_the_optimum_is_the_same(
    problem: Problem, loss: str, worth: int, compiled: bool
) -> None:
    """A good node is looked for first, many nodes are looked at at once, and the compiled loops are loaded on the way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.search.algorithms.optimal._FEW", 0)
        patch.setattr("sfumato.search.algorithms.optimal._LARGE", 0)
        patch.setattr("sfumato.search.algorithms.optimal._LITTLE", 2)
        patch.setattr("sfumato.search.compiled.evaluator.WORTH_LOADING", worth)
        require_least(problem, loss, compiled=compiled)


@given(
    problem=problems(["k-anonymity", "distinct-diversity", "t-closeness", "entropy-loss"], least=3),
    loss=st.sampled_from(["loss", "precision", "nonuniform-entropy"]),
)
@settings(max_examples=60)
def test_a_walk_within_the_best_loss_so_far_ends_with_the_same_optimum(problem: Problem, loss: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        walk_soon(patch)
        require_least(problem, loss, compiled=True)


def walk_soon(patch: pytest.MonkeyPatch) -> None:
    """After the first look, through what is within the best loss so far."""
    for name, value in (("_FEW", 0), ("_LARGE", 0), ("_MANY", 1), ("_MOSTLY_DEAD", 0), ("_QUICKER", np.inf)):
        patch.setattr(f"sfumato.search.algorithms.optimal.{name}", value)


def test_where_looks_rule_out_little_a_walk_looks_at_nothing_beyond_the_best_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    walks = []

    def spied(*arguments: Any, **more: Any) -> Any:
        walks.append((more["room"], walked(*arguments, **more)))
        return walks[-1][1]

    walk_soon(monkeypatch)
    monkeypatch.setattr("sfumato.search.compiled.walk.walked", spied)
    problem = EIGHT.problem(["k-anonymity:2"], limit=2)
    require_least(problem, "loss", compiled=True)
    ((room, nodes),) = walks
    assert isinstance(room, Room)
    detail = Detail.of(problem.counts, ["loss"])
    levels = Lattice.of(problem.counts).levels()
    bound = detail.at(levels, ["loss"])["loss"]
    best = optimal(problem, "loss")
    assert isinstance(best, Found)
    within = {tuple(each) for each in levels[bound <= best.evaluation["loss"] + 1e-12].tolist()}
    assert within <= {tuple(each) for each in nodes.levels.tolist()} < {tuple(each) for each in levels.tolist()}


@pytest.mark.parametrize("threads", [1, 2])
@given(problem=problems(["k-anonymity"], least=2), share=st.sampled_from([0.0, 0.3, 0.6, 1.0]))
@settings(max_examples=25)
def test_a_walk_within_a_bound_finds_just_the_nodes_within_it(problem: Problem, share: float, threads: int) -> None:
    lattice = Lattice.of(problem.counts)
    more = tuple(tuple(0.5 * step for step in range(size)) for size in lattice.shape)
    room = Room(more, share * sum(each[-1] for each in more))
    quick = QuickEvaluator(problem, ["loss"], compiled=True)
    found = walked(quick.batches, quick.base, lattice, threads=threads, room=room)
    levels = lattice.levels()
    within = np.array([room.at(each, lattice.floors) >= 0 for each in levels.tolist()])
    assert_same(found, plainly(problem, ["loss"]).only(np.flatnonzero(within)))


def test_a_search_that_turns_out_long_goes_on_with_the_compiled_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.search.compiled.evaluator.WORTH_LOADING", 200)
    problem = replace(TWELVE.problem(["k-anonymity:2", "t-closeness:0.3"], limit=3), loops=Loops.IF_WORTH_LOADING)
    quick = evaluator_of(problem, ["loss"], 1)
    assert isinstance(quick, QuickEvaluator)
    levels = Lattice.of(problem.counts).levels()
    assert not quick.roller.compiled
    assert_same(quick.evaluate(levels), plainly(problem, ["loss"]))
    assert_same(quick.evaluate(levels[::-1]), plainly(problem, ["loss"]).only(np.arange(len(levels))[::-1]))
    assert quick.roller.compiled


def test_a_lattice_of_which_too_much_is_left_is_refused_and_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.search.algorithms.remaining.MOST_LEFT", 4)
    with pytest.raises(UsageError, match="evolutionary"):
        optimal(EIGHT.problem(["k-anonymity:2"]), "loss")


@pytest.mark.parametrize("loss", ["loss", "precision", "nonuniform-entropy", "discernibility", "utility-distribution", "emd.max"])
@given(data=st.data())
@settings(max_examples=10)
def test_the_optimum_is_the_minimum_with_owners(loss: str, data: st.DataObject) -> None:
    case = data.draw(cases(owned=True, least=2))
    require_least(case.problem(data.draw(several([*ROWS, *OWNERS])), limit=data.draw(limits(case))), loss)


@WAYS
@pytest.mark.parametrize("loss", ["loss", "precision", "nonuniform-entropy"])
@given(data=st.data())
@settings(max_examples=40)
def test_with_owners_a_bound_from_levels_rules_out_no_optimum(loss: str, data: st.DataObject, compiled: bool) -> None:
    case = data.draw(cases(owned=True, least=2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.search.algorithms.optimal._MANY_WITH_OWNERS", 0)
        patch.setattr("sfumato.search.algorithms.optimal._FEW", data.draw(st.sampled_from([0, 32])))
        patch.setattr("sfumato.search.algorithms.optimal._LARGE", data.draw(st.sampled_from([0, 50_000])))
        require_least(case.problem(data.draw(several([*ROWS, *OWNERS])), limit=data.draw(limits(case))), loss, compiled=compiled)


@pytest.mark.parametrize("loss", ["loss", "precision", "nonuniform-entropy"])
@given(data=st.data())
@settings(max_examples=60)
def test_with_owners_no_node_loses_less_than_its_levels_say(loss: str, data: st.DataObject) -> None:
    case = data.draw(cases(owned=True, least=2))
    problem = case.problem(["k-anonymity:2"], limit=data.draw(limits(case)))
    nodes = plainly(problem, [loss])
    nodes = nodes.only(np.flatnonzero(nodes[Fact.FEASIBLE]))
    bound = least_detail(problem.counts, loss, problem.limit).bound(nodes.levels, loss, nodes[Fact.SUPPRESSED].astype(np.float64))
    assert (nodes.named()[loss] >= bound - 1e-12).all()


def test_with_owners_the_least_loss_of_a_level_is_that_of_the_best_rows() -> None:
    """Three people: one with rows in a, which loses nothing, and in c, one in b and c, one in c alone."""
    tree = (("a", "g", "*"), ("b", "h", "*"), ("c", "h", "*"), ("d", "h", "*"))
    rows = (
        Row((0, 0), None, 1, 1),
        Row((2, 0), None, 1, 1),
        Row((1, 0), None, 2, 1),
        Row((2, 0), None, 2, 1),
        Row((2, 0), None, 3, 1),
    )
    case = Case(World(Drawn((tree, (("p", "*"),)), rows, owned=True), (0,) * 5, (None,) * 5), {})
    counts = case.counts()
    # At level 1: a is alone in its group, and h has three of four leaves, (3 - 1) / (4 - 1). One row of each: (0 + 2/3 + 2/3) / 3.
    assert least_detail(counts, "loss", 0).share[0, 1] == pytest.approx(4 / 9, abs=1e-9)
    assert least_detail(counts, "loss", 1).share[0, 1] == pytest.approx(1 / 3, abs=1e-9)  # one of the others leaves
    assert least_detail(counts, "loss", 0).share[0, [0, 2]].tolist() == [0, 1]


def test_with_owners_the_loss_of_a_node_does_not_follow_from_its_levels() -> None:
    """Three QIDs, 2-anonymity. u and v occur with each of a0 to a4: u for owner 1 with a0, a1, a2 and for owner 2 with a3, a4, v for
    owners 3 and 4. Eight others are b and w. Raising the first QID or the second is enough.

    The groups g, h of the first QID cover 4/5 of its leaves and none: of 12 people 4 are in g, so it loses 4/12 * 4/5 = 0.27. The
    group x of u and v covers 1/2: the five classes (a, x) hold 3 people each, so the second QID loses 15/23 * 1/2 = 0.33. By what the
    leaves hold, 15 of 23, the first would have lost 15/23 * 4/5 = 0.52.
    """
    paths = (
        (*((f"a{leaf}", "g", "*") for leaf in range(5)), ("b", "h", "*")),
        (("u", "x", "*"), ("v", "x", "*"), ("w", "y", "*")),
        (("p", "*"), ("q", "*")),
    )
    rows = [Row((leaf, 0, 0), None, 1 if leaf < 3 else 2, 1) for leaf in range(5)]
    rows += [Row((leaf, 1, 0), None, owner, 1) for leaf in range(5) for owner in (3, 4)]
    rows += [Row((5, 2, 0), None, 10 + owner, 1) for owner in range(8)]
    case = Case(World(Drawn(paths, tuple(rows), owned=True), (0,) * 23, (None,) * 23), {})
    found = optimal(case.problem(["k-anonymity:2"]), "loss")
    assert isinstance(found, Found)
    assert found.node.levels == (1, 0, 0)
    assert found.evaluation["loss"] == pytest.approx((1 + 4 / 12 * 4 / 5) ** (1 / 3) - 1, abs=1e-12)


@pytest.mark.parametrize("loss", ["loss", "utility-distribution", "kl"])
@given(data=st.data())
@settings(max_examples=12)
def test_the_optimum_is_the_minimum_with_stated_beliefs(loss: str, data: st.DataObject) -> None:
    case = data.draw(cases(least=2))
    assume(stated_about(case))
    problem = case.problem(data.draw(several(ROWS)), limit=data.draw(limits(case)), stated=stated_about(case))
    require_least(problem, loss)


@pytest.mark.parametrize("loss", ["loss", "utility-distribution"])
@given(data=st.data())
@settings(max_examples=12)
def test_the_optimum_is_the_minimum_with_a_population(loss: str, data: st.DataObject) -> None:
    case = data.draw(cases(least=2))
    problem = case.problem(data.draw(several([*ROWS, *PUBLIC])), limit=data.draw(limits(case)), population=True)
    require_least(problem, loss)


# How it ends


@WAYS
@pytest.mark.parametrize("loss", ["loss", "utility-distribution", "discernibility", "emd.max"])
def test_no_node_is_counted_as_looked_at_twice(loss: str, compiled: bool) -> None:
    """Eight people, one of each kind by three QIDs; the walk over what is left passes nodes that were looked at before."""
    loops = Loops.COMPILED if compiled else Loops.IF_WORTH_LOADING
    found = optimal(replace(EIGHT.problem(["k-anonymity:2"]), loops=loops), loss)
    assert found.trace.nodes == 27
    assert found.trace.visited <= 27


def test_nothing_is_found_where_no_node_is_feasible() -> None:
    found = optimal(TWELVE.problem(["k-anonymity:13"]), "loss")
    assert isinstance(found, NotFound)
    assert (found.trace.algorithm, found.trace.nodes) == ("optimal", 9)
    assert found.trace.visited < 9


def test_among_equal_losses_the_least_general_node_comes_first() -> None:
    """Everything may be published: both (0, 1) and (1, 0) lose nothing if a level merges nothing, and (0, 0) is the least."""
    levels = np.array([[1, 0], [0, 1], [0, 0], [1, 1]], np.int16)
    columns: dict[Any, Any] = {
        Fact.FEASIBLE: np.array([True, True, False, True]),
        Measure("x"): np.array([1.0, 1.0 + 1e-15, 0.0, 1.0]),
    }
    assert best_of(Evaluations(levels, columns), "x") == 1
    assert best_of(Evaluations(levels, {**columns, Fact.FEASIBLE: np.zeros(4, bool)}), "x") is None


def test_on_the_census_less_than_a_tenth_of_the_nodes_is_looked_at() -> None:
    with adult() as table:
        problem, _ = problem_of(table, Question(["k-anonymity:5"]))
    found = optimal(problem, "loss")
    assert isinstance(found, Found)
    assert found.trace.nodes == Lattice.of(problem.counts).size
    assert found.trace.visited < found.trace.nodes / 10
    assert found.evaluation["smallest"] >= 5


def test_of_people_with_several_rows_classes_without_enough_values_rule_most_nodes_out() -> None:
    """At level 0 nearly everybody is alone; all six values are as frequent, and none may be far from a sixth."""
    rng = np.random.default_rng(1)
    quasi = {
        "role": "quasi",
        "type": "integer",
        "hierarchy": {"builder": "intervals", "widths": [5, 10], "lower": 0, "upper": 40},
    }
    names = ["a", "b", "c", "d"]
    schema = {"attributes": {**dict.fromkeys(names, quasi), "value": {"role": "sensitive"}, "person": {"role": "owner"}}}
    rows = {name: rng.integers(0, 40, 900) for name in names}
    rows |= {"value": rng.integers(0, 6, 900).astype(str), "person": rng.integers(0, 300, 900).astype(str)}
    with opened(pa.table(rows), schema) as table:
        problem, _ = problem_of(table, Question("t-closeness:0.2"))
    found = optimal(problem, "loss")
    assert isinstance(found, Found)
    assert found.node.levels == least(plainly(problem, ["loss"]), "loss")
    assert found.trace.visited < found.trace.nodes / 2


@pytest.mark.parametrize("last", ["left", "least_leaving"])
def test_between_putting_together_what_is_left_and_putting_it_in_order_a_search_can_be_stopped(
    last: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of millions of nodes each takes seconds, and a time limit is looked at in between."""
    done, step = [], getattr(Pairs, last)

    def followed(pairs: Pairs, *given: Any) -> Any:
        assert not done
        found = step(pairs, *given)
        done.append(last)
        return found

    def progress(visited: int, nodes: int) -> None:
        if done:
            raise KeyboardInterrupt

    monkeypatch.setattr(Pairs, last, followed)
    monkeypatch.setattr(Remaining, "__init__", lambda *_: pytest.fail("went on"))
    if last == "left":
        monkeypatch.setattr(Pairs, "least_leaving", lambda *_: pytest.fail("went on"))
    with pytest.raises(Interrupted):
        optimal(TWELVE.problem(["k-anonymity:2"]), "loss", progress=progress)


class Stop:
    """Ctrl-C at the n-th time that a search tells how far it is."""

    def __init__(self, after: int) -> None:
        self.after, self.calls = after, 0

    def __call__(self, done: int, total: int) -> None:
        assert 0 <= done <= total
        self.calls += 1
        if self.calls > self.after:
            raise KeyboardInterrupt


@pytest.mark.parametrize("loss", ["loss", "utility-distribution", "discernibility"])
@given(problem=problems(least=3), after=st.integers(0, 3))
@settings(max_examples=10)
def test_a_search_that_is_interrupted_has_the_best_so_far(loss: str, problem: Problem, after: int) -> None:
    stop, best = Stop(after), None
    try:
        found = optimal(problem, loss, progress=stop)
        best = found if isinstance(found, Found) else None
    except Interrupted as stopped:
        best = stopped.best
    assert stop.calls <= after + 1
    everything = plainly(problem, [loss])
    if best is not None:
        place = everything.levels.tolist().index(list(best.node.levels))
        assert everything["feasible"][place]
        assert best.evaluation["feasible"]


def test_an_interrupted_search_knows_the_top_which_it_looks_at_first() -> None:
    """Eight people, one of each kind by three QIDs: withheld altogether they satisfy the model, so there is a node to tell of."""
    for loss in ("loss", "discernibility"):
        with pytest.raises(Interrupted) as stopped:
            optimal(EIGHT.problem(["k-anonymity:2"]), loss, progress=Stop(0))
        assert stopped.value.best is not None
        assert stopped.value.best.evaluation["smallest"] >= 2


def test_all_measures_are_those_of_the_register() -> None:
    assert set(every_loss()) <= set(MEASURES)


def test_ctrl_c_is_found_behind_the_errors_of_compiled_code() -> None:
    def caused(by: BaseException | None) -> SystemError:
        error = SystemError("returned a result with an exception set")
        error.__cause__ = by
        return error

    assert is_interrupt(KeyboardInterrupt())
    assert is_interrupt(caused(caused(KeyboardInterrupt())))
    assert not is_interrupt(caused(caused(ValueError())))
    assert not is_interrupt(caused(None))


@pytest.mark.parametrize("few", [0, 32], ids=["one by one", "together"])
def test_the_last_nodes_are_looked_at_together_where_a_node_is_little_work(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of 120 nodes: one by one and together find the same, in other rounds."""
    rounds: list[int] = []
    evaluate = QuickEvaluator.evaluate

    def counted(evaluator: QuickEvaluator, levels: np.ndarray) -> Evaluations:
        rounds.append(len(levels))
        return evaluate(evaluator, levels)

    monkeypatch.setattr(QuickEvaluator, "evaluate", counted)
    monkeypatch.setattr("sfumato.search.algorithms.optimal._FEW", few)
    with adult() as table:
        problem, _ = problem_of(table, Question("k-anonymity:20", quasi=["age", "workclass", "education", "marital-status"]))
    everything = evaluator_of(problem, ["loss"], 0).evaluate(Lattice.of(problem.counts).levels())
    rounds.clear()
    found = optimal(problem, "loss")
    assert isinstance(found, Found)
    assert found.node.levels == least(everything, "loss")
    assert (max(rounds) > 1) == (few > 0)
    assert (len(rounds) == 1) == (few > 0)


def test_nodes_of_much_work_are_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.search.algorithms.optimal._LOOK", 0)
    rounds: list[int] = []
    evaluate = QuickEvaluator.evaluate
    monkeypatch.setattr(QuickEvaluator, "evaluate", lambda self, levels: rounds.append(len(levels)) or evaluate(self, levels))
    with adult() as table:
        problem, _ = problem_of(table, Question("k-anonymity:20", quasi=["age", "workclass", "education", "marital-status"]))
    optimal(problem, "loss")
    assert set(rounds) == {1}

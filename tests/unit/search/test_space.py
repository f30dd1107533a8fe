"""A policy space answers as looking at every node would, before and after it was written; what it cannot know it refuses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import DataError, NodeError, SfumatoError, UsageError
from sfumato.search.evaluation import every_loss
from sfumato.search.problem import Problem
from sfumato.search.space import PolicySpace
from sfumato.search.space.exploring import explored
from sfumato.search.space.file import of_arrow
from sfumato.search.space.front import front
from sfumato.vocabulary.node import Node
from tests.contracts.model_world import World
from tests.strategies import Drawn, Row
from tests.unit.search.problems import ROWS, TEXTS, TWELVE, Case, cases, limits, plainly, problems, several

LOSSES = st.sampled_from(["loss", "utility-distribution", "distribution.max", "emd", "class-size", "kl.max"])
Levels = tuple[int, ...]


def nodes(space: PolicySpace) -> list[Levels]:
    return [tuple(levels) for levels in space.evaluations.levels.tolist()]


def feasible(problem: Problem) -> list[Levels]:
    found = plainly(problem, [])
    return [tuple(levels) for levels, holds in zip(found.levels.tolist(), found["feasible"], strict=True) if holds]


def answers(space: PolicySpace, losses: Sequence[str], models: Any = None) -> dict[str, Any]:
    """Everything that a space can be asked."""
    best = {loss: space.best(loss, models) for loss in losses}
    return {
        "size": len(space),
        "feasible": nodes(space.feasible(models)),
        "minimal": nodes(space.minimal(models)),
        "pareto": nodes(space.pareto(*losses, models=models)),
        "best": {loss: None if point is None else (point.node, dict(point.measures)) for loss, point in best.items()},
        "why_not": [[str(bound) for bound in space.why_not(levels, models)] for levels in nodes(space)],
        "about": space.about,
    }


# Against brute force


@pytest.mark.slow
@given(problem=problems(), losses=st.lists(LOSSES, min_size=2, max_size=3, unique=True))
@settings(max_examples=40)
def test_feasible_best_minimal_and_front_are_those_of_comparing_every_pair(problem: Problem, losses: list[str]) -> None:
    space, right = explored(problem, "x"), feasible(problem)
    whole = plainly(problem, every_loss())
    value = {tuple(levels): [whole.named()[loss][place] for loss in losses] for place, levels in enumerate(whole.levels.tolist())}
    assert len(space) == len(whole)
    assert nodes(space.feasible()) == right
    under = {node: [other for other in right if other != node and all(np.array(other) <= node)] for node in right}
    assert nodes(space.minimal()) == [node for node in right if not under[node]]
    for place, loss in enumerate(losses):
        point = space.best(loss)
        if not right:
            assert point is None
            continue
        assert point is not None
        assert point.node.levels in right
        assert point[loss] == pytest.approx(min(value[node][place] for node in right), abs=1e-12)
    found = nodes(space.pareto(*losses))
    for node in right:
        gaps = [np.array(value[other]) - value[node] for other in right]
        clearly = any((gap <= -1e-9).any() and (gap <= 1e-12).all() for gap in gaps)
        barely = any((gap < 1e-12).any() and (gap <= 1e-12).all() and (np.abs(gap) > 0).any() for gap in gaps)
        assert (node in found) != clearly or (barely and not clearly)


@given(problem=problems())
@settings(max_examples=30)
def test_why_not_tells_for_every_model_what_the_node_has(problem: Problem) -> None:
    space, whole = explored(problem, "x"), plainly(problem, [])
    labels = [str(problem.criterion(model, name)) for model, name in problem.asked()]
    for place, levels in enumerate(whole.levels.tolist()):
        bounds = {bound.model: bound for bound in space.why_not(levels)}
        assert set(bounds) == set(labels)
        for label in labels:
            assert bool(bounds[label].satisfied[0]) == bool(whole.named()[f"satisfied:{label}"][place])
            assert bounds[label].value[0] == pytest.approx(whole.named()[f"value:{label}"][place], rel=1e-12, abs=1e-12)
        broken = [label for label in labels if not bounds[label].satisfied[0]]
        assert (whole["feasible"][place]) == (not broken)


def test_a_bound_reads_as_a_sentence() -> None:
    space = explored(TWELVE.problem(["k-anonymity:3", "entropy-loss:0.1"]), "x")
    assert str(space.why_not([0, 0])[0]) == "k-anonymity:3: 2 ≥ 3 no"
    assert str(space.why_not([2, 2])[0]) == "k-anonymity:3: 12 ≥ 3 yes"
    assert str(space.why_not([2, 2])[1]) == "entropy-loss:0.1: 0 ≤ 0.1 yes"


def test_a_node_may_be_named_in_several_ways() -> None:
    space = explored(TWELVE.problem(["k-anonymity:3"]), "x")
    for levels in ([1, 2], {"q1": 2, "q0": 1}, Node(("q0", "q1"), (1, 2))):
        assert space.node(levels).node.levels == (1, 2)
    for levels in ([1], [1, 3], {"q0": 1}, [0, -1]):
        with pytest.raises(NodeError, match="levels go from q0 0 to 2, q1 0 to 2"):
            space.node(levels)


def test_a_front_needs_two_losses_and_losses_that_there_are() -> None:
    space = explored(TWELVE.problem(["k-anonymity:3"]), "x")
    with pytest.raises(UsageError, match="two losses"):
        space.pareto("loss")
    with pytest.raises(UsageError, match=r"no loss 'los'.*did you mean 'loss'"):
        space.best("los")


def test_minimal_nodes_are_not_told_of_a_part_of_a_space() -> None:
    space = explored(TWELVE.problem(["k-anonymity:3"]), "x")
    with pytest.raises(UsageError, match="whole space"):
        space.feasible().minimal()


# The front


def quadratic(values: np.ndarray) -> list[bool]:
    rows = values.tolist()

    def beats(one: list[float], other: list[float]) -> bool:
        return all(a <= b for a, b in zip(one, other, strict=True)) and any(a < b for a, b in zip(one, other, strict=True))

    return [not any(beats(other, row) for other in rows) for row in rows]


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(0, 4) | st.sampled_from([0.5, float("inf")]), min_size=width, max_size=width), max_size=25
        )
    )
)
@settings(max_examples=200)
def test_the_front_is_that_of_comparing_every_pair_with_ties(rows: list[list[float]]) -> None:
    values = np.array(rows, np.float64).reshape(len(rows), -1 if rows else 2)
    assert front(values).tolist() == quadratic(values)


def test_equal_rows_all_stay_on_the_front() -> None:
    assert front(np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0], [2.0, 2.0]])).tolist() == [True, True, True, False]


# The file


@given(problem=problems(), losses=st.lists(LOSSES, min_size=2, max_size=2, unique=True))
@settings(max_examples=15)
def test_a_space_read_back_answers_the_same(
    tmp_path_factory: pytest.TempPathFactory, problem: Problem, losses: list[str]
) -> None:
    space = explored(problem, "the original table")
    path = tmp_path_factory.mktemp("space") / "space.parquet"
    pq.write_table(space.to_arrow(), path)
    again = PolicySpace.read(path)
    assert answers(again, losses) == answers(space, losses)
    assert again.lattice == space.lattice
    for name, column in space.evaluations.named().items():
        assert again[name].dtype == column.dtype
        np.testing.assert_array_equal(again[name], column)


def written(tmp_path: Path, change: Any = lambda table: table) -> Path:
    table = explored(TWELVE.problem(["k-anonymity:3"]), "x").to_arrow()
    pq.write_table(change(table), tmp_path / "space.parquet")
    return tmp_path / "space.parquet"


def with_metadata(**changes: Any) -> Any:
    def change(table: pa.Table) -> pa.Table:
        record = json.loads(table.schema.metadata[b"sfumato"]) | changes
        return table.replace_schema_metadata({b"sfumato": json.dumps(record).encode()})

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.replace_schema_metadata(None),
        lambda table: table.replace_schema_metadata({b"sfumato": b"{"}),
        lambda table: table.replace_schema_metadata({b"sfumato": b"[1]"}),
        lambda table: table.replace_schema_metadata({b"sfumato": b"\xff"}),
        with_metadata(schema_version=2),
        with_metadata(lattice={}),
        with_metadata(about={}),
        with_metadata(lattice=[]),
        with_metadata(about=None),
        lambda table: table.drop_columns(["level:q0"]),
        lambda table: table.drop_columns(["feasible"]),
    ],
    ids="metadata json list bytes version lattice about lattice-list about-null level feasible".split(),
)
def test_a_file_that_is_no_space_is_refused(tmp_path: Path, change: Any) -> None:
    """Whatever is wrong with the file is told when it is read, not by a bug when it is asked."""
    path = written(tmp_path, change)
    with pytest.raises(DataError) as refused:
        PolicySpace.read(path)
    assert refused.value.where == str(path)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    whole = path.read_bytes()
    for content in (b"", b"PAR1", whole[: len(whole) // 2], b"age,zip\n1,2\n"):
        path.write_bytes(content)
        with pytest.raises(DataError, match="not a policy space; 'sfumato explore' writes one"):
            PolicySpace.read(path)
    with pytest.raises(DataError, match="no such file"):
        PolicySpace.read(tmp_path / "none.parquet")


def test_a_part_of_a_space_can_be_written_and_read(tmp_path: Path) -> None:
    part = explored(TWELVE.problem(["k-anonymity:3"]), "x").feasible()
    pq.write_table(part.to_arrow(), tmp_path / "part.parquet")
    again = PolicySpace.read(tmp_path / "part.parquet")
    assert nodes(again) == nodes(part)
    with pytest.raises(UsageError, match="whole space"):
        again.minimal()


def test_another_parquet_file_is_no_space() -> None:
    with pytest.raises(DataError, match="'sfumato explore' writes one"):
        of_arrow(pa.table({"age": [1, 2]}))


# Models that were not declared


KNOWN = ["k-anonymity", "distribution-loss", "entropy-loss", "privacy-loss", "utility-distribution-loss", "utility-entropy-loss"]
KNOWN += ["utility-loss", "t-closeness"]


def require_derived(case: Case, texts: list[str], sensitive: Sequence[str]) -> None:
    """A space explored without models says of models what one explored with them does."""
    space = explored(case.problem([], sensitive=sensitive), "x")
    declared = explored(case.problem(texts, sensitive=sensitive), "x")
    assert nodes(space.feasible(texts)) == nodes(declared.feasible())
    for loss in ("loss", "utility-distribution"):
        ones, others = space.best(loss, texts), declared.best(loss)
        assert (ones and ones.node) == (others and others.node)
    assert nodes(space.minimal(texts)) == nodes(declared.minimal())


@pytest.mark.parametrize("name", [name for name in KNOWN if name != "t-closeness"])
@given(data=st.data())
@settings(max_examples=8)
def test_a_bound_on_a_stored_column_is_that_of_the_declared_model(name: str, data: st.DataObject) -> None:
    require_derived(data.draw(cases()), [data.draw(TEXTS[name])], data.draw(st.sampled_from([("value",), ("score",), ("word",)])))


@pytest.mark.parametrize(("sensitive", "named"), [("value", ",hierarchical"), ("score", ",ordered"), ("word", ",equal")])
@given(case=cases(), t=st.sampled_from(["0", "0.1", "0.25", "0.5"]))
@settings(max_examples=8)
def test_closeness_in_the_distance_that_fits_is_known(case: Case, t: str, sensitive: str, named: str) -> None:
    require_derived(case, [f"t-closeness:{t}"], [sensitive])
    require_derived(case, [f"t-closeness:{t}{named}"], [sensitive])


@given(case=cases(), data=st.data())
@settings(max_examples=25)
def test_a_bound_on_the_worst_class_of_several_attributes_is_that_of_the_declared_model(case: Case, data: st.DataObject) -> None:
    texts = [text for text in data.draw(several(KNOWN)) if not text.endswith(("total", "ordered", "equal"))]
    require_derived(case, texts or ["k-anonymity:2"], ["value", "score", "word"])


TWO = Case(
    TWELVE.world,
    {"score": tuple(0 if place % 3 else 1 for place in range(12)), "word": (0,) * 12},
)


@pytest.mark.parametrize("name", ["distribution-loss:{},total", "entropy-loss:{},total", "privacy-loss:{},9,total"])
def test_a_bound_on_the_mean_of_several_attributes_holds_for_each_of_them(name: str) -> None:
    """A model that speaks of sensitive values is asked about each attribute; the mean over the attributes says less."""
    for bound in ("0.1", "0.2", "0.3", "0.4", "0.5", "0.7"):
        require_derived(TWO, [name.format(bound)], ["value", "score"])


REFUSED = [name for name in ROWS if name not in KNOWN]


@pytest.mark.parametrize("name", REFUSED)
@given(data=st.data())
@settings(max_examples=3)
def test_a_model_that_a_space_cannot_answer_for_is_refused_with_what_to_do(name: str, data: st.DataObject) -> None:
    space = explored(TWELVE.problem(["k-anonymity:2"]), "x")
    text = data.draw(TEXTS[name])
    with pytest.raises(UsageError, match="explore again with models ") as refused:
        space.feasible([text])
    assert text.split(":")[0] in refused.value.message


def test_another_distance_than_the_one_that_fits_is_refused() -> None:
    space = explored(TWELVE.problem([]), "x")
    with pytest.raises(UsageError, match=r"explore again with models t-closeness:0\.2,equal"):
        space.feasible("t-closeness:0.2,equal")


def test_a_space_without_sensitive_values_is_not_asked_about_them() -> None:
    space = explored(TWELVE.problem(["k-anonymity:2"], sensitive=()), "x")
    for text in ("distribution-loss:0.2", "t-closeness:0.2"):
        with pytest.raises(UsageError, match="the space"):
            space.feasible(text)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=30)
def test_with_suppression_a_space_answers_for_all_its_models_or_refuses(data: st.DataObject) -> None:
    """Who leaves depends on all models together; for some of them it must say what exploring with these alone does, or nothing."""
    case, texts = data.draw(cases()), data.draw(several(["k-anonymity", "distinct-diversity", "t-closeness"], most=3))
    limit = data.draw(limits(case))
    space = explored(case.problem(texts, limit=limit), "x")
    assert nodes(space.feasible(texts)) == nodes(space.feasible())
    if limit:
        with pytest.raises(UsageError, match="explore again"):
            space.feasible("k-anonymity:9")


def test_with_suppression_some_of_the_models_are_answered_for_rightly_or_not_at_all() -> None:
    """Classes of 3, 3, 2 and 1 people, one may leave. For 2-anonymity alone the last one does. The third has one value, so for a share
    of at most 2/3 it would have to leave as well: too many, so nobody does, and then the last class is still there.
    """
    paths = ((("a", "*"), ("b", "*"), ("c", "*"), ("d", "*")),)
    rows = tuple(Row((leaf,), None, 0, 1) for leaf in (0, 0, 0, 1, 1, 1, 2, 2, 3))
    values = (0, 0, 1, 0, 0, 1, 0, 0, 1)
    case = Case(World(Drawn(paths, rows, owned=False), values, (None,) * 9), {})
    both, alone = ["k-anonymity:2", "probabilistic-diversity:1.5"], ["k-anonymity:2"]
    space = explored(case.problem(both, limit=1), "x")
    right = nodes(explored(case.problem(alone, limit=1), "x").feasible())
    assert (0,) in right
    try:
        found = nodes(space.feasible(alone))
    except SfumatoError:
        return
    assert found == right

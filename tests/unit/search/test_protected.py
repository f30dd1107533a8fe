"""A model for a group judges the classes that may hold its people, and no others, everywhere alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.data import adult
from sfumato.errors import SfumatoError, UsageError
from sfumato.models import Judged, model_of
from sfumato.models.protected import Members, Protected
from sfumato.question import Question, problem_of
from sfumato.search.algorithms.explain import explain
from sfumato.search.compiled.evaluator import QuickEvaluator
from sfumato.search.lattice import Lattice
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Problem
from tests.unit.search.problems import ROWS, TEXTS, TWELVE, Case, assert_same, cases, limits, plainly
from tests.unit.search.test_optimal import require_least

WHOLE = ("personalized-privacy", "average-risk", "population-uniqueness", "ct-isolation")
TIGHT = ("k-anonymity:4", "k-anonymity:6", "distribution-loss:0.05", "distribution-loss:0.2", "t-closeness:0.1")
COSTLY = ("utility-distribution-loss:0.7", "utility-entropy-loss:1.5", "utility-entropy-loss:1,total")
THRESHOLDS = {"k-anonymity": "k", "t-closeness": "t"}  # of the others, `bound`
CLASSWISE = [name for name in ROWS if name not in WHOLE]


@st.composite
def groups(draw: st.DrawFn, case: Case) -> str:
    """One or two QIDs, each with a label of any level."""
    table = case.world.table
    names = draw(st.lists(st.sampled_from(range(len(table.names))), min_size=1, max_size=2, unique=True))
    labels = [draw(st.sampled_from(sorted({label for path in table.paths[place] for label in path}))) for place in names]
    return " & ".join(f"{table.names[place]}={label}" for place, label in zip(names, labels, strict=True))


@st.composite
def protected(draw: st.DrawFn, *, limit: bool = True) -> tuple[Case, Problem]:
    """A problem with a model for a group, and sometimes one for everybody."""
    case = draw(cases())
    texts = [
        draw(st.sampled_from(CLASSWISE).flatmap(lambda name: TEXTS[name]).filter(lambda text: not text.endswith("total")))
        for _ in range(2)
    ]
    models = [f"{texts[0]} for {draw(groups(case))}", *texts[1 : draw(st.integers(1, 2))]]
    return case, case.problem(models, limit=draw(limits(case)) if limit else 0)


def inside(case: Case, group: str, levels: list[int], labels: tuple[str | None, ...]) -> bool:
    """By the leaves: every QID that the group names has one that both the class's label and the group's cover."""
    table = case.world.table
    for pair in group.split(" & "):
        name, wanted = pair.split("=")
        place = table.names.index(name)
        own = labels[place]
        if not any(wanted in path and path[levels[place]] == own for path in table.paths[place]):
            return False
    return True


@given(drawn=protected(limit=False))
@settings(max_examples=40)
def test_the_verdict_is_that_of_the_model_on_the_classes_of_the_group(drawn: tuple[Case, Problem]) -> None:
    case, problem = drawn
    model = problem.models[0]
    assert isinstance(model, Protected)
    lattice = Lattice.of(problem.counts)
    for levels in lattice.levels().tolist():
        counts = problem.counts.roll_up(lattice.node(levels))
        held = [inside(case, str(model.group), levels, counts.labels(number + 1)) for number in range(counts.classes)]
        verdict = model.judge(Judged(counts, problem.statistics(counts)["value"], problem.context))
        if not any(held):
            assert verdict.satisfied is True
            assert verdict.value is None
            continue
        alone = counts.keep(np.array(held))
        right = model.model.judge(Judged(alone, problem.statistics(alone)["value"], problem.context))
        assert (verdict.value, verdict.satisfied, verdict.witness_size) == (right.value, right.satisfied, right.witness_size)
        assert right.witness is None or verdict.witness == np.flatnonzero(held)[right.witness - 1] + 1


@pytest.mark.parametrize("compiled", [False, True], ids=["plain arrays", "compiled"])
@given(drawn=protected())
@settings(max_examples=30)
def test_the_quick_way_gives_the_columns_of_the_plain_one(drawn: tuple[Case, Problem], compiled: bool) -> None:
    _, problem = drawn
    quick = QuickEvaluator(problem, ["distribution", "loss"], compiled=compiled)
    assert_same(quick.evaluate(Lattice.of(problem.counts).levels()), plainly(problem, ["distribution", "loss"]))


@given(drawn=protected(), loss=st.sampled_from(["utility-distribution", "loss", "distribution.max"]))
@settings(max_examples=40)
def test_the_optimum_is_the_least_over_all_nodes(drawn: tuple[Case, Problem], loss: str) -> None:
    require_least(drawn[1], loss)


@given(drawn=protected(limit=False))
@settings(max_examples=30)
def test_nothing_is_said_of_splitting(drawn: tuple[Case, Problem]) -> None:
    """A class outside the group that is split off would escape: no people are lost for good."""
    _, problem = drawn
    alone = replace(problem, models=problem.models[:1], limit=1)
    assert not PlainEvaluator(alone, []).evaluate(Lattice.of(problem.counts).levels())["incurable"].any()


@pytest.mark.slow
@given(data=st.data())
@settings(max_examples=80)
def test_where_nothing_is_feasible_the_nearest_thresholds_are_exact(data: st.DataObject) -> None:
    """Of a model for a group beside a bound on what the release costs: set to the nearest it works, any stricter it does not."""
    case = data.draw(cases())
    tight, costly = data.draw(st.sampled_from(TIGHT)), data.draw(st.sampled_from(COSTLY))
    problem = case.problem([f"{tight} for {data.draw(groups(case))}", costly], limit=data.draw(st.integers(0, 2)))
    assume(not plainly(problem, [])["feasible"].any())
    found = explain(problem)
    assert found is not None
    assert len(found.nearest) == 2
    for at, near in enumerate(found.nearest):
        if near.nearest is not None:
            field = THRESHOLDS.get(near.model.split(":")[0], "bound")
            step = 1 if near.direction == "at_least" else -1e-6
            assert plainly(with_threshold(problem, at, field, near.nearest), [])["feasible"].any()
            if near.nearest + step >= 0:
                assert not plainly(with_threshold(problem, at, field, near.nearest + step), [])["feasible"].any()


def with_threshold(problem: Problem, at: int, field: str, value: Any) -> Problem:
    models = list(problem.models)
    model = models[at]
    changed = replace(model.core, **{field: value})  # type: ignore[type-var]
    models[at] = Protected(changed, model.group) if isinstance(model, Protected) else changed
    return replace(problem, models=tuple(models))


@pytest.mark.parametrize("model", ["average-risk:0.2", "distribution-loss:0.2,total", "personalized-privacy:0.5,guard"])
def test_a_model_that_does_not_speak_of_classes_cannot_be_asked_for_a_group(model: str) -> None:
    with pytest.raises(UsageError, match="cannot be limited to a group"):
        model_of(f"{model} for q0=a")


def test_a_group_is_written_after_the_model_and_read_back() -> None:
    model = model_of("distribution-loss:0.1 for age=[75, 100] & sex=Female")
    assert isinstance(model, Protected)
    assert model.group.labels == (("age", "[75, 100]"), ("sex", "Female"))
    assert model_of(str(model)) == model


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ("aeg=[75, 100]", "did you mean 'age'?"),
        ("occupation=Sales", "not quasi"),
        ("sex=Fmale", "nobody in the data is in the group sex=Fmale"),
    ],
)
def test_a_group_that_the_schema_does_not_know_is_refused(group: str, said: str) -> None:
    with adult() as table, pytest.raises(SfumatoError, match=r"schema|quasi|group") as error:
        problem_of(table, Question([f"k-anonymity:9 for {group}"]))
    assert said in str(error.value)


def test_a_missing_value_is_in_no_group() -> None:
    problem = TWELVE.problem(["k-anonymity:3 for q0=g"])
    members = problem.context.members
    assert isinstance(members, Members)
    assert members.labels("q0", "g", ["g", "h"]).tolist() == [True, False, False]


def test_a_withheld_attribute_rules_nobody_out() -> None:
    """Whoever is old may be in any class of a table that does not tell ages."""
    with adult() as table:
        problem, _ = problem_of(table, Question(["k-anonymity:20000 for age=[75, 100]"], quasi=["sex"]))
        verdict = problem.models[0].judge(Judged(problem.counts, None, problem.context))
    women = int(problem.counts.people.min())
    assert (verdict.value, verdict.satisfied) == (women, False)

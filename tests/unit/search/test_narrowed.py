"""A search carries no more than its models and its loss look at: other sensitive values are neither rolled up nor measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from sfumato.beliefs import statistics_of
from sfumato.frequency import Payload
from sfumato.search.algorithms.by_name import ALGORITHMS, Options
from sfumato.search.algorithms.explain import explain
from sfumato.search.compiled.partition import Cells
from sfumato.search.outcome import Found
from sfumato.search.plain import PlainEvaluator
from tests.unit.search.problems import TWELVE, Case, _seeded, cases, plainly, stated_about

SEARCHES = ["optimal", "incognito", "mondrian", "evolutionary"]


@pytest.fixture
def carried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every time that sensitive values are rolled up, kept, laid out for the compiled loops, or measured."""
    calls: list[str] = []

    def noted(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any, **named: Any) -> Any:
            calls.append(name)
            return own(*given, **named)

        return called

    for name in ("regroup", "keep"):
        monkeypatch.setattr(Payload, name, noted(name, getattr(Payload, name)))
    monkeypatch.setattr(Cells, "of", noted("laid out", Cells.of))
    monkeypatch.setattr("sfumato.search.problem.statistics_of", noted("measured", statistics_of))
    return calls


def owned() -> Case:
    return _seeded((7, True, 3))


@pytest.mark.parametrize(
    ("name", "limit"), [(name, limit) for name in SEARCHES for limit in (0, 3) if (name, limit) != ("mondrian", 3)]
)
@pytest.mark.parametrize("case", [TWELVE, owned()], ids=["rows", "owners"])
def test_a_search_for_what_speaks_of_class_size_alone_carries_no_sensitive_value(
    name: str, case: Case, limit: int, carried: list[str]
) -> None:
    problem = case.problem(["k-anonymity:2"], limit=limit)
    carried.clear()
    found = ALGORITHMS[name](problem, "loss", Options(budget=20), None)
    assert isinstance(found, Found)
    assert carried == []
    if found.recoding is None:
        PlainEvaluator(problem, []).leaving(found.node.levels)
        assert carried == []


@pytest.mark.parametrize("case", [TWELVE, owned()], ids=["rows", "owners"])
def test_an_explanation_carries_no_sensitive_value_that_no_model_asks_for(case: Case, carried: list[str]) -> None:
    problem = case.problem(["k-anonymity:99"])
    carried.clear()
    assert explain(problem) is not None
    assert carried == []


def test_what_is_asked_for_is_carried(carried: list[str]) -> None:
    for models, loss in ((["k-anonymity:2"], "distribution"), (["distinct-diversity:2"], "loss")):
        carried.clear()
        ALGORITHMS["optimal"](TWELVE.problem(models), loss, Options(), None)
        assert carried


def test_a_problem_is_narrowed_to_what_is_asked() -> None:
    problem = TWELVE.problem(["k-anonymity:2"], sensitive=("value", "score"))
    assert problem.narrowed_to(["distribution.max"]) is problem
    assert TWELVE.problem(["t-closeness:0.2"]).narrowed_to(["loss"]).sensitive
    narrow = problem.narrowed_to(["loss"])
    assert (dict(narrow.counts.payloads), narrow.sensitive, narrow.priors) == ({}, {}, {})
    assert narrow.narrowed_to(["loss"]) is narrow
    assert np.array_equal(narrow.counts.people, problem.counts.people)


@given(case=cases())
@settings(max_examples=15)
def test_stated_beliefs_that_nobody_asks_about_do_not_slow_a_search(case: Case) -> None:
    """Without a model or a loss that compares with the prior, people add up."""
    problem = case.problem(["k-anonymity:2"], stated=stated_about(case) or None)
    narrow = problem.narrowed_to(["loss"])
    assert narrow.additive
    assert plainly(problem, ["loss"]).row(0) == plainly(narrow, ["loss"]).row(0)

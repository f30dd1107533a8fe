"""Stated beliefs: the prior nearest to the global one that agrees with all of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato.errors import UsageError
from sfumato.frequency import FrequencySet
from sfumato.statements import Statement, fit_priors

LABELS = ("p", "q", "r")
PRIOR = np.array([0.5, 0.3, 0.2])


def table() -> FrequencySet:
    """Four classes of x and y with 10, 20, 30 and 40 people."""
    rows = [
        (x, y)
        for (x, y), people in zip([("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")], (10, 20, 30, 40), strict=True)
        for _ in range(people)
    ]
    schema = sf.Schema.parse('[attributes.x]\nrole="quasi"\n[attributes.y]\nrole="quasi"\n')
    with sf.Table.open(pd.DataFrame(rows, columns=["x", "y"]), schema) as opened:
        return opened.count()


def share(result: np.ndarray, classes: list[int], place: int) -> float:
    people = table().people[classes]
    return float((result[classes, place] * people).sum() / people.sum())


def test_one_statement_leaves_the_others_in_proportion() -> None:
    result = fit_priors(table(), LABELS, PRIOR, [Statement({"x": "a"}, {"p": 0.16})])
    assert result[0] == pytest.approx([0.16, 0.84 * 0.6, 0.84 * 0.4])
    assert result[2] == pytest.approx(PRIOR)


def test_two_partial_statements_about_the_same_people_both_hold() -> None:
    result = fit_priors(table(), LABELS, PRIOR, [Statement({"x": "a"}, {"p": 0.4}), Statement({"x": "a"}, {"q": 0.1})])
    assert result[0] == pytest.approx([0.4, 0.1, 0.5])


def test_statements_about_overlapping_people_all_hold() -> None:
    statements = [Statement({"x": "a"}, {"p": 0.4}), Statement({"y": "c"}, {"p": 0.6}), Statement({}, {"q": 0.25})]
    result = fit_priors(table(), LABELS, PRIOR, statements)
    assert result.sum(axis=1) == pytest.approx(1)
    assert share(result, [0, 1], 0) == pytest.approx(0.4)
    assert share(result, [0, 2], 0) == pytest.approx(0.6)
    assert share(result, [0, 1, 2, 3], 1) == pytest.approx(0.25)


def test_the_fit_is_the_nearest_by_discrimination_information() -> None:
    from scipy.optimize import minimize

    statements = [Statement({"x": "a"}, {"p": 0.4}), Statement({"y": "c"}, {"p": 0.6})]
    counts, sizes = table(), table().people / 100
    result = fit_priors(counts, LABELS, PRIOR, statements)

    def information(flat: np.ndarray) -> float:
        each = flat.reshape(4, 3)
        return float((sizes[:, None] * each * np.log(each / PRIOR)).sum())

    def held(classes: list[int], wanted: float) -> dict[str, object]:
        weights = sizes[classes] / sizes[classes].sum()
        return {"type": "eq", "fun": lambda flat: (flat.reshape(4, 3)[classes, 0] * weights).sum() - wanted}

    rows = {"type": "eq", "fun": lambda flat: flat.reshape(4, 3).sum(axis=1) - 1}
    best = minimize(
        information, np.tile(PRIOR, 4), bounds=[(1e-9, 1)] * 12, constraints=[rows, held([0, 1], 0.4), held([0, 2], 0.6)],
        options={"ftol": 1e-14, "maxiter": 1000},
    )  # fmt: skip
    assert result.ravel() == pytest.approx(best.x, abs=1e-5)


def test_contradictions_are_named_by_their_numbers() -> None:
    statements = [Statement({"y": "c"}, {"q": 0.2}), Statement({"x": "a"}, {"p": 0.3}), Statement({"x": "a"}, {"p": 0.4})]
    with pytest.raises(UsageError, match=r"contradict each other: 2 \(for x = a\); 3 \(for x = a\)$"):
        fit_priors(table(), LABELS, PRIOR, statements)


def test_shares_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="must be numbers"):
        Statement({}, {"p": "much"})  # type: ignore[dict-item]

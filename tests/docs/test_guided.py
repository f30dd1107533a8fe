"""The numbers of the page on guided generalization are those of the census."""

from __future__ import annotations

import re

import numpy as np
import pytest

from sfumato.data import adult
from sfumato.question import Question, problem_of
from sfumato.search.algorithms.guided import nearest
from sfumato.search.outcome import Found
from sfumato.search.space.exploring import explored
from tests.docs.fences import ROOT

ROWS = [
    (re.findall("`([^`]+)`", cells[1]), *(tuple(map(float, cell.split(", "))) for cell in cells[2:5]))
    for cells in (
        [cell.strip() for cell in line.split("|")]
        for line in (ROOT / "docs" / "guides" / "guided.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    )
]


def test_the_page_has_its_table() -> None:
    assert len(ROWS) == 7


@pytest.mark.slow
@pytest.mark.parametrize(("models", "count", "guided", "optimum"), ROWS, ids=[" ".join(row[0]) for row in ROWS])
def test_a_row_is_what_the_census_says(
    models: list[str], count: tuple[float], guided: tuple[float, ...], optimum: tuple[float, ...]
) -> None:
    with adult() as table:
        problem, origin = problem_of(table, Question(models))
    found = nearest(problem, "utility-distribution")
    assert isinstance(found, Found)
    more = found.trace.details.as_dict()
    space = explored(problem, origin)
    best = more["optimum"]
    assert len(space.feasible()) == count[0]
    assert (found.evaluation["utility-distribution"], more["distance"], found.trace.visited) == pytest.approx(guided, abs=5e-5)
    assert (best["value"], best["distance"], best["visited"]) == pytest.approx(optimum, abs=5e-5)
    # The optimum is the farthest of all feasible nodes.
    target = np.array([each["recommended"] for each in more["distribution"]])
    farthest = 0.0
    for point in space.feasible():
        counts = problem.counts.roll_up(point.node)
        statistics = problem.statistics(counts)["occupation"]
        shares = np.zeros((counts.classes, statistics.domain.size))
        shares[np.repeat(np.arange(counts.classes), np.diff(statistics.offsets)), statistics.values] = statistics.people
        shares /= statistics.sizes[:, None]
        distance = float(np.sqrt(((shares - target) ** 2).sum(axis=1)) @ statistics.sizes / statistics.sizes.sum())
        farthest = max(farthest, distance)
    assert best["distance"] == pytest.approx(farthest, abs=1e-9)

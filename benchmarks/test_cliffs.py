"""What must not push a search off the quick path: large lattices, many sensitive values, models that once ruled out nothing.

Processor seconds, compared within one run: with the whole space of 4,320 nodes, or with the same search over few values.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import eight
import numpy as np
import pyarrow as pa
import pytest
from diagnoses import census_with

from sfumato import Schema, Table
from sfumato.question import Question, problem_of
from sfumato.search.algorithms.optimal import optimal
from sfumato.search.problem import Problem
from sfumato.search.space.exploring import explored

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
growth: Any = import_module("growth")

ROWS = 100_000
CLOSE = ["k-anonymity:5", "t-closeness:0.2,equal"]
LATTICES = {176_400: (1, 8, 3, 4, 6, 6, 4, 1), 1_095_120: (1, 12, 4, 5, 8, 12, 5, 1)}
MOST_VISITED = 2_900  # of 4,320 nodes; as many were evaluated before there were bounds for these models
PRUNING = ("beta-likeness:2", "delta-disclosure:1.5", "entropy-loss:0.5", "privacy-loss:0.3,0.5", "distribution-loss:0.3")


def cpu(work: Callable[[], Any], rounds: int = 1) -> float:
    """The least processor time of some runs."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def asked(source: Any, schema: Any, models: list[str], suppress: str = "5%") -> Problem:
    with Table.open(source, schema) as table:
        return problem_of(table, Question(models, suppress))[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("cliffs")
    eight.write_schema(made)
    return made


@pytest.fixture(scope="module")
def space(folder: Path) -> float:
    """The whole space of 4,320 nodes, all losses."""
    problem = asked(eight.sample(), folder / "eight.toml", CLOSE)
    explored(problem, "")
    optimal(problem, "loss")
    return cpu(lambda: explored(problem, ""), 3)


def binary(count: int) -> tuple[pa.Table, Schema]:
    """Independent columns of two values."""
    rng = np.random.default_rng(1)
    shares = rng.uniform(0.1, 0.5, count)
    columns = {f"b{n:02}": np.array(["n", "y"])[(rng.random(ROWS) < share).astype(int)] for n, share in enumerate(shares)}
    return pa.table(columns), Schema.parse("".join(f'[attributes.{name}]\nrole = "quasi"\n' for name in columns))


@pytest.mark.parametrize(("nodes", "bar"), [(176_400, 2), (1_095_120, 10)])
def test_an_optimum_over_a_large_lattice(folder: Path, space: float, nodes: int, bar: float) -> None:
    problem = asked(eight.sample(), growth._deeper(folder, LATTICES[nodes]), CLOSE)
    taken = cpu(lambda: optimal(problem, "loss"))
    print(f"\n{nodes:,} nodes: {taken:.2f} s, {taken / space:.1f} times the space of 4,320 nodes")
    assert taken < bar * space


@pytest.mark.parametrize(("count", "bar"), [(16, 5), (20, 90)])
def test_an_optimum_over_binary_attributes(space: float, count: int, bar: float) -> None:
    problem = asked(*binary(count), ["k-anonymity:5"])
    taken = cpu(lambda: optimal(problem, "loss"))
    print(f"\n{count} binary QIDs, {ROWS:,} rows: {taken:.1f} s, {taken / space:.1f} times the space of 4,320 nodes")
    assert taken < bar * space


def test_many_sensitive_values_cost_what_their_cells_cost(folder: Path, space: float) -> None:
    times = {}
    for values in (14, 5000):
        problem = asked(*census_with(folder, values), ["k-anonymity:5", "t-closeness:0.5,equal"])
        optimal(problem, "loss")
        times[values] = cpu(lambda p=problem: optimal(p, "loss"), 3), cpu(lambda p=problem: explored(p, ""), 3)
    one, whole = (many / few for few, many in zip(times[14], times[5000], strict=True))
    print(f"\n5,000 values beside 14: optimum {one:.1f} times as long (bar 3), whole space {whole:.1f} times (bar 3)")
    assert one < 3
    assert whole < 3


@pytest.mark.parametrize("model", PRUNING)
def test_no_optimum_takes_longer_than_the_whole_space(folder: Path, model: str) -> None:
    problem = asked(eight.sample(), folder / "eight.toml", ["k-anonymity:5", model])
    visited = optimal(problem, "loss").trace.visited
    taken, whole = cpu(lambda: optimal(problem, "loss"), 3), cpu(lambda: explored(problem, ""), 2)
    print(f"\n{model}: {visited:,} of 4,320 nodes, {taken:.2f} s, the whole space {whole:.2f} s")
    assert visited < MOST_VISITED
    assert taken < whole

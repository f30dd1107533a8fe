"""The compiled loops against the plain definitions: rows of measured classes, roll-ups, walks; with the compiler and without it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.frequency import CellTable, FrequencySet
from sfumato.losses import LOSSES
from sfumato.models.attribute.t_closeness import TCloseness
from sfumato.search.compiled import kernels, measures, narrow, partition, wide
from sfumato.search.compiled.evaluator import QuickEvaluator
from sfumato.search.compiled.partition import Cells, Layout, Partition, Roller
from sfumato.search.compiled.rows import Belief, Late, Quick, RowTable
from sfumato.search.compiled.walk import walked
from sfumato.search.evaluation import Evaluations, every_loss
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem
from sfumato.statistics import ClassStatistics
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.node import Node
from tests.unit.losses.classes import Classes, counts_of, places, statistics, trees
from tests.unit.search.problems import assert_same, plainly, problems

MOST_VALUES = 40
COLUMNS = ("mass", "distinct", "prior_entropy", *(name for name in measures.ROWS if name != "entropy_loss"))
EVERY_DISTANCE = (TCloseness(0.2, "ordered"), TCloseness(0.2, "hierarchical"))


@pytest.fixture(params=["side by side", "cell by cell"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to measure a class, whatever the number of values."""
    monkeypatch.setattr(narrow, "NARROW", MOST_VALUES if request.param == "side by side" else 0)
    return str(request.param)


def measured(of: ClassStatistics) -> Quick:
    """All classes, by the compiled loops."""
    table = RowTable(Belief.of(of, EVERY_DISTANCE))
    return Quick(table, table.start(of.offsets, of.values, of.people))


def assert_measured(quick: Quick, of: ClassStatistics) -> None:
    """Every column and the entropy loss are the plain ones to 1e-12."""
    for name, parameters in [*((name, ()) for name in COLUMNS), ("tail", (1,)), ("tail", (3,))]:
        found = quick(of, name, parameters)
        assert found is not None, name
        assert_close(found, of.column(name, *parameters), name)
    rows = quick.table.array[quick.row_of]
    assert_close(rows[:, measures.LOSS], LOSSES["entropy"].of(of), "entropy loss")


def assert_close(found: np.ndarray, right: np.ndarray, name: str, close: float = 1e-12) -> None:
    finite = np.isfinite(right)
    assert found[~finite].tolist() == right[~finite].tolist(), name
    gap = np.abs(found[finite] - right[finite])
    assert (gap <= close * np.maximum(1, np.abs(right[finite]))).all(), (name, found, right)


# Rows of measured classes


@st.composite
def measurable(draw: st.DrawFn) -> ClassStatistics:
    """Classes of every kind beside a prior that may lack some of their values: anything, one value, the prior itself and nearly so."""
    values = draw(st.integers(1, MOST_VALUES) | st.integers(1, 4))
    prior = draw(counts_of(values, most=9))
    one = st.tuples(st.integers(0, values - 1), st.integers(1, 10**9)).map(
        lambda drawn: [drawn[1] if value == drawn[0] else 0 for value in range(values)]
    )
    like = st.integers(1, 10**6).map(lambda times: [times * count for count in prior])
    nearly = st.tuples(st.integers(0, values - 1), st.integers(1, 10**9)).map(
        lambda drawn: [drawn[1] * count + (value == drawn[0]) for value, count in enumerate(prior)]
    )
    few = st.dictionaries(st.integers(0, values - 1), st.integers(1, 50), min_size=1, max_size=3).map(
        lambda held: [held.get(value, 0) for value in range(values)]
    )
    some = draw(st.lists(st.one_of(counts_of(values), one, like, nearly, few), min_size=1, max_size=6))
    return statistics(some, prior, tree=draw(trees(values)), places=draw(places(values)))


@settings(max_examples=150)
@given(of=measurable())
def test_every_row_of_a_class_is_the_plain_column(way: str, of: ClassStatistics) -> None:
    assert_measured(measured(of), of)


def test_classes_of_a_domain_of_thousands_are_measured_by_the_values_they_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of one vector of cells, of parts of vectors and of many; most values of a class are held by one person."""
    rng, calls = np.random.default_rng(3), []
    counts = np.zeros((40, 3000), np.int64)
    for row, cells in zip(
        counts, [*range(2, 26), 63, 64, 65, 100, 129, 500, 1000, 1025, 2500, 2999, 3000, 3000, 7, 8, 9, 31], strict=True
    ):
        row[rng.choice(3000, cells, replace=False)] = rng.zipf(2, cells).clip(max=50)
    prior = counts.sum(axis=0) + rng.zipf(1.5, 3000).clip(max=10**4)
    of = statistics(counts.tolist(), prior.tolist(), tree=[[value // 50 for value in range(3000)], [0] * 3000])
    loop = wide.measure_wide
    monkeypatch.setattr(wide, "measure_wide", lambda *arguments: calls.append(len(arguments[1])) or loop(*arguments))
    assert_measured(measured(of), of)
    assert calls == [3000, 40], "the rows of single values, then the classes"


@settings(max_examples=25)
@given(of=measurable(), copies=st.integers(20, 150))
def test_classes_measured_together_have_the_rows_they_have_alone(way: str, of: ClassStatistics, copies: int) -> None:
    """However many are measured at once, and wherever a class stands among them."""
    alone = measured(of)
    counts = np.zeros((of.classes, of.domain.size), np.int64)
    counts[np.repeat(np.arange(of.classes), np.diff(of.offsets)), of.values] = of.people
    many = statistics(np.tile(counts, (copies, 1)).tolist(), [1] * of.domain.size)
    table = RowTable(alone.table.belief)
    row_of = table.start(many.offsets, many.values, many.people)
    assert np.array_equal(table.array[row_of], np.tile(alone.table.array[alone.row_of], (copies, 1)))


@given(counts=st.integers(1, MOST_VALUES).flatmap(counts_of), times=st.integers(1, 10**6))
def test_a_class_like_the_prior_is_at_distance_zero(way: str, counts: list[int], times: int) -> None:
    of = statistics([[times * count for count in counts]], counts)
    quick = measured(of)
    for name in ("distribution", "l1", "chi2", "hellinger", "emd_equal", "emd_ordered"):
        assert quick(of, name, ()) == [0.0], name


@given(counts=st.lists(st.integers(1, 9), min_size=2, max_size=MOST_VALUES), times=st.integers(10**6, 10**12), data=st.data())
def test_a_class_nearly_like_the_prior_keeps_the_digits_of_its_distance(
    way: str, counts: list[int], times: int, data: st.DataObject
) -> None:
    more = data.draw(st.integers(0, len(counts) - 1))
    of = statistics([[times * count + (value == more) for value, count in enumerate(counts)]], counts)
    found = measured(of)(of, "distribution", ())
    assert found is not None
    assert found.tolist() == pytest.approx(of.column("distribution").tolist(), rel=1e-9, abs=0)


@given(prior=st.lists(st.sampled_from([1, 10**9]), min_size=3, max_size=MOST_VALUES), data=st.data())
def test_a_class_that_lacks_only_what_is_rare_keeps_the_digits_of_its_distance(
    way: str, prior: list[int], data: st.DataObject
) -> None:
    lacks = data.draw(st.integers(0, len(prior) - 1))
    of = statistics([[0 if value == lacks else count for value, count in enumerate(prior)]], prior)
    found = measured(of)(of, "distribution", ())
    assert found is not None
    assert found.tolist() == pytest.approx(of.column("distribution").tolist(), rel=1e-9, abs=0)


def test_logarithms_made_for_vectors_are_those_of_the_library() -> None:
    rng = np.random.default_rng(1)
    shares = np.concatenate(
        [rng.random(2000), 2.0 ** -rng.uniform(0, 63, 2000), 1 - 2.0 ** -rng.uniform(1, 53, 2000), [1.0, 0.5]]
    )
    found = np.array([measures.log2_of(share) for share in shares])
    assert_close(found, np.log2(shares), "log2", 1e-15)
    assert np.isfinite(measures.log2_of(0.0))


# Rolling up

TALL = Hierarchy.of_columns(
    "tall", [[f"v{leaf}" for leaf in range(5000)], *([f"{size}:{leaf // size}" for leaf in range(5000)] for size in (3, 60))]
)
LOW = Hierarchy.of_columns("low", [list("abcde"), list("xxyyz")])
WIDTHS = (4, 60)  # values of the first and second payload


def partitions(
    hierarchies: Sequence[Hierarchy], leaves: np.ndarray, payloads: int, seed: int
) -> tuple[Roller, Roller, Partition]:
    """The plain way, the compiled way, and the classes of these leaves with people and cells of payloads at random."""
    rng = np.random.default_rng(seed)
    codes = np.unique(leaves, axis=0).astype(np.int32)
    layout = Layout.of(hierarchies, (0,) * len(hierarchies))
    cells = []
    for width in WIDTHS[:payloads]:
        counts = rng.integers(0, 9, (len(codes), width)) * (rng.random((len(codes), width)) < 3 / width)
        counts[np.arange(len(codes)), rng.integers(0, width, len(codes))] += 1
        rows, values = np.nonzero(counts)
        offsets = np.searchsorted(rows, np.arange(len(codes) + 1)).astype(np.int64)
        cells.append(Cells(offsets, values.astype(np.int32), counts[rows, values]))
    base = Partition((0,) * len(hierarchies), layout.pack(codes), rng.integers(1, 99, len(codes)), tuple(cells))
    ways = [Roller(layout, WIDTHS[:payloads], compiled=compiled) for compiled in (False, True)]
    return ways[0], ways[1], base


def contents(partition: Partition) -> set[tuple[Any, ...]]:
    """Key, people and cells of each class."""
    found = set()
    for c in range(partition.classes):
        cells = []
        for payload in partition.payloads:
            own = slice(payload.offsets[c], payload.offsets[c + 1])
            cells.append(frozenset(zip(payload.values[own].tolist(), payload.people[own].tolist(), strict=True)))
        found.add((tuple(partition.keys[:, c].tolist()), int(partition.people[c]), tuple(cells)))
    assert len(found) == partition.classes
    return found


@st.composite
def rollable(draw: st.DrawFn) -> tuple[list[Hierarchy], np.ndarray]:
    """Few QIDs whose keys fit a word, or tall ones that need up to three; leaves that are often near each other, some missing."""
    hierarchies = draw(st.sampled_from([[LOW], [LOW, TALL], [TALL] * 4, [TALL] * 6, [LOW, *[TALL] * 12]]))
    rows = draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    spread = draw(st.sampled_from([2, 30, 5000]))
    columns = [rng.integers(0, min(spread, hierarchy.codes(0)), rows) for hierarchy in hierarchies]
    return hierarchies, np.stack(columns, axis=1)


def rises(draw: st.DataObject, hierarchies: Sequence[Hierarchy], low: Sequence[int]) -> tuple[int, ...]:
    """Levels at or above these."""
    return tuple(draw.draw(st.integers(a, hierarchy.height)) for a, hierarchy in zip(low, hierarchies, strict=True))


def step_by_step(roller: Roller, partition: Partition, levels: Sequence[int]) -> Partition:
    """Rolled up one level of one QID at a time."""
    for q, level in enumerate(levels):
        for step in range(partition.levels[q] + 1, level + 1):
            partition = roller.roll(partition, (*partition.levels[:q], step, *partition.levels[q + 1 :]))
    return partition


@settings(max_examples=150)
@given(drawn=rollable(), payloads=st.integers(0, 2), seed=st.integers(0, 2**32), data=st.data())
def test_rolling_up_compiled_equals_rolling_up_plain(
    drawn: tuple[list[Hierarchy], np.ndarray], payloads: int, seed: int, data: st.DataObject
) -> None:
    hierarchies, leaves = drawn
    plain, compiled, base = partitions(hierarchies, leaves, payloads, seed)
    first = rises(data, hierarchies, base.levels)
    second = rises(data, hierarchies, first)
    once = compiled.roll(base, first)
    assert contents(once) == contents(plain.roll(base, first))
    assert contents(compiled.roll(once, second)) == contents(plain.roll(base, second))
    assert contents(step_by_step(compiled, base, second)) == contents(plain.roll(base, second))


@pytest.mark.slow
@settings(max_examples=60)
@given(drawn=rollable(), payloads=st.integers(0, 2), seed=st.integers(0, 2**32), data=st.data())
def test_listing_the_possible_keys_equals_sorting_those_there_are(
    drawn: tuple[list[Hierarchy], np.ndarray], payloads: int, seed: int, data: st.DataObject
) -> None:
    hierarchies, leaves = drawn
    plain, _, base = partitions(hierarchies, leaves, payloads, seed)
    levels = rises(data, hierarchies, base.levels)
    assume(levels != base.levels and prod(h.codes(level) for h, level in zip(hierarchies, levels, strict=True)) < 10**6)
    rolled = []
    for most, sorted_times in ((0, 1 + payloads), (10**9, 0)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(partition, "_LISTED", most)
            sorting = Spied(np.unique)
            patch.setattr(partition.np, "unique", sorting)
            rolled.append(plain.roll(base, levels))
        assert sorting.calls >= sorted_times if sorted_times else sorting.calls == 0
    assert contents(rolled[0]) == contents(rolled[1])


class Spied:
    """A function that counts its calls."""

    def __init__(self, function: Any) -> None:
        self.function, self.calls = function, 0

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.calls += 1
        return self.function(*given, **named)


@given(of=measurable(), names=st.permutations(sorted(measures.PART_OF)))
@settings(max_examples=60)
def test_what_is_measured_late_is_what_is_measured_at_once(way: str, of: ClassStatistics, names: Sequence[str]) -> None:
    """In whatever order it is asked for; and of few values no more is measured than was asked."""
    whole, table = measured(of), RowTable(Belief.of(of, EVERY_DISTANCE))
    late = Late(table, Cells(of.offsets, of.values, of.people))
    asked = 0
    for name in names:
        found, right = late(of, name, ()), whole(of, name, ())
        assert found is not None
        assert right is not None
        assert np.array_equal(found, right), name
        asked |= measures.PART_OF[name]
        assert table.wanted == asked


def test_keys_need_one_two_or_three_words() -> None:
    layouts = [Layout.of([TALL] * count, (0,) * count) for count in (4, 6, 12)]
    assert [layout.words for layout in layouts] == [1, 2, 3]


@settings(max_examples=60)
@given(drawn=rollable(), seed=st.integers(0, 2**32), data=st.data())
def test_classes_measured_on_the_way_up_have_the_rows_of_those_measured_there(
    way: str, drawn: tuple[list[Hierarchy], np.ndarray], seed: int, data: st.DataObject
) -> None:
    hierarchies, leaves = drawn
    _, roller, base = partitions(hierarchies, leaves, 2, seed)
    tables = []
    for cells, width in zip(base.payloads, WIDTHS, strict=True):
        people = np.bincount(cells.values, weights=cells.people, minlength=width).astype(np.int64).tolist()
        tables.append(
            RowTable(Belief.of(statistics([people], tree=[[value // 3 for value in range(width)], [0] * width]), EVERY_DISTANCE))
        )
    starts = [table.start(c.offsets, c.values, c.people) for table, c in zip(tables, base.payloads, strict=True)]
    rolled = Partition(base.levels, base.keys, base.people, base.payloads, tuple(starts))
    for _ in range(3):
        rolled = roller.roll(rolled, rises(data, hierarchies, rolled.levels), tables)
        assert contents(rolled) == contents(roller.roll(base, rolled.levels))
        for table, cells, row_of in zip(tables, rolled.payloads, rolled.rows, strict=True):
            anew = RowTable(table.belief)
            again = anew.start(cells.offsets, cells.values, cells.people)
            lone = row_of < table.belief.width  # the row of a value, whose people are not those of the class
            assert (np.diff(cells.offsets) == 1).tolist() == lone.tolist()
            assert_close(table.array[row_of], anew.array[again], "rows")


def test_the_tail_of_a_class_leaves_out_the_most_frequent_values() -> None:
    of = statistics([[5, 1, 3, 0], [0, 0, 0, 2], [2, 2, 2, 2]])
    assert [kernels.tail(of.offsets, of.people, start).tolist() for start in (1, 2, 3)] == [[9, 2, 8], [4, 0, 6], [1, 0, 4]]


# Walking


def census(rows: int) -> FrequencySet:
    """Rows at random over four QIDs and a sensitive attribute of nine values that goes with them."""
    rng = np.random.default_rng(3)
    hierarchies = [TALL, LOW, LOW, LOW]
    columns = [np.minimum(rng.geometric(0.02, rows), 4999), *(np.minimum(rng.geometric(0.4, rows) - 1, 4) for _ in range(3))]
    values = (rng.geometric(0.3, rows) + columns[1]) % 9
    illness = Hierarchy.of_columns("illness", [[f"i{value}" for value in range(9)], [f"g{value // 3}" for value in range(9)]])
    node = Node.bottom([f"q{place}" for place in range(4)])
    cells = CellTable(
        [c.astype(np.int32) for c in columns], np.ones(rows, np.int64), {"illness": (illness, values.astype(np.int32))}
    )
    return FrequencySet.of_cells(node, hierarchies, cells)


def walks(problem: Problem) -> list[Evaluations]:
    """The same walk by one, two and three threads."""
    quick = QuickEvaluator(problem, every_loss(), compiled=True)
    lattice = Lattice.of(problem.counts)
    return [walked(quick.batches, quick.base, lattice, threads=threads) for threads in (1, 2, 3)]


def assert_equal(found: Evaluations, right: Evaluations) -> None:
    """To the last digit."""
    assert np.array_equal(found.levels, right.levels)
    for name, column in right.named().items():
        assert np.array_equal(found.named()[name], column, equal_nan=column.dtype == np.float64), name


@settings(max_examples=20)
@given(problem=problems(most=2))
def test_threads_change_nothing_about_a_walk(problem: Problem) -> None:
    one, two, three = walks(problem)
    assert_same(one, plainly(problem, every_loss()))
    assert_equal(two, one)
    assert_equal(three, one)


def test_threads_change_no_digit_of_a_walk_over_many_classes() -> None:
    from sfumato.beliefs import Prior
    from sfumato.vocabulary.builders import Listed
    from sfumato.vocabulary.kinds import Kind, Role
    from sfumato.vocabulary.schema import Attribute

    counts = census(3000)
    tree = Listed(tuple((f"i{value}", f"g{value // 3}") for value in range(9)))
    sensitive = {"illness": Attribute("illness", Role.SENSITIVE, Kind.TEXT, tree)}
    problem = Problem(counts, sensitive, {"illness": Prior.of(counts, "illness")}, (TCloseness(0.3),), limit=300)
    one, two, three = walks(problem)
    assert one["classes"].max() > 500
    assert_equal(two, one)
    assert_equal(three, one)


# Without the compiler


def compare_without_compiling() -> None:
    """A little of everything above; run where NUMBA_DISABLE_JIT is set."""
    from numba.core import config

    assert config.DISABLE_JIT
    rng = np.random.default_rng(2)
    for limit, values in ((0, 7), (MOST_VALUES, 7), (0, 1), (MOST_VALUES, 2)):
        narrow.NARROW = limit
        prior = (rng.integers(0, 5, values) + (np.arange(values) == 0)).tolist()
        some: Classes = rng.integers(0, 4, (70, values)).tolist()
        some = [each for each in some if any(each)] + [prior, [3] + [0] * (values - 1)]
        of = statistics(some, prior, tree=[[value // 2 for value in range(values)], [0] * values])
        assert_measured(measured(of), of)
        _roll_without_compiling(rng)


def _roll_without_compiling(rng: np.random.Generator) -> None:
    for hierarchies in ([LOW, LOW], [TALL] * 6):
        leaves = rng.integers(0, 5, (90, len(hierarchies)))
        plain, compiled, base = partitions(hierarchies, leaves, 2, 5)
        tables = [RowTable(Belief.of(statistics([[1] * width]), EVERY_DISTANCE)) for width in WIDTHS]
        starts = [table.start(c.offsets, c.values, c.people) for table, c in zip(tables, base.payloads, strict=True)]
        start = Partition(base.levels, base.keys, base.people, base.payloads, tuple(starts))
        levels = (1,) * len(hierarchies)
        right = contents(plain.roll(base, levels))
        assert contents(compiled.roll(base, levels)) == contents(compiled.roll(start, levels, tables)) == right


def test_without_the_compiler_the_loops_find_the_same() -> None:
    code = "from tests.unit.search.test_kernels import compare_without_compiling as compare; compare()"
    ended = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", code],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr

"""Every column of the class statistics against a plain reading of the counts; blocks, zeros and missing values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from math import inf, isnan, log, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.beliefs import Prior, statistics_of
from sfumato.statistics import COLUMNS, ClassStatistics, entropy_of
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute
from tests.golden import exact
from tests.strategies import DISEASES, Drawn, Labels, Levels, disease, tables_with_levels
from tests.unit.losses.classes import Classes, classes, counts_of, statistics, trees

# Columns that take parameters, and some of these.
PARAMETERS: dict[str, list[tuple[object, ...]]] = {
    "tail": [(1,), (2,), (9,)],
    "people_with": [(0,)],
    "pairs_under": [((0,),), ((),)],
    "capped_gain": [(0.5,), (3.0,)],
    "crowding": [(0.0, False), (1.5, False), (0.3, True)],
}


def asked() -> list[tuple[object, ...]]:
    """Every column with every set of parameters."""
    return [(name, *parameters) for name in COLUMNS for parameters in PARAMETERS.get(name, [()])]


def ratio(over: float, under: float) -> float:
    return over / under if under > 0 else inf if over > 0 else 0.0


def capped_gain(a: list[float], x: list[float], beta: float) -> float:
    bounds = [min(beta, -log(p)) if p else beta for p in a]
    return max(ratio(max(ratio(q - p, p), 0), bound) for p, q, bound in zip(a, x, bounds, strict=True))


def log_ratio(a: list[float], x: list[float]) -> float:
    return max(abs(log2(q / p)) if q else inf for p, q in zip(a, x, strict=True) if p)


Plain = Callable[[list[int], list[float], list[float]], float]
# From the counts of a class, the prior and the posterior.
PLAIN: dict[str, Plain] = {
    "mass": lambda c, a, x: sum(c),
    "distinct": lambda c, a, x: sum(map(bool, c)),
    "top": lambda c, a, x: max(c),
    "entropy": lambda c, a, x: float(exact.entropy(exact.shares(c))),
    "gain": lambda c, a, x: max(max(ratio(q - p, p), 0) for p, q in zip(a, x, strict=True)),
    "log_ratio": lambda c, a, x: log_ratio(a, x),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[Classes, list[int]]:
    """Classes, and a prior that may lack some of their values."""
    drawn = draw(classes())
    return drawn, draw(counts_of(len(drawn[0])))


@pytest.mark.parametrize("name", PLAIN)
@settings(max_examples=50)
@given(tables())
def test_a_column_is_that_of_a_plain_reading(name: str, table: tuple[Classes, list[int]]) -> None:
    drawn, prior = table
    a = [float(share) for share in exact.shares(prior)]
    right = [PLAIN[name](each, a, [float(share) for share in exact.shares(each)]) for each in drawn]
    assert statistics(drawn, prior).column(name).tolist() == pytest.approx(right, abs=1e-12)


@given(tables(), st.floats(0.1, 5))
def test_capped_gain_is_that_of_a_plain_reading(table: tuple[Classes, list[int]], beta: float) -> None:
    drawn, prior = table
    a = [float(share) for share in exact.shares(prior)]
    right = [capped_gain(a, [float(share) for share in exact.shares(each)], beta) for each in drawn]
    assert statistics(drawn, prior).column("capped_gain", beta).tolist() == pytest.approx(right, rel=1e-9, abs=1e-12)


@given(tables(), st.integers(1, 8))
def test_the_tail_leaves_out_the_most_frequent_values(table: tuple[Classes, list[int]], start: int) -> None:
    drawn, prior = table
    result = statistics(drawn, prior).column("tail", start).tolist()
    assert result == [sum(sorted(each, reverse=True)[start - 1 :]) for each in drawn]


@pytest.mark.slow
@given(tables(), st.data())
def test_the_people_who_have_a_value(table: tuple[Classes, list[int]], data: st.DataObject) -> None:
    drawn, prior = table
    code = data.draw(st.integers(0, len(prior) - 1))
    assert statistics(drawn, prior).column("people_with", code).tolist() == [each[code] for each in drawn]


@given(tables(), st.data())
def test_the_people_counted_under_several_values(table: tuple[Classes, list[int]], data: st.DataObject) -> None:
    drawn, prior = table
    codes = tuple(data.draw(st.sets(st.integers(0, len(prior) - 1))))
    assert statistics(drawn, prior).column("pairs_under", codes).tolist() == [sum(each[c] for c in codes) for each in drawn]


@given(tables())
def test_the_entropy_of_the_prior_is_told_for_every_class(table: tuple[Classes, list[int]]) -> None:
    drawn, prior = table
    result = statistics(drawn, prior).column("prior_entropy").tolist()
    assert result == pytest.approx([float(exact.entropy(exact.shares(prior)))] * len(drawn), abs=1e-14)


# Numbers


@st.composite
def numbered(draw: st.DrawFn) -> tuple[Classes, list[float]]:
    """Classes over whole numbers in any order; the last value may be the missing one."""
    drawn = draw(classes())
    numbers: list[float] = draw(st.lists(st.integers(-9, 9), min_size=len(drawn[0]), max_size=len(drawn[0]), unique=True))
    if draw(st.booleans()):
        numbers[-1] = float("nan")
    return drawn, numbers


def held(counts: list[int], numbers: list[float]) -> list[float]:
    """The numbers of the people of a class."""
    return [number for number, count in zip(numbers, counts, strict=True) for _ in range(count) if not isnan(number)]


@given(numbered())
def test_distinct_numbers_and_their_range_leave_the_missing_value_out(table: tuple[Classes, list[float]]) -> None:
    drawn, numbers = table
    known = statistics(drawn, numbers=numbers)
    people = [held(each, numbers) for each in drawn]
    assert known.column("distinct_numbers").tolist() == [len(set(each)) for each in people]
    assert known.column("range").tolist() == [max(each) - min(each) if each else 0 for each in people]


@given(numbered(), st.integers(0, 5), st.booleans())
def test_crowding_is_the_largest_share_within_reach_of_a_number_of_the_class(
    table: tuple[Classes, list[float]], reach: int, relative: bool
) -> None:
    drawn, numbers = table
    radius = reach / 4 if relative else float(reach)

    def near(people: list[float], center: float) -> int:
        within = radius * abs(center) if relative else radius
        return sum(abs(number - center) <= within for number in people)

    right = []
    for each in drawn:
        people = held(each, numbers)
        right.append(max((near(people, center) for center in people), default=0) / sum(each))
    assert statistics(drawn, numbers=numbers).column("crowding", radius, relative).tolist() == pytest.approx(right, abs=1e-15)


@pytest.mark.parametrize(("name", "parameters"), [("distinct_numbers", ()), ("range", ()), ("crowding", (1.0, False))])
def test_values_that_are_no_numbers_have_no_numeric_columns(name: str, parameters: tuple[object, ...]) -> None:
    with pytest.raises(TypeError, match="illness"):
        statistics([[1, 2]]).column(name, *parameters)


# Entropy


@given(st.lists(counts_of(5, most=1000), min_size=1, max_size=4))
def test_entropy_of_rows_is_that_of_the_definition(rows: Classes) -> None:
    counts = np.array(rows)
    result = entropy_of(counts / counts.sum(axis=1, keepdims=True))
    assert result.tolist() == pytest.approx([float(exact.entropy(exact.shares(row))) for row in rows], abs=1e-14)


def test_entropy_of_one_sure_value_is_zero_and_not_minus_zero() -> None:
    assert str(float(entropy_of(np.array([1.0, 0.0])))) == "0.0"


# Blocks


@settings(max_examples=60)
@given(st.data())
def test_blocks_of_any_size_give_the_same_columns(data: st.DataObject) -> None:
    drawn = data.draw(classes())
    m = len(drawn[0])
    prior, tree = data.draw(counts_of(m)), data.draw(trees(m))
    whole = statistics(drawn, prior, tree=tree, numbers=range(m))
    cells = data.draw(st.integers(0, 12))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.statistics._CELLS_PER_BLOCK", cells)
        cut = statistics(drawn, prior, tree=tree, numbers=range(m))
        for name, *parameters in asked():
            assert cut.column(str(name), *parameters).tolist() == whole.column(str(name), *parameters).tolist()


def test_many_classes_over_many_values_are_cut_into_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.statistics._CELLS_PER_BLOCK", 500)
    rng = np.random.default_rng(1)
    drawn = rng.integers(0, 4, (100, 40)) + np.eye(100, 40, dtype=np.int64)
    drawn[:, 0] += 1
    known = statistics(drawn.tolist())
    assert [len(block.counts) for block in known._blocks()] == [12] * 8 + [4]
    shares = drawn / drawn.sum(axis=1, keepdims=True)
    right = np.linalg.norm(shares - drawn.sum(axis=0) / drawn.sum(), axis=1)
    assert known.column("distribution").tolist() == pytest.approx(right.tolist(), abs=1e-14)


@settings(max_examples=50)
@given(tables(), st.integers(1, 12))
def test_blocks_keep_the_prior_of_each_class(table: tuple[Classes, list[int]], cells: int) -> None:
    """A prior of its own for every class: the class itself, so that nothing is learned."""
    drawn, _ = table
    plain = statistics(drawn)
    own = np.array([[count / sum(each) for count in each] for each in drawn])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.statistics._CELLS_PER_BLOCK", cells)
        known = ClassStatistics(plain.sizes, plain.cells, own, plain.domain)
        for name in ("distribution", "l1", "kl", "js", "hellinger", "chi2", "emd_equal", "emd_ordered", "gain"):
            assert known.column(name).tolist() == [0] * len(drawn)
        assert known.column("prior_entropy").tolist() == known.column("entropy").tolist()


# Any input


@settings(max_examples=60)
@given(st.data())
def test_no_column_holds_anything_but_numbers(data: st.DataObject) -> None:
    drawn = data.draw(classes())
    m = len(drawn[0])
    numbers = [*range(m - 1), float("nan")] if data.draw(st.booleans()) else range(m)
    known = statistics(drawn, data.draw(counts_of(m)), tree=data.draw(trees(m)), numbers=numbers)
    for name, *parameters in asked():
        result = known.column(str(name), *parameters)
        assert result.shape == (len(drawn),)
        assert not np.isnan(result).any()
        assert (result >= 0).all()


def test_counts_are_whole_numbers() -> None:
    known = statistics([[2**53 + 1, 2], [0, 2**61]])
    assert all(known.column(name).dtype == np.int64 for name in ("mass", "distinct", "top"))
    assert known.column("mass").tolist() == [2**53 + 3, 2**61]
    assert known.column("top").tolist() == [2**53 + 1, 2**61]
    assert known.column("tail", 2).tolist() == [2, 0]


def test_a_column_is_made_once() -> None:
    known = statistics([[1, 2]])
    assert known.column("entropy") is known.column("entropy")
    assert known.column("tail", 1) is not known.column("tail", 2)


def test_a_column_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(KeyError):
        statistics([[1, 2]]).column("nothing")


def test_statistics_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        statistics([[1, 2]]).sizes = np.zeros(1, np.int64)


# Of a counted table


@settings(max_examples=60)
@given(tables_with_levels())
def test_statistics_of_a_table_are_those_of_its_rows(drawn: tuple[Drawn, list[Levels]]) -> None:
    """Missing diseases are a value like the others; with owners, distributions count distinct pairs and sizes distinct owners."""
    table, [levels] = drawn
    counts = table.count().roll_up(table.node(levels))
    prior = Prior.of(counts, "disease")
    known = statistics_of(counts, Attribute("disease", Role.SENSITIVE, Kind.TEXT), prior)
    values = [value for value in (*DISEASES, None) if value in {disease(row) for row in table.rows}]
    assert list(known.domain.labels) == values
    cells, people = table.cell_people(levels), table.people(levels)
    labels: list[Labels] = [counts.labels(number + 1) for number in range(counts.classes)]
    rows = [[cells[label, value] for value in values] for label in labels]
    assert known.sizes.tolist() == [people[label] for label in labels]
    assert known.column("mass").tolist() == [sum(row) for row in rows]
    for name in ("distinct", "top", "entropy", "distribution", "emd_equal"):
        right = statistics(rows, prior.people.tolist()).column(name)
        assert known.column(name).tolist() == pytest.approx(right.tolist(), abs=1e-14)

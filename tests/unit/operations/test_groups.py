"""Microaggregation, anatomy and permutation: the groups, and what is kept in them."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.errors import DataSayNo
from sfumato.operations.anatomy import buckets
from sfumato.operations.copied import Coded
from sfumato.operations.microaggregate import groups_of, prepared
from tests.unit.operations.copies import made, rows_of, schema_of

Array = np.ndarray  # type: ignore[type-arg]
SCHEMA = schema_of(age="quasi integer", pay="quasi decimal", town="quasi text", ill="sensitive text")
MAY_SHARE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)


def plain_mdav(numbers: Array, codes: Array, k: int) -> list[list[int]]:
    """MDAV word for word: lists of rows and whole distances."""
    left, groups = list(range(numbers.shape[1])), []

    def away(row: int, middle: Array, modes: Array) -> float:
        total = 0.0
        for own, value in zip(numbers[:, row], middle, strict=True):
            total += (own - value) ** 2
        return total + sum(1.0 for own, mode in zip(codes[:, row], modes, strict=True) if own != mode)

    def farthest(middle: Array, modes: Array) -> int:
        return max(left, key=lambda row: (away(row, middle, modes), -row))

    def middle() -> tuple[Array, Array]:
        modes = np.array([np.argmax(np.bincount(codes[place, left])) for place in range(len(codes))], np.int32)
        return np.array([sum(numbers[place, row] for row in left) / len(left) for place in range(len(numbers))]), modes

    def take(row: int) -> None:
        near = sorted(left, key=lambda each: (away(each, numbers[:, row], codes[:, row]), each))[:k]
        groups.append(near)
        left[:] = [each for each in left if each not in near]

    while len(left) >= 3 * k:
        first = farthest(*middle())
        take(first)
        take(farthest(numbers[:, first], codes[:, first]))
    if len(left) >= 2 * k:
        take(farthest(*middle()))
    return [*groups, list(left)]


def coded(values: list[int]) -> Coded:
    return Coded(np.array(values, np.int32), pa.array(["a", "b", "c"]))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5), st.integers(0, 2)), min_size=4, max_size=70), st.integers(2, 4))
def test_the_compiled_groups_are_the_plain_ones(rows: list[tuple[int, int, int]], k: int) -> None:
    ages, pays, towns = (list(column) for column in zip(*rows, strict=True))
    values = [np.array(ages, np.float64), np.array(pays, np.float64)]
    found = groups_of(values, [coded(towns)], k)
    plain = plain_mdav(*prepared(values, [coded(towns)]), k)
    by_number = [np.flatnonzero(found == number).tolist() for number in range(int(found.max()) + 1)]
    assert by_number == [sorted(group) for group in plain]
    assert all(k <= len(group) < 2 * k for group in plain)


@MAY_SHARE
@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.integers(0, 99)), st.one_of(st.none(), st.sampled_from("abc"))), min_size=5, max_size=60
    )
)
def test_every_class_of_aggregated_rows_has_k_people(tmp_path: Path, rows: list[tuple[int | None, str | None]]) -> None:
    ages, towns = zip(*rows, strict=True)
    table = pa.table({"age": pa.array(ages, pa.int64()), "town": pa.array(towns, pa.string()), "ill": ["flu"] * len(rows)})
    schema = schema_of(age="quasi integer", town="quasi text", ill="sensitive text")
    done = made(tmp_path, "microaggregate:3", table, schema)
    found = rows_of(done)
    assert min(Counter(zip(found["age"].to_pylist(), found["town"].to_pylist(), strict=True)).values()) >= 3
    assert done.facts["k"] == 3


def test_means_are_kept(tmp_path: Path) -> None:
    draws = np.random.default_rng(2)
    pay = draws.normal(3000, 500, 500)
    table = pa.table({"age": [30] * 500, "pay": pay, "town": ["a"] * 500, "ill": ["flu"] * 500})
    found = np.array(rows_of(made(tmp_path, "microaggregate:7", table, SCHEMA, columns=["pay"]))["pay"].to_pylist())
    assert found.mean() == pytest.approx(pay.mean())
    assert found.var() < pay.var()
    assert found.var() > 0.99 * pay.var()  # one column in groups of neighbors loses little


def test_k_is_not_promised_where_some_qids_stay(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2, 3], "pay": [1.0, 2.0, 3.0], "town": ["a", "b", "c"], "ill": ["flu"] * 3})
    assert "k" not in made(tmp_path, "microaggregate:2", table, SCHEMA, columns=["pay"]).facts


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=120), st.integers(2, 5), st.integers(0, 9))
def test_the_values_of_a_group_are_all_different_and_at_least_l(values: list[int], least: int, seed: int) -> None:
    codes, order = np.array(values, np.int32), np.random.default_rng(seed).permutation(len(values))
    if Counter(values).most_common(1)[0][1] * least > len(values):
        with pytest.raises(DataSayNo, match="too frequent"):
            buckets(codes, least, order)
        return
    groups = defaultdict(list)
    for value, group in zip(values, buckets(codes, least, order).tolist(), strict=True):
        groups[group].append(value)
    assert all(len(set(each)) == len(each) >= least for each in groups.values())
    assert sorted(groups) == list(range(len(groups)))


def test_permuted_classes_keep_their_values_and_mix_them(tmp_path: Path) -> None:
    schema = schema_of(age="quasi integer", ill="sensitive text", cost="sensitive integer")
    ages = [row % 2 for row in range(200)]
    table = pa.table({"age": ages, "ill": [f"i{row}" for row in range(200)], "cost": list(range(200))})
    done = made(tmp_path, "permute:age=0", table, schema)
    found = rows_of(done)
    for age in (0, 1):
        before, after = ([t["cost"][row].as_py() for row in range(200) if ages[row] == age] for t in (table, found))
        assert sorted(before) == sorted(after)
        assert before != after
    assert all(ill == f"i{cost}" for ill, cost in zip(found["ill"].to_pylist(), found["cost"].to_pylist(), strict=True))
    assert done.facts["groups"] == 2

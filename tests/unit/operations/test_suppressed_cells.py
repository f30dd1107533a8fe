"""Cell suppression reaches k, and comes near the fewest cells; subtrees reach k and cannot be divided further."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import DataSayNo, UsageError
from sfumato.operations.copied import People
from sfumato.operations.patterns import patterns_for
from tests.unit.operations.copies import made, rows_of, schema_of

Rows = list[tuple[int, ...]]


def shown(rows: Rows, starred: np.ndarray) -> list[tuple[int, ...]]:  # type: ignore[type-arg]
    return [
        tuple(-1 if star else value for value, star in zip(row, stars, strict=True))
        for row, stars in zip(rows, starred, strict=True)
    ]


def suppressed(rows: Rows, k: int) -> np.ndarray:  # type: ignore[type-arg]
    columns = [np.array(column, np.int32) for column in zip(*rows, strict=True)]
    return patterns_for(columns, [4] * len(columns), k)


def fewest(rows: Rows, k: int) -> int:
    """The fewest cells, by trying all ways: of each set of rows that forms a class, the cells in which they differ, over all partitions.

    A class of `*` in the same QIDs whose rows agree in the others costs its size times those QIDs; every partition into sets of at least k
    is tried by taking the first row with every choice of others.
    """
    width = len(rows[0])
    price = {}
    everybody = range(len(rows))
    for size in range(k, len(rows) + 1):
        for chosen in combinations(everybody, size):
            price[chosen] = size * sum(len({rows[row][place] for row in chosen}) > 1 for place in range(width))
    memory: dict[tuple[int, ...], float] = {(): 0}

    def best(left: tuple[int, ...]) -> float:
        if left not in memory:
            first, others = left[0], left[1:]
            ways = [
                price[(first, *more)] + best(tuple(row for row in others if row not in more))
                for size in range(k - 1, len(others) + 1)
                for more in combinations(others, size)
            ]
            memory[left] = min(ways, default=float("inf"))
        return memory[left]

    return int(best(tuple(everybody)))


tables = st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=3, max_size=7)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=6, max_size=80), st.integers(2, 6))
def test_every_class_has_k_records(rows: Rows, k: int) -> None:
    assert min(Counter(shown(rows, suppressed(rows, k))).values()) >= k


@given(st.lists(st.tuples(st.integers(0, 12), *[st.integers(0, 3)] * 4), min_size=6, max_size=80), st.integers(2, 5))
def test_every_class_has_k_people_where_people_have_several_rows(table: Rows, k: int) -> None:
    owners = np.unique([person for person, *_ in table], return_inverse=True)[1].astype(np.int64)
    people = People(int(owners.max()) + 1, owners)
    assume(people.count >= k)
    rows = [tuple(values) for _, *values in table]
    columns = [np.array(column, np.int32) for column in zip(*rows, strict=True)]
    classes: dict[tuple[int, ...], set[int]] = {}
    for label, owner in zip(shown(rows, patterns_for(columns, [4] * 4, k, people)), owners.tolist(), strict=True):
        classes.setdefault(label, set()).add(owner)
    assert min(map(len, classes.values())) >= k


@settings(max_examples=150, deadline=None)
@example([(0, 0, 0), (0, 0, 1), (1, 1, 0)], 2)
@given(tables, st.integers(2, 3))
def test_few_cells_are_suppressed(rows: Rows, k: int) -> None:
    cells = int(suppressed(rows, k).sum())
    least = fewest(rows, k)
    assert least <= cells <= 3 * least


def test_on_average_few_cells_are_too_many() -> None:
    draws = np.random.default_rng(4)
    tables = [[tuple(row) for row in draws.integers(0, 3, (int(draws.integers(4, 8)), 3)).tolist()] for _ in range(200)]
    cells = sum(int(suppressed(rows, 2).sum()) for rows in tables)
    assert cells <= 1.15 * sum(fewest(rows, 2) for rows in tables)


def test_nothing_is_suppressed_where_k_is_reached() -> None:
    rows = [(0, 1, 2)] * 5 + [(1, 1, 1)] * 6
    assert not suppressed(rows, 5).any()


def test_one_unusual_value_costs_the_cells_of_k_records() -> None:
    # One person of another sex among many: k people lose their sex, which is the fewest.
    rows = [(0, 0, 0)] * 20 + [(0, 0, 1)]
    assert suppressed(rows, 5)[:, 2].sum() == suppressed(rows, 5).sum() == 5


def test_keys_that_do_not_fit_a_word_are_compared_alike() -> None:
    draws = np.random.default_rng(1)
    columns = [draws.integers(0, 3, 200).astype(np.int32) for _ in range(4)]
    one, other = (patterns_for(columns, [width] * 4, 4) for width in (3, 2**17))
    assert np.array_equal(one, other)


SCHEMA = sf.Schema.parse(
    """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [10, 50] }
[attributes.town]
role = "quasi"
type = "text"
hierarchy = { tree = { north = ["a", "b"], south = ["c", "d"] } }
[attributes.ill]
role = "sensitive"
type = "text"
"""
)
people = st.lists(st.tuples(st.integers(0, 100), st.sampled_from(["a", "b", "c", "d", None])), min_size=4, max_size=40)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(people, st.integers(2, 4))
def test_subtrees_have_k_people_and_no_branch_can_be_divided(tmp_path: Path, rows: list[tuple[int, str | None]], k: int) -> None:
    ages, towns = zip(*rows, strict=True)
    table = pa.table({"age": pa.array(ages, pa.int64()), "town": pa.array(towns, pa.string()), "ill": ["flu"] * len(rows)})
    recoded = rows_of(made(tmp_path, f"subtree:{k}", table, SCHEMA))
    classes = list(zip(recoded["age"].to_pylist(), recoded["town"].to_pylist(), strict=True))
    assert min(Counter(classes).values()) >= k
    label_of = dict(zip(towns, recoded["town"].to_pylist(), strict=True))
    # The town's whole branch cannot be divided: some class would have fewer than k people.
    below = {"north": {"a": "a", "b": "b"}, "south": {"c": "c", "d": "d"}}
    for branch in {label for label in label_of.values() if label in below}:
        divided = [
            (age, below[label][town] if label == branch else label)  # type: ignore[index]
            for (age, label), town in zip(classes, towns, strict=True)
        ]
        assert min(Counter(divided).values()) < k


@pytest.mark.parametrize("method", ["cell-suppression:9", "subtree:9", "microaggregate:9", "anatomy:9"])
def test_more_people_than_the_table_has_are_refused(tmp_path: Path, method: str) -> None:
    table = pa.table({"age": [1, 2], "town": ["a", "b"], "ill": ["flu", "hiv"]})
    with pytest.raises(UsageError, match="asks for 9 people, and the table has 2"):
        made(tmp_path, method, table, SCHEMA)


def test_columns_that_do_not_reach_k_are_refused(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2, 3, 4], "town": ["a", "b", "c", "d"], "ill": ["flu"] * 4})
    with pytest.raises(DataSayNo, match="even with age as"):
        made(tmp_path, "subtree:2", table, SCHEMA, columns=["age"])


def test_a_starred_column_holds_labels_and_others_keep_their_type(tmp_path: Path) -> None:
    schema = schema_of(age="quasi integer", town="quasi text", ill="sensitive text")
    table = pa.table({"age": [1, 1, 1, 1], "town": ["a", "a", "a", "b"], "ill": ["flu"] * 4})
    done = made(tmp_path, "cell-suppression:2", table, schema)
    rows = rows_of(done)
    assert done.labels == {"town"}
    assert rows["age"].type == pa.int64()
    assert Counter(rows["town"].to_pylist()) == {"a": 2, "*": 2}
    assert done.facts == {"k": 2, "cells": 2}

"""Swapping keeps every column's values exactly, and its channel is what happens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.operations.copied import Copy
from tests.unit.operations.copies import made, rows_of, schema_of

SCHEMA = schema_of(age="quasi integer", pay="quasi decimal", ill="sensitive text")
MAY_SHARE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)


def table_of(ages: list[int | None]) -> pa.Table:
    pays = [None if age is None else age / 4 for age in reversed(ages)]
    return pa.table({"age": ages, "pay": pa.array(pays, pa.float64()), "ill": [str(n % 3) for n in range(len(ages))]})


@MAY_SHARE
@given(
    st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=2, max_size=60).filter(any),
    st.sampled_from(["rank-swap:10%", "rank-swap:60%", "record-swap:30%", "record-swap:99%"]),
    st.integers(0, 99),
)
def test_a_swap_keeps_the_values_of_every_column(tmp_path: Path, ages: list[int | None], method: str, seed: int) -> None:
    table = table_of(ages).cast(pa.schema([("age", pa.int64()), ("pay", pa.float64()), ("ill", pa.string())]))
    swapped = rows_of(made(tmp_path, method, table, SCHEMA, seed=seed))
    for name in table.column_names:
        assert sorted(table[name].to_pylist(), key=repr) == sorted(swapped[name].to_pylist(), key=repr)


def test_a_rank_moves_by_less_than_the_share(tmp_path: Path) -> None:
    table = table_of(list(range(1000)))
    ages = np.array(rows_of(made(tmp_path, "rank-swap:5%", table, SCHEMA, columns=["age"]))["age"].to_pylist())
    away = np.abs(ages - np.arange(1000))
    assert away.max() < 50
    assert (away > 0).mean() > 0.98  # a value stays only where a block is odd


def test_a_record_swap_exchanges_the_columns_of_pairs(tmp_path: Path) -> None:
    table = pa.table({"age": list(range(100)), "pay": [float(n) for n in range(100)], "ill": ["x"] * 100})
    swapped = made(tmp_path, "record-swap:20%", table, SCHEMA, columns=["age", "pay"])
    found = rows_of(swapped)
    ages, pays = found["age"].to_pylist(), found["pay"].to_pylist()
    moved = [row for row, age in enumerate(ages) if age != row]
    assert len(moved) == swapped.facts["swapped"] == 20
    assert all(ages[ages[row]] == row for row in moved)
    assert ages == pays


@pytest.mark.parametrize("method", ["rank-swap:20%", "record-swap:40%"])
def test_the_channel_is_how_often_values_are_swapped(tmp_path: Path, method: str) -> None:
    # 400 seeds and 20 values of which 2 to 4 rows each: a share that is off by more than 0.06 has a probability below 1e-6.
    ages = [age for age in range(8) for _ in range(2 + age % 3)]
    table = table_of(ages)  # type: ignore[arg-type]
    labels = [(str(age),) for age in range(8)]
    often = np.zeros((8, 8))
    for seed in range(400):
        done = made(tmp_path, method, table, SCHEMA, columns=["age"], seed=seed)
        np.add.at(often, (ages, rows_of(done)["age"].to_pylist()), 1)
    # Given the original at a row, what is published there.
    likelihood = done.channels[0].likelihood(labels, labels)
    assert likelihood.sum(axis=1) == pytest.approx(np.ones(8), abs=0.05)
    assert np.abs(often / often.sum(axis=1, keepdims=True) - likelihood).max() < 0.06


def test_the_copy_is_not_changed(tmp_path: Path) -> None:
    table = table_of([3, 1, 2])
    made(tmp_path, "rank-swap:90%", table, SCHEMA)
    assert Copy(tmp_path / "copy.parquet", 3, {}).column("age").to_pylist() == [3, 1, 2]


def test_a_share_that_swaps_nobody_is_refused(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2, 3], "ill": ["flu", "hiv", "flu"]})
    with pytest.raises(UsageError, match="no two of 3 records"):
        made(tmp_path, "record-swap:30%", table, schema_of(age="quasi integer", ill="sensitive text"))

"""The floor that is chosen is the cheapest that fits, however few floors were counted for it, and the rows are read only once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.engines.duckdb.engine import DuckDBEngine
from sfumato.engines.duckdb.floors import DuckDBCells
from sfumato.question import floors
from sfumato.question.floors import floor_of
from sfumato.table import Table
from sfumato.vocabulary.node import Node

SCHEMA = sf.Schema.parse("""
[attributes.at]
role = "quasi"
type = "timestamp"
hierarchy = { builder = "dates" }
[attributes.ip]
role = "quasi"
hierarchy = { builder = "addresses" }
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [5, 20] }
[attributes.illness]
role = "sensitive"
[attributes.job]
role = "sensitive"
normalize = true
""")
HEIGHTS = (6, 3, 3)


def visits(rows: int, seed: int, spread: int = 400) -> pd.DataFrame:
    """Moments, addresses and ages, a few of them missing; the smaller the spread, the more are alike."""
    rng = np.random.default_rng(seed)
    moments = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, spread, rows) * 86_413, "s")
    return pd.DataFrame(
        {
            "at": moments.where(rng.random(rows) > 0.05, pd.NaT),
            "ip": [f"10.{a}.{b}.{c}" for a, b, c in rng.integers(0, [2, 3, min(spread, 250)], (rows, 3))],
            "age": rng.integers(18, 90, rows),
            "illness": rng.choice(["flu", "cold", None], rows),
            "job": rng.choice(["cook", "Cook", "smith"], rows),
        }
    )


def chosen(table: Table, budget: int, sensitive: Sequence[str]) -> Node:
    with pytest.warns(sf.FloorWarning):
        return floor_of(table, sf.Question(cells=budget), sensitive)


@contextmanager
def from_rows() -> Iterator[None]:
    """As an engine does that puts nothing aside."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sfumato.table.table.PutsCellsAside", str)
        yield


@pytest.mark.slow
@pytest.mark.parametrize("many", [1, 50])
@settings(max_examples=5)
@given(seed=st.integers(0, 1000), spread=st.sampled_from([5, 60, 400]), share=st.floats(0.02, 0.9))
def test_the_choice_is_that_of_counting_every_floor_from_the_rows(many: int, seed: int, spread: int, share: float) -> None:
    """Also where estimates are of a small sample, and so are wrong."""
    sensitive, frame = ["illness", "job"], visits(150, seed, spread)
    with pytest.MonkeyPatch.context() as patched, Table.open(frame, SCHEMA) as table:
        patched.setattr(floors, "MANY", many)
        patched.setattr("sfumato.engines.duckdb.floors._SAMPLE", 20)
        bottom = Node(SCHEMA.quasi, (0,) * 3)
        budget = max(int(share * 150), 6)
        if not table.has_more_cells(bottom, sensitive, budget):
            return
        quick = chosen(table, budget, sensitive)
        with from_rows():
            assert chosen(table, budget, sensitive) == quick
        if many == 1:
            fitting = [
                levels
                for levels in product(*(range(height + 1) for height in HEIGHTS))
                if not table.has_more_cells(Node(SCHEMA.quasi, levels), sensitive, budget)
            ]
            precision = [(round(sum(np.array(n) / HEIGHTS), 9), sum(n), n) for n in fitting]
            assert quick.levels == min(precision)[-1]


@pytest.mark.parametrize("sensitive", [(), ("illness",), ("illness", "job")], ids=len)
@pytest.mark.parametrize(("low", "high"), [((0, 0, 0), HEIGHTS), ((2, 1, 3), (5, 1, 3)), (HEIGHTS, HEIGHTS)])
def test_cells_put_aside_are_those_of_the_rows(low: tuple[int, ...], high: tuple[int, ...], sensitive: tuple[str, ...]) -> None:
    plain = sf.Schema(tuple(each if each.name != "job" else replace(each, normalize=False) for each in SCHEMA.attributes))
    with Table.open(visits(300, 1, 60), SCHEMA) as table, Table.open(visits(300, 1, 60), plain) as read:
        with table.cells_between(Node(SCHEMA.quasi, low), high, sensitive) as cells:
            for levels in product(*(range(first, last + 1) for first, last in zip(low, high, strict=True))):
                node = Node(SCHEMA.quasi, levels)
                count = max(_count(read, node, name) for name in (sensitive or [None]))
                assert cells.has_more(levels, count - 1)
                assert not cells.has_more(levels, count)
                assert cells.about(levels) == pytest.approx(count, rel=1e-12)  # all of them are in the sample
        assert isinstance(table.engine, DuckDBEngine)
        left = table.engine._connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        assert not [name for (name,) in left if name.startswith(("labels_", "cells_between"))]


def _count(read: Table, node: Node, sensitive: str | None) -> int:
    """How many combinations of labels and of a sensitive attribute's texts there are."""
    counts = read.count(floor=node.as_dict(), sensitive=[sensitive] if sensitive else [])
    return len(counts.payloads[sensitive].values) if sensitive else counts.classes


def test_a_choice_among_very_many_values_reads_the_rows_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for all floors; before, once for each QID, to know which have many values, and for the floors at both ends."""
    monkeypatch.setattr(floors, "MANY", 1)
    with Table.open(visits(3_000, 2, 4_000), SCHEMA) as table:
        rows, counted = _noted(monkeypatch, DuckDBEngine, "has_more_cells"), _noted(monkeypatch, DuckDBCells, "has_more")
        quick = chosen(table, 1_000, ["illness"])
        assert rows.call_count == 1 + 3 + 1
        few = counted.call_count
        rows.reset_mock()
        with from_rows():
            assert chosen(table, 1_000, ["illness"]) == quick
        assert rows.call_count - (1 + 3 + 1) > few


def _noted(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> Mock:
    made: Callable[..., Any] = getattr(owner, name)
    noted = Mock(wraps=made)
    monkeypatch.setattr(owner, name, lambda *given: noted(*given))
    return noted

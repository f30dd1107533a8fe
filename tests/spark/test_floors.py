"""Floors that are counted from cells put aside have as many cells as those that Spark counts from the rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato as sf
from sfumato.engines.spark import floors
from sfumato.engines.spark.engine import SparkEngine
from sfumato.vocabulary.node import Node
from tests.spark.tables import SCHEMA, written

QUASI = ("age", "weight", "zip", "born")


def jobs(engine: SparkEngine) -> int:
    return len(engine._session.sparkContext.statusTracker().getJobIdsForGroup(None))


@pytest.mark.parametrize("most", [floors.MOST, 0])
def test_cells_put_aside_are_those_of_the_rows(most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floors, "MOST", most)
    with sf.Table.open(written(tmp_path / "in.parquet", 120), SCHEMA, engine="spark") as table:
        engine: Any = table.engine
        low, tops = Node(QUASI, (0, 1, 0, 0)), tuple(table.schema[name].height() for name in QUASI)
        with engine.cells_between(table.schema, low, tops, table.schema.sensitive) as cells:
            assert cells.quick == bool(most)
            for levels in (low.levels, (1, 1, 0, 1), (0, 1, 1, 0), tops):
                ran = jobs(engine)
                estimate = cells.about(levels)
                count = next(number for number in range(200) if not cells.has_more(levels, number))
                assert (jobs(engine) == ran, estimate == count) == (cells.quick, cells.quick)
                node = Node(QUASI, levels)
                assert engine.has_more_cells(table.schema, node, table.schema.sensitive, count - 1)
                assert not engine.has_more_cells(table.schema, node, table.schema.sensitive, count)
        assert not list(engine._folder.path.glob("spool-*"))


def test_combinations_of_many_columns_are_counted_beyond_the_largest_number() -> None:
    codes = np.arange(6, dtype=np.int64)
    columns = [(codes // 2, 1 << 30), (codes % 2, 1 << 30), (codes * 0, 1 << 30), (codes // 3, 1 << 30)]
    assert floors._combinations(columns) == 6
    assert floors._combinations(columns[:1]) == 3


def test_closing_a_table_needs_nobody_to_work(tmp_path: Path) -> None:
    """A job would wait, if there is no executor any more."""
    table = sf.Table.open(written(tmp_path / "in.parquet", 20), SCHEMA, engine="spark")
    engine: Any = table.engine
    engine.count(table.schema, Node(("age",), (0,)), ())
    views = lambda: [each["viewName"] for each in engine._session.sql("SHOW VIEWS").collect()]  # noqa: E731
    assert "source" in views()
    ran = jobs(engine)
    table.close()
    assert (jobs(engine), views()) == (ran, [])

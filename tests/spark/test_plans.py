"""What Spark is asked to do: no row passes through Python, look-up tables are sent to the executors, and only counts come back."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql.classic.dataframe import DataFrame
from pyspark.sql.readwriter import DataFrameWriter

import sfumato as sf
from tests.spark.tables import SCHEMA, written

PYTHON = ("BatchEvalPython", "ArrowEvalPython", "MapInPandas", "MapInArrow", "FlatMapGroups", "PythonUDF", "AggregateInPandas")


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The physical plans of what is fetched and of what is written; nothing else may bring rows to the driver."""
    noted: dict[str, list[str]] = {"fetched": [], "written": []}
    fetch, write = DataFrame.toArrow, DataFrameWriter.parquet

    def plan(frame: DataFrame) -> str:
        return str(frame._jdf.queryExecution().executedPlan().toString())

    def fetching(frame: DataFrame) -> object:
        noted["fetched"].append(plan(frame))
        return fetch(frame)

    def writing(writer: DataFrameWriter, *given: object) -> None:
        noted["written"].append(plan(writer._df))  # type: ignore[arg-type]
        write(writer, *given)  # type: ignore[arg-type]

    def refuse(frame: DataFrame, *given: object) -> None:
        raise AssertionError("rows were collected")

    monkeypatch.setattr(DataFrame, "toArrow", fetching)
    monkeypatch.setattr(DataFrameWriter, "parquet", writing)
    for name in ("collect", "toPandas", "toLocalIterator", "take", "head", "first", "foreach", "mapInArrow", "mapInPandas"):
        monkeypatch.setattr(DataFrame, name, refuse)
    return noted


@pytest.mark.parametrize("owner", ["owner", "identifier"])
def test_a_release_is_joined_with_what_is_sent_to_all_executors_and_no_row_comes_back(
    owner: str, plans: dict[str, list[str]], tmp_path: Path
) -> None:
    source, schema = written(tmp_path / "in.parquet"), SCHEMA.with_role("who", owner)
    sf.publish(source, schema, node=[1, 1, 1, 3], output=tmp_path / "out", engine="spark")
    every = [*plans["fetched"], *plans["written"]]
    assert not [plan for plan in every if any(sign in plan for sign in PYTHON)]
    recoded = [plan for plan in plans["written"] if plan.count("BroadcastHashJoin") >= 4]
    assert len(recoded) >= 1, "one broadcast join for each of the four QIDs"
    assert not [plan for plan in plans["written"] if "BroadcastNestedLoopJoin" in plan or "CartesianProduct" in plan]
    assert plans["fetched"]
    assert all("HashAggregate" in plan or "SortAggregate" in plan for plan in plans["fetched"]), (
        "only what was counted is fetched"
    )


def test_a_local_recoding_is_joined_in_the_same_way(plans: dict[str, list[str]], tmp_path: Path) -> None:
    source, schema = written(tmp_path / "in.parquet"), SCHEMA.with_role("who", "identifier")
    sf.anonymize(source, schema, k=5, quasi=["age", "zip"], algorithm="mondrian", output=tmp_path / "out", engine="spark")
    every = [*plans["fetched"], *plans["written"]]
    assert not [plan for plan in every if any(sign in plan for sign in PYTHON)]
    assert [plan for plan in plans["written"] if plan.count("BroadcastHashJoin") >= 4], "codes, cells and classes"

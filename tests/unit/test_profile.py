"""A suggested schema can be read, used and trusted: its numbers are those of a plain count, its comments hold no value."""

from __future__ import annotations

import datetime
import itertools
import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato import FrequencySet, Schema, Table, profile
from sfumato.engines import tally as tally_module
from sfumato.engines.tally import Tally
from sfumato.errors import DataError, OutputError, SpellingWarning
from sfumato.verbs.profile import USUAL_MISSING, Profile, write_schema
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.node import Node

words = st.sampled_from(
    ["red", "green", "A12", "B34", "01234", "0", "7", "-3", "1.5", "2024-03-31", "10.0.0.1", "2001:db8::1", "yes"]
)
cells = {
    "words": words,
    "any text": st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00*"), max_size=4),
    "missing or not": st.sampled_from([None, *USUAL_MISSING, "x"]),
    "whole": st.integers(-(10**6), 10**6),
    "broken": st.floats(-1e6, 1e6, width=32).map(lambda number: number + 0.0),
    "dates": st.dates(),
    "moments": st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1)),
    "flags": st.booleans(),
}
names = st.lists(
    st.sampled_from(["age", "zip", "a b", "Größe", 'say "hi"', "diagnosis", "email", "patient_id", "x.y"]),
    min_size=1,
    max_size=3,
    unique=True,
)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Small tables of columns of one kind each; a person's key has no gaps."""
    rows = draw(st.integers(1, 8))
    columns: dict[str, Any] = {}
    for name in draw(names):
        cell = cells[draw(st.sampled_from(list(cells)))] if name != "patient_id" else st.sampled_from("pqr")
        cell = cell | st.none() if name != "patient_id" else cell
        columns[name] = pa.array(draw(st.lists(cell, min_size=rows, max_size=rows)))
    return pa.table(columns)


def quietly_profiled(table: pa.Table) -> Profile:
    """Random texts are sometimes spellings of one value, which is warned about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpellingWarning)
        return profile(table)


def classes(counts: FrequencySet) -> dict[tuple[str | None, ...], int]:
    return {counts.labels(number + 1): int(rows) for number, rows in enumerate(counts.rows)}


@pytest.mark.slow
@settings(max_examples=60)
@given(tables())
def test_a_suggested_schema_is_read_again_as_it_was_meant(table: pa.Table) -> None:
    result = quietly_profiled(table)
    assert Schema.parse(result.to_toml()) == result.schema
    assert [attribute.name for attribute in result.schema.attributes] == table.column_names


@pytest.mark.slow
@settings(max_examples=60)
@given(tables(), st.data())
def test_a_suggested_schema_with_a_qid_can_be_used_at_every_level(table: pa.Table, data: st.DataObject) -> None:
    result = quietly_profiled(table)
    assume(result.schema.quasi)
    with Table.open(table, result.schema) as opened:
        counts = opened.count()
        assert counts.total_rows == table.num_rows
        levels = tuple(data.draw(st.integers(0, opened.schema[name].height())) for name in opened.schema.quasi)
        floor = Node(opened.schema.quasi, levels)
        assert classes(opened.count(floor=floor.as_dict())) == classes(counts.roll_up(floor))


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=9))
def test_distinction_and_separation_are_those_of_a_plain_count(values: list[str | None]) -> None:
    [result] = profile(pa.table({"x": pa.array(values, pa.string())})).suggestions
    present = [value for value in values if value is not None]
    pairs = list(itertools.combinations(values, 2))
    assert result.distinct == len(set(present))
    assert result.missing == len(values) - len(present)
    assert result.distinction == pytest.approx(len(set(present)) / len(present) if present else 0)
    assert result.separation == pytest.approx(sum(a != b for a, b in pairs) / len(pairs) if pairs else 0)


def written(folder: Path, columns: dict[str, list[str | None]]) -> Path:
    pd.DataFrame(columns).to_csv(folder / "people.csv", index=False)
    return folder / "people.csv"


def test_texts_of_a_file_that_mean_missing_are_one_value(tmp_path: Path) -> None:
    [result, _] = profile(written(tmp_path, {"x": ["?", "NA", None, "a"], "y": ["a", "b", "c", "d"]})).suggestions
    assert (result.distinct, result.missing) == (1, 3)
    assert result.separation == pytest.approx(3 / 6)
    [result] = profile(pa.table({"x": ["?", "NA", None, "a"]})).suggestions  # in memory, texts are texts
    assert (result.distinct, result.missing) == (3, 1)


def test_what_means_missing_is_declared_where_it_occurs(tmp_path: Path) -> None:
    result = profile(written(tmp_path, {"x": ["?", "a", "b", "b"], "y": ["NULL", "c", "c", "d"]}))
    assert result.schema.missing == ("", "?", "NULL")
    assert profile(written(tmp_path, {"x": ["a", "b", "b"]})).schema.missing == ("",)
    assert profile(pa.table({"x": ["a", "b", "b"]})).schema.missing == ()


def test_every_role_is_found_in_one_table() -> None:
    rows = 60
    table = pa.table(
        {
            "email": [f"p{row}@example.org" for row in range(rows)],
            "patient_id": [row % 20 for row in range(rows)],
            "age": [row % 30 for row in range(rows)],
            "diagnosis": ["flu", "cold"] * 30,
            "country": ["DE"] * rows,
        }
    )
    result = profile(table)
    assert {attribute.name: attribute.role.value for attribute in result.schema.attributes} == {
        "email": "identifier",
        "patient_id": "owner",
        "age": "quasi",
        "diagnosis": "sensitive",
        "country": "plain",
    }
    assert result.rows == rows
    with Table.open(table, result.schema) as opened:
        assert opened.count().total_people == 20


def test_two_keys_of_persons_make_one_owner_at_most() -> None:
    table = pa.table({"patient_id": [1, 1, 2, 2], "user_id": [5, 5, 6, 6], "age": [1, 2, 3, 4]})
    result = profile(table)
    assert len(result.schema.names(Role.OWNER)) <= 1
    assert set(result.schema.names(Role.OWNER) + result.schema.names(Role.IDENTIFIER)) == {"patient_id", "user_id"}
    assert Schema.parse(result.to_toml()) == result.schema


def test_a_key_with_gaps_is_no_owner() -> None:
    table = pa.table({"patient_id": ["a", "a", None, "b", "b"], "age": [1, 2, 3, 3, 1]})
    with Table.open(table, profile(table).schema) as opened:
        assert opened.count().total_rows == 5


def test_bytes_are_no_addresses() -> None:
    table = pa.table({"x": [b"abcd", b"efgh", b"efgh", b"ijkl"]})
    with Table.open(table, profile(table).schema) as opened:
        assert opened.count(["x"]).classes == 3


def test_a_column_with_an_extreme_number_is_looked_at() -> None:
    assert profile(pa.table({"x": [-1e308, 1.0, 2.0, 1e308]})).schema["x"].role is Role.QUASI


def test_a_column_with_a_number_that_no_level_can_hold_is_withheld() -> None:
    [result] = profile(pa.table({"x": [float("-inf"), 1.0, 2.0, float("inf")]})).suggestions
    assert result.attribute.role is Role.IDENTIFIER
    assert result.reason == "withheld: some of its values do not fit its type or its levels"


def test_sources_of_every_kind_are_looked_at_alike(tmp_path: Path) -> None:
    columns = {"zip": ["01234", "98765", "01234"], "age": [17, 25, 60]}
    path = tmp_path / "people.csv"
    pd.DataFrame(columns).to_csv(path, index=False, sep=";")
    sources = [str(path), path, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]
    texts = {re.sub(r"missing = .*\n", "", profile(source).to_toml().partition("[table]")[2]) for source in sources}
    assert len(texts) == 1
    assert profile(path, delimiter=";").to_toml() == profile(path).to_toml()


def test_categories_and_lists_are_looked_at_as_text() -> None:
    table = pa.table({"x": pa.array(["a", "b", "b"]).dictionary_encode(), "y": [[1], [1], [2]], "z": pa.nulls(3)})
    result = profile(table)
    assert [(one.distinct, one.kind) for one in result.suggestions] == [(2, "text"), (2, "text"), (0, "text")]


@settings(max_examples=20)
@given(st.lists(st.text("QXZ", min_size=5, max_size=8), min_size=2, max_size=6))
def test_no_value_of_the_data_stands_in_the_file(values: list[str]) -> None:
    table = pa.table({"x": values, "name": values, "n": [f"{value}7" for value in values]})
    text = profile(table).to_toml()
    assert not any(value in text for value in values)


def test_the_file_has_a_comment_above_every_attribute() -> None:
    result = profile(pa.table({"age": [1, 2, 2], "email": ["a@b", "c@d", "e@f"]}))
    lines = result.to_toml().splitlines()
    assert lines[0].startswith("# Suggested by sfumato from the data.")
    for one in result.suggestions:
        place = lines.index(f"[attributes.{one.attribute.name}]")
        assert lines[place - 1] == f"# {one.why}"


def test_machines_get_one_entry_per_column() -> None:
    result = profile(pa.table({"age": [1, 2, 2], "email": ["a@b", "c@d", "e@f"]}))
    assert [entry["name"] for entry in result.as_dicts()] == ["age", "email"]
    assert [entry["hierarchy"] for entry in result.as_dicts()] == ["suppression", None]


def test_counts_merged_from_many_batches_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally_module, "_TOGETHER", 3000)
    values = np.random.default_rng(1).integers(0, 50, 2000)
    batches = pa.table({"x": values}).to_batches(max_chunksize=100)
    tally = Tally()
    for batch in batches:
        tally.add(batch.column(0))
    found = pa.Table.from_batches(tally.distinct()).to_pydict()
    assert dict(zip(found["value"], found["n"], strict=True)) == Counter(values.tolist())


def test_every_step_is_told_to_who_watches() -> None:
    steps: list[str] = []
    profile(pa.table({"age": [1, 2], "zip": ["a", "b"]}), watch=lambda step, engine: steps.append(step))
    assert steps == ["reading 2 columns", "looking at age", "looking at zip", "looking at 2 columns together"]


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("age,zip\n")
    with pytest.raises(DataError, match=r"empty\.csv: no row of data below the header"):
        profile(str(tmp_path / "empty.csv"))


def test_a_schema_that_cannot_be_written_is_an_output_error(tmp_path: Path) -> None:
    result = profile(pa.table({"age": [1, 2]}))
    assert isinstance(result, Profile)
    write_schema(result, tmp_path / "s.toml")
    assert Schema.read(tmp_path / "s.toml") == result.schema
    with pytest.raises(OutputError, match="no such folder; make it first"):
        write_schema(result, tmp_path / "none" / "s.toml")

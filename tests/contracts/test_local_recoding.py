"""What every engine promises about local recodings: rows get the labels of their cell, and divided cells are spread as told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato import Table
from sfumato.engines.base import Target
from sfumato.vocabulary.recoding import DIVIDED, Division, LocalRecoding
from tests.contracts import people as plain
from tests.contracts.test_engine import KINDS, SOURCES, arrow

Labels = tuple[str | None, ...]
BESIDE = ["disease", "ward", "note"]


def by_hand(row: Sequence[Any]) -> Labels:
    """The labels of age and zip: they depend on both, as no level of a hierarchy does."""
    age, code = row[1], row[2]
    if code is None or age is None:
        return "*", "*" if code is None else "98***"
    return ("[17, 25]", "12***") if code.startswith("12") else ("[49, 50]", "98765")


def recoding_of(table: Table) -> LocalRecoding:
    """The recoding `by_hand` for the cells of a table."""
    counts = table.count(["age", "zip"])
    cells = [counts.labels(number) for number in range(1, counts.classes + 1)]
    labels = [by_hand((None, age if age is None else int(age), code)) for age, code in cells]
    classes = sorted(set(labels), key=str)
    names = [sorted({label[place] for label in classes}) for place in range(2)]
    codes = [[own.index(label) for own, label in zip(names, labels_, strict=True)] for labels_ in classes]
    return LocalRecoding(
        attributes=("age", "zip"),
        hierarchies=dict(zip(counts.node.attributes, counts.hierarchies, strict=True)),
        cells=counts.codes,
        class_of=np.array([classes.index(label) for label in labels], np.int32),
        classes=np.array(codes, np.int32),
        labels_of=dict(zip(("age", "zip"), map(tuple, names), strict=True)),
    )


def recoded(engine: str, source: Any, to: Path, seed: int = 0, recoding: Any = recoding_of) -> pa.Table:
    with Table.open(source, plain.schema(), engine=engine) as table:
        written = table.engine.recode(table.schema, recoding(table), Target(to, seed, BESIDE))
    read = pq.read_table(to)
    assert written.rows == read.num_rows
    return read


def rows_of(read: pa.Table) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(map(str, read[name].to_pylist()) for name in read.column_names), strict=True))


@pytest.mark.parametrize("source", KINDS)
def test_rows_get_the_labels_of_their_cell(engine: str, source: str, tmp_path: Path) -> None:
    read = recoded(engine, SOURCES[source](tmp_path), tmp_path / "out.parquet")
    assert read.column_names == ["age", "zip", *BESIDE]
    assert pa.types.is_string(read.schema.field("age").type)
    assert rows_of(read) == Counter((*map(str, by_hand(row)), *map(str, row[5:8])) for row in plain.ROWS)


def test_a_group_of_missing_values_is_published_as_missing(engine: str, tmp_path: Path) -> None:
    def with_gap(table: Table) -> LocalRecoding:
        made = recoding_of(table)
        assert made.labels("age") == ("*", "[17, 25]", "[49, 50]")
        classes = made.classes.copy()
        classes[:, 0] = (classes[:, 0] - 1) % 3  # the first label becomes the code past the last: missing
        return LocalRecoding(
            made.attributes,
            made.hierarchies,
            made.cells,
            made.class_of,
            classes,
            {**made.labels_of, "age": ("[17, 25]", "[49, 50]")},
        )

    read = recoded(engine, arrow(), tmp_path / "out.parquet", recoding=with_gap)
    assert Counter(read["age"].to_pylist()) == {"[17, 25]": 4, "[49, 50]": 2, None: 2}


def test_the_same_seed_gives_the_same_file_whatever_the_order_of_the_source(engine: str, tmp_path: Path) -> None:
    backward = arrow().take(list(range(8))[::-1])
    one, other = (recoded(engine, each, tmp_path / "out.parquet", 1) for each in (arrow(), backward))
    assert one.equals(other)
    assert not one.equals(recoded(engine, arrow(), tmp_path / "out.parquet", 2))


def many() -> pa.Table:
    """One cell with 30 flu, 20 colds and 10 missing, every row with a note of its own, and another cell."""
    diseases = ["flu"] * 30 + ["cold"] * 20 + [None] * 10 + ["gout"] * 5
    return pa.table(
        {
            "name": [f"P{number}" for number in range(65)],
            "age": [40] * 60 + [41] * 5,
            "zip": ["12345"] * 65,
            "seen": pa.nulls(65, pa.date32()),
            "ip": pa.nulls(65, pa.string()),
            "disease": diseases,
            "ward": pa.array(["A"] * 65),
            "note": [f"n{number}" for number in range(65)],
        }
    )


def divided(table: Table) -> LocalRecoding:
    """Two classes: 12 of the flu and 10 missing in the first, the other cell and all colds in the second, 18 of the flu too."""
    counts = table.count(["age"])
    division = Division(
        cells=np.array([0, 0, 0, 0], np.int32),
        values=np.array([0, 0, 1, 3], np.int32),
        classes=np.array([0, 1, 1, 0], np.int32),
        people=np.array([12, 18, 20, 10], np.int64),
    )
    return LocalRecoding(
        attributes=("age",),
        hierarchies={"age": counts.hierarchies[0]},
        cells=counts.codes,
        class_of=np.array([DIVIDED, 1], np.int32),
        classes=np.array([[0], [1]], np.int32),
        labels_of={"age": ("40", "[40, 41]")},
        division=division,
        sensitive="disease",
    )


def test_divided_cells_are_spread_as_told(engine: str, tmp_path: Path) -> None:
    read = recoded(engine, many(), tmp_path / "out.parquet", recoding=divided)
    result = Counter(zip(read["age"].to_pylist(), read["disease"].to_pylist(), strict=True))
    assert result == {
        ("40", "flu"): 12,
        ("40", None): 10,
        ("[40, 41]", "flu"): 18,
        ("[40, 41]", "cold"): 20,
        ("[40, 41]", "gout"): 5,
    }
    assert sorted(read["note"].to_pylist()) == sorted(f"n{number}" for number in range(65))


def test_who_is_where_in_a_divided_cell_is_drawn_by_the_seed(engine: str, tmp_path: Path) -> None:
    def lower(source: pa.Table, seed: int) -> set[str]:
        read = recoded(engine, source, tmp_path / "out.parquet", seed, divided)
        return {note for note, age in zip(read["note"].to_pylist(), read["age"].to_pylist(), strict=True) if age == "40"}

    backward = many().take(list(range(65))[::-1])
    assert lower(many(), 5) == lower(backward, 5)
    assert len({frozenset(lower(many(), seed)) for seed in range(4)}) == 4


def test_rows_that_are_equal_in_the_release_are_divided_too(engine: str, tmp_path: Path) -> None:
    """Half of the rows of each value have ward A, half B. Of the 30 with flu 12 are in the first class, drawn by lot: 6 of them are from
    ward A on average, and never all or none."""
    wards = pa.array(["A", "B"] * 32 + ["A"])
    source = many().set_column(6, "ward", wards).set_column(7, "note", pa.array(["same"] * 65))
    from_a = []
    for seed in range(12):
        read = recoded(engine, source, tmp_path / "out.parquet", seed, divided)
        rows = zip(read["age"].to_pylist(), read["disease"].to_pylist(), read["ward"].to_pylist(), strict=True)
        from_a.append(Counter(rows)["40", "flu", "A"])
    deviation = (12 * 0.5 * 0.5 * (30 - 12) / (30 - 1)) ** 0.5  # of a hypergeometric draw
    assert abs(np.mean(from_a) - 6) < 4 * deviation / 12**0.5
    assert 0 < np.std(from_a) < 2 * deviation
    assert min(from_a) > 0
    assert max(from_a) < 12

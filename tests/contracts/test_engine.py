"""What every engine promises, whatever it is: counts, recodings and rows agree with a plain reading of the same table."""

from __future__ import annotations

import datetime
import gzip
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from sfumato import FrequencySet, Schema, Table
from sfumato.engines.base import Target
from sfumato.errors import DataError
from sfumato.vocabulary.recoding import Recoding
from sfumato.vocabulary.schema import Suppressed
from tests.contracts import people as plain


def arrow() -> pa.Table:
    """The small table, typed."""
    columns = dict(zip(plain.COLUMNS, zip(*plain.ROWS, strict=True), strict=True))
    dates = [None if text is None else datetime.date.fromisoformat(text) for text in columns.pop("seen")]
    table = pa.table({**columns, "seen": pa.array(dates, pa.date32())})
    return table.select(plain.COLUMNS)


def _csv(folder: Path, delimiter: str = ",") -> Path:
    path = folder / "people.csv"
    pa.csv.write_csv(arrow(), path, pa.csv.WriteOptions(delimiter=delimiter))
    return path


def _gzipped(folder: Path) -> Path:
    path = folder / "people.csv.gz"
    path.write_bytes(gzip.compress(_csv(folder).read_bytes()))
    return path


def _parquet(folder: Path) -> Path:
    pq.write_table(arrow(), folder / "people.parquet")
    return folder / "people.parquet"


def _parts(folder: Path) -> Path:
    (folder / "parts").mkdir()
    pq.write_table(arrow().slice(0, 3), folder / "parts" / "a.parquet")
    pq.write_table(arrow().slice(3), folder / "parts" / "b.parquet")
    return folder / "parts"


SOURCES: dict[str, Callable[[Path], Any]] = {
    "csv": _csv,
    "csv with semicolons": lambda folder: _csv(folder, ";"),
    "csv with tabs": lambda folder: _csv(folder, "\t"),
    "csv with pipes": lambda folder: str(_csv(folder, "|")),
    "gzipped csv": _gzipped,
    "parquet": _parquet,
    "folder of parquet": _parts,
    "glob of parquet": lambda folder: f"{_parts(folder)}/*.parquet",
    "arrow": lambda folder: arrow(),
    "pandas": lambda folder: arrow().to_pandas(),
    "pandas with categories": lambda folder: arrow().to_pandas().astype({"disease": "category", "zip": "category"}),
    "polars": lambda folder: pl.DataFrame(arrow()),
    "lazy polars": lambda folder: pl.DataFrame(arrow()).lazy(),
}

# One of each kind: that all of them are read alike is tested by counting.
KINDS = ("csv", "parquet", "folder of parquet", "arrow", "pandas with categories")


def class_rows(counts: FrequencySet) -> dict[tuple[str | None, ...], int]:
    """Rows per class by label."""
    return {counts.labels(number): int(counts.rows[number - 1]) for number in range(1, counts.classes + 1)}


def cells_of(counts: FrequencySet, name: str) -> dict[tuple[tuple[str | None, ...], object], int]:
    payload = counts.payloads[name]
    result = {}
    for number in range(1, counts.classes + 1):
        for cell in range(payload.offsets[number - 1], payload.offsets[number]):
            result[counts.labels(number), payload.hierarchy.label(0, int(payload.values[cell]))] = int(payload.rows[cell])
    return result


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_gives_the_same_counts(engine: str, source: str, tmp_path: Path) -> None:
    node = {"age": 0, "zip": 0, "seen": 0, "ip": 0}
    with Table.open(SOURCES[source](tmp_path), plain.schema(), engine=engine) as table:
        counts = table.count()
    assert class_rows(counts) == plain.classes(node)
    assert cells_of(counts, "disease") == plain.cells(node, "disease")
    assert cells_of(counts, "ward") == plain.cells(node, "ward")


def counted(table: Table, levels: Sequence[int], quasi: Sequence[str] | None = None) -> FrequencySet:
    """What the engine counts, without the help of what the table remembers."""
    return table.engine.count(table.schema, table.node(levels, quasi), table.schema.sensitive)


def every_pair(*choices: Sequence[int]) -> list[tuple[int, ...]]:
    """Few combinations in which every two choices of two places occur together."""

    def pairs(chosen: tuple[int, ...]) -> set[tuple[tuple[int, int], ...]]:
        return set(itertools.combinations(enumerate(chosen), 2))

    product = list(itertools.product(*choices))
    left, found = set().union(*map(pairs, product)), []
    while left:
        found.append(max(product, key=lambda chosen: len(pairs(chosen) & left)))
        left -= pairs(found[-1])
    return found


def test_counting_at_any_floor_equals_rolling_up_to_it(engine: str) -> None:
    with Table.open(arrow(), plain.schema(), engine=engine) as table:
        leaves = table.count()
        for levels in every_pair((0, 1, 3), (0, 1, 2, 3), (0, 1, 2, 3, 4, 5), (0, 1, 3)):
            at_floor, from_leaves = counted(table, levels), leaves.roll_up(table.node(levels))
            assert class_rows(at_floor) == class_rows(from_leaves) == plain.classes(at_floor.node.as_dict())
            assert cells_of(at_floor, "disease") == cells_of(from_leaves, "disease")


def test_a_floor_on_text_reads_dates_and_codes_as_declared(engine: str, tmp_path: Path) -> None:
    with Table.open(_csv(tmp_path), plain.schema(), engine=engine) as table:
        counts = table.count(floor={"age": 1, "zip": 1, "seen": 2, "ip": 1})
    assert class_rows(counts) == plain.classes(counts.node.as_dict())


def test_owners_are_counted_once_per_class(engine: str) -> None:
    with Table.open(arrow(), plain.schema(name="owner"), engine=engine) as table:
        counts = table.count(["age"])
    result = {counts.labels(number): int(counts.people[number - 1]) for number in range(1, counts.classes + 1)}
    assert result == plain.people({"age": 0})
    assert (counts.basis, counts.total_people, counts.total_rows) == ("owner", 7, 8)
    top = counts.roll_up(table.node([3], ["age"]))
    assert top.people.tolist() == [7]
    assert top.payloads["disease"].distribution().tolist() == [3, 2, 1, 1]


def test_without_sensitive_attributes_there_are_no_payloads(engine: str) -> None:
    with Table.open(arrow(), plain.schema(), engine=engine) as table:
        counts = table.count(["age"], sensitive=[])
    assert class_rows(counts) == plain.classes({"age": 0})
    assert counts.payloads == {}


def test_rows_come_in_the_order_of_the_source(engine: str, tmp_path: Path) -> None:
    for source in (arrow(), _parquet(tmp_path)):
        with Table.open(source, plain.schema(), engine=engine) as table:
            result = pa.Table.from_batches(list(table.rows(["note", "age"])))
        assert result.column_names == ["note", "age"]
        assert result["age"].to_pylist() == [row[1] for row in plain.ROWS]
        assert result["note"].to_pylist() == [row[7] for row in plain.ROWS]


def recoded(engine: str, source: Any, schema: Schema, levels: dict[str, int], to: Path, **options: Any) -> pa.Table:
    """Recode to a file and read it with another library."""
    with Table.open(source, schema, engine=engine) as table:
        counts = table.count(list(levels)).roll_up(table.node(levels, list(levels)))
        numbers = options.pop("suppress", [])
        codes = frozenset(tuple(map(int, counts.codes[number - 1])) for number in numbers)
        style = options.pop("style", Suppressed.DROP)
        recoding = Recoding(counts.node, dict(zip(counts.node.attributes, counts.hierarchies, strict=True)), codes, style)
        target = Target(to, options.get("seed", 0), ["disease", "ward", "note"])
        written = table.engine.recode(table.schema, recoding, target)
    read = pq.read_table(to) if to.suffix == ".parquet" else pa.csv.read_csv(to)
    assert written.rows == read.num_rows
    return read


@pytest.mark.parametrize("source", KINDS)
@pytest.mark.parametrize(
    "node",
    [{"age": 1, "zip": 2, "seen": 3, "ip": 2}, {"age": 0, "zip": 0, "seen": 0, "ip": 0}, {"age": 2, "seen": 5}],
    ids=["general", "as is", "some"],
)
def test_a_recoded_file_holds_the_labels_of_its_node(engine: str, source: str, node: dict[str, int], tmp_path: Path) -> None:
    read = recoded(engine, SOURCES[source](tmp_path), plain.schema(), node, tmp_path / "out.parquet")
    assert read.column_names == [name for name in plain.COLUMNS if name in node or name in ("disease", "ward", "note")]
    result = sorted(zip(*(map(str, read[name].to_pylist()) for name in read.column_names), strict=True))
    wanted = [(*map(str, plain.labels_of(row, node)), *map(str, row[5:8])) for row in plain.ROWS]
    assert result == sorted(wanted)


def test_values_at_level_0_keep_their_type(engine: str, tmp_path: Path) -> None:
    node = {"age": 0, "zip": 0, "seen": 0}
    read = recoded(engine, _csv(tmp_path), plain.schema(), node, tmp_path / "out.parquet")
    assert pa.types.is_integer(read.schema.field("age").type)
    assert pa.types.is_date(read.schema.field("seen").type)
    assert pa.types.is_string(read.schema.field("zip").type)


def test_suppressed_classes_leave(engine: str, tmp_path: Path) -> None:
    node = {"age": 1}
    read = recoded(engine, arrow(), plain.schema(), node, tmp_path / "out.parquet", suppress=[1, 5])
    assert sorted(read["age"].to_pylist()) == ["[25, 50)"] * 3 + ["[50, 75)"] + ["[75, 100]"]


def test_suppressed_classes_stay_with_stars(engine: str, tmp_path: Path) -> None:
    node = {"age": 0, "zip": 1}
    options = {"suppress": [1, 2], "style": Suppressed.STAR}
    read = recoded(engine, arrow(), plain.schema(), node, tmp_path / "out.parquet", **options)
    result = sorted(zip(map(str, read["age"].to_pylist()), map(str, read["zip"].to_pylist()), strict=True))
    kept = [("49", "987**"), ("50", "987**"), ("75", "None"), ("None", "987**")]
    assert result == sorted([("*", "*")] * 4 + kept)


def test_the_same_seed_gives_the_same_file_and_another_seed_another_order(engine: str, tmp_path: Path) -> None:
    node, source = {"age": 1}, arrow()
    files = [tmp_path / f"{name}.parquet" for name in "abc"]
    tables = [recoded(engine, source, plain.schema(), node, file, seed=seed) for file, seed in zip(files, (1, 1, 2), strict=True)]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert tables[0].to_pylist() != tables[2].to_pylist()


def test_the_order_of_a_release_does_not_depend_on_the_order_of_the_source(engine: str, tmp_path: Path) -> None:
    node, source = {"age": 1, "zip": 1}, arrow()
    backward = source.take(list(range(source.num_rows))[::-1])
    one = recoded(engine, source, plain.schema(), node, tmp_path / "one.parquet")
    other = recoded(engine, backward, plain.schema(), node, tmp_path / "other.parquet")
    assert one.equals(other)


def test_equal_rows_do_not_lie_together(engine: str, tmp_path: Path) -> None:
    many = pa.concat_tables([arrow()] * 200)
    read = recoded(engine, many, plain.schema(), {"age": 3}, tmp_path / "out.parquet")
    diseases = np.array([str(value) for value in read["disease"].to_pylist()])
    changes = int((diseases[1:] != diseases[:-1]).sum())
    # 4/8 flu, 2/8 cold, 1/8 gout, 1/8 missing: neighbours of a random order differ with probability 21/32.
    assert changes == pytest.approx(1599 * 21 / 32, rel=0.1)


def test_csv_out_reads_back(engine: str, tmp_path: Path) -> None:
    read = recoded(engine, arrow(), plain.schema(), {"age": 1}, tmp_path / "out.csv")
    assert sorted(map(str, read["note"].to_pylist())) == sorted("" if row[7] is None else row[7] for row in plain.ROWS)


def test_moments_with_an_offset_are_told_in_utc_at_every_level(engine: str, tmp_path: Path) -> None:
    (tmp_path / "seen.csv").write_text("seen\n2001-02-11T23:30:00-05:00\n2001-02-12 04:30\n2001-02-11 04:30:00Z\n")
    schema = Schema.parse('[attributes.seen]\nrole="quasi"\ntype="timestamp"\nhierarchy={builder="dates"}\n')
    with Table.open(tmp_path / "seen.csv", schema, engine=engine) as table:
        leaves = table.count()
        assert class_rows(leaves) == {("2001-02-11 04:30:00",): 1, ("2001-02-12 04:30:00",): 2}
        assert (
            class_rows(counted(table, [1]))
            == class_rows(leaves.roll_up(table.node([1])))
            == {("2001-02-11",): 1, ("2001-02-12",): 2}
        )


def test_blanks_around_numbers_do_not_count_at_any_level(engine: str, tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text('n\n12\n 12\n"\t13 "\n')
    schema = Schema.parse('[attributes.n]\nrole="quasi"\ntype="integer"\nhierarchy={builder="prefix", keep=[1]}\n')
    with Table.open(tmp_path / "n.csv", schema, engine=engine) as table:
        assert class_rows(table.count()) == {("12",): 2, ("13",): 1}
        assert class_rows(counted(table, [1])) == {("1*",): 3}


def test_whole_floats_are_integers_and_others_are_refused(engine: str) -> None:
    schema = Schema.parse('[attributes.n]\nrole="quasi"\ntype="integer"\nhierarchy={builder="prefix", keep=[1]}\n')
    with Table.open(pd.DataFrame({"n": [12.0, 19.0, 70.0]}), schema, engine=engine) as table:
        assert class_rows(counted(table, [1])) == {("1*",): 2, ("7*",): 1}
    with Table.open(pd.DataFrame({"n": [12.0, 19.5]}), schema, engine=engine) as table:
        for floor in ([0], [1]):
            with pytest.raises(DataError, match="1 distinct value does not fit type 'integer'"):
                table.count(floor=floor)


def test_missing_is_a_value_of_its_own_and_never_a_wildcard(engine: str) -> None:
    frame = pd.DataFrame({"age": [1.0, float("nan"), 1.0, None], "zip": ["a", "?", "", None]})
    text = '[table]\nmissing=["","?"]\n[attributes.age]\nrole="quasi"\ntype="integer"\n[attributes.zip]\nrole="quasi"\n'
    with Table.open(frame, Schema.parse(text), engine=engine) as table:
        counts = table.count()
    assert class_rows(counts) == {("1", "a"): 1, ("1", None): 1, (None, None): 2}


def test_a_column_of_nulls_only_is_data(engine: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({"q": pa.nulls(3), "s": pa.nulls(3, pa.string())}), tmp_path / "nulls.parquet")
    text = '[attributes.q]\nrole="quasi"\n[attributes.s]\nrole="sensitive"\n'
    with Table.open(tmp_path / "nulls.parquet", Schema.parse(text), engine=engine) as table:
        counts = table.count()
        assert class_rows(counts) == {(None,): 3}
        assert class_rows(counts.roll_up(table.node([1]))) == {("*",): 3}


def test_one_count_does_not_disturb_the_next(engine: str) -> None:
    with Table.open(arrow(), plain.schema(), engine=engine) as table:
        first = counted(table, [0] * 4)
        counted(table, [2], ["age"])
        counted(table, [3], ["seen"])
        assert first.same_as(counted(table, [0] * 4))


def test_digests_tell_sources_apart(engine: str, tmp_path: Path) -> None:
    digests = set()
    for source in (arrow(), arrow().slice(1), _parquet(tmp_path), _csv(tmp_path), _parts(tmp_path)):
        with Table.open(source, plain.schema(), engine=engine) as table:
            digests.add(table.engine.digest())
            assert table.engine.digest() == table.engine.digest()
    assert len(digests) == 5


def test_an_engine_that_is_closed_knows_no_progress(engine: str) -> None:
    """Whoever shows the progress asks from another thread, and may come late."""
    with Table.open(arrow(), plain.schema(), engine=engine) as table:
        asked = table.engine
    assert asked.progress() is None


# Cells and values that are counted without being fetched


def test_whether_there_are_more_cells_than_a_number_is_what_a_plain_count_says(engine: str) -> None:
    with Table.open(arrow(), plain.schema(), engine=engine) as table:
        for levels in every_pair((0, 1, 3), (0, 2), (0, 1, 5), (0, 1, 3)):
            floor = table.node(levels)
            right = {(): len(plain.classes(floor.as_dict())), ("disease",): len(plain.cells(floor.as_dict(), "disease"))}
            for sensitive, cells in right.items():
                assert table.has_more_cells(floor, sensitive, cells - 1)
                assert not table.has_more_cells(floor, sensitive, cells)


def test_the_values_under_the_labels_of_a_floor_are_those_of_a_plain_reading(engine: str) -> None:
    with Table.open(arrow(), plain.schema(), engine=engine) as table:
        for name in ("zip", "seen", "ip"):  # the ages that the schema declares are more than those that occur
            values = {row[plain.COLUMNS.index(name)] for row in plain.ROWS} - {None, ""}
            for level in range(1, plain.HEIGHTS[name]):
                counts = table.engine.count(table.schema, table.node([level], [name]), ())
                known = table.with_leaves(counts).hierarchies[0]
                under = Counter(plain.up(name, level)(value) for value in values)
                assert known.leaves is not None
                leaves = dict(zip(known.at(level), known.leaves.tolist(), strict=True))
                assert {label: leaves[label] for label in under if label is not None} == {
                    label: many for label, many in under.items() if label is not None
                }

"""No cell of a CSV file that is written here is a formula to a spreadsheet, and every text comes back as it was."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import OutputError
from sfumato.vocabulary.arx import parse_paths, to_text
from sfumato.vocabulary.builders import Listed
from sfumato.vocabulary.formulas import escaped, unescaped
from sfumato.vocabulary.kinds import Kind

SCHEMA = """
[attributes.job]
role = "quasi"
hierarchy = { builder = "tree", tree = { "@top" = ["=1+1", "-5 .. 0", "plain"], "other" = ["+x", "'=y"] } }
[attributes.value]
role = "sensitive"
[attributes.note]
role = "plain"
[attributes.degrees]
role = "plain"
type = "integer"
"""
JOBS = ["=1+1", "-5 .. 0", "plain", "+x", "'=y"]
NOTES = ["=cmd|' /C calc'!A0", "-5", "@sum", "\tx", "'-z", "''", "fine", "-1e3", "+49 30", None]
DANGEROUS = "=+-@\t\r"


def table() -> pa.Table:
    rows = [(job, note) for job in JOBS for note in NOTES]
    return pa.table(
        {
            "job": [job for job, _ in rows],
            "value": ["=v", "w"] * (len(rows) // 2),
            "note": [note for _, note in rows],
            "degrees": list(range(-25, 25)),
        }
    )


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def harmless(path: Path) -> bool:
    with path.open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    return not any(cell.startswith(tuple(DANGEROUS)) and not is_number(cell) for cell in cells)


@pytest.mark.parametrize("level", [0, 1])
def test_a_release_has_no_formula_and_reads_back_exactly(tmp_path: Path, level: int) -> None:
    schema = sf.Schema.parse(SCHEMA)
    names = "job", "value", "note", "degrees"
    for name in ("out.csv", "exact.parquet"):
        sf.publish(table(), schema, node=[level], output=tmp_path / name, mapping=tmp_path / f"{name}.map.csv")
    assert harmless(tmp_path / "out.csv")
    assert harmless(tmp_path / "out.csv.map.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        written = list(csv.DictReader(file))
    assert {row["degrees"] for row in written} == {str(number) for number in range(-25, 25)}
    assert {"-5", "-1e3", "fine", "'@sum", "''-z"} <= {row["note"] for row in written}
    # The rows and their order are those of Parquet, which escapes nothing.
    exact = pq.read_table(tmp_path / "exact.parquet").to_pydict()
    with sf.Table.open(tmp_path / "out.csv", schema) as read:
        rows = pa.Table.from_batches(list(read.rows(names))).to_pydict()
    assert [rows[name] for name in names[:3]] == [exact[name] for name in names[:3]]
    assert sf.verify(tmp_path / "out.csv").rows == 50


def test_a_column_whose_name_is_a_formula_is_written_as_parquet_only(tmp_path: Path) -> None:
    source = pa.table({"=age": ["a", "b"], "v": ["x", "y"]})
    schema = sf.Schema.parse('[attributes."=age"]\nrole = "quasi"\n[attributes.v]\nrole = "sensitive"\n')
    with pytest.raises(OutputError, match=r"column '=age': the name begins as a formula .* or write Parquet"):
        sf.publish(source, schema, node=[0], output=tmp_path / "out.csv")
    assert not any(path.is_file() for path in tmp_path.rglob("*"))
    assert sf.publish(source, schema, node=[0], output=tmp_path / "out.parquet").certificate.classes == 2


texts = st.text(st.sampled_from("'=+-@\t\r5.e ax\n")) | st.text()


@given(texts)
def test_an_escaped_text_is_harmless_and_comes_back(text: str) -> None:
    assert unescaped(escaped(text)) == text
    assert not escaped(text).startswith(tuple(DANGEROUS)) or is_number(text)


@settings(max_examples=20)
@given(st.lists(texts.filter(lambda text: text and "\0" not in text), min_size=1, max_size=30, unique=True))
def test_the_engine_escapes_as_python_does(tmp_path_factory: pytest.TempPathFactory, values: list[str]) -> None:
    path = tmp_path_factory.mktemp("csv") / "out.csv"
    schema = sf.Schema.parse('[attributes.v]\nrole = "plain"\n[attributes.q]\nrole = "quasi"\n')
    sf.publish(pa.table({"v": values, "q": ["1"] * len(values)}), schema, node=[0], output=path)
    with path.open(newline="", encoding="utf-8") as file:
        assert sorted(row["v"] for row in csv.DictReader(file)) == sorted(map(escaped, values))
    with sf.Table.open(path, schema) as read:
        assert sorted(pa.Table.from_batches(list(read.rows(["v"])))["v"].to_pylist()) == sorted(values)


def test_hierarchies_in_files_are_escaped_too() -> None:
    paths = tuple((job, "@top" if place < 3 else "other") for place, job in enumerate(JOBS))
    text = to_text(Listed(paths).build("job", Kind.TEXT, ()))
    assert "'=1+1;'@top" in text
    assert "''=y;other" in text
    assert tuple(path[:2] for path in parse_paths(text)) == paths

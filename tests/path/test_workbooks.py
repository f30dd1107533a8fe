"""Workbooks and files of statistics packages: every cell has the type and the value that it has there."""

from __future__ import annotations

import builtins
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P

import sfumato as sf
from sfumato.errors import DataError, SfumatoError, UsageError

NAMES = ["who", "age", "pay", "born", "seen", "well", "mark"]
ROWS: list[list[Any]] = [
    ["Jürgen", 41, 1234.5, date(1980, 4, 3), datetime(2020, 1, 1, 8, 30), True, "a"],
    ["Zoë", 52, None, date(1975, 12, 31), datetime(2020, 1, 2, 0, 0), False, 7],
    ["00123", None, 0.25, None, datetime(2020, 1, 3, 23, 59, 59), None, 2.5],
]
TYPES = ["text", "integer", "decimal", "date", "timestamp", "boolean", "text"]
VALUES = [[*row[:6], str(row[6])] for row in ROWS]


def xlsx(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def _cell(value: Any) -> TableCell:
    if value is None:
        return TableCell()
    if isinstance(value, bool):
        return TableCell(valuetype="boolean", booleanvalue=str(value).lower())
    if isinstance(value, int | float):
        return TableCell(valuetype="float", value=value)
    if isinstance(value, date):
        return TableCell(valuetype="date", datevalue=value.isoformat())
    cell = TableCell(valuetype="string")
    cell.addElement(P(text=value))
    return cell


def ods(path: Path, sheets: dict[str, list[list[Any]]]) -> Path:
    book = OpenDocumentSpreadsheet()
    for name, rows in sheets.items():
        table = Table(name=name)
        for row in rows:
            line = TableRow()
            for value in row:
                line.addElement(_cell(value))
            table.addElement(line)
        book.spreadsheet.addElement(table)
    book.save(str(path))
    return path


WRITERS = {"xlsx": xlsx, "ods": ods}


def published(data: Path, folder: Path, **options: Any) -> tuple[sf.Schema, list[list[Any]]]:
    """The schema that a profile suggests, and the rows as they are published under it, every column a QID at level 0."""
    text = sf.profile(data, **options).to_toml()
    for role in ("identifier", "sensitive", "plain", "owner"):
        text = text.replace(f'role = "{role}"', 'role = "quasi"')
    schema = sf.Schema.parse(text)
    names = [each.name for each in schema.attributes]
    sf.publish(data, schema, node=[0] * len(names), output=folder / "out.parquet", force=True)
    table = pq.read_table(folder / "out.parquet")
    return schema, [list(row) for row in zip(*(table[name].to_pylist() for name in names), strict=True)]


@pytest.mark.parametrize("kind", WRITERS)
def test_cells_have_the_types_they_have_in_the_workbook(kind: str, tmp_path: Path) -> None:
    data = WRITERS[kind](tmp_path / f"book.{kind}", {"People": [NAMES, *ROWS]})
    schema, rows = published(data, tmp_path)
    assert [each.kind.value for each in schema.attributes if each.kind] == TYPES
    assert sorted(rows, key=str) == sorted(VALUES, key=str)
    assert schema.source.sheet == "People"


@pytest.mark.parametrize("kind", WRITERS)
def test_empty_rows_columns_and_sheets_are_no_data(kind: str, tmp_path: Path) -> None:
    empty: list[Any] = [None] * 9
    rows = [[*NAMES, None, None], [*ROWS[0], None, None], empty, [*ROWS[1], None, None], [*ROWS[2], None, None], empty]
    data = WRITERS[kind](tmp_path / f"book.{kind}", {"Notes": [], "People": rows})
    assert sorted(published(data, tmp_path)[1], key=str) == sorted(VALUES, key=str)


@pytest.mark.parametrize("kind", WRITERS)
def test_a_sheet_is_asked_for_and_named(kind: str, tmp_path: Path) -> None:
    data = WRITERS[kind](tmp_path / f"book.{kind}", {"Old": [["x"], ["a"]], "People": [NAMES, *ROWS]})
    with pytest.raises(DataError, match="there are 2 sheets; say sheet and one of Old, People"):
        sf.profile(data)
    with pytest.raises(UsageError, match=r"no sheet 'Peple' in book.*did you mean 'People'\? \(have: Old, People\)"):
        sf.profile(data, sheet="Peple")
    schema, rows = published(data, tmp_path, sheet="People")
    assert sorted(rows, key=str) == sorted(VALUES, key=str)
    with sf.Table.open(data, schema) as table:  # the schema says which
        assert table.count().total_rows == 3
    with pytest.raises(SfumatoError, match="none of the schema's columns"):
        sf.Table.open(data, schema, sheet="Old")


def test_texts_in_cells_are_read_as_they_are_written(tmp_path: Path) -> None:
    data = xlsx(tmp_path / "x.xlsx", {"S": [["n", "d"], ["1.234,5", "03.04.2021"], ["-", "31.12.1999"], ["2,25", "1.1.2000"]]})
    schema, rows = published(data, tmp_path)
    assert (schema.source.decimal, schema["d"].written.format) == (",", "dd.mm.yyyy")
    assert sorted(rows, key=str) == sorted(
        [[1234.5, date(2021, 4, 3)], [None, date(1999, 12, 31)], [2.25, date(2000, 1, 1)]], key=str
    )


def test_a_sheet_without_names_is_noticed(tmp_path: Path) -> None:
    data = xlsx(tmp_path / "x.xlsx", {"S": [[1, "a"], [2, "b"], [3, "c"]]})
    with pytest.raises(DataError, match="header=False"):
        sf.profile(data)
    assert sf.profile(data, header=False).rows == 3
    data = xlsx(tmp_path / "y.xlsx", {"S": [[1, "secret", "secret"], [2, "b", "c"]]})
    with pytest.raises(DataError, match="seems to be a record") as caught:
        sf.profile(data)
    assert "secret" not in str(caught.value)


def test_every_verb_takes_a_workbook_and_a_recipe_repeats_it(tmp_path: Path) -> None:
    rows = [row for row in ROWS for _ in range(5)]
    data, schema = xlsx(tmp_path / "x.xlsx", {"Old": [["x"], [1]], "People": [NAMES, *rows]}), tmp_path / "schema.toml"
    schema.write_text(sf.profile(data, sheet="People").schema.with_role(["age", "born"], "quasi").to_toml(), encoding="utf-8")
    output, recipe = tmp_path / "out.csv", tmp_path / "recipe.toml"
    options = {"models": ["k-anonymity:5"], "quasi": ["age", "born"]}
    sf.anonymize(data, schema, output=output, recipe=recipe, **options)
    assert sf.verify(output).rows == 15
    assert all(verdict.satisfied for verdict in sf.check(output, schema, models=["k-anonymity:5"], original=data).verdicts)
    assert sf.measure(output, schema, original=data).people == 15
    before = output.read_bytes()
    sf.anonymize(recipe=recipe, force=True)
    assert output.read_bytes() == before
    xlsx(data, {"Old": [["x"], [1]], "People": [NAMES, *rows[1:]]})
    with pytest.raises(SfumatoError, match="the table is not the one that the recipe was written for"):
        sf.anonymize(recipe=recipe, force=True)


@pytest.mark.parametrize(
    ("name", "extra"), [("x.xlsx", "excel"), ("x.ods", "excel"), ("x.sav", "statistics"), ("x.dta", "statistics")]
)
def test_without_the_extra_one_line_says_what_to_install(
    name: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sfumato: Callable[..., Any]
) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04something")
    load = builtins.__import__

    def without(module: str, *given: Any, **more: Any) -> Any:
        if module in ("python_calamine", "pyreadstat"):
            raise ImportError(module)
        return load(module, *given, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    ended = sfumato("profile", tmp_path / name)
    assert ended.status == 2
    assert ended.err.count("\n") == 1
    assert f'pip install "sfumato[{extra}]"' in ended.err


@pytest.mark.parametrize("name", ["x.xlsx", "x.ods", "x.xls", "x.sav", "x.dta", "x.sas7bdat"])
def test_damaged_files_are_refused_in_one_line(name: str, tmp_path: Path, sfumato: Callable[..., Any]) -> None:
    (tmp_path / name).write_bytes(b"PK\x03\x04" + bytes(range(256)) * 4)
    ended = sfumato("profile", tmp_path / name)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert name in ended.err


LABELS = {1: "never", 2: "sometimes", 3: "always"}
FRAME = pd.DataFrame(
    {
        "who": ["Jürgen", "Zoë", "", "x"],
        "smokes": [1.0, 2.0, 3.0, 99.0],
        "scale": [0.0, 5.0, 10.0, 7.0],
        "pay": [1.5, None, 2.5, 0.0],
        "born": [date(1980, 4, 3), date(1975, 12, 31), None, date(2000, 2, 29)],
    }
)
READ = [
    ["Jürgen", "never", 0, 1.5, date(1980, 4, 3)],
    ["Zoë", "sometimes", 5, None, date(1975, 12, 31)],
    [None, "always", 10, 2.5, None],
    ["x", None, 7, 0.0, date(2000, 2, 29)],
]


def sav(path: Path) -> Path:
    pyreadstat.write_sav(
        FRAME,
        str(path),
        variable_value_labels={"smokes": LABELS, "scale": {0: "none", 10: "most"}},
        missing_ranges={"smokes": [99]},
    )
    return path


def test_labels_are_values_and_what_is_defined_as_missing_is_missing(tmp_path: Path) -> None:
    schema, rows = published(sav(tmp_path / "x.sav"), tmp_path)
    assert sorted(rows, key=str) == sorted(READ, key=str)
    assert [each.kind.value for each in schema.attributes if each.kind] == ["text", "text", "integer", "decimal", "date"]


def test_a_file_of_stata(tmp_path: Path) -> None:
    frame = FRAME.assign(smokes=[1, 2, 3, 3])
    pyreadstat.write_dta(frame, str(tmp_path / "x.dta"), variable_value_labels={"smokes": LABELS})
    rows = published(tmp_path / "x.dta", tmp_path)[1]
    assert sorted(rows, key=str) == sorted([*READ[:3], ["x", "always", 7, 0.0, date(2000, 2, 29)]], key=str)


def test_a_large_file_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.engines.copies.statistics_file.BATCH", 3)
    assert sorted(published(sav(tmp_path / "x.sav"), tmp_path)[1], key=str) == sorted(READ, key=str)


def packed(path: Path, sheet: bytes) -> Path:
    """A workbook with another sheet in it."""
    whole = xlsx(path.with_name("small.xlsx"), {"people": [NAMES, *ROWS]})
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for each in old.namelist():
            new.writestr(each, sheet if each == "xl/worksheets/sheet1.xml" else old.read(each))
    return path


def test_a_workbook_that_unpacks_to_too_much_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = packed(tmp_path / "bomb.xlsx", b" " * 300_000_000)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(
        DataError, match=r"unpacks to 300\.0 MB and needs about 1,200\.\d MB of memory; raise memory, or save it as CSV"
    ):
        sf.profile(path, memory="300MB")


def test_a_workbook_that_lies_about_its_size_is_damaged(tmp_path: Path) -> None:
    path = packed(tmp_path / "bomb.xlsx", b" " * 300_000_000)
    content = path.read_bytes()
    size = (300_000_000).to_bytes(4, "little")
    assert content.count(size) >= 1
    path.write_bytes(content.replace(size, (1_000).to_bytes(4, "little")))
    with pytest.raises(DataError, match="a damaged one"):
        sf.profile(path, memory="300MB")

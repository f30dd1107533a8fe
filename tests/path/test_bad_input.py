"""Bad input ends in one clear line and exit 2, with nothing written and no value of a record told."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.conftest import Ended

Run = Callable[..., Ended]

SECRET = "Rumpelstilzchen"
GOOD = f"age,zip,disease\n30,12345,flu\n41,{SECRET},cold\n"
SCHEMA = """
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", lower = 0, upper = 100, widths = [50] }
[attributes.zip]
role = "quasi"
[attributes.disease]
role = "sensitive"
"""


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file below a folder with its content."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture
def refused(tmp_path: Path, sfumato: Run) -> Callable[..., str]:
    """Publish bad input and check how it ends; the message comes back."""

    def publish(data: str | bytes | Path = GOOD, schema: str = SCHEMA, *more: str, name: str = "data.csv") -> str:
        source = data if isinstance(data, Path) else tmp_path / name
        if not isinstance(data, Path):
            source.write_bytes(data if isinstance(data, bytes) else data.encode())
        (tmp_path / "schema.toml").write_text(schema)
        given = {"--node": "age=1,zip=1", "-o": str(tmp_path / "out.parquet"), "-s": str(tmp_path / "schema.toml")}
        given |= dict(zip(more[::2], more[1::2], strict=True))
        arguments = ["publish", str(source), *(word for pair in given.items() for word in pair)]
        before = tree(tmp_path)
        ended = sfumato(*arguments)
        assert ended.status == 2, ended
        assert ended.out == ""
        assert ended.err.startswith("sfumato: ")
        assert ended.err.count("\n") == 1
        assert SECRET not in ended.err
        machine = sfumato(*arguments, "--json")
        assert machine.status == 2
        assert machine.err == ""
        error = machine.json["error"]
        assert set(error) == {"code", "message", "where"}
        assert ended.err == f"sfumato: {error['where']}: {error['message']}\n" or error["where"] is None
        assert tree(tmp_path) == before
        return ended.err

    return publish


def test_a_missing_file(refused: Callable[..., str], tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "nowhere.csv")


def test_a_missing_schema(refused: Callable[..., str], tmp_path: Path) -> None:
    message = refused(GOOD, SCHEMA, "-s", str(tmp_path / "none.toml"))
    assert "none.toml: no such file" in message
    assert "sfumato profile" in message


def test_a_column_of_the_schema_that_the_data_lack(refused: Callable[..., str]) -> None:
    message = refused(GOOD, SCHEMA + '[attributes.zipcode]\nrole = "plain"\n')
    assert "no column 'zipcode' in the data; did you mean 'zip'? (have: age, zip, disease)" in message


def test_a_column_of_the_data_that_the_schema_lacks(refused: Callable[..., str]) -> None:
    message = refused("age,zip,disease,name\n30,1,flu,Ann\n")
    assert "1 column of the data not declared: name" in message
    assert "'identifier'" in message


def test_an_unknown_quasi_identifier(refused: Callable[..., str]) -> None:
    assert "no attribute 'agee' in the schema; did you mean 'age'?" in refused(GOOD, SCHEMA, "--quasi", "agee")


def test_a_sensitive_attribute_among_the_quasi_identifiers(refused: Callable[..., str]) -> None:
    assert "'disease' is declared sensitive, not quasi" in refused(GOOD, SCHEMA, "--quasi", "age,disease")


def test_a_schema_without_quasi_identifiers(refused: Callable[..., str]) -> None:
    assert "no quasi-identifier" in refused(GOOD, SCHEMA.replace('"quasi"', '"plain"').replace("hierarchy", "#"))


def test_an_unknown_role(refused: Callable[..., str]) -> None:
    assert "no choice 'quassi'" in refused(GOOD, SCHEMA.replace('"quasi"', '"quassi"'))


def test_a_schema_that_is_not_toml(refused: Callable[..., str]) -> None:
    assert "not TOML" in refused(GOOD, "role: quasi")


def test_a_value_missing_in_a_hierarchy(refused: Callable[..., str]) -> None:
    schema = SCHEMA.replace('[attributes.zip]\nrole = "quasi"', '[attributes.zip]\nrole = "quasi"\nvalues = ["12345"]')
    message = refused(GOOD, schema)
    assert "attribute 'zip': level 0 lacks 1 value of the data" in message
    assert "'12345'" in message


def test_a_value_outside_of_the_bounds(refused: Callable[..., str]) -> None:
    message = refused(GOOD.replace("41", "141"))
    assert "attribute 'age': level 0 lacks 1 value of the data, outside the declared bounds [0, 100]" in message
    assert "141" not in message


@pytest.mark.parametrize("node", ["age=9,zip=1", "age=-1,zip=1", "[9,1]"])
def test_a_level_out_of_range(refused: Callable[..., str], node: str) -> None:
    assert "of 'age' does not exist; it has 0 to 2" in refused(GOOD, SCHEMA, "--node", node)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ("age=1", "no level for 'zip'"),
        ("age=1,zip=1,sex=0", "no attribute 'sex' in the QIDs to publish"),
        ("[1]", "1 level for 2 QIDs"),
        ("age", "cannot read 'age'"),
        ("[1,", "cannot read"),
        ("age=1,age=2,zip=1", "twice"),
        ('{"age": true, "zip": 1}', "does not exist"),
    ],
)
def test_a_node_that_does_not_fit(refused: Callable[..., str], node: str, message: str) -> None:
    assert message in refused(GOOD, SCHEMA, "--node", node)


@pytest.mark.parametrize("header", ["age,zip,zip,disease", "age,zip,disease,Zip"])
def test_a_header_twice(refused: Callable[..., str], header: str) -> None:
    assert "2 columns have" in refused(f"{header}\n30,1,2,flu\n")


def test_a_header_twice_in_parquet(refused: Callable[..., str], tmp_path: Path) -> None:
    pq.write_table(pa.table([[1], [2]], names=["age", "age"]), tmp_path / "twice.parquet")
    assert "2 columns have the name 'age'" in refused(tmp_path / "twice.parquet")


def test_a_column_without_a_name(refused: Callable[..., str]) -> None:
    assert "no column 'zip' in the data (have: age, column_2, disease)" in refused("age,,disease\n30,1,flu\n")


@pytest.mark.parametrize("row", [f"41,{SECRET}", f"41,{SECRET},cold,more"])
def test_ragged_rows(refused: Callable[..., str], row: str) -> None:
    message = refused(f"age,zip,disease\n30,12345,flu\n{row}\n")
    assert "data.csv, line 3: the row has" in message
    assert "columns where the header has 3" in message


def test_a_ragged_row_deep_in_the_file(refused: Callable[..., str]) -> None:
    rows = "".join(f"{age % 100},12345,flu\n" for age in range(100_000))
    assert "data.csv, line 100002: the row has 2 columns" in refused(f"age,zip,disease\n{rows}41,{SECRET}\n")


def test_an_open_quote(refused: Callable[..., str]) -> None:
    assert "quote" in refused(f'age,zip,disease\n30,"{SECRET},flu\n41,1,cold\n')


def test_not_utf_8(refused: Callable[..., str]) -> None:
    assert "data.csv, line 2: not UTF-8" in refused("age,zip,disease\n30,München,flu\n".encode("cp437"))


def test_not_utf_8_deep_in_the_file(refused: Callable[..., str]) -> None:
    rows = b"".join(b"%d,12345,flu\n" % (age % 100) for age in range(200_000))
    assert "data.csv, line 200002: not UTF-8" in refused(b"age,zip,disease\n" + rows + "30,München,flu\n".encode("cp437"))


@pytest.mark.parametrize("content", ["", "\n", "  \n"])
def test_an_empty_file(refused: Callable[..., str], content: str) -> None:
    assert "the file is empty" in refused(content)


def test_a_header_only(refused: Callable[..., str]) -> None:
    assert "no row of data below the header" in refused("age,zip,disease\n")


def test_parquet_without_rows(refused: Callable[..., str], tmp_path: Path) -> None:
    schema = pa.schema([("age", pa.int64()), ("zip", pa.string()), ("disease", pa.string())])
    pq.write_table(schema.empty_table(), tmp_path / "none.parquet")
    assert "no row of data" in refused(tmp_path / "none.parquet")


@pytest.mark.parametrize("content", [b"PAR1 and then nothing that makes sense", b"PAR1"])
def test_a_damaged_parquet_file(refused: Callable[..., str], content: bytes) -> None:
    assert "not a Parquet file, or a damaged one" in refused(content, name="data.parquet")


def test_a_damaged_gzip_file(refused: Callable[..., str]) -> None:
    whole = gzip.compress(GOOD.encode())
    assert refused(whole[: len(whole) // 2], name="data.csv.gz")


@pytest.mark.parametrize(
    ("values", "fit"),
    [
        (["31,5", "40", "7,25", ""], True),
        (["31,5", "40.5"], False),  # no sign reads both
        (["31,5", "unknown"], False),
        (["1,234,567"], False),
    ],
)
def test_a_decimal_comma_that_nobody_declared_is_named_if_it_reads_all_values(
    refused: Callable[..., str], sfumato: Run, tmp_path: Path, values: list[str], fit: bool
) -> None:
    schema = SCHEMA.replace("age", "pay").replace('"integer"', '"decimal"')
    lines = ["pay;zip;disease", *(f"{value};1;flu" for value in values)]
    message = refused("\n".join(lines) + "\n", schema, "--node", "pay=1,zip=1")
    assert "not fit type 'decimal'" in message
    assert ("if the comma is the decimal sign, --decimal ',' reads all of them" in message) is fit
    assert not any(value in message for value in values if value)
    if fit:
        place = str(tmp_path / "data.csv"), "-s", str(tmp_path / "schema.toml")
        assert sfumato("measure", *place, "--decimal", ",", "--json").json["people"] == len(values)


def test_a_type_that_does_not_fit(refused: Callable[..., str]) -> None:
    message = refused(f"age,zip,disease\n{SECRET},1,flu\n31.5,1,cold\n")
    assert "column 'age': 2 distinct values do not fit type 'integer'" in message


def test_a_type_that_does_not_fit_in_a_plain_column(refused: Callable[..., str]) -> None:
    data = f"age,zip,disease,visits\n30,1,flu,3\n31,1,cold,{SECRET}\n"
    message = refused(data, SCHEMA + '[attributes.visits]\nrole = "plain"\ntype = "integer"\n')
    assert "column 'visits': 1 distinct value does not fit type 'integer'" in message


def test_a_builder_that_does_not_fit_the_type(refused: Callable[..., str]) -> None:
    assert "builder 'intervals' needs type decimal, integer" in refused(GOOD, SCHEMA.replace('type = "integer"', 'type = "text"'))


def test_rows_without_an_owner(refused: Callable[..., str]) -> None:
    data = "age,zip,disease,person\n30,1,flu,a\n31,1,cold,\n32,1,cold,?\n"
    message = refused(data, '[table]\nmissing = ["", "?"]\n' + SCHEMA + '[attributes.person]\nrole = "owner"\n')
    assert "column 'person': 2 rows without an owner" in message


def test_an_unknown_output_format(refused: Callable[..., str], tmp_path: Path) -> None:
    assert "must end in .parquet, .csv, .csv.gz" in refused(GOOD, SCHEMA, "-o", str(tmp_path / "out.xlsx"))


def test_an_output_folder_that_does_not_exist(refused: Callable[..., str], tmp_path: Path) -> None:
    assert "no such folder" in refused(GOOD, SCHEMA, "-o", str(tmp_path / "no" / "out.parquet"))


def test_an_output_folder_that_is_not_writable(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    if os.geteuid() == 0:  # root may write anywhere, so the kernel's answer is given for it
        allowed = os.access
        monkeypatch.setattr(os, "access", lambda path, mode: "locked" not in str(path) and allowed(path, mode))
    assert "the folder is not writable" in refused(GOOD, SCHEMA, "-o", str(tmp_path / "locked" / "out.parquet"))


def test_an_output_that_exists(refused: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "out.parquet").write_text("precious")
    assert "exists already; --force replaces it" in refused()


def test_a_ledger_that_cannot_be_written(refused: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert "the ledger cannot be written" in refused(GOOD, SCHEMA, "--ledger", str(tmp_path / "file"))


def test_an_unknown_engine(refused: Callable[..., str]) -> None:
    assert "no engine 'duck'" in refused(GOOD, SCHEMA, "--engine", "duck")


def test_a_memory_limit_that_cannot_be_read(refused: Callable[..., str]) -> None:
    assert "cannot read 'lots'" in refused(GOOD, SCHEMA, "--memory", "lots")
    assert "more than any machine has" in refused(GOOD, SCHEMA, "--memory", "9" * 200)


def test_a_delimiter_of_two_characters(refused: Callable[..., str]) -> None:
    assert "a delimiter is one character" in refused(GOOD, SCHEMA, "--delimiter", "ab")


def test_unknown_commands_and_options_are_told_in_one_line(sfumato: Run) -> None:
    for arguments in (
        ["publisch"],
        ["publish", "--nodes", "1"],
        ["publish"],
        ["data", "mtcars", "-o", "x"],
        ["verify", "--seed"],
    ):
        ended = sfumato(*arguments)
        assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1)
        assert json.loads(sfumato(*arguments, "--json").out)["error"]["code"] == "usage"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (FileNotFoundError(2, "No such file or directory", "/gone/away"), "/gone/away: No such file or directory"),
        (OSError(5, "Input/output error"), "the system refuses to go on: Input/output error"),
        (MemoryError(), "not enough memory; "),
        (RecursionError("maximum recursion depth exceeded"), "something in the input is nested too deeply to be read"),
        (ValueError("embedded null byte"), "a name with a zero byte, which no file has"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_system_refuses_is_told_with_its_file_and_is_no_bug(
    refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, error: Exception, says: str
) -> None:
    def fail(*given: object, **more: object) -> None:
        raise error

    monkeypatch.setattr("sfumato.table.source.Source.open_engine", fail)
    assert says in refused()


@pytest.mark.parametrize("name", ["people\udce9.csv", "people\0.csv"])
def test_a_name_that_is_no_text(refused: Callable[..., str], tmp_path: Path, name: str) -> None:
    assert "word 2: not a text in UTF-8" in refused(tmp_path / name)


@pytest.mark.parametrize("number", ["1e999999999", "-1e999999999", "1e-999999999", "9" * 4000])
def test_a_number_that_would_fill_the_memory(refused: Callable[..., str], number: str) -> None:
    message = refused(GOOD, SCHEMA.replace("upper = 100", f"upper = {number}"))
    assert "'upper' takes numbers of at most 300 digits before and after the point" in message


def test_a_hierarchy_of_very_many_levels(refused: Callable[..., str], tmp_path: Path) -> None:
    labels = ";".join(map(str, range(20_000)))
    (tmp_path / "zip.csv").write_text(f"12345;{labels}\n{SECRET};{labels}\n")
    schema = SCHEMA.replace(
        '[attributes.zip]\nrole = "quasi"', '[attributes.zip]\nrole = "quasi"\nhierarchy = { file = "zip.csv" }'
    )
    assert "20,001 levels; a hierarchy has at most 500" in refused(GOOD, schema)
    deep = SCHEMA + "[attributes.zip.hierarchy.tree" + ".a" * 600 + ']\nb = ["12345"]\n'
    assert "nested too deeply" in refused(GOOD, deep)

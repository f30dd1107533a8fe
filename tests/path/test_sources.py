"""Sources that are unusual, or none at all."""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pexpect
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError, OutputError
from sfumato.release.ledger import default_ledger
from tests.contracts import people as plain
from tests.contracts.test_engine import arrow

ONE = '[attributes.q]\nrole = "quasi"\n'


def test_an_object_that_is_no_table_is_refused_by_its_type() -> None:
    with pytest.raises(DataError, match="cannot open an object of type int"):
        sf.Table.open(7, sf.Schema.parse(ONE))


def test_a_frame_that_mixes_types_is_refused_without_its_values() -> None:
    frame = pd.DataFrame({"q": [1, "Rumpelstilzchen", object()]})
    with pytest.raises(DataError, match="column 'q' of the frame mixes types") as caught:
        sf.Table.open(frame, sf.Schema.parse(ONE))
    assert "Rumpelstilzchen" not in str(caught.value)


def test_a_folder_without_parquet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no Parquet file in this folder"):
        sf.Table.open(tmp_path, sf.Schema.parse(ONE))


def test_a_glob_over_csv_and_parquet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("q\n1\n")
    pq.write_table(pa.table({"q": ["1"]}), tmp_path / "b.parquet")
    with pytest.raises(DataError, match="not all are Parquet"):
        sf.Table.open(f"{tmp_path}/*", sf.Schema.parse(ONE))
    with sf.Table.open(f"{tmp_path}/*.csv", sf.Schema.parse(ONE)) as table:
        assert table.count().total_rows == 1


def test_hidden_files_of_a_folder_are_left_out(tmp_path: Path) -> None:
    for name in ("part-0.parquet", "_metadata.parquet", ".part-1.parquet"):
        pq.write_table(pa.table({"q": ["1"]}), tmp_path / name)
    with sf.Table.open(tmp_path, sf.Schema.parse(ONE)) as table:
        assert table.count().total_rows == 1


def test_partitions_of_a_folder_are_columns(tmp_path: Path) -> None:
    for country in ("fr", "it"):
        (tmp_path / f"country={country}").mkdir()
        pq.write_table(pa.table({"q": ["1"]}), tmp_path / f"country={country}" / "part.parquet")
    schema = sf.Schema.parse(ONE + '[attributes.country]\nrole = "quasi"\n')
    with sf.Table.open(tmp_path, schema) as table:
        counts = table.count()
    assert [counts.labels(number) for number in (1, 2)] == [("1", "fr"), ("1", "it")]


def test_a_memory_limit_too_small_says_so(tmp_path: Path) -> None:
    wide = pa.table({"q": [f"{number:0200d}" for number in range(200_000)]})
    pq.write_table(wide, tmp_path / "wide.parquet")
    schema = sf.Schema.parse(ONE)
    with (
        sf.Table.open(tmp_path / "wide.parquet", schema, memory="5MB") as table,
        pytest.raises(DataError, match="the memory limit is too small for this query; raise memory"),
    ):
        table.count()


def test_sensitive_numbers_in_csv_are_published_as_numbers(tmp_path: Path) -> None:
    (tmp_path / "pay.csv").write_text("q,pay\na,10\nb, 20\nc,\n")
    schema = sf.Schema.parse(ONE + '[attributes.pay]\nrole = "sensitive"\ntype = "integer"\n')
    release = sf.publish(tmp_path / "pay.csv", schema, node=[1], output=tmp_path / "out.parquet")
    pay = pq.read_table(tmp_path / "out.parquet")["pay"]
    assert pa.types.is_integer(pay.type)
    assert sorted(pay.to_pylist(), key=str) == [10, 20, None]
    assert sorted(release.beside_original()["pay"].to_pylist(), key=str) == [10, 20, None]


def test_columns_of_other_types_pass_through(tmp_path: Path) -> None:
    lists = pa.table({"q": ["a", "b"], "tags": [["x"], ["y", "z"]], "raw": [b"\x00", b"\x01"]})
    schema = sf.Schema.parse(ONE + '[attributes.tags]\nrole = "plain"\n[attributes.raw]\nrole = "quasi"\n')
    release = sf.publish(lists, schema, node=[0, 1], output=tmp_path / "out.parquet")
    assert sorted(release.to_arrow()["tags"].to_pylist()) == [["x"], ["y", "z"]]


def test_the_ledger_lies_among_the_users_data_unless_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert default_ledger().name.startswith("ledger")
    monkeypatch.delenv("SFUMATO_LEDGER")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_ledger() == tmp_path / "sfumato" / "ledger"
    monkeypatch.delenv("XDG_DATA_HOME")
    assert default_ledger() == Path.home() / ".local" / "share" / "sfumato" / "ledger"


def test_a_map_in_a_folder_that_does_not_exist_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    where = {"output": tmp_path / "out.parquet", "mapping": tmp_path / "no" / "map.csv"}
    with pytest.raises(OutputError, match="no such folder"):
        sf.publish(arrow(), plain.schema(), quasi=["age"], node=[1], **where)
    (tmp_path / "map.csv").write_text("precious")
    with pytest.raises(OutputError, match="exists already"):
        sf.publish(arrow(), plain.schema(), quasi=["age"], node=[1], **(where | {"mapping": tmp_path / "map.csv"}))
    assert [path.name for path in tmp_path.iterdir()] == ["map.csv"]


def test_a_terminal_shows_the_step_that_runs(tmp_path: Path) -> None:
    import sys

    code = "from sfumato.cli.main import main; main()"
    demo = pexpect.spawn(sys.executable, ["-c", code, "demo", "-o", str(tmp_path / "demo")], dimensions=(40, 100), timeout=60)
    demo.expect("counting|writing|reading back")
    demo.expect("Open ")
    demo.expect(pexpect.EOF)
    demo.close()
    assert demo.exitstatus == 0


def test_a_long_cell_near_the_header_changes_no_limit_of_others(tmp_path: Path) -> None:
    before = csv.field_size_limit(1000)
    try:
        (tmp_path / "long.csv").write_text("q\n" + "a" * 1001 + "\n")
        sf.Table.open(tmp_path / "long.csv", sf.Schema.parse(ONE)).close()
        assert csv.field_size_limit() == 1000
    finally:
        csv.field_size_limit(before)

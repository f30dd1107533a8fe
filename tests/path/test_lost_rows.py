"""No row is lost on the way in: what the engine reads is compared with a count that is not the engine's."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines.base import Settings
from sfumato.engines.records import RecordCounter
from sfumato.errors import DataError
from sfumato.vocabulary.dialect import Dialect
from tests.path.rows_of import compare, ours

ONE = '[attributes.q]\nrole = "quasi"\n'


def test_random_texts_are_read_as_python_reads_them_or_refused(tmp_path: Path) -> None:
    read = [compare(seed, tmp_path) for seed in range(200)]
    assert 100 < sum(read) < 200


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\r"], ids=ascii)
@pytest.mark.parametrize("zipped", [False, True])
def test_a_long_last_line_is_read(tmp_path: Path, end: str, zipped: bool) -> None:
    line = end or "\n"
    text = f"q,r{line}1,2{line}3," + "x" * (33 << 20) + end
    (tmp_path / "long.csv").write_bytes(gzip.compress(text.encode(), 1) if zipped else text.encode())
    rows = ours(tmp_path / "long.csv")
    assert isinstance(rows, list)
    assert [(a, len(b or "")) for a, b in rows] == [("1", 1), ("3", 33 << 20)]


def test_a_long_quoted_cell_in_the_middle_is_read(tmp_path: Path) -> None:
    cell = 'a""b,\n' * 1_000_000
    (tmp_path / "long.csv").write_text(f'q,r\n1,"{cell}"\n3,4\n')
    assert ours(tmp_path / "long.csv") == [("1", cell.replace('""', '"')), ("3", "4")]


def test_a_record_too_long_for_the_memory_limit_is_refused_with_the_number_needed(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("q\n" + "x" * (20 << 20))
    refused = ours(tmp_path / "long.csv", Settings("100MB"))
    assert refused == (
        f"{tmp_path}/long.csv: a record of 21.0 MB needs about 167.8 MB of memory; raise memory, or is a quote not closed?"
    )
    assert isinstance(ours(tmp_path / "long.csv", Settings("200MB")), list)


def test_a_header_longer_than_a_megabyte_is_read_whole(tmp_path: Path) -> None:
    names = [f"column_number_{number:06d}" for number in range(500)] + ["x" * (1 << 20), "last"]
    (tmp_path / "wide.csv").write_text(f"{','.join(names)}\n{','.join('1' for _ in names)}\n")
    with sf.Source(tmp_path / "wide.csv", sf.Schema.parse(ONE.replace(".q]", ".last]"))).open() as table:
        assert table.columns == tuple(names)
        assert table.count().total_rows == 1


@pytest.mark.parametrize("text", ['\ufeff"a\nb",q\n1,2\n', '"a\nb",q\r\n1,2\r\n', '"a\rb",q\r\n1,2\r\n'], ids=ascii)
def test_a_header_that_the_engine_would_misread_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.csv").write_bytes(text.encode())
    assert "a name in the header has a line break, which the engine would misread" in str(ours(tmp_path / "odd.csv"))


@pytest.mark.parametrize("text", ['"a\r\nb",q\r\n1,2\r\n', '"a\nb",q\n1,2\n', '"a\rb",q\r1,2\r', '"a\rb",q\n1,2\n'], ids=ascii)
def test_a_header_with_a_line_break_of_the_files_kind_is_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "odd.csv").write_bytes(text.encode())
    assert ours(tmp_path / "odd.csv") == [("1", "2")]


REFUSED = {
    "nul": ("q,r\n1,2\n3,\0\n", "line 3: the line holds a NUL byte"),
    "mixed": ("q,r\n1,2\r\n", "below line 0: the file has line ends of several kinds"),
    "a lone return": ("q,r\n1,2\n3\r,4\n", "the file has line ends of several kinds"),
    "a blank first line": ("\nq,r\n1,2\n", "the first line is blank; the names of the columns belong there"),
    "an additional field": ("q,r\n1,2\n1,2,\n", "line 3: the row has 3 columns where the header has 2"),
    "quoted, an additional field": ('q,r\n"1","2"\n"1","2",\n', "line 3: the row has 3 columns where the header has 2"),
    "at the end, an additional field": ("q\n1\n2,", "line 3: the row has 2 columns where the header has 1"),
    "an open quote": ('q,r\n1,"2\n', "a quote is not closed"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_what_readers_disagree_about_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "odd.csv").write_bytes(text.encode())
    assert message in str(ours(tmp_path / "odd.csv", Settings(dialect=Dialect(delimiter=","))))


def test_blanks_around_a_quoted_field_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "blanks.csv").write_text('q,r\n1, "Smith, John"\n "a\nb" ,x "y\n')
    assert ours(tmp_path / "blanks.csv", Settings(dialect=Dialect(delimiter=","))) == [("1", "Smith, John"), ("a\nb", 'x "y')]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 64, 1 << 30])
@pytest.mark.parametrize("delimiter", [",", "§", " "])
def test_records_are_the_same_however_the_bytes_are_cut(size: int, delimiter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a line is so long that it is looked at in pieces."""
    monkeypatch.setattr("sfumato.engines.records._LONG", 1)
    text = 'q,r,s\r\n"1","2\r\n""","3"\r\n\r\n ä"x",  "§,""",年\r\n,,\r\n"",1"2,""""\r\n'.replace(",", delimiter).encode()
    counter = RecordCounter(delimiter, 3, "here")
    for begin in range(0, len(text), size):
        counter.feed(text[begin : begin + size])
    found = counter.finish()
    assert (found.rows, found.line_end) == (4, "\r\n")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_engine_that_loses_rows_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    """Here, by making the view that every query reads drop rows that are equal."""
    import sfumato.engines.duckdb.engine as engine

    path = tmp_path / f"x.{suffix}"
    (path.write_text("q\n1\n1\n2\n") if suffix == "csv" else pq.write_table(pa.table({"q": ["1", "1", "2"]}), path))
    selected = engine.selected
    monkeypatch.setattr(engine, "selected", lambda columns, written: f"DISTINCT {selected(columns, written)}")
    message = "the source has 3 rows and 2 were read; has it changed, or is it damaged"
    with sf.Table.open(path, sf.Schema.parse(ONE)) as table:
        with pytest.raises(DataError, match=message):
            table.count()
        with pytest.raises(DataError, match=message):
            list(table.rows())
    with pytest.raises(DataError, match=message):
        sf.profile(path)

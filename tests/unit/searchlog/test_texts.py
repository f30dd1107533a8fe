"""Texts that readers of CSV take for something else: marks that people typed, lines that were cut, other encodings. No line is lost."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import DataError
from sfumato.searchlog import import_log
from sfumato.searchlog.importing import blocks, mending
from sfumato.searchlog.importing.blocks import blocks_of, plain_records
from sfumato.searchlog.importing.layout import Layout, layout_of
from sfumato.searchlog.importing.mending import NOT_CLOSED, OTHER, TOO_MANY, Mending
from sfumato.vocabulary.dialect import Dialect

NAMES = ("AnonID", "Query", "QueryTime", "ItemRank", "ClickURL")
FIELDS = ("user", "query", "time", "rank", "url")
COLUMNS = dict(zip(FIELDS, NAMES, strict=True))
TIME = "2006-03-01 07:17:12"
WAYS: dict[str, dict[str, Any]] = {"aol": {"format": "aol"}, "columns": {"format": "columns", "columns": COLUMNS}}


def text_of(queries: Sequence[str], delimiter: str = "\t") -> str:
    """A log as somebody writes it who knows of no marks around cells; every query is of another person."""
    rows = [(f"u{place}", query, TIME, "", "") for place, query in enumerate(queries)]
    return "".join(f"{delimiter.join(row)}\n" for row in (NAMES, *rows))


def imported(folder: Path, text: str | bytes, way: str = "aol", name: str = "log.txt", **more: Any) -> Any:
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return import_log(folder / name, folder / "log.parquet", force=True, **WAYS[way] | more)


def queries_of(made: Any) -> dict[str, str]:
    return {row["UserId"]: row["Query"] for row in pq.read_table(made.file).to_pylist()}


def set_aside(made: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in made.aside.read_text(encoding="utf-8").splitlines()]


# A mark that somebody typed, and another one a hundred searches below: a reader of CSV makes one cell of all between them.
TYPED = ['"john smith', *(f"query {place}" for place in range(100)), '"', 'say "hi" now', "last"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("way", WAYS)
def test_a_mark_that_somebody_typed_takes_no_search_with_it_in_any_encoding(way: str, encoding: str, tmp_path: Path) -> None:
    made = imported(tmp_path, text_of([*TYPED, "café"]).encode(encoding), way)
    assert (made.rows, made.people, made.rejected) == (len(TYPED) + 1, len(TYPED) + 1, {})
    assert queries_of(made) == {f"u{place}": query for place, query in enumerate([*TYPED, "café"])}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("delimiter", ["\t", ",", ";", "|"])
def test_the_body_says_what_marks_are_and_not_the_header(delimiter: str, way: str, tmp_path: Path) -> None:
    header, body = text_of(TYPED, delimiter).split("\n", 1)
    in_marks = delimiter.join(f'"{name}"' for name in NAMES)
    for first in (header, in_marks, in_marks.replace('"', "", 2)):
        assert queries_of(imported(tmp_path, f"{first}\n{body}", way)) == {f"u{p}": query for p, query in enumerate(TYPED)}


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
@pytest.mark.parametrize("way", WAYS)
def test_marks_that_a_writer_put_around_cells_are_no_part_of_them(way: str, quoting: Any, delimiter: str, tmp_path: Path) -> None:
    asked = ['"new york"', 'say "hi", now', f"a{delimiter}b", "two\nlines", "plain", 'six" pipe', "", '"']
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator="\n")
    writer.writerows([NAMES, *((f"u{place}", query, TIME, "", "") for place, query in enumerate(asked))])
    made = imported(tmp_path, file.getvalue(), way)
    expected = {f"u{place}": " ".join(query.split()) for place, query in enumerate(asked) if query}
    assert queries_of(made) == expected
    assert made.rejected == {"no query": 1}


def test_a_cell_of_several_lines_with_delimiters_is_set_aside_line_by_line(tmp_path: Path) -> None:
    """It may be a text of several lines, or searches after a mark that somebody typed: nobody can know."""
    text = f'{",".join(NAMES)}\nu1,"one, two\nthree",{TIME},,\nu2,b,{TIME},,\nu3,"two\nlines",{TIME},,\n'
    made = imported(tmp_path, text)
    assert queries_of(made) == {"u2": "b", "u3": "two lines"}
    assert (made.records, made.rejected) == (4, {NOT_CLOSED: 2})
    aside = set_aside(made)
    assert [(each["line"], each["record"]) for each in aside] == [(2, 'u1,"one, two'), (3, f'three",{TIME},,')]


def test_a_text_of_several_lines_in_a_column_that_nobody_reads_is_one(tmp_path: Path) -> None:
    text = f'AnonID,Query,QueryTime,Remark\nu1,a,{TIME},"one, two\nthree, four, five, six"\nu2,b,{TIME},\n'
    named = {"user": "AnonID", "query": "Query", "time": "QueryTime"}
    assert queries_of(imported(tmp_path, text, "columns", columns=named)) == {"u1": "a", "u2": "b"}


def test_a_mark_in_a_column_that_nobody_reads_takes_no_search_with_it(tmp_path: Path) -> None:
    lines = [f"u{place}\tq{place}\t{TIME}\t{mark}" for place, mark in enumerate(['"inch', "", "", '"', ""])]
    named = {"user": "AnonID", "query": "Query", "time": "QueryTime"}
    made = imported(tmp_path, "AnonID\tQuery\tQueryTime\tRemark\n" + "\n".join(lines), "columns", columns=named)
    assert queries_of(made) == {f"u{place}": f"q{place}" for place in range(5)}


def test_what_a_cut_line_opens_swallows_nothing(tmp_path: Path) -> None:
    """The line has no time, so it is no search; those below it are."""
    text = text_of(["a", "b"], ",") + f'u7,"cut\nu8,c,{TIME},,\nu9,"d,{TIME},,\n'
    made = imported(tmp_path, text)
    assert queries_of(made) == {"u0": "a", "u1": "b", "u8": "c", "u9": '"d'}
    assert made.rejected == {NOT_CLOSED: 1}


@pytest.mark.parametrize("line", ['u{},"q,soon,,', 'u{},q"",soon,,', 'u{},"q"",soon,,', '",x,"', "no search"])
def test_a_mark_that_nobody_closes_is_looked_for_once(line: str, tmp_path: Path) -> None:
    """Each of 20,000 lines could be the end of a cell; to look at all of them for each would take minutes."""
    text = ",".join(NAMES) + '\nv,"open,soon,,\n' + "".join(line.format(place) + "\n" for place in range(20_000))
    made = imported(tmp_path, text + f"w,last,{TIME},,\n")
    assert queries_of(made) == {"w": "last"}
    assert made.records == 20_002


def test_a_line_that_lacks_only_its_empty_cells_is_read(tmp_path: Path) -> None:
    """Editors strip them."""
    stripped = "\n".join(line.rstrip("\t") for line in text_of(["a", "b", '"c']).split("\n"))
    clicked = f"u7\td\t{TIME}\t3\thttp://www.d.example\t\t\n"
    made = imported(tmp_path, stripped + clicked)
    assert queries_of(made) == {"u0": "a", "u1": "b", "u2": '"c', "u7": "d"}
    assert (made.records, made.rejected) == (4, {})


def test_lines_that_cannot_be_read_are_set_aside_and_the_others_keep_their_places(tmp_path: Path) -> None:
    lines = ["(5 rows)", f"u1\ta\t{TIME}\t\t\tmore", "u2\tb\tyesterday\t\t", "", f"u3\tc\0\t{TIME}", f"u4\td\t{TIME}", "u5\te"]
    made = imported(tmp_path, "\t".join(NAMES) + "\n" + "\n".join(lines) + "\n")
    assert queries_of(made) == {"u4": "d"}
    assert (made.records, made.rows) == (6, 1)
    assert made.rejected == {TOO_MANY: 1, OTHER: 1, "no query": 1, "no time, or a malformed one": 2}
    where = [(each.get("line"), each.get("row")) for each in set_aside(made)]
    assert where == [(3, None), (6, None), (None, 1), (None, 3), (None, 6)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("marks", [TYPED, ["a", "b"]])
def test_any_end_of_lines_is_one_and_several_kinds_are_no_harm(end: str, marks: list[str], tmp_path: Path) -> None:
    text = text_of(marks).replace("\n", end)
    expected = {f"u{place}": query for place, query in enumerate(marks)}
    assert queries_of(imported(tmp_path, text)) == expected
    if end != "\r":
        more = f"v\tz\t{TIME}\t\t" + ("\r\n" if end == "\n" else "\n")
        assert queries_of(imported(tmp_path, text + more)) == expected | {"v": "z"}


@pytest.mark.parametrize("queries", [TYPED, ["a, b, c, d", "e"]])
def test_without_a_header_the_delimiter_is_that_of_most_searches(queries: list[str], tmp_path: Path) -> None:
    body = text_of(queries).split("\n", 1)[1]
    places = {field: f"column_{place}" for place, field in enumerate(FIELDS, start=1)}
    made = imported(tmp_path, body, "columns", columns=places, header=False)
    assert queries_of(made) == {f"u{place}": query for place, query in enumerate(queries)}


def test_a_first_line_that_states_the_delimiter_and_an_encoding_that_is_named_are_heeded(tmp_path: Path) -> None:
    text = "sep=;\r\n" + text_of([*TYPED, "café"], ";")
    for encoding, more in (("utf-8", {}), ("cp1252", {}), ("cp037", {"encoding": "cp037"})):
        made = imported(tmp_path, text.encode(encoding), **more)
        assert queries_of(made) == {f"u{place}": query for place, query in enumerate([*TYPED, "café"])}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file is empty"),
        (gzip.compress(b""), "the file is empty"),
        (text_of(TYPED).replace("ItemRank", "Query").encode(), "2 columns have the name 'Query'"),
        (b"My searches\n" + text_of(["a"]).encode(), "a log without people: no column 'AnonID'"),
        (text_of(TYPED).encode("utf-16")[:-1], "not utf-16"),
    ],
    ids=["empty", "packed and empty", "a name twice", "a title", "half a sign"],
)
def test_a_file_that_is_no_log_is_refused_by_its_own_name(text: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message) as caught:
        imported(tmp_path, text)
    assert "log.txt" in str(caught.value)
    assert "smith" not in str(caught.value)


LINES = (
    '{"user": "a", "query": "secret", "time": "2026-03-01 10:00"}\n{"user": "b", "query": "q, r", "time": "2026-03-01 10:00"}\n'
)


@pytest.mark.parametrize("form", ["lecture", "aol", "columns"])
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (LINES, "utf-8"),
        (LINES, "utf-8-sig"),
        (LINES, "utf-16"),
        (f"[\n {LINES.splitlines()[0]}\n]\n", "utf-8"),
        ('{\n "log": []}', "utf-8"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_json_is_refused_by_its_name_with_what_would_work(
    pack: Callable[[bytes], bytes], text: str, encoding: str, form: Literal["lecture", "aol", "columns"], tmp_path: Path
) -> None:
    (tmp_path / "log.txt").write_bytes(pack(text.encode(encoding)))
    columns = "user=user,query=query,time=time" if form == "columns" else None
    with pytest.raises(DataError, match=r"log.txt: is JSON; write a table, one search per line, as CSV for example$") as caught:
        import_log(tmp_path / "log.txt", tmp_path / "log.parquet", format=form, columns=columns)
    assert "secret" not in str(caught.value)


def test_a_table_whose_names_begin_as_json_does_is_a_table(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("[[user,query,time\na,tax,2026-03-01 10:00\n", encoding="utf-8")
    made = import_log(
        tmp_path / "log.csv", tmp_path / "log.parquet", format="columns", columns="user=[[user,query=query,time=time"
    )
    assert (made.rows, made.people) == (1, 1)


def test_if_an_engine_reads_fewer_records_than_there_are_it_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The net below all of this: records are counted before an engine reads them."""
    monkeypatch.setattr("sfumato.searchlog.importing.texts.plain_records", lambda block, layout, quoted: block.count(b"\n"))
    with pytest.raises(DataError, match="4 records of 105 can be read; is a quotation mark not closed"):
        imported(tmp_path, text_of([*TYPED, "x"]), "columns")


ONE = st.lists(st.sampled_from(['"', '""', "a", " ", ",", "é", "'"]), max_size=5).map("".join)


def layout(head: bytes) -> Layout:
    found = layout_of(head, Path("log.txt"), COLUMNS, Dialect(), None)
    assert found is not None
    return found


@settings(max_examples=60)
@given(queries=st.lists(ONE, min_size=1, max_size=30), quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]))
def test_blocks_that_are_passed_over_quickly_are_those_that_a_close_look_leaves_as_they_are(
    queries: list[str], quoting: Any
) -> None:
    file = io.StringIO()
    writer = csv.writer(file, quoting=quoting, lineterminator="\n")
    writer.writerows([NAMES, *((f"u{place}", query, TIME, "", "") for place, query in enumerate(queries))])
    text = file.getvalue().encode()
    found = layout(text)
    body = text[len(found.header) :]
    assert plain_records(body, found, quoted=True) == len(queries)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mending, "plain_records", lambda block, layout, quoted: None)
        close = Mending(iter([body]), found, lambda *each: pytest.fail("a record was set aside"), typed=False)
        copied = b"".join(close.pieces()).decode()
    assert list(csv.reader(io.StringIO(copied))) == list(csv.reader(io.StringIO(body.decode())))
    assert close.records == len(queries)


@settings(max_examples=40)
@given(queries=st.lists(ONE, min_size=1, max_size=40), size=st.integers(200, 600), delimiter=st.sampled_from("\t;"))
def test_every_typed_line_is_a_record_or_set_aside_wherever_blocks_end(queries: list[str], size: int, delimiter: str) -> None:
    text = text_of(queries, delimiter).encode()
    found, aside = layout(text), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "CHUNK", size)
        whole = blocks_of(io.BytesIO(text), "log.txt")
        first = next(whole)[len(found.header) :]
        parts = (each for part in ((first,), whole) for each in part if each)
        close = Mending(parts, found, lambda *each: aside.append(each), typed=delimiter == "\t")
        copied = b"".join(close.pieces()).decode()
    rows = list(csv.reader(io.StringIO(copied, newline=""), delimiter=delimiter))
    assert [row[0] for row in rows] == [f"u{place}" for place in range(len(queries))]
    assert {row[2] for row in rows} == {TIME}
    assert (close.records, close.removed, aside) == (len(queries), [], [])


def test_times_of_a_log_do_not_decide_who_is_swallowed(tmp_path: Path) -> None:
    """The same with dates that only somebody can explain: without the explanation nothing is read, and nothing is lost."""
    text = text_of(TYPED).replace(TIME, "1.3.2006 7:17")
    with pytest.raises(DataError, match=r"no search in it: 104 records .*; times as 2026-03-02 08:00:00 .* dates=dd.mm.yyyy"):
        imported(tmp_path, text)
    made = imported(tmp_path, text, dates="dd.mm.yyyy")
    assert queries_of(made) == {f"u{place}": query for place, query in enumerate(TYPED)}
    assert set(pq.read_table(made.file).column("Time").to_pylist()) == {datetime(2006, 3, 1, 7, 17)}

"""Logs as they come: the lecture's table, AOL's and Yandex's layouts, any table; and what is wrong with them."""

from __future__ import annotations

import gzip
import json
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError, UsageError
from sfumato.searchlog import import_log
from sfumato.searchlog.importing.cleaning import moments

LECTURE = """,User ID,Query,Time,Rank,URL
1,User1,Tax ssn 111223333,2008-01-05 08:10,,
2,User2,Restaurant arlington wi,2008-01-03 10:20,1,local.yahoo.com/
3,User2,Restaurant  Arlington WI,2008-01-03 10:22,4,www.gorestaurants.net/
4,User2,70 single men,2008-01-05 14:30,,
5,User2,chen family tree,2008-01-06 20:01,1,chenfamilytree.com
6,User3,www.some-church.com,2008-01-08 10:35,1,www.some-church.com
7,User3,Tax for pastor,2008-01-13 22:50,8,answers.yahoo.com/
"""


def rows(path: Path) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in pq.read_table(path).to_pylist()]


def test_the_table_of_the_lecture_is_read_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(LECTURE, encoding="utf-8")
    made = import_log(tmp_path / "log.csv", tmp_path / "log.parquet", format="lecture")
    assert (made.records, made.rows, made.people, made.unordered, made.unranked, made.rejected) == (7, 7, 3, 0, 0, {})
    found = rows(made.file)
    assert found[0] == ("User1", "tax ssn 111223333", datetime(2008, 1, 5, 8, 10), None, None)
    assert {row[1] for row in found[1:3]} == {"restaurant arlington wi"}
    assert found[2][3:] == (4, "www.gorestaurants.net/")


def test_the_layout_of_aol_is_read_and_its_missing_queries_are_set_aside(tmp_path: Path) -> None:
    text = (
        "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n17\tTrain times\t2006-03-01 07:17:12\t\t\n17\t-\t2006-03-01 07:18:00\t\t\n"
    )
    text += "17\ttrain times\t2006-03-01 07:17:02\t3\thttp://www.trains.example\n"
    with gzip.open(tmp_path / "log.txt.gz", "wt", encoding="utf-8") as file:
        file.write(text)
    made = import_log(tmp_path / "log.txt.gz", tmp_path / "log.parquet", format="aol")
    assert (made.records, made.rows, made.unordered, made.rejected) == (3, 2, 1, {"no query": 1})
    assert [row[2] for row in rows(made.file)] == [datetime(2006, 3, 1, 7, 17, 2), datetime(2006, 3, 1, 7, 17, 12)]


@pytest.mark.parametrize(("name", "encoding"), [("log.txt", "utf-8"), ("log.txt.gz", "utf-8"), ("log.txt", "cp1252")])
def test_quotation_marks_of_aol_are_part_of_a_query(tmp_path: Path, name: str, encoding: str) -> None:
    asked = ['"new york', 'say "hi" now', 'six" pipe', '"café', "it's", "plain", '""']
    lines = [f"17\t{query}\t2006-03-01 07:17:1{place}\t\t\r\n" for place, query in enumerate(asked)]
    text = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\r\n" + "".join(lines)
    raw = text.encode(encoding)
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    made = import_log(tmp_path / name, tmp_path / "log.parquet", format="aol")
    assert [row[1] for row in rows(made.file)] == asked


def test_the_layout_of_yandex_becomes_queries_and_clicks_with_ranks(tmp_path: Path) -> None:
    lines = [
        "7\tM\t2\t99",
        "7\t0\tQ\t0\t11\t5,6\t70,1\t71,1",
        "7\t20\tC\t0\t71",
        "7\t30\tQ\t1\t12\t5\t72,1",
        "8\tM\t3\t98",
        "8\t0\tT\t0\t11\t5,6\t70,1",
        "9\t0\tQ\t0\t11\t5,6\t70,1",
        "rubbish",
        "1_0\tM\t3\t 5",
    ]
    (tmp_path / "log.tsv").write_text("\n".join(lines), encoding="utf-8")
    made = import_log(tmp_path / "log.tsv", tmp_path / "log.parquet", format="yandex")
    assert made.rejected == {"not a line of this layout": 3}
    assert rows(made.file) == [
        ("98", "t5 t6", datetime(2000, 1, 4), None, None),
        ("99", "t5 t6", datetime(2000, 1, 3, 0, 0, 20), 2, "u71"),
        ("99", "t5", datetime(2000, 1, 3, 0, 0, 30), None, None),
    ]


def test_what_cannot_be_read_is_counted_by_reason_and_set_aside(tmp_path: Path) -> None:
    text = "who,what,when,place\n,a,2026-03-02 08:00,1\nu,  ,2026-03-02 08:00,1\nu,b,02/03/2026 08:00,1\nu,c,2026-02-30 08:00,\n"
    text += "u,d,1772438400,0\n"
    (tmp_path / "log.csv").write_text(text, encoding="utf-8")
    columns = "user=who,query=what,time=when,rank=place"
    made = import_log(tmp_path / "log.csv", tmp_path / "log.parquet", format="columns", columns=columns)
    assert made.rejected == {"no user": 1, "no query": 1, "no time, or a malformed one": 2}
    assert (made.rows, made.unranked) == (1, 1)
    assert rows(made.file) == [("u", "d", datetime(2026, 3, 2, 8), None, None)]
    aside = [json.loads(line) for line in made.aside.read_text(encoding="utf-8").splitlines()]
    assert [each["row"] for each in aside] == [1, 2, 3, 4]


def test_a_row_set_aside_is_named_by_its_place_in_its_own_file(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("user id,query,time\nu,q,2026-03-02 08:00\nu,q,yesterday\n", encoding="utf-8")
    made = import_log([tmp_path / "a.csv", tmp_path / "b.csv"], tmp_path / "log.parquet", format="lecture")
    aside = [json.loads(line) for line in made.aside.read_text(encoding="utf-8").splitlines()]
    assert [(each["file"], each["row"]) for each in aside] == [("a.csv", 2), ("b.csv", 2)]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2008-01-05 08:10", datetime(2008, 1, 5, 8, 10)),
        ("2008-01-05T08:10:07Z", datetime(2008, 1, 5, 8, 10, 7)),
        (" 2008-01-05 08:10:07.9 ", datetime(2008, 1, 5, 8, 10, 7)),
        ("1199520607", datetime(2008, 1, 5, 8, 10, 7)),
        ("2008-02-29 00:00", datetime(2008, 2, 29)),
        ("2007-02-29 00:00", None),
        ("2008-01-05", None),
        ("5.1.2008 08:10", None),
        ("2008-01-05 24:10", None),
        ("2008-01-05 08:10+01:00", None),
        ("", None),
    ],
)
def test_a_time_is_read_in_one_way_or_in_none(text: str, time: datetime | None) -> None:
    assert moments(pa.array([text])).to_pylist() == [time]


@pytest.mark.parametrize(
    ("text", "ways", "message"),
    [
        ("Query,Time\na,2026-03-02 08:00\n", {"format": "lecture"}, "a log without people: no column 'User ID'"),
        ("User ID,Time\nu,2026-03-02 08:00\n", {"format": "lecture"}, "no column 'Query'"),
        ("User ID,Query,Time\n", {"format": "lecture"}, "an empty log"),
        ("User ID,Query,Time\nu,q,yesterday\n", {"format": "lecture"}, "times as 2026-03-02 08:00:00"),
        ("x\n", {"format": "yandex"}, "no search in it"),
    ],
)
def test_a_log_of_which_nothing_can_be_read_is_refused_in_one_line(
    text: str, ways: dict[str, str], message: str, tmp_path: Path
) -> None:
    (tmp_path / "log.csv").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        import_log(tmp_path / "log.csv", tmp_path / "log.parquet", **ways)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.csv"]


@pytest.mark.parametrize(
    ("ways", "message"),
    [
        ({"format": "bing"}, "no format 'bing'"),
        ({"format": "columns"}, "say which column is what"),
        ({"format": "columns", "columns": "user=a,query=b"}, "names no column for time"),
        ({"format": "columns", "columns": "user=a,user=b"}, "each field once"),
        ({"format": "columns", "columns": "user=a,query=b,time=c,clock=d"}, "no field 'clock'"),
        ({"format": "columns", "columns": "user=a,query=a,time=c"}, "one column to several fields"),
        ({"format": "aol", "columns": "user=a"}, "only"),
    ],
)
def test_what_does_not_say_which_column_is_what_is_refused(ways: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        import_log(tmp_path / "log.csv", tmp_path / "log.parquet", **ways)  # type: ignore[arg-type]


def test_several_files_are_one_log_whatever_their_order(tmp_path: Path) -> None:
    parts: Sequence[str] = ("u,b,2026-03-02 09:00\n", "u,a,2026-03-02 08:00\nt,a,2026-03-02 08:00\n")
    for place, part in enumerate(parts):
        (tmp_path / f"{place}.csv").write_text("user id,query,time\n" + part, encoding="utf-8")
    files = [tmp_path / "0.csv", tmp_path / "1.csv"]
    one = import_log(files, tmp_path / "one.parquet", format="lecture")
    other = import_log(files[::-1], tmp_path / "other.parquet", format="lecture")
    assert one.file.read_bytes() == other.file.read_bytes()
    assert (one.rows, one.unordered, other.unordered) == (3, 1, 0)


def test_what_is_set_aside_is_for_the_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(LECTURE + "8,User4,a secret,yesterday,,\n", encoding="utf-8")
    made = import_log(tmp_path / "log.csv", tmp_path / "log.parquet", format="lecture")
    assert "a secret" in made.aside.read_text(encoding="utf-8")
    assert made.aside.stat().st_mode & 0o077 == 0


def test_no_line_of_yandex_is_lost_without_a_word(tmp_path: Path) -> None:
    """A mark of the encoding before the first session; and a page whose number is used again before anybody has clicked on it."""
    lines = ["7\tM\t2\t99", "7\t0\tQ\t0\t11\t5\t70,1", "7\t9\tQ\t0\t12\t6\t71,1", "7\t12\tC\t0\t71", "7\t20\tQ\t0\t13\t8\t72,1"]
    (tmp_path / "log.txt").write_text("\ufeff" + "\n".join(lines) + "\n", encoding="utf-8")
    made = import_log(tmp_path / "log.txt", tmp_path / "log.parquet", format="yandex")
    assert [(row[1], row[3]) for row in rows(made.file)] == [("t5", None), ("t6", 1), ("t8", None)]
    assert made.rejected == {}


def test_a_malformed_line_of_yandex_takes_no_query_with_it(tmp_path: Path) -> None:
    lines = ["7\tM\t2\t99", "7\t0\tQ\t0\t11\t5\t70,1", "7\t9\tC\t0\tx", "7\tx\tQ\t0\t12\t6\t71,1"]
    (tmp_path / "log.txt").write_text("\n".join(lines), encoding="utf-8")
    made = import_log(tmp_path / "log.txt", tmp_path / "log.parquet", format="yandex")
    assert [row[1] for row in rows(made.file)] == ["t5"]
    assert made.rejected == {"not a line of this layout": 2}


@pytest.mark.parametrize("form", ["aol", "yandex"])
def test_a_damaged_archive_is_said_to_be_one(tmp_path: Path, form: str) -> None:
    text = {"aol": "AnonID\tQuery\tQueryTime\n" + "1\tq\t2006-03-01 07:17\n" * 999, "yandex": "7\tM\t2\t99\n" * 999}[form]
    (tmp_path / "log.gz").write_bytes(gzip.compress(text.encode())[:-9])
    with pytest.raises(DataError, match="damaged gzip file"):
        import_log(tmp_path / "log.gz", tmp_path / "log.parquet", format=form)


TABLE = {"u": ["a"], "q": ["tax"], "t": ["2024-01-05 08:00"]}


@pytest.mark.parametrize(
    "times",
    [
        pa.array([1704441600123456789], pa.timestamp("ns")),
        pa.array([1704441600], pa.timestamp("s", "America/New_York")),
        pa.array([1704441600.0]),
        pa.array(["2024-01-05T08:00:00Z"]).dictionary_encode(),
    ],
)
def test_times_of_any_type_are_whole_seconds(tmp_path: Path, times: pa.Array) -> None:
    pq.write_table(pa.table({**TABLE, "t": times}), tmp_path / "in.parquet")
    made = import_log(tmp_path / "in.parquet", tmp_path / "log.parquet", format="columns", columns="user=u,query=q,time=t")
    assert rows(made.file)[0][2] == datetime(2024, 1, 5, 8)


def test_one_person_in_several_spellings_of_a_number_is_one_person(tmp_path: Path) -> None:
    """A frame with a gap keeps whole numbers as floats, or writes them with a point; not a number is nobody."""
    large = 2**53
    users = (
        pa.array(["17", "17.0", "17.00", " 17\u200b", str(large)]),
        pa.array([17, large], pa.int64()),
        pa.array([17.0, 0.5, float("nan"), None, float(large)]),
        pa.array([Decimal("17.00")]),
    )
    files = [tmp_path / f"{place}.parquet" for place in range(len(users))]
    for file, own in zip(files, users, strict=True):
        pq.write_table(pa.table({"u": own, "q": ["tax"] * len(own), "t": TABLE["t"] * len(own)}), file)
    made = import_log(files, tmp_path / "log.parquet", format="columns", columns="user=u,query=q,time=t")
    assert {row[0] for row in rows(made.file)} == {"17", "0.5", str(large)}
    assert made.rejected == {"no user": 2}


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKD"])
def test_one_person_in_several_unicode_forms_is_one_person(tmp_path: Path, form: Literal["NFC", "NFD", "NFKD"]) -> None:
    """Some systems write an accent apart from its letter. Who counts as two would lift a query over a threshold."""
    users = ["José", unicodedata.normalize(form, "José"), "Ｊｏｓé", " José"]
    lines = "".join(f"{user},tax,2026-03-02 08:0{place}\n" for place, user in enumerate(users))
    (tmp_path / "log.csv").write_text("User ID,Query,Time\n" + lines, encoding="utf-8")
    made = import_log(tmp_path / "log.csv", tmp_path / "log.parquet", format="lecture")
    assert (made.rows, made.people) == (4, 1)
    assert {row[0] for row in rows(made.file)} == {"José"}


def test_a_column_that_somebody_names_must_be_there(tmp_path: Path) -> None:
    """Without a word, all clicks would be left out because of a typing error."""
    (tmp_path / "log.csv").write_text(LECTURE, encoding="utf-8")
    columns = "user=User ID,query=Query,time=Time,url=Clicked"
    with pytest.raises(DataError, match="no column 'Clicked'"):
        import_log(tmp_path / "log.csv", tmp_path / "log.parquet", format="columns", columns=columns)


@pytest.mark.parametrize("queries", [pa.array([["secret"]]), pa.array([b"secret\xff"])])
def test_a_column_that_is_no_text_is_refused_without_its_values(tmp_path: Path, queries: pa.Array) -> None:
    pq.write_table(pa.table({**TABLE, "q": queries}), tmp_path / "in.parquet")
    with pytest.raises(DataError, match=r"column 'q': a column of type .* is no text; write it as text") as caught:
        import_log(tmp_path / "in.parquet", tmp_path / "log.parquet", format="columns", columns="user=u,query=q,time=t")
    assert "secret" not in str(caught.value)

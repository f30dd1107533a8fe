"""Logs as they come: the lecture's table, AOL's and Yandex's layouts, any table; and what is wrong with them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

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
    ]
    (tmp_path / "log.tsv").write_text("\n".join(lines), encoding="utf-8")
    made = import_log(tmp_path / "log.tsv", tmp_path / "log.parquet", format="yandex")
    assert made.rejected == {"not a line of this layout": 2}
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

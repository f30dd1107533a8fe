"""Publishing: a log worked by hand, small logs against a plain publisher, and what a release must keep."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import DataError, DataSayNo, OutputError, UsageError
from sfumato.searchlog import publish, verify
from tests.unit.searchlog.logs import BEGIN, Row, logs, plainly_published, searched, write

# Three people search for taxes, two for mail, one for a name; worked by hand below.
WORKED = [
    searched("ann", "tax", 0, 1, "tax.example"),
    searched("ann", "mail", 10),
    searched("ann", "ann okvist", 12),
    searched("ann", "tax", 50, 2, "tax.example"),
    searched("bob", "tax", 61, 1, "tax.example"),
    searched("bob", "mail", 62, 3, "bob.example"),
    searched("cid", "tax", 130),
    searched("cid", "tax", 131),
]


def released(path: Path, owners: Path) -> set[tuple[str, tuple[Any, ...]]]:
    """The bundles with whose they are, without the numbers of ids: those of a person are numbered in the order of their first rows."""
    whose = dict(zip(*pq.read_table(owners).to_pydict().values(), strict=True))
    bundles: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for row in pq.read_table(path).to_pylist():
        bundles[row["Id"]].append((row["Period"], row["Query"], row["Time"], row["Rank"], row["URL"]))
    return {(whose[each], (rows[0][0], *sorted((row[1:] for row in rows), key=str))) for each, rows in bundles.items()}


def made(rows: list[Row], folder: Path, **ways: Any) -> set[tuple[str, tuple[Any, ...]]]:
    log = write(folder / "log.parquet", rows)
    publish(log, folder / "out.parquet", owners=folder / "owners.parquet", force=True, **ways)
    return released(folder / "out.parquet", folder / "owners.parquet")


def test_a_log_worked_by_hand(tmp_path: Path) -> None:
    hour = [BEGIN + timedelta(hours=each) for each in range(3)]
    assert made(WORKED, tmp_path, threshold=2, seed=1) == {
        # Ann's name is hers alone. From 0:10 to 0:50 she did not search what is published: a new session.
        ("ann", (1, ("mail", hour[0], None, None), ("tax", hour[0], 1, "tax.example"))),
        ("ann", (1, ("tax", hour[0], 2, "tax.example"))),
        # Nobody else clicked on Bob's page.
        ("bob", (1, ("mail", hour[1], None, None), ("tax", hour[1], 1, "tax.example"))),
        ("cid", (1, ("tax", hour[2], None, None), ("tax", hour[2], None, None))),
    }
    publish(tmp_path / "log.parquet", tmp_path / "again.parquet", threshold=3, sessions="off", times="day", urls="drop", bundle=1)
    counted = verify(tmp_path / "again.parquet").counted
    assert (counted["rows"], counted["ids"], counted["queries"], counted["clicks"], counted["least_ids_of_a_query"]) == (
        5,
        5,
        1,
        0,
        5,
    )


@settings(max_examples=15)
@given(
    rows=logs(),
    threshold=st.integers(2, 4),
    sessions=st.sampled_from(["off", "30m", "2h"]),
    bundle=st.sampled_from([None, 1, 3]),
    urls=st.booleans(),
    periods=st.sampled_from([None, 2]),
)
def test_a_release_is_that_of_a_plain_publisher(
    rows: list[Row], threshold: int, sessions: str, bundle: int | None, urls: bool, periods: int | None, tmp_path: Path
) -> None:
    seconds = {"off": None, "30m": 1800, "2h": 7200}[sessions]
    ways: dict[str, Any] = {
        "threshold": threshold,
        "sessions": sessions,
        "bundle": bundle,
        "urls": "threshold" if urls else "drop",
    }
    bounds: list[datetime] = []
    if periods:
        ways |= {"begin": BEGIN.isoformat(), "period": "1d", "periods": periods}
        bounds = [BEGIN + timedelta(days=each) for each in range(periods + 1)]
    plain = plainly_published(rows, threshold=threshold, sessions=seconds, bundle=bundle, urls=urls, periods=bounds)
    if not plain:
        with pytest.raises(DataSayNo, match="no query has"):
            made(rows, tmp_path, **ways)
        return
    assert made(rows, tmp_path, **ways) == {(user, (period, *own)) for user, (period, _, *own) in plain}


@settings(max_examples=6)
@given(rows=logs(), most=st.integers(1, 4))
def test_nobody_has_more_rows_than_declared_and_people_are_counted_after_that(rows: list[Row], most: int, tmp_path: Path) -> None:
    try:
        found = made(rows, tmp_path, threshold=2, per_person=most, sessions="off", seed=2)
    except DataSayNo:
        return
    people: dict[str, set[str]] = defaultdict(set)
    for user, (_, *own) in found:
        assert len(own) <= most
        for query, *_ in own:
            people[query].add(user)
    assert min(map(len, people.values())) >= 2
    assert all(query in {row[1] for row in rows} for query in people)


def test_one_person_more_changes_the_rows_of_nobody_else_before_people_are_counted(tmp_path: Path) -> None:
    rows = [searched(user, query, place * 40) for user in "abc" for place, query in enumerate(("mail", "news", "tax", "maps"))]
    one = made(rows, tmp_path, threshold=2, per_person=2, seed=9)
    more = made([*rows, *(searched("d", query, 0) for query in ("mail", "news"))], tmp_path, threshold=2, per_person=2, seed=9)
    kept = {(user, query) for user, (_, *own) in one for query, *_ in own}
    assert kept <= {(user, query) for user, (_, *own) in more for query, *_ in own}


def test_a_program_that_asks_a_thousand_times_is_one_person(tmp_path: Path) -> None:
    rows = [searched("bot", "buy watches", place) for place in range(1_000)] + WORKED
    found = made(rows, tmp_path, threshold=2)
    assert not any(query == "buy watches" for _, (_, *own) in found for query, *_ in own)


def test_a_person_at_the_threshold_decides_about_the_rows_of_the_others_and_periods_are_apart(tmp_path: Path) -> None:
    rows = [searched(user, "tax", 10) for user in "abc"] + [searched(user, "mail", 10) for user in "abcd"]
    with_her = made(rows, tmp_path, threshold=3, sessions="off")
    without = made([row for row in rows if row[0] != "a"], tmp_path, threshold=3, sessions="off")
    assert {query for _, (_, *own) in with_her for query, *_ in own} == {"tax", "mail"}
    assert {query for _, (_, *own) in without for query, *_ in own} == {"mail"}
    # Two of them in one period and one in the next are not three in either.
    late = [searched(user, "tax", 10 if user in "ab" else 2_000) for user in "abc"] + [
        searched(user, "mail", 10) for user in "abc"
    ]
    found = made(late, tmp_path, threshold=3, begin="2026-03-02", period="1d", periods=2)
    assert {query for _, (_, *own) in found for query, *_ in own} == {"mail"}


def test_the_same_seed_gives_the_same_file_whatever_the_order_of_the_log_and_no_seed_other_ids(tmp_path: Path) -> None:
    files = []
    for place, (rows, seed) in enumerate([(WORKED, 4), (WORKED[::-1], 4), (WORKED, 5)]):
        log = write(tmp_path / "log.parquet", rows)
        files.append(publish(log, tmp_path / f"{place}.parquet", threshold=2, seed=seed).file.read_bytes())
    assert files[0] == files[1] != files[2]
    many = [searched(f"u{number}", "tax", number) for number in range(200)]
    log = write(tmp_path / "many.parquet", many)
    orders = []
    for place in range(2):
        publish(log, tmp_path / f"m{place}.parquet", threshold=2, owners=tmp_path / f"o{place}.parquet")
        orders.append(pq.read_table(tmp_path / f"o{place}.parquet").column("UserId").to_pylist())
    assert orders[0] != orders[1]


def test_the_order_of_ids_and_rows_says_nothing_about_whose_they_are(tmp_path: Path) -> None:
    """Each of 40 people has ten sessions one after the other. Neighbors in the file are as often those of one person as chance has it."""
    rows = [searched(f"u{user:02d}", "tax", user + place * 60 * 24) for user in range(40) for place in range(10)]
    publish(
        write(tmp_path / "log.parquet", rows), tmp_path / "out.parquet", threshold=2, seed=1, owners=tmp_path / "owners.parquet"
    )
    users = pq.read_table(tmp_path / "owners.parquet").column("UserId").to_pylist()
    neighbors = sum(one == other for one, other in pairwise(users))
    # Expected 399 * 9/399 = 9, with a standard deviation of about 3: more than 24 would come about once in 10^6 times.
    assert neighbors <= 24
    times = pq.read_table(tmp_path / "out.parquet").column("Time").to_pylist()
    assert times != sorted(times)


def test_csv_has_the_rows_of_parquet_and_no_formula(tmp_path: Path) -> None:
    pages = ("x.example", "x\r.example", "x\r\ny", "'=x", '"x"', "+1", " x ")
    texts = ("=1+1", "it's", "null", "nan", 'a,b "c"', "001")
    rows = [searched(user, query, 5, 1, page) for user in "ab" for query in texts for page in pages]
    log = write(tmp_path / "log.parquet", rows)
    for ending in ("csv", "parquet"):
        publish(log, tmp_path / f"out.{ending}", threshold=2, seed=3)
    assert "'=1+1" in (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert verify(tmp_path / "out.csv").counted == verify(tmp_path / "out.parquet").counted
    from sfumato.searchlog.publishing.reading import read_release

    assert read_release(tmp_path / "out.csv").equals(read_release(tmp_path / "out.parquet"))


@pytest.mark.parametrize(
    ("ways", "message"),
    [
        ({"threshold": 1}, "keeps what only one person searched"),
        ({"threshold": 0}, "keeps what only one person searched"),
        ({"per_person": 0}, "must be 1 or more"),
        ({"bundle": 0}, "must be 1 or more"),
        ({"times": "second"}, "is one of minute, hour"),
        ({"urls": "all"}, "is one of threshold, drop"),
        ({"sessions": "30 minutes"}, "30m, 12h or 7d"),
        ({"sessions": "0m"}, "30m, 12h or 7d"),
        ({"period": "7d"}, "begin"),
        ({"begin": "2026-03-01", "period": "7d", "periods": 0}, "1 to 400"),
        ({"begin": "yesterday", "period": "7d"}, "2026-03-01"),
        ({"begin": "2026-03-01T00:00:00+01:00", "period": "7d"}, "no zone"),
        ({"begin": "9999-12-01", "period": "300d", "periods": 5}, "year 9999"),
        ({"private": "1,1e-6"}, "declare it"),
        ({"private": "one", "per_person": 3}, "EPSILON,DELTA"),
        ({"private": "0,1e-6", "per_person": 3}, "epsilon must be more than 0"),
        ({"private": "nan,1e-6", "per_person": 3}, "epsilon must be more than 0"),
        ({"private": "inf,1e-6", "per_person": 3}, "epsilon must be more than 0 and at most 100"),
        ({"private": "1e4,1e-6", "per_person": 3}, "epsilon must be more than 0 and at most 100"),
        ({"private": "1,1e-6", "per_person": 3, "bundle": 5}, "counts and no rows to divide"),
        (
            {"private": "1,1e-6", "per_person": 3, "sessions": "30m"},
            "sessions: a private release has counts and no rows to divide",
        ),
        (
            {"private": "1,1e-6", "per_person": 3, "sessions": "off"},
            "sessions: a private release has counts and no rows to divide",
        ),
        (
            {"private": "1,1e-6", "per_person": 3, "times": "hour"},
            "times: a private release has counts of whole periods and no times",
        ),
        ({"private": "1,1e-6", "per_person": 3, "urls": "drop"}, "urls: a private release has counts of queries and no URLs"),
        (
            {"private": "1,1e-6", "per_person": 3, "urls": "threshold"},
            "urls: a private release has counts of queries and no URLs",
        ),
        ({"private": "1,1e-6", "per_person": 3, "seed": 0}, "seed: a private release has no ids to give again"),
        ({"private": "1,0", "per_person": 3}, "delta must be more than 0"),
        ({"private": "1e-9,1e-6", "per_person": 3}, "nothing is seen"),
        ({"private": "1,1e-6", "per_person": 3, "owners": "x.parquet"}, "no ids"),
    ],
)
def test_what_promises_nothing_is_refused(ways: dict[str, Any], message: str, tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", WORKED)
    with pytest.raises(UsageError, match=message):
        publish(log, tmp_path / "out.parquet", **ways)
    assert [path.name for path in tmp_path.iterdir()] == ["log.parquet"]


def test_what_is_not_said_is_as_usual(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", WORKED)
    usual: dict[str, Any] = {"sessions": "30m", "times": "hour", "urls": "threshold"}
    files = [publish(log, tmp_path / f"{len(ways)}.parquet", threshold=2, seed=1, **ways) for ways in ({}, usual)]
    assert files[0].file.read_bytes() == files[1].file.read_bytes()
    assert (
        files[0].certificate.promise
        == files[1].certificate.promise
        == usual
        | {
            "threshold": 2,
            "sessions": 1_800,
            "per_person": None,
            "bundle": None,
            "periods": None,
        }
    )


def test_periods_without_a_row_are_said_to_be_empty(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", WORKED)
    with pytest.raises(DataSayNo, match="no row of the log is in the periods"):
        publish(log, tmp_path / "out.parquet", begin="1990-01-01", period="7d")
    assert [path.name for path in tmp_path.iterdir()] == ["log.parquet"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("", "secret", BEGIN, None, None), "without a person"),
        (("u", "Secret", BEGIN, None, None), "not normalized"),
        (("u", "two  blanks", BEGIN, None, None), "not normalized"),
        (("u", "secret", BEGIN, 0, "x"), "a rank without a URL"),
        (("u", "secr\u00e9t cafe\u0301", BEGIN, None, None), "not normalized .form, signs that nobody sees.: 1 spelling"),
        (("u", "secret\u200b", BEGIN, None, None), "not normalized"),
        (("u", "secret\tword", BEGIN, None, None), "not normalized"),
        (("u", "secret\u00a0word", BEGIN, None, None), "not normalized"),
        (("ann ", "secret", BEGIN, None, None), "a person with blanks around"),
        (("ann\u200b", "secret", BEGIN, None, None), "a person with blanks around or signs that nobody sees: 1 spelling"),
        (
            ("Jose\u0301", "secret", BEGIN, None, None),
            "a person in another Unicode form than the compatible one .NFKC.: 1 spelling",
        ),
    ],
)
def test_a_log_that_would_be_misread_is_refused_without_a_word_of_it(row: Row, message: str, tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", [*WORKED, row])
    with pytest.raises(DataError, match=message) as caught:
        publish(log, tmp_path / "out.parquet", threshold=2)
    assert "ecret" not in str(caught.value)


def test_a_rank_beyond_all_is_refused_without_its_value(tmp_path: Path) -> None:
    table = pq.read_table(write(tmp_path / "log.parquet", WORKED))
    ranks = pa.array([2**40 if each else None for each in table.column("Rank").to_pylist()], pa.int64())
    pq.write_table(table.set_column(3, "Rank", ranks), tmp_path / "log.parquet")
    with pytest.raises(DataError, match="a rank that is none") as caught:
        publish(tmp_path / "log.parquet", tmp_path / "out.parquet", threshold=2)
    assert str(2**40) not in str(caught.value)


def test_any_script_and_any_sign_is_a_query_if_it_is_normalized(tmp_path: Path) -> None:
    rows = [searched(user, query, 5) for user in ("a", "ü") for query in ("café", "größe", "東京", "😀", "i̇", "o'hara 70% \\n")]
    assert publish(write(tmp_path / "log.parquet", rows), tmp_path / "out.parquet", threshold=2).counted["queries"] == 6


@pytest.mark.parametrize("rank", ["float64", "float32", "Int64"])
def test_a_frame_of_pandas_is_the_log_that_it_was_read_from(rank: str, tmp_path: Path) -> None:
    """Rows without a click have no rank, and pandas writes whole numbers with gaps as decimals."""
    log = write(tmp_path / "log.parquet", WORKED)
    frame = pd.read_parquet(log).astype({"Rank": rank})
    files = [publish(each, tmp_path / f"{place}.csv", threshold=2, seed=1).file for place, each in enumerate((log, frame))]
    assert files[0].read_text() == files[1].read_text()
    assert str(frame["Rank"].dtype) == rank


@pytest.mark.parametrize("value", [1.5, float("inf"), 1e300])
def test_a_frame_with_a_rank_that_is_not_whole_is_refused_without_its_value(value: float, tmp_path: Path) -> None:
    frame = pd.read_parquet(write(tmp_path / "log.parquet", WORKED))
    frame.loc[0, "Rank"] = value
    with pytest.raises(DataError, match=r"^column 'Rank': is of type decimal, not integer; ") as caught:
        publish(frame, tmp_path / "out.csv", threshold=2)
    assert str(value) not in str(caught.value)


def test_an_empty_log_or_one_with_other_columns_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="an empty log"):
        publish(write(tmp_path / "log.parquet", []), tmp_path / "out.parquet")
    table = pq.read_table(write(tmp_path / "log.parquet", WORKED))
    pq.write_table(table.drop(["UserId"]), tmp_path / "log.parquet")
    with pytest.raises(DataError, match="no column 'UserId'"):
        publish(tmp_path / "log.parquet", tmp_path / "out.parquet")
    pq.write_table(table.set_column(2, "Time", table.column("Time").cast("string")), tmp_path / "log.parquet")
    with pytest.raises(DataError, match="of type text, not timestamp"):
        publish(tmp_path / "log.parquet", tmp_path / "out.parquet")


def test_what_is_there_is_not_replaced_unless_it_is_said(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", WORKED)
    publish(log, tmp_path / "out.parquet", threshold=2)
    before = (tmp_path / "out.parquet").read_bytes()
    with pytest.raises(OutputError):
        publish(log, tmp_path / "out.parquet", threshold=3)
    assert (tmp_path / "out.parquet").read_bytes() == before


def test_no_file_that_is_read_or_published_is_overwritten(tmp_path: Path) -> None:
    log = write(tmp_path / "log.parquet", WORKED)
    with pytest.raises(OutputError, match="an input of the same command"):
        publish(log, log, threshold=2, force=True)
    for owners in ("out.parquet", "out.parquet.certificate.json"):
        with pytest.raises(OutputError, match="two outputs have this name"):
            publish(log, tmp_path / "out.parquet", threshold=2, owners=tmp_path / owners)
    assert [path.name for path in tmp_path.iterdir()] == ["log.parquet"]

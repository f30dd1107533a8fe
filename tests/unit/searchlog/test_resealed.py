"""Releases that somebody has changed, and sealed again: the digest of the file, its size and the digest of the certificate all fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import NotVerified
from sfumato.searchlog import publish, verify
from sfumato.searchlog.publishing.arrangement import misplaced, misplaced_counts
from sfumato.searchlog.publishing.certificate import sha256
from sfumato.searchlog.publishing.limits import Periods
from sfumato.searchlog.publishing.reading import COUNTS, RELEASED, counted, counted_counts, opened_release
from tests.forging import forge
from tests.unit.searchlog.logs import logs, searched, write

Change = Callable[[pa.Table], pa.Table]
# Everybody has all in one hour, so that only texts, URLs and ranks say in which order rows are.
LOG = [
    searched(user, query, place, rank, url)
    for place, user in enumerate("abc")
    for query, rank, url in (
        ("tax", 1, "t.example"),
        ("tax", 2, "t.example"),
        ("tax", None, None),
        ("é", None, None),
        ("mail", 1, "m.example"),
    )
]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    ways: dict[str, Any] = {"threshold": 2, "sessions": "off", "owners": tmp_path / "owners.parquet", "seed": 1}
    return publish(write(tmp_path / "log.parquet", LOG), tmp_path / "out.parquet", **ways).file


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    log = write(tmp_path / "log.parquet", [searched(f"u{user}", query, user) for user in range(200) for query in ("tax", "mail")])
    return publish(log, tmp_path / "counts.parquet", private="5,1e-4", per_person=2).file


def resealed(release: Path, change: Change = lambda table: table, **stated: Any) -> None:
    """Another file, or another certificate, that nothing but its contents shows to be changed."""
    table = change(pq.read_table(release))
    pq.write_table(table, release)
    if "People" in table.column_names:
        found = counted_counts(table)
    else:
        with opened_release(table.cast(RELEASED), {}) as queries:
            found = counted(queries, "hour", Periods())
    fitting = {"sha256": sha256(release), "bytes": release.stat().st_size, "counted": found}
    forge(release.with_name(f"{release.name}.certificate.json"), fitting | stated)


def swapped(one: int, other: int) -> Change:
    def change(table: pa.Table) -> pa.Table:
        places = np.arange(len(table))
        places[[one, other]] = places[[other, one]]
        return table.take(pa.array(places))

    return change


def with_ids(change: Callable[[Any], Any]) -> Change:
    return lambda table: table.set_column(0, RELEASED.field("Id"), change(table.column("Id")))


def with_first(name: str, value: Any) -> Change:
    def change(table: pa.Table) -> pa.Table:
        place = table.column_names.index(name)
        values = [value, *table.column(name).to_pylist()[1:]]
        return table.set_column(place, table.schema.field(name), pa.array(values, table.schema.field(name).type))

    return change


def test_a_release_that_nobody_has_changed_verifies(release: Path, counts: Path) -> None:
    resealed(release)
    resealed(counts)
    verify(release)
    verify(release, owners=release.with_name("owners.parquet"))
    verify(counts)


@pytest.mark.parametrize("place", range(14))
def test_no_two_rows_can_change_places(place: int, release: Path) -> None:
    """Neighbors differ in the id, the query, the URL or the rank."""
    resealed(release, swapped(place, place + 1))
    with pytest.raises(NotVerified, match=r"is not as releases are written: (the ids are not|1 row is before)") as caught:
        verify(release)
    assert not any(word in str(caught.value) for word in ("tax", "mail.", "example"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_ids(pc.negate), "the ids are not the numbers from 1"),
        (with_ids(lambda ids: pc.add(ids, 1)), "the ids are not the numbers from 1"),
        (with_ids(lambda ids: pc.multiply(ids, 2)), "the ids are not the numbers from 1"),
        (with_ids(lambda ids: pc.subtract(ids, 1)), "the ids are not the numbers from 1"),
        (lambda table: table.take(pa.array(range(len(table))[::-1])), "the ids are not the numbers from 1"),
        (lambda table: pa.concat_tables([table, table.slice(0, 1)]), "the ids are not the numbers from 1"),
        (lambda table: pa.concat_tables([table.slice(4, 1), table]), "1 row is before what the time"),
        (with_first("Time", datetime(2026, 3, 2, 5)), "1 row is before what the time"),
        (with_first("Rank", -1), "a rank is below 1"),
        (lambda table: table.set_column(2, "Query", pc.utf8_upper(table.column("Query"))), "3 queries are not as queries are"),
    ],
)
def test_ids_and_orders_that_publishing_does_not_write_do_not_verify(change: Change, message: str, release: Path) -> None:
    resealed(release, change)
    with pytest.raises(NotVerified, match=message):
        verify(release)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.take(pa.array([1, 0])), "1 count is before what the period, the number or the query"),
        (with_first("Period", -1), "a count is of a period before the first"),
        (with_first("Query", "Ann Okvist"), "1 query is not as queries are compared"),
    ],
)
def test_the_same_holds_for_noisy_counts(change: Change, message: str, counts: Path) -> None:
    resealed(counts, change)
    with pytest.raises(NotVerified, match=message) as caught:
        verify(counts)
    assert "Okvist" not in str(caught.value)


def promise_of(release: Path) -> dict[str, Any]:
    text = release.with_name(f"{release.name}.certificate.json").read_text(encoding="utf-8")
    return dict(json.loads(text)["promise"])


@pytest.mark.parametrize("more", [{"note": "Ann Okvist"}, {"Ann Okvist": None}, {"periods_": {"begin": "x"}}])
def test_a_promise_with_what_no_release_promises_does_not_verify_and_its_words_are_not_shown(
    more: dict[str, Any], release: Path, counts: Path
) -> None:
    for file in (release, counts):
        resealed(file, promise=promise_of(file) | more)
        with pytest.raises(NotVerified, match=r"promises what is no setting of a release: 1 key besides .*threshold") as caught:
            verify(file)
        assert "Okvist" not in str(caught.value)


@pytest.mark.parametrize(
    "periods",
    [
        {"begin": "2026-03-02T00:00:00", "seconds": 86_400, "count": 1, "note": "Ann Okvist"},
        {"begin": "2026-03-02x00:00", "seconds": 86_400, "count": 1},
    ],
)
def test_periods_that_are_declared_in_other_words_are_none(periods: dict[str, Any], release: Path) -> None:
    resealed(release, promise=promise_of(release) | {"periods": periods})
    with pytest.raises(NotVerified, match="its settings are none that a release can have"):
        verify(release)


@pytest.mark.parametrize(
    "stated",
    [
        {"not_stopped": []},
        {"not_stopped": ["nothing that Ann Okvist would fear"]},
        {"same_query": "whatever Ann Okvist calls the same"},
        {"same_query": ""},
    ],
)
def test_what_is_the_same_query_and_what_is_not_stopped_is_no_matter_of_taste(
    stated: dict[str, Any], release: Path, counts: Path
) -> None:
    for file in (release, counts):
        resealed(file, **stated)
        with pytest.raises(NotVerified, match="says otherwise than such releases do") as caught:
            verify(file)
        assert "Okvist" not in str(caught.value)


def test_a_size_that_is_not_that_of_the_file_does_not_verify(release: Path) -> None:
    resealed(release, bytes=1)
    with pytest.raises(NotVerified, match="its size differs"):
        verify(release)


KEYS = ("Id", "Time", "Query", "URL", "Rank")


@settings(max_examples=150)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(1, 3),
            st.integers(0, 1),
            st.sampled_from(["a", "b", "é", "z", "ｚ", "😀"]),
            st.sampled_from([None, "x", "é"]),
            st.sampled_from([None, 1, 2]),
        ),
        min_size=1,
        max_size=12,
    ),
    chunk=st.integers(1, 5),
)
def test_rows_are_in_order_exactly_if_sorting_them_changes_nothing(rows: list[tuple[Any, ...]], chunk: int) -> None:
    """Sorted by the bytes of texts, as Python's bytes are; nothing comes first."""

    def key(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return row[0], row[1], row[2].encode(), (row[3] or "").encode(), row[4] or 0

    numbers = {each: place for place, each in enumerate(sorted({row[0] for row in rows}), start=1)}
    rows = [(numbers[row[0]], datetime(2026, 3, 2, row[1]), row[2].replace("ｚ", "zz"), *row[3:]) for row in rows]
    for tried in (rows, sorted(rows, key=key)):
        columns = dict(zip(KEYS, zip(*tried, strict=True), strict=True)) | {"Period": [1] * len(tried)}
        table = pa.table([pa.array(list(columns[name]), RELEASED.field(name).type) for name in RELEASED.names], schema=RELEASED)
        in_chunks = pa.concat_tables([table.slice(place, chunk) for place in range(0, len(table), chunk)])
        assert (not list(misplaced(in_chunks))) == (tried == sorted(tried, key=key))


def test_a_table_without_rows_is_in_order() -> None:
    assert not [*misplaced(RELEASED.empty_table()), *misplaced_counts(COUNTS.empty_table())]


@pytest.mark.slow
@settings(max_examples=8)
@given(rows=logs())
def test_what_publishing_writes_is_in_order(rows: list[Any], tmp_path: Path) -> None:
    common = [searched(user, query, 1) for user in "abcde" for query in ("tax", "é", "東京")]
    log = write(tmp_path / "log.parquet", [*rows, *common])
    for name, ways in (("a.parquet", {"sessions": "off", "times": "day"}), ("b.csv", {"bundle": 2, "urls": "drop"})):
        made = publish(log, tmp_path / name, threshold=2, force=True, **ways)  # type: ignore[arg-type]
        verify(made.file)

"""How times are written, where somebody has said it; and options that nothing would come of."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.errors import DataError, UsageError
from sfumato.searchlog import import_log
from sfumato.searchlog.importing.times import Times
from sfumato.vocabulary.dialect import Days

MORNING = datetime(2006, 3, 5, 7, 17)
NAMED = {"user": "Nutzer", "query": "Suche", "time": "Zeit"}
GERMAN = "Nutzer;Suche;Zeit\na;foo;05.03.2006\nb;bar;5.3.2006 7:17\nc;baz;2006-03-05 08:00\nd;x;31.02.2006\n"


@pytest.mark.parametrize(
    ("way", "text", "time"),
    [
        ("dd.mm.yyyy", "05.03.2006", datetime(2006, 3, 5)),
        ("dd.mm.yyyy", " 5.3.2006 7:17 ", MORNING),
        ("dd.mm.yyyy", "05.03.2006, 07:17:12.5", datetime(2006, 3, 5, 7, 17, 12)),
        ("dd.mm.yyyy", "05.03.2006T07:17", MORNING),
        ("dd.mm.yyyy", "2006-03-05 07:17", MORNING),
        ("dd.mm.yyyy", "1141543020", MORNING),
        ("dd.mm.yyyy", "1141543020.75", MORNING),
        ("dd.mm.yyyy", "1141543020123", MORNING),
        ("dd.mm.yyyy", "1141543020123456", MORNING),
        ("dd.mm.yyyy", "1141543020123456789", MORNING),
        ("dd.mm.yyyy", "200603050717", None),
        ("dd.mm.yyyy", "20060305071700", None),
        ("dd.mm.yyyy", "2006-03-05 07:17:00 UTC", MORNING),
        ("dd.mm.yyyy", "2006-03-05T07:17:00.123+00:00", MORNING),
        ("dd.mm.yyyy", "2006-03-05T07:17:00+01:00", None),
        ("dd.mm.yyyy", "05/03/2006", None),
        ("dd.mm.yyyy", "31.02.2006", None),
        ("dd.mm.yyyy", "05.03.2006 24:10", None),
        ("dd.mm.yyyy", "05.03.06", None),
        ("mm/dd/yyyy", "3/5/2006 7:17 AM", MORNING),
        ("mm/dd/yyyy", "3/5/2006 7:17pm", datetime(2006, 3, 5, 19, 17)),
        ("mm/dd/yyyy", "3/5/2006 12:17 a.m.", datetime(2006, 3, 5, 0, 17)),
        ("mm/dd/yyyy", "3/5/2006 12:17 PM", datetime(2006, 3, 5, 12, 17)),
        ("mm/dd/yyyy", "3/5/2006 13:17 PM", None),
        ("mm/dd/yyyy", "13/5/2006", None),
        ("dd-mmm-yyyy", "5-mar-2006 07:17", MORNING),
        ("dd-mmm-yy..2025", "05-MARCH-06 7:17", MORNING),
        ("dd-mmm-yy..2025", "5-sept-26", datetime(1926, 9, 5)),
        ("ddmmyyyy", "05032006 07:17", MORNING),
        ("yyyy-mm-dd", "2006-03-05", datetime(2006, 3, 5)),
    ],
)
def test_a_date_is_read_in_the_way_that_was_said_with_a_time_of_day_or_without(
    way: str, text: str, time: datetime | None
) -> None:
    times = Times(Days.of(way))
    assert times.read(pa.array([text, None, "x"]), "t").to_pylist() == [time, None, None]
    assert times.fits(text) or time is None
    assert not times.fits("x")


def imported(folder: Path, text: str, **more: Any) -> list[tuple[str, datetime]]:
    (folder / "log.csv").write_text(text, encoding="utf-8")
    ways: dict[str, Any] = {"format": "columns", "columns": NAMED, "force": True}
    made = import_log(folder / "log.csv", folder / "log.parquet", **ways | more)
    return [(row["UserId"], row["Time"]) for row in pq.read_table(made.file).to_pylist()]


@pytest.mark.parametrize("dates", ["dd.mm.yyyy", "Zeit=dd.mm.yyyy", "dd/mm/yyyy,zeit=dd.mm.yyyy"])
def test_an_import_reads_dates_as_was_said(dates: str, tmp_path: Path) -> None:
    expected = [("a", datetime(2006, 3, 5)), ("b", MORNING), ("c", datetime(2006, 3, 5, 8))]
    assert imported(tmp_path, GERMAN, dates=dates) == expected
    lecture = GERMAN.replace("Nutzer;Suche;Zeit", "User ID;Query;Time")
    dates = dates.replace("Zeit", "Time").replace("zeit", "time")
    assert imported(tmp_path, lecture, format="lecture", columns=None, dates=dates) == expected


def test_without_a_word_dates_that_could_be_read_in_two_ways_are_read_in_none(tmp_path: Path) -> None:
    assert imported(tmp_path, GERMAN) == [("c", datetime(2006, 3, 5, 8))]
    with pytest.raises(DataError, match=r"and 2\.3\.2026 8:00 with dates=dd\.mm\.yyyy"):
        imported(tmp_path, GERMAN.replace("2006-03-05 08:00", "5.3.2006"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dates": "soon"}, "dates: 'soon' is no way to write dates"),
        ({"dates": "Tag=dd.mm.yyyy"}, "dates: the times are in column 'Zeit', not in 'Tag'"),
        ({"decimal": ","}, "decimal: the numbers of a log are whole"),
        ({"thousands": "."}, "thousands: the numbers of a log are whole"),
        ({"delimiter": "ab"}, "delimiter: a delimiter is one character"),
        ({"encoding": "klingon"}, "no encoding 'klingon'"),
        ({"encodin": "utf-8"}, "no argument 'encodin' in this verb; did you mean 'encoding'"),
        ({"format": "yandex", "columns": None, "dates": "dd.mm.yyyy"}, "dates: this layout is written in one way; leave it out"),
        ({"format": "yandex", "columns": None, "encoding": "utf-16"}, "encoding: this layout is written in one way"),
        ({"format": "yandex", "columns": None, "header": False}, "header: this layout is written in one way"),
    ],
)
def test_an_option_that_would_change_nothing_is_refused(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        imported(tmp_path, GERMAN, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64()])
def test_numbers_of_a_column_count_since_1970_in_seconds_or_less(kind: pa.DataType, tmp_path: Path) -> None:
    counted = {"Nutzer": ["a", "b", "c"], "Suche": ["tax"] * 3, "Zeit": pa.array([1141543020, 1141543020123, None], kind)}
    pq.write_table(pa.table(counted), tmp_path / "in.parquet")
    made = import_log(tmp_path / "in.parquet", tmp_path / "log.parquet", format="columns", columns=NAMED)
    assert [(row["UserId"], row["Time"]) for row in pq.read_table(made.file).to_pylist()] == [("a", MORNING), ("b", MORNING)]


def test_dates_of_times_that_are_no_texts_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"Nutzer": ["a"], "Suche": ["tax"], "Zeit": [MORNING]}), tmp_path / "in.parquet")
    with pytest.raises(UsageError, match=r"dates: the times of in\.parquet are no texts; leave it out"):
        import_log(tmp_path / "in.parquet", tmp_path / "log.parquet", format="columns", columns=NAMED, dates="dd.mm.yyyy")

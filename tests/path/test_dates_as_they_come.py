"""Dates with the names of months, and with years of two digits: read as what they are, and never as anything else."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError, SchemaError, UsageError

DAYS = [date(1985, 4, 3), date(1999, 12, 31), date(2004, 2, 29), date(1970, 1, 5), date(2011, 9, 30), date(1962, 5, 17)]


def table(folder: Path, texts: list[str], name: str = "people.csv") -> Path:
    path = folder / name
    path.write_text("who;born\n" + "".join(f"p{place};{text}\n" for place, text in enumerate(texts)), encoding="utf-8")
    return path


def published(data: Path, schema: sf.Schema | str) -> list[date]:
    """The dates as a later run publishes them."""
    sf.publish(data, schema, node={"born": 0}, output=data.parent / "out.parquet", force=True)
    return sorted(pq.read_table(data.parent / "out.parquet")["born"].to_pylist())


def declared(form: str) -> str:
    return f'[attributes.who]\nrole = "identifier"\n[attributes.born]\nrole = "quasi"\ntype = "date"\nformat = "{form}"\n'


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("%d-%b-%Y", "dd-mmm-yyyy"),
        ("%d%b%Y", "ddmmmyyyy"),
        ("%d %B %Y", "dd mmm yyyy"),
        ("%d/%b/%Y", "dd/mmm/yyyy"),
    ],
)
@pytest.mark.parametrize("case", [str, str.upper, str.lower])
def test_months_by_name_are_found_and_kept(tmp_path: Path, written: str, said: str, case: type[str]) -> None:
    data = table(tmp_path, [case(day.strftime(written)) for day in DAYS])
    profile = sf.profile(data)
    assert profile.schema["born"].written.format == said
    assert f"Taken in born: dates {said}." in profile.read_as
    schema = profile.schema.with_role("born", "quasi").with_role("who", "identifier")
    assert published(data, schema) == sorted(DAYS)


def test_every_month_has_its_number(tmp_path: Path) -> None:
    days = [date(2001, month, 7) for month in range(1, 13)]
    for form in ("%d-%b-%Y", "%d-%B-%Y"):
        assert published(table(tmp_path, [day.strftime(form) for day in days]), sf.Schema.parse(declared("dd-mmm-yyyy"))) == days
    assert published(table(tmp_path, ["07-Sept-2001"]), sf.Schema.parse(declared("dd-mmm-yyyy"))) == [date(2001, 9, 7)]


def test_a_name_with_a_time_is_a_timestamp(tmp_path: Path) -> None:
    moments = [datetime(2020, 3, 1, 8, 30) + timedelta(days=40 * n, minutes=n) for n in range(8)]
    data = table(tmp_path, [moment.strftime("%d-%b-%Y %H:%M") for moment in moments])
    profile = sf.profile(data)
    assert (profile.schema["born"].kind.value, profile.schema["born"].written.format) == ("timestamp", "dd-mmm-yyyy")


@pytest.mark.parametrize("wrong", ["03-Apx-1985", "31-Apr-1985", "03-13-1985", "3-April-85"])
def test_what_is_no_such_date_is_refused(tmp_path: Path, wrong: str) -> None:
    data = table(tmp_path, ["03-Apr-1985", wrong])
    with pytest.raises(DataError, match="born") as refused:
        published(data, sf.Schema.parse(declared("dd-mmm-yyyy")))
    assert wrong not in str(refused.value)


def test_two_digits_stay_texts_until_somebody_says_which_years_are_meant(tmp_path: Path) -> None:
    data = table(tmp_path, [day.strftime("%d.%m.%y") for day in DAYS])
    profile = sf.profile(data)
    assert profile.schema["born"].kind.value == "text"
    (line,) = [line for line in profile.read_as if "born" in line]
    assert line == (
        "Left as texts in born: if they are dates, say --dates 'born=dd.mm.yy..YYYY', YYYY being the last year that can occur."
    )
    profile = sf.profile(data, dates="born=dd.mm.yy..2026")
    assert profile.schema["born"].written.format == "dd.mm.yy..2026"
    assert published(data, profile.schema.with_role("born", "quasi").with_role("who", "identifier")) == sorted(DAYS)


@pytest.mark.parametrize("last", [1999, 2000, 2025, 2026, 2099])
def test_the_hundred_years_that_end_with_the_last_one(tmp_path: Path, last: int) -> None:
    years = range(last - 99, last + 1)
    data = table(tmp_path, [f"07/08/{year % 100:02}" for year in years])
    assert published(data, sf.Schema.parse(declared(f"dd/mm/yy..{last}"))) == [date(year, 8, 7) for year in years]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("dd.mm.yy", "the last year that can occur says which years are meant, as in dd.mm.yy..2025"),
        ("dd.mm.yyyy..2025", "is only for years of two digits"),
        ("mmm.dd.yyyy", "is no way to write dates"),
    ],
)
def test_a_format_that_says_too_little_or_too_much(tmp_path: Path, form: str, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        sf.Schema.parse(declared(form))
    with pytest.raises(UsageError, match=message):
        sf.profile(table(tmp_path, ["03.04.85"]), dates=form)


def test_codes_that_look_like_short_dates_stay_codes(tmp_path: Path) -> None:
    texts = [f"{n % 28 + 1:02}-{n % 12 + 1:02}-{n % 90 + 10}" for n in range(60)]
    data = table(tmp_path, texts)
    schema = sf.profile(data).schema.with_role("born", "quasi").with_role("who", "identifier")
    sf.publish(data, schema, node={"born": 0}, output=tmp_path / "out.parquet")
    assert sorted(pq.read_table(tmp_path / "out.parquet")["born"].to_pylist()) == sorted(texts)

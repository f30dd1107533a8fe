"""Tables of a sequence as programs write them: sheets, databases, decimal commas, keys and values of other types than last year."""

from __future__ import annotations

import csv
import datetime
import decimal
import json
import sqlite3
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError, DataSayNo, UsageError

Run = Callable[..., Any]

SCHEMA = """
[attributes.patient]
role = "owner"
[attributes.age]
role = "quasi"
type = "integer"
hierarchy = { builder = "intervals", widths = [20, 40], lower = 0, upper = 120 }
[attributes.diagnosis]
role = "sensitive"
"""
FIRST = [("ann", 23, "flu"), ("ben", 27, "gastritis"), ("cid", 61, "flu"), ("dot", 68, "bronchitis")]
SECOND = [("ann", 23, "flu"), ("eve", 38, "dyspepsia"), ("cid", 61, "flu"), ("dot", 68, "bronchitis"), ("fay", 63, "gastritis")]
HEADS = ("patient", "age", "diagnosis")
BROKEN = "releases 1 and this one together break distinct-diversity:2 of diagnosis for 4 people"
YEARS = (FIRST, SECOND)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("h.toml").write_text(SCHEMA, encoding="utf-8")
    return tmp_path


def _csv(name: str, rows: list[tuple[Any, ...]], sign: str = ",") -> str:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=sign).writerows([HEADS, *rows])
    return name


def _parquet(name: str, **columns: Any) -> str:
    pq.write_table(pa.table(columns), name)
    return name


def _publish(data: str, number: int, /, *, node: int = 1, model: str = "distinct-diversity:2", **more: Any) -> sf.Release:
    settings = {"models": [model], "node": [node], "output": f"r{number}.csv", "ledger": "l"} | more
    return sf.publish(data, "h.toml", question=sf.Question(models=settings.pop("models")), **settings)


def test_two_sheets_of_a_workbook_are_two_tables() -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for name, rows in zip(("one", "two"), YEARS, strict=True):
        sheet = book.create_sheet(name)
        for row in (HEADS, *rows):
            sheet.append(row)
    book.save("both.xlsx")
    _publish("both.xlsx", 1, sheet="one")
    with pytest.raises(DataSayNo, match=BROKEN):
        _publish("both.xlsx", 2, sheet="two")
    _publish("both.xlsx", 2, sheet="two", together="none")
    assert [each.people for each in sf.sequence.audit("l", "h.toml").broken] == [4]


def test_a_table_of_a_database_is_opened_again_by_its_name() -> None:
    with sqlite3.connect("both.sqlite") as connection:
        for name, rows in zip(("one", "two"), YEARS, strict=True):
            connection.execute(f"CREATE TABLE {name} (patient TEXT, age INTEGER, diagnosis TEXT)")
            connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
    connection.close()
    _publish("both.sqlite", 1, table="one")
    with pytest.raises(DataSayNo, match=BROKEN):
        _publish("both.sqlite", 2, table="two")
    _publish("both.sqlite", 2, table="two", together="none")
    assert [each.people for each in sf.sequence.audit("l", "h.toml").broken] == [4]


def test_earlier_tables_are_read_as_they_were_when_they_were_published() -> None:
    schema = SCHEMA.replace('"integer"', '"decimal"')
    Path("h.toml").write_text(schema, encoding="utf-8")
    for number, rows in enumerate(YEARS, start=1):
        _csv(f"y{number}.csv", [(owner, f"{age},5", ill) for owner, age, ill in rows], ";")
    _publish("y1.csv", 1, decimal=",")
    with pytest.raises(DataSayNo, match=BROKEN):
        _publish("y2.csv", 2, decimal=",")
    _publish("y2.csv", 2, decimal=",", together="none")
    assert [each.people for each in sf.sequence.audit("l", "h.toml").broken] == [4]


def test_a_file_that_was_read_in_another_way_is_not_taken_for_the_same_table() -> None:
    Path("h.toml").write_text(SCHEMA.replace('"integer"', '"decimal"').replace("120", "120000"), encoding="utf-8")
    _csv("t.csv", [(owner, f"{age}.500", ill) for owner, age, ill in FIRST])
    _publish("t.csv", 1, model="k-anonymity:1")
    with pytest.warns(sf.TogetherWarning, match=r"release 1 \(r1.csv\) was made of the same file, read in another way"):
        _publish("t.csv", 2, thousands=".", decimal=",", node=2, model="k-anonymity:1")
    with pytest.raises(DataError, match="read it in one way"):
        _publish("t.csv", 3, thousands=".", decimal=",", node=2, model="k-anonymity:1", together="promised")


def test_a_new_table_with_other_shares_does_not_hide_what_two_releases_of_one_tell() -> None:
    """Each of two releases of a table is 0.27-close to it, and both together are not; what was published of other people before is
    no comparison."""
    cells = [(10, "x", 20, 16), (10, "y", 30, 12), (50, "x", 30, 12), (50, "y", 20, 10)]
    people = [(age, town, "flu" if n < flu else "cold") for age, town, count, flu in cells for n in range(count)]
    Path("h.toml").write_text(SCHEMA + '[attributes.zip]\nrole = "quasi"\n', encoding="utf-8")
    ages, towns, ill = (list(each) for each in zip(*people, strict=True))
    others = ["flu"] * 65 + ["cold"] * 35
    _parquet("other.parquet", patient=[f"o{n}" for n in range(100)], age=[10] * 100, diagnosis=others, zip=["x"] * 100)
    _parquet("t.parquet", patient=[f"p{n}" for n in range(100)], age=ages, diagnosis=ill, zip=towns)
    asked = {"model": "t-closeness:0.27", "together": None}
    _publish("other.parquet", 1, quasi=["age"], **asked)
    with pytest.warns(sf.TogetherWarning, match="no owner in common"):
        _publish("t.parquet", 2, quasi=["age"], **asked)
    with pytest.raises(DataSayNo, match=r"releases 2 and this one together break t-closeness:0\.27 of diagnosis for 20 people"):
        _publish("t.parquet", 3, quasi=["zip"], node=0, **asked)


def _accented(text: str, form: Any) -> str:
    return unicodedata.normalize(form, text)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ([f"{n:04}" for n in range(1, 5)], [str(n) for n in range(1, 5)]),
        ([f"{n}.5" for n in range(4)], [decimal.Decimal(f"{n}.50") for n in range(4)]),
        ([f"a{n}" for n in range(4)], [f"A{n}" for n in range(4)]),
        ([f"a{n}" for n in range(4)], [f" a{n} " for n in range(4)]),
        ([_accented(f"Zoë {n}", "NFC") for n in range(4)], [_accented(f"Zoë {n}", "NFD") for n in range(4)]),
        ([datetime.date(2020, 1, n) for n in range(1, 5)], [datetime.datetime(2020, 1, n) for n in range(1, 5)]),
    ],
    ids=["zeros", "fractions", "capitals", "blanks", "accents", "days"],
)
def test_owners_who_are_written_in_another_way_are_not_taken_for_others(before: list[Any], now: list[Any]) -> None:
    """Also where somebody is written alike in both."""
    shared = ["same-1", "same-2"] if isinstance(now[0], str) else []
    for number, owners in ((1, before), (2, now)):
        rows = SECOND[: len(owners)] + SECOND[-len(shared) or 5 :]
        columns = zip(*[(age, ill) for _, age, ill in rows], strict=True)
        ages, ills = (list(each) for each in columns)
        _parquet(
            f"y{number}.parquet", patient=pa.array([*owners, *shared]), age=ages[: len(owners) + len(shared)], diagnosis=ills
        )
    _publish("y1.parquet", 1, node=2)
    with pytest.warns(
        sf.TogetherWarning, match=r"tables that write 4 owners in different ways, such as 7, 7.0 and 007 or a1 and A1"
    ):
        _publish("y2.parquet", 2, node=2)
    with pytest.raises(DataError, match="write them in one way"):
        _publish("y2.parquet", 3, node=2, together="promised")


def test_whole_numbers_that_were_saved_as_fractions_are_the_same_owners() -> None:
    large = 10**15
    for number, kind in ((1, pa.int64()), (2, pa.float64())):
        owners = pa.array([large + n for n in range(len(YEARS[number - 1]))], pa.int64()).cast(kind)
        _, ages, ills = (list(each) for each in zip(*YEARS[number - 1], strict=True))
        _parquet(f"y{number}.parquet", patient=owners, age=ages, diagnosis=ills)
    _publish("y1.parquet", 1, node=2, model="k-anonymity:1")
    made = _publish("y2.parquet", 2, node=2, model="k-anonymity:1")
    assert made.together is not None
    assert (made.together.releases, made.together.not_judged) == ((1,), ())


VALUES = {
    "whole numbers with one missing": (pa.array([1, 2, 3, 4]), pa.array([1.0, 2.0, 3.0, 4.0, None])),
    "fractions": (pa.array([1.0, 2.0, 3.0, 4.0]), pa.array([1, 2, 3, 4, 4])),
    "days": (
        pa.array([datetime.date(2020, 1, n) for n in range(1, 5)]),
        pa.array([datetime.datetime(2020, 1, n) for n in (1, 2, 3, 4, 4)]),
    ),
    "truths": (pa.array([True, False, True, False]), pa.array(["true", "false", "true", "false", "false"])),
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_sensitive_values_are_the_same_whatever_type_they_are_saved_in(values: tuple[Any, Any]) -> None:
    for number, column in enumerate(values, start=1):
        owners = [f"p{n}" for n in range(len(column))]
        _parquet(f"y{number}.parquet", patient=owners, age=[20 + n for n in range(len(column))], diagnosis=column)
    shared: dict[str, Any] = {"m": 2, "ledger": "l", "counterfeits": 1.0, "seed": 1}
    sf.sequence.next_release("y1.parquet", "h.toml", output="r1.csv", mapping="m1.csv", **shared)
    made = sf.sequence.next_release("y2.parquet", "h.toml", output="r2.csv", mapping="m2.csv", after="m1.csv", **shared)
    assert (made.stayed, made.changed, made.people) == (4, 0, 5)
    assert made.release.together is not None
    assert made.release.together.models == ("m-invariance:2",)
    audited = sf.sequence.audit("l", "h.toml")
    assert (audited.kept, audited.changed) == (True, 0)


def test_values_that_nobody_has_again_are_told_of(sfumato: Run) -> None:
    for number, change in ((1, str.lower), (2, str.upper)):
        _csv(f"y{number}.csv", [(owner, age, change(ill)) for owner, age, ill in FIRST])
    command = ("sequence", "next", "-s", "h.toml", "-m", 2, "--ledger", "l", "--counterfeits", "99%")
    assert sfumato(*command, "y1.csv", "-o", "r1.csv", "--map", "m1.csv").err == ""
    ended = sfumato(*command, "y2.csv", "-o", "r2.csv", "--map", "m2.csv", "--after", "m1.csv")
    assert ended.status == 0
    assert "4 people come again, and nobody has the diagnosis of before" in ended.err
    assert "of the new, 4 people came before, with another diagnosis" in ended.out


def test_a_table_without_rows_and_a_map_with_an_odd_group_are_refused_in_one_line(sfumato: Run) -> None:
    _csv("none.csv", [])
    _csv("y1.csv", FIRST)
    command = ("sequence", "next", "-s", "h.toml", "-m", 2, "-o", "r.csv", "--map", "m.csv")
    empty = sfumato(*command, "none.csv")
    assert (empty.status, empty.err) == (2, "sfumato: none.csv: no row of data\n")
    Path("odd.csv").write_text(f'owner,group,signature\nann,{10**20},"[""flu"", ""cold""]"\n', encoding="utf-8")
    odd = sfumato(*command, "y1.csv", "--after", "odd.csv")
    assert (odd.status, odd.err.count("\n"), "not a map of an m-invariant release" in odd.err) == (2, 1, True)


def test_another_schema_of_the_same_people_is_refused_where_judging_is_asked_for() -> None:
    """Next year's file, and the attributes in another order."""
    for number, rows in enumerate(YEARS, start=1):
        _csv(f"y{number}.csv", rows)
    _publish("y1.csv", 1)
    blocks = SCHEMA.strip().split("\n[")
    Path("h.toml").write_text("\n[".join([blocks[0], blocks[2], blocks[1]]), encoding="utf-8")
    with pytest.warns(sf.TogetherWarning, match="columns of the same names under another schema"):
        _publish("y2.csv", 2)
    with pytest.raises(UsageError, match="under another schema"):
        _publish("y2.csv", 3, together="promised")
    entry = json.loads(Path("l/00000002.json").read_text(encoding="utf-8"))
    assert [each["release"] for each in entry["owner"]["together"]["not_judged"]] == [1]

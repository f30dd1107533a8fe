"""Count queries: the truth against a plain count of rows, and what a reader of labels would say, by hand."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import BadInput
from sfumato.learn import query_errors
from sfumato.learn.queries import Query
from sfumato.vocabulary.labels import Range
from tests.unit.learn.conftest import SCHEMA, rows


def plain_count(query: Query) -> int:
    """The rows that satisfy a query, one after the other."""

    def holds(value: Any, condition: Any) -> bool:
        if isinstance(condition, Range):
            return bool(condition.lower <= Decimal(value) <= condition.upper)  # type: ignore[operator]
        return value in condition

    return sum(all(holds(row[name], condition) for name, condition in query.conditions.items()) for row in rows().to_pylist())


def test_what_is_true_is_what_counting_rows_finds(table: sf.Table) -> None:
    found = query_errors(table, [[0, 0]], count=200, seed=3)
    assert list(found.truth) == [plain_count(query) for query in found.queries]
    assert set(found.releases[0].errors) == {0}
    assert {len(query.conditions) for query in found.queries} == {1, 2, 3}
    assert {name for query in found.queries for name in query.conditions} == {"age", "place", "diagnosis", "sick"}


def _own(folder: Path, text: str) -> Path:
    (folder / "own.toml").write_text(text, encoding="utf-8")
    return folder / "own.toml"


def test_a_reader_spreads_the_people_of_a_label_evenly(table: sf.Table, tmp_path: Path) -> None:
    # Ages are 0 to 79, three of each. [0, 20) has 60 people: a quarter of it is 5 to 9. North is Oslo and Turku, half of all.
    own = _own(
        tmp_path,
        "[[query]]\nname = 'five years'\nwhere = { age = { from = 5, to = 9 } }\n[[query]]\nwhere = { place = ['Oslo'] }\n"
        "[[query]]\nwhere = { age = { to = 29 }, sick = ['yes'] }\n[[query]]\nwhere = { age = [3, 4] }\n",
    )
    found = query_errors(table, [[1, 1], [3, 2]], queries=own)
    assert [query.name for query in found.queries] == ["five years", "2", "3", "4"]
    assert found.truth == (15, 60, 45, 6)
    assert found.releases[0].answers == (60 / 4, 120 / 2, 30 + 30 / 2, 60 * 2 / 20)
    # The declared ages are 0 to 80, of which there are 81.
    assert found.releases[1].answers == pytest.approx((240 * 5 / 81, 240 / 4, 120 * 30 / 81, 240 * 2 / 81))


def test_the_error_is_relative_to_the_truth(table: sf.Table, tmp_path: Path) -> None:
    own = _own(tmp_path, "[[query]]\nwhere = { diagnosis = ['flu'], age = { from = 60 } }\n")
    found = query_errors(table, [[3, 0]], queries=own)
    # Nobody of 60 or more has the flu, which 90 people have; 21 of 81 declared ages are so high. Relative to one row: a thousandth is less.
    assert found.truth == (0,)
    assert found.releases[0].answers == found.releases[0].errors == pytest.approx((90 * 21 / 81,))


def test_the_same_seed_asks_the_same(table: sf.Table) -> None:
    assert query_errors(table, [[1, 1]], count=50, seed=1) == query_errors(table, [[1, 1]], count=50, seed=1)
    assert query_errors(table, [[1, 1]], count=50, seed=1) != query_errors(table, [[1, 1]], count=50, seed=2)


DATES = {"attributes": {"day": {"role": "quasi", "type": "date", "hierarchy": {"builder": "dates", "units": ["month", "year"]}}}}


def test_a_month_and_a_year_are_ranges_of_days(tmp_path: Path) -> None:
    # A person a day in 2023, which has 365: January to March are 90 days, and half of June is 15.
    days = pa.table({"day": [date(2023, 1, 1) + timedelta(days=number) for number in range(365)]})
    own = _own(
        tmp_path,
        "[[query]]\nwhere = { day = { to = 2023-03-31 } }\n"
        "[[query]]\nwhere = { day = { from = 2023-06-01, to = 2023-06-15 } }\n[[query]]\nwhere = { day = { from = 2024-01-01 } }\n",
    )
    found = query_errors(days, [[1], [2]], schema=DATES, queries=own)
    assert found.truth == (90, 15, 0)
    assert found.releases[0].answers == found.releases[1].answers == pytest.approx((90, 15, 0))


def test_a_day_of_moments_is_a_day_long(tmp_path: Path) -> None:
    kind = {"role": "quasi", "type": "timestamp", "hierarchy": {"builder": "dates", "units": ["day"]}}
    hours = pa.table({"at": [datetime(2023, 1, 1 + number // 24, number % 24) for number in range(96)]})
    own = _own(tmp_path, "[[query]]\nwhere = { at = { from = 2023-01-02T00:00:00, to = 2023-01-02T12:00:00 } }\n")
    found = query_errors(hours, [[1]], schema={"attributes": {"at": kind}}, queries=own)
    assert found.truth == (13,)
    assert found.releases[0].answers == pytest.approx((12,))


def test_a_range_without_an_end_has_all_of_the_labels_on_its_side(tmp_path: Path) -> None:
    # Nobody is younger than 17; all of [0, 20) are up to 29 all the same. [20, 40], which has 21 ages, is spread.
    ages = {"role": "quasi", "type": "integer", "hierarchy": {"builder": "intervals", "widths": [20]}}
    own = _own(tmp_path, "[[query]]\nwhere = { age = { to = 29 } }\n[[query]]\nwhere = { age = { from = 30 } }\n")
    people = pa.table({"age": [17, 18, 19, *range(20, 40)]})
    found = query_errors(people, [[1]], schema={"attributes": {"age": ages}}, queries=own)
    assert found.truth == (13, 10)
    assert found.releases[0].answers == pytest.approx((3 + 20 * 10 / 21, 20 * 11 / 21))


@pytest.mark.parametrize("name", ["release.parquet", "release.csv"])
def test_a_file_answers_as_its_node_does(name: str, table: sf.Table, tmp_path: Path) -> None:
    sf.publish(table, node=[2, 1], output=tmp_path / name, ledger=tmp_path)
    release = sf.publish(table, node=[2, 1])
    found = query_errors(table, [tmp_path / name, [2, 1], release], count=100)
    assert found.releases[0].answers == pytest.approx(found.releases[1].answers)
    assert found.releases[0].answers == pytest.approx(found.releases[2].answers)


def test_a_column_that_is_withheld_is_spread_over_all_its_values(tmp_path: Path) -> None:
    own = _own(tmp_path, "[[query]]\nwhere = { place = ['Rome'] }\n")
    (tmp_path / "ages.csv").write_text("age\n" + "\n".join(str(row["age"]) for row in rows().to_pylist()) + "\n")
    found = query_errors(rows(), [tmp_path / "ages.csv"], schema=SCHEMA, queries=own)
    assert found.releases[0].answers == (60,)


def test_few_people_are_not_told_of(table: sf.Table, tmp_path: Path) -> None:
    own = _own(tmp_path, "[[query]]\nwhere = { age = [3] }\n[[query]]\nwhere = { age = [3, 4] }\n")
    record = query_errors(table, [[1, 1]], queries=own).as_dict()
    assert [each["truth"] for each in record["releases"][0]["answers"]] == [None, 6]


def test_the_quantiles_are_those_of_the_errors(table: sf.Table) -> None:
    found = query_errors(table, [[2, 1]], count=101).releases[0]
    ordered = sorted(found.errors)
    assert found.quantiles() == {
        "25%": ordered[25],
        "50%": ordered[50],
        "75%": ordered[75],
        "95%": ordered[95],
        "100%": ordered[100],
    }


BAD = [
    ("query = 5\n", "holds queries and nothing else, each below [[query]]"),
    ("[[query]]\nname = 'a'\n", "a query has conditions, 'where'"),
    ("[[query]]\nwhere = { name = ['person 1'] }\n", "no column 'name' in what is published"),
    ("[[query]]\nwhere = { sick = ['yes'], diagnosis = ['flu'] }\n", "at most one column besides QIDs; here are sick, diagnosis"),
    ("[[query]]\nwhere = { age = { from = 9, to = 5 } }\n", "the end of a range comes before its beginning"),
    ("[[query]]\nwhere = { age = 5 }\n", "the condition on 'age' is { from = …, to = … } or a list of values"),
    ("[[query]]\nwhere = { place = { from = 'a' } }\n", "the condition on 'place' is a list of values"),
    ("[[query]]\nwhere = { age = ['Methuselah'] }\n", "a value of 'age' does not fit its type, integer"),
    ("[[query]\n", "not TOML"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_a_query_that_cannot_be_asked_is_refused_in_one_line(text: str, message: str, table: sf.Table, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as refused:
        query_errors(table, [[1, 1]], queries=_own(tmp_path, text))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "Methuselah" not in str(refused.value)


def test_a_label_that_nobody_knows_is_refused_without_it(table: sf.Table, tmp_path: Path) -> None:
    (tmp_path / "strange.csv").write_text("place,sick\nAtlantis,yes\n")
    with pytest.raises(BadInput) as refused:
        query_errors(table, [tmp_path / "strange.csv"])
    assert "a label of column 'place' is not in its hierarchy" in str(refused.value)
    assert "Atlantis" not in str(refused.value)


def test_numbers_of_queries_and_seeds_are_checked(table: sf.Table) -> None:
    for given in ({"count": 0}, {"seed": -1}, {"count": True}):
        with pytest.raises(BadInput, match="a whole number from"):
            query_errors(table, [[1, 1]], **given)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="name at least one release"):
        query_errors(table, [])

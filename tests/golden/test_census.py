"""The census experiment of the leakage paper (V.B) and the thesis (3.4.2), as far as it is counting.

Expected numbers are printed in these sources, or counted here from the sample's rows with plain dictionaries.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from sfumato import FrequencySet, Table, data
from sfumato.beliefs import Prior

QUASI = ("age", "workclass", "education", "native-country", "marital-status", "race", "sex")
# Table IV of the leakage paper: domain sizes and heights. Its 74 ages are the whole numbers from 17 to 90.
DOMAINS = {
    "workclass": 7,
    "education": 16,
    "native-country": 41,
    "marital-status": 7,
    "race": 5,
    "sex": 2,
    "income": 2,
    "occupation": 14,
}
HEIGHTS = (4, 2, 3, 2, 2, 1, 1)
PRIMARY = {"Preschool", "1st-4th", "5th-6th"}
SECONDARY = {"7th-8th", "9th", "10th", "11th", "12th", "HS-grad"}


def age_band(age: int) -> str:
    return "[0, 25)" if age < 25 else "[25, 50)" if age < 50 else "[50, 75)" if age < 75 else "[75, 100]"


def sector(work: str) -> str:
    return "Gov" if work.endswith("-gov") else "Non-Gov"


def schooling(education: str) -> str:
    return "Primary" if education in PRIMARY else "Secondary" if education in SECONDARY else "Higher"


def country(name: str) -> str:
    return name if name == "United-States" else "Other"


def married(status: str) -> str:
    return "married" if status.startswith("Married") else "not married"


GENERAL: dict[str, tuple[int, Callable[[Any], str]]] = {
    "age": (2, age_band),
    "workclass": (1, sector),
    "education": (2, schooling),
    "native-country": (1, country),
    "marital-status": (1, married),
}


@pytest.fixture(scope="module")
def rows() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = pq.read_table(Path(data.__file__).parent / "adult.parquet").to_pydict()
    return found


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with data.adult() as opened:
        yield opened


@pytest.fixture(scope="module")
def bottom(table: Table) -> FrequencySet:
    return table.count()


def published(table: Table, names: tuple[str, ...]) -> FrequencySet:
    """These QIDs at the levels of the experiment."""
    return table.count(names, floor={name: GENERAL[name][0] for name in names})


def by_hand(rows: dict[str, list[Any]], names: tuple[str, ...]) -> dict[tuple[str, ...], Counter[str]]:
    """People per occupation in every class."""
    classes: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    labels = zip(*([GENERAL[name][1](value) for value in rows[name]] for name in names), strict=True)
    for label, occupation in zip(labels, rows["occupation"], strict=True):
        classes[label][occupation] += 1
    return classes


def occupations(counts: FrequencySet, number: int) -> Counter[str]:
    payload = counts.payloads["occupation"]
    start, end = payload.offsets[number - 1 : number + 1]
    return Counter(
        {
            payload.hierarchy.at(0)[value]: int(n)
            for value, n in zip(payload.values[start:end], payload.people[start:end], strict=True)
        }
    )


def test_there_are_30162_people_with_nothing_missing(bottom: FrequencySet, rows: dict[str, list[Any]]) -> None:
    assert (bottom.total_people, bottom.total_rows, bottom.basis) == (30_162, 30_162, "row")
    assert all(value not in (None, "", "?") for column in rows.values() for value in column)
    assert all(None not in bottom.labels(number) for number in range(1, bottom.classes + 1))


def test_the_cells_are_those_of_a_plain_count(bottom: FrequencySet, rows: dict[str, list[Any]]) -> None:
    plain = Counter(zip(*([str(value) for value in rows[name]] for name in QUASI), strict=True))
    assert {bottom.labels(number + 1): int(n) for number, n in enumerate(bottom.rows)} == dict(plain)


def test_domains_and_heights_are_those_of_the_paper(table: Table, rows: dict[str, list[Any]]) -> None:
    assert table.schema.quasi == QUASI
    assert tuple(table.schema[name].height() for name in QUASI) == HEIGHTS
    assert {name: len(set(rows[name])) for name in DOMAINS} == DOMAINS
    assert table.schema.sensitive == ("occupation",)
    assert len(range(min(rows["age"]), max(rows["age"]) + 1)) == 74


def test_there_are_72_ages_from_17_to_90(bottom: FrequencySet, rows: dict[str, list[Any]]) -> None:
    ages = bottom.project(["age"])
    found = [int(ages.labels(number)[0] or "") for number in range(1, ages.classes + 1)]
    assert (len(found), found[0], found[-1]) == (72, 17, 90)
    assert found == sorted(set(rows["age"]))


def test_age_and_work_class_make_8_classes_of_at_least_22_people_and_6_occupations(table: Table) -> None:
    counts = published(table, ("age", "workclass"))
    assert counts.node.levels == (2, 1)
    assert (counts.classes, int(counts.people.min())) == (8, 22)
    assert min(len(occupations(counts, number)) for number in range(1, 9)) == 6


def test_class_7_is_the_oldest_in_government_with_8_of_14_occupations_ruled_out(table: Table) -> None:
    counts = published(table, ("age", "workclass"))
    assert counts.labels(7) == ("[75, 100]", "Gov")
    assert int(counts.people[6]) == 22
    assert len(occupations(counts, 7)) == 14 - 8


# Fig. 3.6 of the thesis prints the numbers of classes.
@pytest.mark.parametrize(
    ("names", "classes"),
    [
        (("age", "workclass"), 8),
        (("workclass", "education"), 6),
        (("workclass", "native-country"), 4),
        (("education", "native-country"), 6),
    ],
)
def test_pairs_of_qids_have_the_classes_of_the_thesis_and_of_a_plain_count(
    table: Table, rows: dict[str, list[Any]], names: tuple[str, ...], classes: int
) -> None:
    counts = published(table, names)
    plain = by_hand(rows, names)
    assert counts.classes == len(plain) == classes
    assert {counts.labels(number): occupations(counts, number) for number in range(1, classes + 1)} == plain


def test_all_hierarchies_agree_with_a_plain_reading(table: Table, rows: dict[str, list[Any]]) -> None:
    for name, (level, label) in GENERAL.items():
        counts = table.count([name], floor={name: level}, sensitive=())
        plain = Counter(label(value) for value in rows[name])
        assert {counts.labels(number + 1)[0]: int(n) for number, n in enumerate(counts.people)} == dict(plain)


def test_counting_at_the_node_equals_rolling_up_from_the_bottom(table: Table, bottom: FrequencySet) -> None:
    for names in (("age", "workclass"), ("education", "native-country")):
        counts = published(table, names)
        rolled = bottom.project(names).roll_up(counts.node)
        assert (counts.codes.tolist(), counts.people.tolist()) == (rolled.codes.tolist(), rolled.people.tolist())


def test_nobody_of_50_or_more_is_in_the_armed_forces(table: Table) -> None:
    counts = table.count(["age"], floor={"age": 3})
    assert [counts.labels(number) for number in (1, 2)] == [("[0, 50)",), ("[50, 100]",)]
    assert "Armed-Forces" in occupations(counts, 1)
    assert set(occupations(counts, 1)) - set(occupations(counts, 2)) == {"Armed-Forces"}


def test_shares_of_the_8th_and_10th_occupation(bottom: FrequencySet) -> None:
    """The paper prints 0.1077 and 0.1339 for Fig. 3b; the 8th is 3,212 of 30,162 in the data as published by UCI."""
    prior = Prior.of(bottom, "occupation")
    assert (prior.values[7], int(prior.people[7]), round(float(prior.shares[7]), 4)) == ("Other-service", 3212, 0.1065)
    assert (prior.values[9], round(float(prior.shares[9]), 4)) == ("Prof-specialty", 0.1339)


def test_the_prior_is_that_of_a_plain_count(bottom: FrequencySet, rows: dict[str, list[Any]]) -> None:
    prior = Prior.of(bottom, "occupation")
    assert dict(zip(prior.values, prior.people.tolist(), strict=True)) == Counter(rows["occupation"])
    assert list(prior.values) == sorted(set(rows["occupation"]))
    assert len(prior.values) == 14

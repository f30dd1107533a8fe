"""One spelling for every value, whatever it was read from, and one order."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta, timezone
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.vocabulary.kinds import ROLE_SYNONYMS, Kind, Role, canonical, natural_order
from tests.strategies import texts

whole = st.integers(-(2**63) + 1, 2**63 - 1)
blanks = st.sampled_from(["", " ", "\t", "  "])


@given(whole, blanks, st.sampled_from(["", "0", "000"]), blanks)
def test_whole_numbers_lose_blanks_signs_and_leading_zeros(number: int, before: str, zeros: str, after: str) -> None:
    sign = "-" if number < 0 else "+" if zeros else ""
    assert canonical(Kind.INTEGER, f"{before}{sign}{zeros}{abs(number)}{after}") == str(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_decimal_numbers_have_one_spelling(number: float) -> None:
    written = canonical(Kind.DECIMAL, repr(number))
    assert written is not None
    assert float(written) == number
    assert {canonical(Kind.DECIMAL, f" {number!r} "), canonical(Kind.DECIMAL, f"{number:.17e}")} == {written}
    assert written != "-0.0"


@given(st.dates())
def test_dates_are_written_as_iso_says(day: date) -> None:
    assert canonical(Kind.DATE, f" {day.isoformat()} ") == day.isoformat()


@given(st.datetimes())
def test_moments_are_written_with_a_blank(moment: datetime) -> None:
    assert canonical(Kind.TIMESTAMP, moment.isoformat()) == str(moment)
    assert canonical(Kind.TIMESTAMP, str(moment)) == str(moment)


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)), st.integers(-23, 23))
def test_one_moment_has_one_spelling_in_every_time_zone(moment: datetime, hours: int) -> None:
    elsewhere = (moment + timedelta(hours=hours)).replace(tzinfo=timezone(timedelta(hours=hours)))
    assert canonical(Kind.TIMESTAMP, elsewhere.isoformat()) == str(moment)


@given(st.sampled_from(Kind), texts | whole.map(str) | st.floats().map(str) | st.datetimes().map(str) | st.booleans().map(str))
@example(Kind.INTEGER, "9" * 5000)
@example(Kind.TIMESTAMP, "0001-01-01T00:00:00+05:00")
@example(Kind.TIMESTAMP, "9999-12-31T23:59:59-05:00")
@example(Kind.DATE, "0000-01-01")
def test_any_text_has_a_canonical_text_of_its_own_or_none(kind: Kind, text: str) -> None:
    written = canonical(kind, text)
    if written is not None:
        assert canonical(kind, written) == written


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Kind.INTEGER, "39.5"),
        (Kind.INTEGER, ""),
        (Kind.INTEGER, "1_000"),
        (Kind.INTEGER, "0x1F"),
        (Kind.INTEGER, str(2**63)),
        (Kind.INTEGER, "thirty"),
        (Kind.DECIMAL, "1_000"),
        (Kind.DECIMAL, "nan"),
        (Kind.DECIMAL, "-inf"),
        (Kind.DECIMAL, "1e999"),
        (Kind.DECIMAL, "1,5"),
        (Kind.DATE, "2024-02-30"),
        (Kind.DATE, "31.03.2024"),
        (Kind.DATE, "2024-03-31 10:00"),
        (Kind.TIMESTAMP, "yesterday"),
        (Kind.BOOLEAN, "maybe"),
        (Kind.BOOLEAN, "2"),
    ],
)
def test_what_does_not_fit_is_none(kind: Kind, text: str) -> None:
    assert canonical(kind, text) is None


@pytest.mark.parametrize(
    ("kind", "text", "written"),
    [
        (Kind.TEXT, "  as it is ", "  as it is "),
        (Kind.TEXT, "", ""),
        (Kind.INTEGER, "-0", "0"),
        (Kind.INTEGER, " 039", "39"),
        (Kind.DECIMAL, "-0", "0.0"),
        (Kind.DECIMAL, "39", "39.0"),
        (Kind.DECIMAL, "1e3", "1000.0"),
        (Kind.DECIMAL, ".5", "0.5"),
        (Kind.TIMESTAMP, "2024-03-31", "2024-03-31 00:00:00"),
        (Kind.TIMESTAMP, "2024-03-31T23:00:00-02:00", "2024-04-01 01:00:00"),
        (Kind.TIMESTAMP, "2024-03-31T23:00:00Z", "2024-03-31 23:00:00"),
        (Kind.BOOLEAN, " Yes ", "true"),
        (Kind.BOOLEAN, "0", "false"),
        (Kind.BOOLEAN, "F", "false"),
    ],
)
def test_spellings_by_hand(kind: Kind, text: str, written: str) -> None:
    assert canonical(kind, text) == written


@given(st.lists(whole, unique=True), st.randoms(use_true_random=False))
def test_numbers_are_ordered_by_size_not_by_text(numbers: list[int], random: Random) -> None:
    shuffled = random.sample(numbers, len(numbers))
    assert natural_order(Kind.INTEGER, map(str, shuffled)) == [str(number) for number in sorted(numbers)]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number + 0.0), unique=True))
def test_decimals_are_ordered_by_size(numbers: list[float]) -> None:
    assert natural_order(Kind.DECIMAL, map(repr, numbers)) == [repr(number) for number in sorted(numbers)]


@given(st.lists(st.datetimes(), unique=True))
def test_moments_are_ordered_by_time(moments: list[datetime]) -> None:
    assert natural_order(Kind.TIMESTAMP, map(str, moments)) == [str(moment) for moment in sorted(moments)]
    days = {moment.date() for moment in moments}
    assert natural_order(Kind.DATE, map(str, days)) == [str(day) for day in sorted(days)]


@given(st.lists(texts, unique=True))
def test_texts_are_ordered_by_code_point(values: list[str]) -> None:
    assert natural_order(Kind.TEXT, values) == sorted(values, key=lambda text: [ord(character) for character in text])


def test_the_words_of_arx_are_roles_too() -> None:
    assert {word: role.value for word, role in ROLE_SYNONYMS.items()} == {
        "identifying": "identifier",
        "quasi-identifying": "quasi",
        "quasi-identifier": "quasi",
        "insensitive": "plain",
    }
    assert {role.value for role in Role} == {"identifier", "quasi", "sensitive", "plain", "owner"}


def test_an_infinite_number_is_never_written() -> None:
    assert canonical(Kind.DECIMAL, repr(math.inf)) is None

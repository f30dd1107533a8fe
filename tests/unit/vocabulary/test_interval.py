"""Intervals, printed in one form and read in three."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.vocabulary.interval import Interval, plain

numbers = st.decimals(-(10**9), 10**9, places=3)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("[20, 30)", "[20, 30)"),
        ("[20,30)", "[20, 30)"),
        ("  [ 20 ; 30 ) ", "[20, 30)"),
        ("[20, 30[", "[20, 30)"),
        ("[20, 30]", "[20, 30]"),
        ("[75, 75]", "[75, 75]"),
        ("[-20, -10[", "[-20, -10)"),
        ("[-0.50, +1.250)", "[-0.5, 1.25)"),
    ],
)
def test_brackets_are_read_for_any_number(text: str, printed: str) -> None:
    assert str(Interval.parse(text)) == printed
    assert str(Interval.parse(text, whole=True)) == printed


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("20-29", "[20, 30)"),
        ("20 - 29", "[20, 30)"),
        ("20–29", "[20, 30)"),
        ("20-20", "[20, 21)"),
        ("-5--1", "[-5, 0)"),
        ("-5 - 5", "[-5, 6)"),
        ("0-4", "[0, 5)"),
    ],
)
def test_a_dash_between_whole_numbers_includes_both(text: str, printed: str) -> None:
    assert str(Interval.parse(text, whole=True)) == printed
    assert Interval.parse(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Gov",
        "*",
        "20",
        "<50",
        ">=50",
        "]20, 30]",
        "(20, 30)",
        "[20, 30",
        "[20 30)",
        "[30, 20)",
        "[20, 20)",
        "29-20",
        "20.5-29.5",
        "2024-03-31",
        "[a, b)",
        "[1e3, 2e3)",
        "[20, 30) ff",
        "20-29-39",
        "[nan, nan]",
    ],
)
def test_what_writes_no_interval_is_none(text: str) -> None:
    assert Interval.parse(text) is None
    assert Interval.parse(text, whole=True) is None


@given(numbers, numbers, st.booleans())
def test_what_is_printed_is_read_again(one: Decimal, other: Decimal, closed: bool) -> None:
    interval = Interval(min(one, other), max(one, other), closed)
    expected = interval if closed or one != other else None
    assert Interval.parse(str(interval)) == expected


@given(numbers)
def test_plain_numbers_have_neither_exponent_nor_trailing_zeros(number: Decimal) -> None:
    text = plain(number)
    assert Decimal(text) == number
    assert "e" not in text.lower()
    assert not ("." in text and text.endswith(("0", ".")))


@pytest.mark.parametrize(
    ("number", "text"), [("30", "30"), ("0.50", "0.5"), ("1E+2", "100"), ("100", "100"), ("1E-3", "0.001"), ("-7.0", "-7")]
)
def test_a_number_is_written_as_a_person_would(number: str, text: str) -> None:
    assert plain(Decimal(number)) == text


def test_zero_has_no_sign() -> None:
    assert plain(Decimal("-0.0")) == "0"

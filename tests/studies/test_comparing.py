"""When a printed value agrees with ours: rounded, cut off, exactly, within a bound, or not at all."""

from __future__ import annotations

from math import sqrt

import pytest

from sfumato_studies.comparing import at_least, at_most, claim, count, formula, number, numbers
from sfumato_studies.exhibit import NO_REASON, Agreement

AGREES, CUT, DIFFERS = Agreement.AGREES, Agreement.CUT, Agreement.DIFFERS


@pytest.mark.parametrize(
    ("printed", "ours", "agreement"),
    [
        ("0.57", 0.5731533, AGREES),
        ("0.57", 0.575, AGREES),  # half a unit off
        ("0.57", 0.5651, AGREES),
        ("0.57", 0.5649, DIFFERS),
        ("0.57", 0.5751, CUT),
        ("0.57", 0.5799, CUT),
        ("0.57", 0.58, DIFFERS),
        ("0.11", 0.11556849, CUT),
        ("3.16", 3.169925, CUT),
        ("0.158", 1.584962, DIFFERS),
        ("0.7619", 0.71686, DIFFERS),
        ("0", 0.0, AGREES),
        ("0", 0.6, DIFFERS),
        ("0.2", 0.3, DIFFERS),
        ("-0.3617", 0.36177, DIFFERS),
        ("-0.3617", -0.36177, CUT),  # cut off towards zero
    ],
)
def test_a_decimal_number_agrees_within_half_a_unit_of_its_last_digit(printed: str, ours: float, agreement: Agreement) -> None:
    assert number("loss", "here", printed, ours).agreement is agreement


def test_a_reason_is_kept_only_where_something_differs() -> None:
    assert number("loss", "here", "0.57", 0.5731, "a reason").why == ""
    assert number("loss", "here", "0.57", 0.4, "a reason").reason == "a reason"
    assert number("loss", "here", "0.11", 0.1156, "a reason").reason == ""


def test_a_difference_without_a_reason_says_so() -> None:
    row = number("loss", "here", "0.57", 0.4)
    assert (row.agrees, row.explained, row.reason) == (False, False, NO_REASON)
    assert row.as_dict()["why"] == NO_REASON


def test_numbers_of_classes_are_numbered_from_one() -> None:
    rows = numbers("loss", "here", "0.1 0.2", [0.1, 0.3], {2: "why"})
    assert [(row.what, row.agrees, row.reason) for row in rows] == [("loss, class 1", True, ""), ("loss, class 2", False, "why")]


def test_as_many_numbers_must_be_printed_as_there_are_classes() -> None:
    with pytest.raises(ValueError, match="zip"):
        numbers("loss", "here", "0.1 0.2", [0.1])


def test_a_formula_must_be_ours_to_nine_digits() -> None:
    assert formula("loss", "here", "√8/12", sqrt(8) / 12, sqrt(8) / 12 + 1e-10).agrees
    assert not formula("loss", "here", "√8/12", sqrt(8) / 12, sqrt(8) / 12 + 1e-8).agrees
    assert formula("loss", "here", "√8/12", sqrt(8) / 12, 0.4).printed == "√8/12 = 0.2357"


def test_counts_bounds_and_claims() -> None:
    assert count("classes", "here", 8, 8).agrees
    assert not count("classes", "here", 8, 6).agrees
    assert at_most("closeness", "here", 0.5, 0.5).agrees
    assert not at_most("closeness", "here", 0.5, 0.5001).agrees
    assert at_least("people", "here", 6, 6).agrees
    assert not at_least("people", "here", 6, 5).agrees
    assert claim("class", "here", "7", "7", True).agrees
    assert not claim("class", "here", "7", "6", False).agrees

"""Ranges as labels: written, read and ordered by what they say."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.vocabulary.kinds import Kind, canonical
from sfumato.vocabulary.labels import Range, in_order, range_label

numbers = st.one_of(
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(
        ["0", "-0.0", "+0", "0.0", "1e400", "1e401", "-1e400", "9007199254740993", "9007199254740992.0", "1e-5000", "007"]
    ),
)


@pytest.mark.parametrize(
    ("label", "wanted"),
    [
        ("[17, 24]", Range(Decimal(17), Decimal(24))),
        ("[17, 24)", Range(Decimal(17), Decimal(24), open=True)),
        ("-1.5", Range(Decimal("-1.5"), Decimal("-1.5"))),
        ("1e-07", Range(Decimal("1e-7"), Decimal("1e-7"))),
        ("2024-02-29", Range("2024-02-29", "2024-02-29")),
        ("[2024-02-29, 2024-03-01 10:00:00]", Range("2024-02-29", "2024-03-01 10:00:00")),
        ("[a, b]", None),
        ("*", None),
        ("", None),
    ],
)
def test_a_label_is_read_as_the_range_it_writes(label: str, wanted: Range | None) -> None:
    assert Range.parse(label) == wanted


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_range_holds_its_bounds(one: float, other: float) -> None:
    lower, upper = (canonical(Kind.DECIMAL, repr(number)) for number in sorted((one, other)))
    assert lower is not None
    assert upper is not None
    result = Range.parse(range_label(Kind.DECIMAL, lower, upper))
    assert result is not None
    assert result.among(sorted([Decimal(lower), Decimal(upper)])) == 2


def test_a_range_counts_the_points_within_it() -> None:
    points = [Decimal(number) for number in range(10)]
    assert Range(Decimal(2), Decimal(5)).among(points) == 4
    assert Range(Decimal(2), Decimal(5), open=True).among(points) == 3
    assert Range("2024-01-02", "2024-01-04").among(["2024-01-01", "2024-01-03", "2024-01-04"]) == 2


def test_labels_sort_by_bounds_then_by_time_then_by_text() -> None:
    labels = ["Gov", "*", "2024-03-01", "[2024-01-01, 2024-06-30]", "[9, 10]", "[10, 12]", "9", "100", "[9, 9.5]"]
    wanted = ("9", "[9, 9.5]", "[9, 10]", "[10, 12]", "100", "[2024-01-01, 2024-06-30]", "2024-03-01", "*", "Gov")
    assert in_order(labels) == in_order(reversed(labels)) == wanted


@given(st.lists(numbers, max_size=12))
def test_numbers_alone_are_in_the_order_that_they_have_among_others(labels: list[str]) -> None:
    assert in_order([*labels, "Gov"]) == (*in_order(labels), "Gov")

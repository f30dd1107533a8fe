"""Labels as numbers: midpoints and widths, categories, missing values."""

from __future__ import annotations

import numpy as np

from sfumato.learn.columns import Column, features_of
from sfumato.vocabulary.kinds import Kind


def column(kind: Kind, labels: tuple[str, ...], *codes: int) -> Column:
    return Column("x", kind, labels, np.array(codes, np.int32))


def test_an_interval_is_its_midpoint_and_its_width() -> None:
    features = features_of([column(Kind.INTEGER, ("[0, 20)", "[20, 80]", "30"), 0, 1, 2)], 3)
    assert features.names == ("x midpoint", "x width")
    assert features.matrix.tolist() == [[10, 20], [50, 60], [30, 0]]
    assert features.categories == 0


def test_values_have_no_width() -> None:
    features = features_of([column(Kind.DECIMAL, ("1.5", "2.5"), 0, 1, 1)], 3)
    assert features.names == ("x midpoint",)
    assert features.matrix.tolist() == [[1.5], [2.5], [2.5]]


def test_a_range_without_an_end_and_the_root_reach_as_far_as_the_column_does() -> None:
    features = features_of([column(Kind.INTEGER, ("<=10", "[10, 30)", ">=30", "*", "50"), 0, 1, 2, 3, 4)], 5)
    assert features.matrix.tolist() == [[10, 0], [20, 20], [40, 20], [30, 40], [50, 0]]


def test_dates_are_days() -> None:
    features = features_of([column(Kind.DATE, ("1970-01-02", "[1970-01-03, 1970-01-05]"), 0, 1)], 2)
    assert features.matrix.tolist() == [[1, 0], [3, 2]]


def test_months_and_years_are_days_with_a_width() -> None:
    features = features_of([column(Kind.DATE, ("1970-01", "1970", "1970-02-01"), 0, 1, 2)], 3)
    assert features.matrix.tolist() == [[15, 30], [182, 364], [31, 0]]


def test_a_missing_number_is_marked_and_lies_in_the_middle() -> None:
    features = features_of([column(Kind.INTEGER, ("10", "30"), 0, 1, 2)], 3)
    assert features.names == ("x midpoint", "x missing")
    assert features.matrix.tolist() == [[10, 0], [30, 0], [20, 1]]


def test_labels_of_a_hierarchy_are_categories_even_if_they_look_like_numbers() -> None:
    texts = features_of([column(Kind.TEXT, ("10115", "10117"), 0, 1)], 2)
    words = features_of([column(Kind.INTEGER, ("young", "[20, 80]"), 0, 1)], 2)
    assert texts.categories == words.categories == 1


def test_a_column_that_says_the_same_of_everybody_is_left_out() -> None:
    features = features_of([column(Kind.INTEGER, ("*",), 0, 0), column(Kind.TEXT, ("a", "b"), 0, 1)], 2)
    assert features.names == ("x",)
    assert features_of([column(Kind.TEXT, ("*",), 0, 0)], 2).matrix.tolist() == [[0], [0]]

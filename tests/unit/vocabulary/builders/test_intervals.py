"""Bands of numbers: each value lies in the interval its label writes, read here by a reader of our own."""

from __future__ import annotations

import itertools
import re
import tracemalloc
from decimal import Decimal
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError, SchemaError
from sfumato.vocabulary.builders import Intervals
from sfumato.vocabulary.builders.intervals import below
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind, natural_order
from tests.strategies import multiples, whole_widths
from tests.unit.vocabulary.soundness import assert_in_order_of_leaves, assert_sound, path


class Band(NamedTuple):
    lower: Decimal
    upper: Decimal
    closed: bool

    def holds(self, number: Decimal) -> bool:
        return self.lower <= number < self.upper or (self.closed and number == self.upper)


def read(label: str) -> Band:
    match = re.fullmatch(r"\[(-?\d+(?:\.\d*[1-9])?), (-?\d+(?:\.\d*[1-9])?)([)\]])", label)
    assert match, label
    assert "-0" not in match.groups()
    return Band(Decimal(match[1]), Decimal(match[2]), match[3] == "]")


def assert_bands(hierarchy: Hierarchy, widths: tuple[Decimal, ...]) -> None:
    """Every level's bands are in order, as wide as declared, only the last closed, and hold the values below them."""
    for level, width in enumerate(widths, start=1):
        bands = [read(label) for label in hierarchy.at(level)]
        for band, after in itertools.pairwise(bands):
            assert band.upper <= after.lower
            assert not band.closed
            assert band.upper - band.lower == width
        assert bands[-1].upper - bands[-1].lower <= width
        for code, parent in zip(hierarchy.ancestors(0, level - 1)[:-1], hierarchy.ancestors(0, level)[:-1], strict=True):
            if level > 1:
                child = read(hierarchy.at(level - 1)[code])
                assert bands[parent].lower <= child.lower
                assert child.upper <= bands[parent].upper
        for leaf, parent in zip(hierarchy.at(0), hierarchy.ancestors(0, level), strict=False):
            assert bands[parent].holds(Decimal(leaf))


wholes = st.lists(st.integers(-300, 300), min_size=1, unique=True, max_size=12)
fractions = st.lists(st.floats(-50, 50).map(lambda number: number + 0.0), min_size=1, unique=True, max_size=12)
fraction_widths = multiples(st.sampled_from(["0.25", "0.3", "1", "2.5", "7"]).map(Decimal))


def leaves_of(numbers: list[int] | list[float]) -> list[str]:
    return [repr(number) for number in sorted(numbers)]


@given(whole_widths, wholes)
def test_whole_numbers_lie_in_bands_that_the_data_bound(widths: tuple[Decimal, ...], numbers: list[int]) -> None:
    hierarchy = assert_sound(Intervals(widths), Kind.INTEGER, leaves_of(numbers))
    assert hierarchy.at(0) == tuple(natural_order(Kind.INTEGER, map(str, numbers)))
    assert_bands(hierarchy, widths)
    assert_in_order_of_leaves(hierarchy)


@given(fraction_widths, fractions)
def test_decimal_numbers_lie_in_bands_that_the_data_bound(widths: tuple[Decimal, ...], numbers: list[float]) -> None:
    hierarchy = assert_sound(Intervals(widths), Kind.DECIMAL, leaves_of(numbers))
    assert_bands(hierarchy, widths)
    assert_in_order_of_leaves(hierarchy)


@given(whole_widths, wholes)
def test_bounds_from_the_data_are_multiples_of_the_widest_band(widths: tuple[Decimal, ...], numbers: list[int]) -> None:
    hierarchy = Intervals(widths).build("age", Kind.INTEGER, leaves_of(numbers))
    for level in range(1, len(widths) + 1):
        bands = [read(label) for label in hierarchy.at(level)]
        assert bands[0].lower % widths[level - 1] == 0
        if bands[-1].closed:
            assert bands[-1].upper % widths[-1] == 0
    widest = [read(label) for label in hierarchy.at(len(widths))]
    assert all(edge % widths[-1] == 0 for band in widest for edge in (band.lower, band.upper))


@given(whole_widths, st.integers(-50, 50), st.integers(1, 200), st.data())
def test_whole_numbers_within_fixed_bounds_are_all_leaves(
    widths: tuple[Decimal, ...], lower: int, span: int, data: st.DataObject
) -> None:
    upper = lower + span
    numbers = data.draw(st.lists(st.integers(lower, upper), unique=True, max_size=8))
    builder = Intervals(widths, Decimal(lower), Decimal(upper))
    hierarchy = assert_sound(builder, Kind.INTEGER, leaves_of(numbers))
    assert hierarchy.at(0) == tuple(str(number) for number in range(lower, upper + 1))
    assert_bands(hierarchy, widths)
    assert_in_order_of_leaves(hierarchy)
    assert hierarchy.same_as(builder.build("age", Kind.INTEGER, [])), "two tables under one schema do not align"


@given(fraction_widths, st.integers(-9, 9), st.data())
def test_decimal_numbers_within_fixed_bounds_lie_in_their_bands(
    widths: tuple[Decimal, ...], lower: int, data: st.DataObject
) -> None:
    numbers = data.draw(st.lists(st.floats(lower, lower + 20).map(lambda number: number + 0.0), unique=True, min_size=1))
    hierarchy = assert_sound(Intervals(widths, Decimal(lower), Decimal(lower + 20)), Kind.DECIMAL, leaves_of(numbers))
    assert_bands(hierarchy, widths)


@given(st.decimals(-(10**6), 10**6, places=2), st.decimals("0.01", 1000, places=2))
def test_the_multiple_below_a_number_is_the_nearest_not_above_it(number: Decimal, width: Decimal) -> None:
    result = below(number, width)
    assert result % width == 0
    assert result <= number < result + width


def test_the_bands_of_the_census_ages() -> None:
    hierarchy = Intervals((Decimal(5), Decimal(25), Decimal(50)), Decimal(0), Decimal(100)).build("age", Kind.INTEGER, ["39"])
    assert path(hierarchy, "39") == ["39", "[35, 40)", "[25, 50)", "[0, 50)", "*"]
    assert path(hierarchy, "90") == ["90", "[90, 95)", "[75, 100]", "[50, 100]", "*"]
    assert path(hierarchy, "100") == ["100", "[95, 100]", "[75, 100]", "[50, 100]", "*"]
    assert hierarchy.at(2) == ("[0, 25)", "[25, 50)", "[50, 75)", "[75, 100]")
    assert len(hierarchy.at(0)) == 101


def test_negative_and_broken_numbers_have_bands_too() -> None:
    hierarchy = Intervals((Decimal("0.5"), Decimal(1))).build("t", Kind.DECIMAL, ["-0.75", "-0.5", "0.0", "0.25"])
    assert path(hierarchy, "-0.75") == ["-0.75", "[-1, -0.5)", "[-1, 0)", "*"]
    assert path(hierarchy, "-0.5") == ["-0.5", "[-0.5, 0)", "[-1, 0)", "*"]
    assert path(hierarchy, "0.25") == ["0.25", "[0, 0.5)", "[0, 1]", "*"]


def test_the_last_band_within_fixed_bounds_may_be_narrower() -> None:
    hierarchy = Intervals((Decimal(5), Decimal(10)), Decimal(0), Decimal(12)).build("age", Kind.INTEGER, [])
    assert hierarchy.at(1) == ("[0, 5)", "[5, 10)", "[10, 12]")
    assert hierarchy.at(2) == ("[0, 10)", "[10, 12]")


def test_one_band_as_wide_as_the_bounds_is_the_root() -> None:
    builder = Intervals((Decimal(5), Decimal(10)), Decimal(0), Decimal(10))
    assert builder.build("age", Kind.INTEGER, []).at(2) == ("[0, 10]",)
    assert builder.height(Kind.INTEGER) == 2


def test_the_root_has_one_label_whatever_values_occur() -> None:
    builder = Intervals((Decimal(5), Decimal(10)), Decimal(0), Decimal(10))
    for kind in (Kind.INTEGER, Kind.DECIMAL):
        assert builder.build("x", kind, []).labels[-1] == builder.build("x", kind, ["1"]).labels[-1]


@pytest.mark.parametrize(
    ("lower", "upper", "leaves"),
    [("0.5", "3.5", ("1", "2", "3")), ("-3.5", "-0.5", ("-3", "-2", "-1")), ("-1.5", "1.5", ("-1", "0", "1"))],
)
def test_the_leaves_are_the_whole_numbers_between_broken_bounds(lower: str, upper: str, leaves: tuple[str, ...]) -> None:
    hierarchy = Intervals((Decimal(1),), Decimal(lower), Decimal(upper)).build("x", Kind.INTEGER, [])
    assert hierarchy.at(0) == leaves


def test_between_wide_bounds_the_leaves_are_the_values_that_occur() -> None:
    hierarchy = Intervals((Decimal(10**5),), Decimal(0), Decimal(10**6)).build("income", Kind.INTEGER, ["7", "250000"])
    assert hierarchy.at(0) == ("7", "250000")
    assert hierarchy.at(1) == ("[0, 100000)", "[200000, 300000)")


def test_one_value_far_out_does_not_cost_a_label_for_every_band_on_the_way() -> None:
    tracemalloc.start()
    try:
        hierarchy = Intervals((Decimal(1),)).build("income", Kind.INTEGER, ["0", "300000"])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert hierarchy.at(1) == ("[0, 1)", "[300000, 300001]")
    assert peak < 1_000_000


@pytest.mark.parametrize("width", [Decimal(5), Decimal("1e308")])
@pytest.mark.parametrize("number", ["1e+30", "-1e+30", "1.7976931348623157e+308", "-5e-324", "5e-324"])
def test_the_largest_and_smallest_numbers_lie_in_their_bands(number: str, width: Decimal) -> None:
    [label] = Intervals((width,)).build("x", Kind.DECIMAL, [number]).at(1)
    assert read(label).holds(Decimal(number))


def test_values_outside_of_the_bounds_are_counted_not_shown() -> None:
    with pytest.raises(HierarchyError) as caught:
        Intervals((Decimal(5),), Decimal(0), Decimal(100)).build("age", Kind.INTEGER, ["-734", "50", "8191"])
    assert str(caught.value) == (
        "attribute 'age': level 0 lacks 2 values of the data, outside the declared bounds [0, 100]: widen 'lower' and 'upper'"
    )


def test_a_column_without_a_value_has_the_levels_and_nothing_on_them() -> None:
    hierarchy = assert_sound(Intervals((Decimal(5), Decimal(10))), Kind.INTEGER, [])
    assert hierarchy.labels == ((), (), (), ("*",))


@pytest.mark.parametrize("widths", [(), (0,), (-5,), (5, 5), (10, 5), (5, 12), (0, 5)])
def test_widths_that_are_not_multiples_are_refused(widths: tuple[int, ...]) -> None:
    with pytest.raises(SchemaError, match=r"'widths' must be positive, each a multiple of the one before"):
        Intervals(tuple(map(Decimal, widths)))


def test_a_width_may_be_any_multiple_of_the_one_before() -> None:
    assert Intervals((Decimal(1), Decimal("1e40"))).height(Kind.INTEGER) == 3


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"lower": Decimal(0)}, "'lower' and 'upper' go together"),
        ({"upper": Decimal(0)}, "'lower' and 'upper' go together"),
        ({"lower": Decimal(5), "upper": Decimal(5)}, "'lower' must be less than 'upper'; they are 5 and 5"),
        ({"lower": Decimal(5), "upper": Decimal("-1.50")}, "'lower' must be less than 'upper'; they are 5 and -1.5"),
    ],
)
def test_bounds_that_bound_nothing_are_refused(bounds: dict[str, Decimal], message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        Intervals((Decimal(5),), **bounds)

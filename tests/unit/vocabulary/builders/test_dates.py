"""Dates and times against Python's own calendar."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SchemaError
from sfumato.vocabulary.builders import DateKey, Dates, Keyed
from sfumato.vocabulary.kinds import Kind, natural_order
from tests.strategies import date_units
from tests.unit.vocabulary.soundness import assert_in_order_of_leaves, assert_sound, path


def label_of(moment: datetime.date, unit: str) -> str:
    """The label of a unit by the calendar."""
    quarter = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 2, 7: 3, 8: 3, 9: 3, 10: 4, 11: 4, 12: 4}[moment.month]
    return {
        "day": f"{moment.year:04d}-{moment.month:02d}-{moment.day:02d}",
        "month": f"{moment.year:04d}-{moment.month:02d}",
        "quarter": f"{moment.year:04d}-Q{quarter}",
        "year": f"{moment.year:04d}",
        "decade": f"{moment.year // 10 * 10:04d}s",
    }[unit]


def leaves_of(moments: list[datetime.date] | list[datetime.datetime]) -> list[str]:
    """Canonical texts in order of time."""
    return [str(moment) for moment in sorted(moments)]  # type: ignore[type-var]


@given(date_units, st.lists(st.dates(), unique=True, max_size=8))
def test_dates_have_the_labels_of_the_calendar(units: tuple[str, ...], dates: list[datetime.date]) -> None:
    hierarchy = assert_sound(Dates(units), Kind.DATE, leaves_of(dates))
    above = [unit for unit in units if unit != "day"]
    assert hierarchy.height == len(above) + 1
    for date in dates:
        assert path(hierarchy, date.isoformat()) == [date.isoformat(), *(label_of(date, unit) for unit in above), "*"]


@given(date_units, st.lists(st.datetimes(), unique=True, max_size=8))
def test_moments_have_the_day_above_them(units: tuple[str, ...], moments: list[datetime.datetime]) -> None:
    hierarchy = assert_sound(Dates(units), Kind.TIMESTAMP, leaves_of(moments))
    assert hierarchy.height == len(units) + 1
    for moment in moments:
        assert path(hierarchy, str(moment)) == [str(moment), *(label_of(moment, unit) for unit in units), "*"]


@given(st.sampled_from([Kind.DATE, Kind.TIMESTAMP]), st.lists(st.datetimes(), unique=True, min_size=1, max_size=8))
def test_codes_follow_time_on_every_level(kind: Kind, moments: list[datetime.datetime]) -> None:
    texts = sorted({str(moment.date() if kind is Kind.DATE else moment) for moment in moments})
    hierarchy = Dates().build("seen", kind, texts)
    assert hierarchy.at(0) == tuple(natural_order(kind, texts))
    assert_in_order_of_leaves(hierarchy)
    for level in range(hierarchy.height):
        assert list(hierarchy.at(level)) == sorted(hierarchy.at(level))


@given(st.sampled_from([Kind.DATE, Kind.TIMESTAMP]), date_units, st.lists(st.datetimes(), unique=True, max_size=8))
def test_building_from_a_floor_equals_cutting_off_the_levels_below_it(
    kind: Kind, units: tuple[str, ...], moments: list[datetime.datetime]
) -> None:
    texts = sorted({str(moment.date() if kind is Kind.DATE else moment) for moment in moments})
    whole = Dates(units).build("seen", kind, texts)
    for floor in range(whole.height):
        labels = sorted(whole.at(floor))  # an engine lists the labels that it computes in this order
        assert Dates(units).build_above("seen", kind, floor, labels).same_as(whole.above(floor))


def test_the_last_day_of_march() -> None:
    hierarchy = Dates().build("seen", Kind.DATE, ["2024-03-31"])
    assert path(hierarchy, "2024-03-31") == ["2024-03-31", "2024-03", "2024-Q1", "2024", "2020s", "*"]
    moments = Dates().build("seen", Kind.TIMESTAMP, ["2024-03-31 23:59:59.5"])
    assert moments.labels == (
        ("2024-03-31 23:59:59.5",),
        ("2024-03-31",),
        ("2024-03",),
        ("2024-Q1",),
        ("2024",),
        ("2020s",),
        ("*",),
    )


def test_a_date_without_units_above_the_day_is_kept_or_suppressed() -> None:
    hierarchy = Dates(("day",)).build("seen", Kind.DATE, ["2024-03-31"])
    assert hierarchy.labels == (("2024-03-31",), ("*",))


def test_every_level_but_the_value_and_the_root_has_a_key() -> None:
    builder = Dates(("day", "year"))
    assert isinstance(builder, Keyed)
    assert [builder.key(Kind.TIMESTAMP, level) for level in range(4)] == [None, DateKey("day"), DateKey("year"), None]
    assert [builder.key(Kind.DATE, level) for level in range(3)] == [None, DateKey("year"), None]


@pytest.mark.parametrize("units", [(), ("year", "month"), ("day", "day"), ("week",), ("month", "week", "year")])
def test_units_out_of_order_or_unknown_are_refused(units: tuple[str, ...]) -> None:
    with pytest.raises(SchemaError) as caught:
        Dates(units)
    assert str(caught.value) == f"'units' must be some of day, month, quarter, year, decade, in this order; it is {list(units)}"

"""Labels meet where some value stands under both."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.vocabulary.builders import Addresses, Builder, Dates, Intervals, Listed, Prefix, Suppression
from sfumato.vocabulary.group import Group
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.meeting import meeting
from sfumato.vocabulary.schema import Attribute

TREE = Listed.of_tree({"Gov": {"Local": ["city", "county"], "State": ["state"]}, "Private": ["inc", "not-inc"]})
days = st.integers(0, 9000).map(lambda days: str(date(1995, 1, 1) + timedelta(days)))
moments = st.integers(0, 9000 * 24).map(lambda hours: str(datetime(1995, 1, 1) + timedelta(hours=hours)))
addresses = st.integers(0, 2**18).map(lambda number: str(IPv4Address(number << 14))) | st.integers(0, 99).map(
    lambda number: str(IPv6Address(number << 60))
)
KINDS: list[tuple[str, Builder, Kind, st.SearchStrategy[str]]] = [
    ("intervals", Intervals((Decimal(5), Decimal(25), Decimal(50))), Kind.INTEGER, st.integers(-60, 120).map(str)),
    ("decimals", Intervals((Decimal("0.5"), Decimal(2))), Kind.DECIMAL, st.integers(-9, 99).map(lambda n: str(Decimal(n) / 10))),
    ("dates", Dates(), Kind.DATE, days),
    ("moments", Dates(), Kind.TIMESTAMP, moments),
    ("codes", Prefix((3, 1)), Kind.TEXT, st.text("01", min_size=2, max_size=4)),
    ("addresses", Addresses(), Kind.TEXT, addresses),
    ("values", Suppression(), Kind.TEXT, st.text("abc", min_size=1, max_size=3)),
    ("tree", TREE, Kind.TEXT, st.sampled_from(["city", "county", "state", "inc", "not-inc"])),
]


def under(hierarchy: Hierarchy, level: int, label: str) -> set[int]:
    """The leaves below a label of a level."""
    codes = hierarchy.ancestors(0, level)[: len(hierarchy.labels[0])]
    return {leaf for leaf, code in enumerate(codes) if hierarchy.at(level)[code] == label}


@pytest.mark.parametrize(("builder", "kind", "values"), [each[1:] for each in KINDS], ids=[each[0] for each in KINDS])
@given(data=st.data())
@settings(max_examples=20)
def test_two_labels_of_a_hierarchy_meet_where_they_share_a_value(
    builder: Builder, kind: Kind, values: st.SearchStrategy[str], data: st.DataObject
) -> None:
    drawn = data.draw(st.lists(values, min_size=1, max_size=6, unique=True))
    hierarchy = builder.build("a", kind, drawn)
    attribute = Attribute("a", Role.QUASI, kind, builder)
    levels = range(hierarchy.height + 1)
    for one, other in product(levels, levels):
        for wanted, label in product(hierarchy.at(one), hierarchy.at(other)):
            shared = under(hierarchy, one, wanted) & under(hierarchy, other, label)
            assert meeting(attribute, wanted)(label) is bool(shared), (wanted, label)


@pytest.mark.parametrize(
    ("label", "meets"),
    [
        ("[75, 100]", True),
        ("[50, 75)", False),
        ("[50, 75]", True),
        ("75", True),
        ("74", False),
        ("[17, 80]", True),
        ("75-79", True),
        ("70-74", False),
        ("*", True),
    ],
)
def test_a_band_of_numbers_meets_whatever_overlaps_it(label: str, meets: bool) -> None:
    age = Attribute("age", Role.QUASI, Kind.INTEGER, Intervals((Decimal(5),)))
    assert meeting(age, "[75, 100]")(label) is meets


def test_a_label_that_says_nothing_may_meet_any() -> None:
    """Another tool wrote it: nobody is left unprotected for want of knowing."""
    age = Attribute("age", Role.QUASI, Kind.INTEGER, Intervals((Decimal(5),)))
    work = Attribute("work", Role.QUASI, Kind.TEXT, TREE)
    assert meeting(age, "[75, 100]")("old")
    assert meeting(work, "Gov")("public sector")


def test_ranges_of_a_local_recoding_are_compared_with_listed_labels() -> None:
    ages = Listed((("30", "[30, 40)"), ("35", "[30, 40)"), ("40", "[40, 50)")))
    age = Attribute("age", Role.QUASI, Kind.INTEGER, ages)
    assert meeting(age, "[30, 40)")("[35, 44]")
    assert not meeting(age, "[30, 40)")("[40, 44]")


@pytest.mark.parametrize("kind", [Kind.INTEGER, None], ids=["declared", "of the source"])
@pytest.mark.parametrize(
    ("wanted", "label", "meets"), [("20-29", "[20, 30)", True), ("20-29", "[30, 40)", False), ("old", "[20, 30)", False)]
)
def test_ranges_meet_alike_whether_or_not_the_type_is_declared(kind: Kind | None, wanted: str, label: str, meets: bool) -> None:
    """The search knows the type of a Parquet column, whoever checks the file may not."""
    ages = Listed((("25", "20-29", "young"), ("35", "30-39", "old")))
    assert meeting(Attribute("age", Role.QUASI, kind, ages), wanted)(label) is meets


@pytest.mark.parametrize(
    ("wanted", "label", "meets"),
    [
        ("101**", "[10115, 10243]", True),
        ("101**", "[10200, 10243]", False),
        ("10115", "[10000, 10199]", True),
        ("[10115, 10119]", "1011*", True),
        ("[10115, 10119]", "102**", False),
        ("[10115, 10119]", "[10119, 10243]", True),
    ],
)
def test_ranges_of_a_local_recoding_are_compared_with_masked_codes(wanted: str, label: str, meets: bool) -> None:
    zipcode = Attribute("zip", Role.QUASI, Kind.INTEGER, Prefix((3, 1)))
    assert meeting(zipcode, wanted)(label) is meets


@pytest.mark.parametrize(
    ("label", "meets"),
    [
        ("2024-01-05 17:05:00", True),
        ("[2024-01-05 03:00:00, 2024-01-09 00:00:00]", True),
        ("[2024-01-06 00:00:00, 2024-01-09 00:00:00]", False),
        ("2024-01-04 23:59:59", False),
    ],
)
def test_a_day_meets_its_moments_without_a_hierarchy_of_dates(label: str, meets: bool) -> None:
    attribute = Attribute("seen", Role.QUASI, Kind.TIMESTAMP, Suppression())
    assert meeting(attribute, "2024-01-05")(label) is meets


@pytest.mark.parametrize(
    ("attribute", "label", "said"),
    [
        (Attribute("work", Role.QUASI, Kind.TEXT, TREE), "Goverment", "did you mean 'Gov'?"),
        (Attribute("age", Role.QUASI, Kind.INTEGER, Intervals((Decimal(5),))), "old", "is not a label of 'age'"),
        (Attribute("ip", Role.QUASI, Kind.TEXT, Addresses()), "10.0.0.0/99", "is not a label of 'ip'"),
        (Attribute("ip", Role.QUASI, Kind.TEXT, Addresses()), "50", "is not a label of 'ip'"),
        (Attribute("born", Role.QUASI, Kind.DATE, Dates()), "spring", "is not a label of 'born'"),
    ],
)
def test_a_group_that_nobody_can_be_in_is_refused(attribute: Attribute, label: str, said: str) -> None:
    with pytest.raises(UsageError, match=r"label") as error:
        meeting(attribute, label)
    assert said in error.value.message


@pytest.mark.parametrize(
    ("wanted", "label", "meets"),
    [
        ("[1944, 1945)", "1945", False),
        ("[1944, 1945)", "1945-01-01", False),
        ("[1944, 1945)", "1944-Q4", True),
        ("[1944, 1945]", "1945-12-31", True),
        ("[1930-01-12, 1930-01-14)", "1930-01-14", False),
        ("[1930-01-12, 1930-01-14)", "[1930-01-13, 1930-02-01]", True),
        ("1940s", "[1900-01-01, 1940-01-01)", False),
        ("1940s", "[1900-01-01, 1940-01-01]", True),
    ],
)
def test_the_end_of_a_range_of_dates_is_outside_where_it_is_open(wanted: str, label: str, meets: bool) -> None:
    assert meeting(Attribute("born", Role.QUASI, Kind.DATE, Dates()), wanted)(label) is meets


def test_blanks_around_the_sign_between_qids_are_free_and_a_label_may_hold_it() -> None:
    assert Group.parse("ward=B&B & sex=F").labels == (("ward", "B&B"), ("sex", "F"))
    assert Group.parse("age=80&sex=F").labels == (("age", "80"), ("sex", "F"))
    assert Group.parse("ward=A & E").labels == (("ward", "A & E"),)


@pytest.mark.parametrize("text", ["", "age", "age=", "=3", "age=3 & age=4"])
def test_a_group_that_is_not_written_as_one_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"a group is written as age=\[75, 100\]"):
        Group.parse(text)


@pytest.mark.parametrize(
    ("builder", "kind", "wanted", "label", "meets"),
    [
        (Intervals((Decimal(5),)), Kind.INTEGER, "[75, 80)", ">=80", False),
        (Intervals((Decimal(5),)), Kind.INTEGER, "[75, 80]", ">=80", True),
        (Suppression(), Kind.INTEGER, "[75, 80]", "<=74", False),
        (Suppression(), Kind.INTEGER, "[75, 80]", "<=75", True),
        (Dates(), Kind.DATE, "2024-03", ">=2024-03-31", True),
        (Dates(), Kind.DATE, "2024-03", ">=2024-04-01", False),
        (Dates(), Kind.TIMESTAMP, "2024-03", "<=2024-02-29 23:59:59", False),
        (Dates(), Kind.TIMESTAMP, "2024-03", "<=2024-03-01 00:00:00", True),
        (Prefix((3,)), Kind.INTEGER, "101**", ">=10199", True),
        (Prefix((3,)), Kind.INTEGER, "101**", ">=10200", False),
    ],
)
def test_ranges_without_an_end_meet_all_that_is_on_their_side(
    builder: Builder, kind: Kind, wanted: str, label: str, meets: bool
) -> None:
    assert meeting(Attribute("x", Role.QUASI, kind, builder), wanted)(label) is meets

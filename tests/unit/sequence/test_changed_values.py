"""People whose sensitive value changes from table to table: they stay among those who share their classes, and hide nobody who leaves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.engines.arrays import texts
from sfumato.sequence.audit import broken_in, steps_of
from sfumato.sequence.classes import Member
from sfumato.sequence.joint import Joint, of_owners
from sfumato.sequence.rows import Rows
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute, Schema
from tests.unit.sequence.joints import ILL

Year = dict[str, tuple[int, str]]  # the class and the sensitive value of everybody in the table


def joint_of_years(years: Sequence[Year]) -> Joint:
    """One release of each year's table."""
    rows, members = {}, []
    for number, year in enumerate(years, start=1):
        labels = tuple(sorted({value for _, value in year.values()}))
        codes = np.array([labels.index(value) for _, value in year.values()], np.int32)
        rows[str(number)] = Rows({}, np.ones(len(year), np.int64), texts(list(year)), {ILL: (labels, codes)}, {ILL: Kind.TEXT})
        classes = np.array([own for own, _ in year.values()], np.int32)
        members.append(Member(str(number), str(number), classes, 2))
    return of_owners(members, rows, Schema((Attribute(ILL, Role.SENSITIVE, Kind.TEXT),)))


def _harmed(years: Sequence[Year], places: Sequence[int], least: int, *, values: bool) -> set[str]:
    """Who shares all classes with too few people, or at some time with too few values."""
    groups = defaultdict(set)
    for person in {person for place in places for person in years[place]}:
        groups[tuple(years[place].get(person, (0, ""))[0] for place in places)].add(person)
    harmed: set[str] = set()
    for classes, people in groups.items():
        own = [place for place, number in zip(places, classes, strict=True) if number]
        sizes = [len({years[place][person][1] for person in people}) if values else len(people) for place in own]
        harmed |= people if min(sizes) < least else set()
    return harmed


@settings(max_examples=80)
@given(
    st.lists(
        st.dictionaries(st.sampled_from("pqrstuvw"), st.tuples(st.integers(1, 2), st.sampled_from("abc")), min_size=1),
        min_size=2,
        max_size=3,
    ),
    st.sampled_from(["k-anonymity", "distinct-diversity"]),
)
def test_groups_are_those_of_people_and_judged_with_the_values_of_every_table(years: list[Year], model: str) -> None:
    harmed: dict[int, int] = {}
    for size in range(2, len(years) + 1):
        each = [_harmed(years, places, 2, values=model != "k-anonymity") for places in combinations(range(len(years)), size)]
        harmed[size] = max(map(len, each))
    expected = next(((size, people) for size, people in harmed.items() if people), None)
    broken, _, _ = broken_in(joint_of_years(years), [f"{model}:2"])
    assert [(len(each.releases), each.people) for each in broken] == ([] if expected is None else [expected])


STAYED: Year = {"p": (1, "a"), "q": (1, "b"), "r": (1, "c")}


def test_who_leaves_is_not_hidden_by_somebody_whose_value_changes() -> None:
    joint = joint_of_years([{**STAYED, "left": (1, "a"), "ill": (1, "b")}, {**STAYED, "ill": (1, "c")}])
    assert joint.changed == 1
    for model in ("k-anonymity:2", "distinct-diversity:2"):
        (found,) = broken_in(joint, [model])[0]
        assert (found.people, found.value) == (1, 1)
    assert [(step.people, step.alone) for step in steps_of(joint)[ILL]] == [(5, 0), (5, 1)]


def test_a_changed_value_alone_singles_nobody_out() -> None:
    joint = joint_of_years([{**STAYED, "ill": (1, "a")}, {**STAYED, "ill": (1, "b")}])
    assert broken_in(joint, ["k-anonymity:4", "distinct-diversity:3"])[0] == []
    assert steps_of(joint)[ILL][1].alone == 0


def test_what_all_had_once_is_known_whatever_they_had_later() -> None:
    """Two people share their classes of both years: in the first both had a, in the second one has b."""
    joint = joint_of_years([{**STAYED, "x": (1, "a"), "y": (1, "a")}, {**STAYED, "x": (2, "a"), "y": (2, "b")}])
    (found,) = broken_in(joint, ["distinct-diversity:2"])[0]
    assert (found.people, found.value) == (2, 1)
    (linked,) = steps_of(joint)[ILL][1:]
    assert linked.distribution == pytest.approx(np.sqrt((1 - 3 / 5) ** 2 + 2 * (1 / 5) ** 2))


def test_the_earlier_releases_alone_are_judged_with_their_own_values() -> None:
    years = [{**STAYED, "ill": (1, "a")}, {**STAYED, "ill": (1, "b")}, {"p": (1, "a")}]
    assert broken_in(joint_of_years(years).without_last(), ["k-anonymity:4", "distinct-diversity:3"])[0] == []
    assert broken_in(joint_of_years(years), ["k-anonymity:4"])[0]

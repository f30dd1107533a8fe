"""Several sensitive attributes of which one changes: what remains of the others is still what all releases have in common."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.engines.arrays import texts
from sfumato.sequence.candidates import known_after
from sfumato.sequence.classes import Member
from sfumato.sequence.invariance import invariance_of
from sfumato.sequence.joint import Joint, of_owners
from sfumato.sequence.pairs import pairs_of
from sfumato.sequence.rows import Rows
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute, Schema

NAMES = ("illness", "ward")
Year = dict[str, tuple[int, str, str]]  # the class, the illness and the ward of everybody in the table


def _joint(years: Sequence[Year]) -> Joint:
    """One release of each year's table."""
    rows, members = {}, []
    for number, year in enumerate(years, start=1):
        values = {}
        for place, name in enumerate(NAMES, start=1):
            column = [str(own[place]) for own in year.values()]
            labels = tuple(sorted(set(column)))
            values[name] = labels, np.array([labels.index(value) for value in column], np.int32)
        ones = np.ones(len(year), np.int64)
        rows[str(number)] = Rows({}, ones, texts(list(year)), values, dict.fromkeys(NAMES, Kind.TEXT))
        members.append(Member(str(number), str(number), np.array([own for own, *_ in year.values()], np.int32), 2))
    return of_owners(members, rows, Schema(tuple(Attribute(name, Role.SENSITIVE, Kind.TEXT) for name in NAMES)))


def _remaining(years: Sequence[Year], place: int) -> dict[int, int]:
    """People by how many values of an attribute are in all of their classes, as long as they have the same one."""
    classes: dict[tuple[str, str], list[set[str]]] = defaultdict(list)
    for year in years:
        for person, own in year.items():
            alike = {other[place] for other in year.values() if other[0] == own[0]}
            classes[person, str(own[place])].append({str(value) for value in alike})
    return dict(Counter(len(set.intersection(*each)) for each in classes.values()))


def _moved(years: Sequence[Year], place: int) -> list[int]:
    """For every two years the people who have the same value, and other values around them."""
    around = [
        {(person, own[place]): {other[place] for other in year.values() if other[0] == own[0]} for person, own in year.items()}
        for year in years
    ]
    return [sum(one[key] != other[key] for key in one.keys() & other.keys()) for one, other in combinations(around, 2)]


histories = st.lists(
    st.dictionaries(
        st.sampled_from("pqrstuvw"), st.tuples(st.integers(1, 2), st.sampled_from("abc"), st.sampled_from("xy")), min_size=1
    ),
    min_size=2,
    max_size=3,
)


@settings(max_examples=80)
@given(histories)
def test_an_attribute_is_followed_as_long_as_it_stays_whatever_the_others_do(years: list[Year]) -> None:
    joint = _joint(years)
    pairs = {each.releases: each.certain for each in pairs_of(joint, [], [])}
    for place, name in enumerate(NAMES, start=1):
        for last, known in enumerate(known_after(joint, name), start=1):
            assert dict(known.by_candidates) == _remaining(years[:last], place)
        for one, other in combinations(range(len(years)), 2):
            certain = pairs[str(one + 1), str(other + 1)][name]
            assert certain == _remaining([years[one], years[other]], place).get(1, 0)
        assert [people for *_, people in invariance_of(joint, name).moved] == _moved(years, place)


def test_an_illness_is_not_hidden_by_another_ward() -> None:
    """Ann's classes have the illness a only in common, and she has changed the ward."""
    first: Year = {"ann": (1, "a", "x"), "ben": (1, "b", "x"), "eve": (2, "c", "x")}
    second: Year = {"ann": (1, "a", "y"), "fay": (1, "c", "x"), "eve": (2, "c", "x")}
    assert known_after(_joint([first, second]), "illness")[1].certain == 2

"""Every two releases without the others: by brute force, and as the steps of a sequence of these two say."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings

from sfumato.sequence import pairs as room
from sfumato.sequence.audit import alike_after, broken_in, steps_of
from sfumato.sequence.pairs import harmed_by_all, pairs_of
from tests.unit.sequence.joints import ILL, joint_of_lists
from tests.unit.sequence.test_coalitions import sequences
from tests.unit.sequence.test_invariance import _numbered

TOGETHER = ["k-anonymity:2", "distinct-diversity:2"]


def _certain(classes: list[list[int]], values: list[str]) -> int:
    """People in a class of a release, of whom one value is in all the classes that they are in."""
    found = 0
    for person in range(len(values)):
        shown = [
            {value for value, number in zip(values, own, strict=True) if number == own[person]} for own in classes if own[person]
        ]
        found += bool(shown) and len(set.intersection(*shown)) == 1
    return found


def _groups(classes: list[list[int]]) -> list[int]:
    """The sizes of the groups of people who share all classes, for those who are in one."""
    people = [tuple(own[person] for own in classes) for person in range(len(classes[0]))]
    return [people.count(each) for each in people if any(each)]


@settings(max_examples=80)
@given(sequences())
def test_pairs_are_as_by_counting_person_by_person(drawn: tuple[list[list[int]], list[str]]) -> None:
    classes, values = [_numbered(own) for own in drawn[0]], drawn[1]
    joint = joint_of_lists(classes, values)
    broken, _, _ = broken_in(joint, TOGETHER)
    found = pairs_of(joint, TOGETHER, broken)
    places = list(combinations_with_replacement(range(len(classes)), 2))
    assert [each.releases for each in found] == [(str(one + 1), str(other + 1)) for one, other in places]
    for pair, (one, other) in zip(found, places, strict=True):
        both = [classes[one], classes[other]]
        sizes = _groups(both)
        assert (pair.people, pair.alone) == (len(sizes), sizes.count(1))
        assert pair.certain == {ILL: _certain(both, values)}
        assert set(pair.harmed) == {each.model for each in broken}
        if "k-anonymity:2" in pair.harmed:
            assert pair.harmed["k-anonymity:2"] == pair.alone
    for each in broken:
        assert len(each.releases) > 2 or each.people == max(
            pair.harmed[each.model] for pair in found if len(set(pair.releases)) == 2
        )
    if "k-anonymity:2" in (everybody := harmed_by_all(joint, TOGETHER, broken)):
        assert everybody["k-anonymity:2"] == _groups(classes).count(1)


def test_more_values_than_bits_of_a_word_and_two_releases_that_say_what_the_steps_say() -> None:
    values = [f"value {person % 150:03d}" for person in range(300)]
    # In the first half two people with values 75 apart share both classes, in the second neighbors share only one of them.
    halves = [*(1 + person % 75 for person in range(150)), *(76 + person // 2 for person in range(150))]
    classes = [[1 + person % 5 for person in range(300)], halves]
    joint = joint_of_lists(classes, values)
    alone, both, _ = pairs_of(joint, [], [])
    first, second = steps_of(joint)[ILL]
    assert (alone.certain[ILL], both.certain[ILL]) == (first.known.certain, second.known.certain)
    assert both.certain[ILL] == 150
    assert both.alone == second.alone


def test_people_who_are_suppressed_in_one_release_may_have_any_value_there() -> None:
    joint = joint_of_lists([[1, 1, 2, 2], [1, 2, 1, 2]], list("aabb"))
    # The second class of release 2 is that of the people who are not in its file.
    suppressed = replace(joint, members=(joint.members[0], replace(joint.members[1], classes=1)))
    _, both, second = pairs_of(suppressed, [], [])
    assert both.certain[ILL] == steps_of(suppressed)[ILL][1].known.certain == 4
    assert (both.people, second.people) == (4, 2)


def test_values_that_would_take_too_much_memory_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    joint = joint_of_lists([[1, 1, 2], [1, 2, 2]], list("aab"))
    monkeypatch.setattr(room, "_MOST_BYTES", 10)
    assert [each.certain for each in pairs_of(joint, [], [])] == [{}] * 3


def test_counting_who_is_certain_takes_no_more_memory_where_nearly_everybody_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two thousand people with a value each, of whom hardly two share both classes: all values of everybody as bits are 512 kB."""
    people = range(2000)
    classes = [[1 + person // 50 for person in people], [1 + person % 50 for person in people]]
    joint = joint_of_lists(classes, [f"v{person}" for person in people])
    whole = pairs_of(joint, [], [])
    counts, bits = joint.by_value((0, 1), ILL), room._values(joint, ILL)
    assert counts.classes == len(people)
    monkeypatch.setattr(room, "_BLOCK", 1000)
    assert pairs_of(joint, [], []) == whole
    tracemalloc.start()
    assert room._certain(counts, bits or []) == len(people)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 200_000


def test_people_who_are_alike_are_counted_with_and_without_a_sensitive_attribute() -> None:
    joint = joint_of_lists([[1, 1, 2, 2], [1, 2, 2, 0]], list("aabb"))
    assert alike_after(joint, steps_of(joint)) == alike_after(joint, {})
    assert [(each.groups, each.smallest, each.alone) for each in alike_after(joint, {})] == [(2, 2, 0), (4, 1, 4)]


def test_a_bound_that_no_release_of_a_pair_promised_harms_nobody_there() -> None:
    classes, values = [[1, 1, 2, 2], [1, 2, 1, 2], [1, 1, 1, 1]], list("abab")
    joint = joint_of_lists(classes, values, [(), (), ("k-anonymity:2",)])
    broken, _, _ = broken_in(joint, ["promised"])
    assert [each.harmed["k-anonymity:2"] for each in pairs_of(joint, ["promised"], broken)] == [0] * 6
    assert harmed_by_all(joint, ["promised"], broken) == {"k-anonymity:2": 4}

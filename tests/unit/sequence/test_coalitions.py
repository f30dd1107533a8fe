"""Which releases break a model together: against brute force, and where only one coalition does."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.sequence.audit import broken_in
from sfumato.sequence.coalitions import MOST_RELEASES
from tests.unit.sequence.joints import ILL, joint_of_lists

# 100 people by three columns and a diagnosis: nobody else has the one that a single person has.
HUNDRED = {(0, 0, 0): 41, (0, 1, 0): 4, (1, 0, 0): 7, (1, 0, 1): 6, (1, 1, 0): 1, (1, 1, 1): 40}
THE_ONE = (0, 1, 1)


def _hundred() -> tuple[list[list[int]], list[str]]:
    people = [(cell, "well") for cell, count in HUNDRED.items() for _ in range(count)] + [(THE_ONE, ILL)]
    return [[cell[column] + 1 for cell, _ in people] for column in range(3)], [value for _, value in people]


def _entropy(counts: Counter[str]) -> float:
    total = counts.total()
    return -sum(count / total * log2(count / total) for count in counts.values())


def test_of_a_hundred_people_only_one_pair_of_three_releases_breaks_the_entropy_bound() -> None:
    classes, values = _hundred()
    assert len(values) == 100
    prior = _entropy(Counter(values))
    for size in (1, 2, 3):
        for places in combinations(range(3), size):
            groups: dict[tuple[int, ...], Counter[str]] = {}
            for person, value in enumerate(values):
                groups.setdefault(tuple(classes[place][person] for place in places), Counter())[value] += 1
            worst = max(abs(prior - _entropy(each)) for each in groups.values())
            assert (worst > 0.2) == (places == (0, 1))
    broken, _, _ = broken_in(joint_of_lists(classes, values), ["entropy-loss:0.2"])
    (found,) = broken
    assert (found.releases, found.people) == (("1", "2"), 5)
    # H(1/5) - H(1/100)
    assert found.value == pytest.approx(_entropy(Counter(a=4, b=1)) - prior)
    assert broken_in(joint_of_lists(classes, values), ["entropy-loss:0.2"], having=2)[0] == []
    assert [each.releases for each in broken_in(joint_of_lists(classes, values), ["entropy-loss:0.2"], having=0)[0]] == [
        ("1", "2")
    ]


@st.composite
def sequences(draw: st.DrawFn, most: int = 4) -> tuple[list[list[int]], list[str]]:
    """Up to four releases of up to twelve people; some are in no class of a release."""
    people, releases = draw(st.integers(2, 12)), draw(st.integers(1, most))
    classes = [draw(st.lists(st.integers(0, 3), min_size=people, max_size=people)) for _ in range(releases)]
    return classes, draw(st.lists(st.sampled_from("abc"), min_size=people, max_size=people))


def _violating(classes: list[list[int]], values: list[str], places: tuple[int, ...], k: int, most: float | None) -> int:
    """People in groups that break k-anonymity or, given a bound, the entropy loss; groups as somebody sees them who has the releases."""
    prior = _entropy(Counter(values))
    groups: dict[tuple[int, ...], Counter[str]] = {}
    for person, value in enumerate(values):
        own = tuple(classes[place][person] for place in places)
        if any(own):
            groups.setdefault(own, Counter())[value] += 1
    broken = [each for each in groups.values() if (abs(prior - _entropy(each)) > most + 1e-9 if most else each.total() < k)]
    return sum(each.total() for each in broken)


@settings(max_examples=60)
@given(sequences(), st.integers(2, 4), st.sampled_from([0.3, 0.9]))
def test_a_smallest_breaking_coalition_is_found_as_by_trying_all(
    drawn: tuple[list[list[int]], list[str]], k: int, most: float
) -> None:
    classes, values = drawn
    for model, bound in ((f"k-anonymity:{k}", None), (f"entropy-loss:{most}", most)):
        by_size: dict[int, int] = {}
        for size in range(2, len(classes) + 1):
            people = [_violating(classes, values, places, k, bound) for places in combinations(range(len(classes)), size)]
            by_size[size] = max(people)
        expected = next(((size, people) for size, people in by_size.items() if people), None)
        broken, judged, _ = broken_in(joint_of_lists(classes, values), [model])
        assert judged == [model]
        assert [(len(each.releases), each.people) for each in broken] == ([] if expected is None else [expected])


def test_a_promise_binds_only_coalitions_with_a_release_that_made_it() -> None:
    classes, values = [[1, 1, 2, 2], [1, 2, 1, 2], [1, 1, 1, 1]], list("abab")
    nobody = joint_of_lists(classes, values, [(), (), ("k-anonymity:2",)])
    (found,) = broken_in(nobody, ["promised"])[0]
    assert found.releases == ("1", "2", "3")  # releases 1 and 2 single everybody out, and promised nothing
    first = joint_of_lists(classes, values, [("k-anonymity:2",), (), ()])
    assert broken_in(first, ["promised"])[0][0].releases == ("1", "2")


def test_what_no_model_of_classes_says_is_refused_or_reported() -> None:
    joint = joint_of_lists([[1, 1], [1, 1]], ["a", "b"], [("average-risk:0.5",), ()])
    assert broken_in(joint, ["promised"]) == ([], [], ["average-risk:0.5"])
    with pytest.raises(UsageError, match="cannot be judged on several releases together"):
        broken_in(joint, ["average-risk:0.5"])


def test_too_many_releases_for_every_coalition_are_refused_unless_the_model_is_monotone() -> None:
    joint = joint_of_lists([[1, 1, 1]] * (MOST_RELEASES + 1), ["a", "b", "c"])
    assert broken_in(joint, ["k-anonymity:3"])[0] == []
    with pytest.raises(UsageError, match="every coalition"):
        broken_in(joint, ["entropy-loss:0.5"])


def test_of_many_releases_only_those_that_are_needed_are_named() -> None:
    """Three columns of two values: any two leave two people each, all three one. All other releases say nothing."""
    people = [(a, b, c) for a in (1, 2) for b in (1, 2) for c in (1, 2)]
    columns: list[list[int]] = [[1] * 8 for _ in range(MOST_RELEASES + 3)]
    for place, column in zip((2, 7, 13), zip(*people, strict=True), strict=True):
        columns[place] = list(column)
    joint = joint_of_lists(columns, list("abcdefgh"))
    for having in (None, 13):
        (found,) = broken_in(joint, ["k-anonymity:2"], having=having)[0]
        assert (found.releases, found.people, found.value) == (("3", "8", "14"), 8, 1)
    assert broken_in(joint, ["k-anonymity:2"], having=0)[0][0].releases == ("1", "3", "8", "14")


def test_subtracting_one_release_from_another_shows() -> None:
    """Five people in one class; a year later four of them and nobody else. Whoever subtracts has the fifth alone."""
    joint = joint_of_lists([[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]], list("aabbb"), [("k-anonymity:4",)] * 2)
    (found,) = broken_in(joint, ["promised"])[0]
    assert (found.people, found.value) == (1, 1)


def test_a_model_of_two_losses_harms_whoever_either_of_them_harms() -> None:
    """The shares of b are 3/4, 1/2 and 3/14, and 7/20 in all: the first group is too far from that, the entropy of the third too low."""
    joint = joint_of_lists([[1] * 4 + [2] * 2 + [3] * 14, [1] * 20], list("bbba" + "ab" + "a" * 11 + "bbb"))
    people = [
        broken_in(joint, [text])[0][0].people for text in ("distribution-loss:0.5", "entropy-loss:0.15", "privacy-loss:0.5,0.15")
    ]
    assert people == [4, 14, 4 + 14]

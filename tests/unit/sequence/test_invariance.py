"""m-invariance: the checker against brute force, and the generator against the definition."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import DataSayNo, UsageError
from sfumato.sequence.audit import broken_in
from sfumato.sequence.balancing import NOBODY, Buckets, balanced
from sfumato.sequence.invariance import invariance_of, m_of
from sfumato.sequence.splitting import groups_of, labels_of
from sfumato.vocabulary.builders.intervals import Intervals
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind
from tests.unit.sequence.joints import ILL, joint_of_lists
from tests.unit.sequence.test_coalitions import sequences


def _m_by_definition(classes: list[list[int]], values: list[str]) -> int:
    least = len(values)
    sets: list[dict[int, set[str]]] = []
    for own in classes:
        groups: dict[int, list[str]] = {}
        for value, number in zip(values, own, strict=True):
            if number:
                groups.setdefault(number, []).append(value)
        if any(len(set(each)) < len(each) for each in groups.values()):
            return 0
        least = min([least, *map(len, groups.values())])
        sets.append({number: set(each) for number, each in groups.items()})
    for person in range(len(values)):
        signatures = [sets[place][own[person]] for place, own in enumerate(classes) if own[person]]
        if any(one != other for one, other in combinations(signatures, 2)):
            return 0
    return least


def _numbered(own: list[int]) -> list[int]:
    """The same classes, numbered without gaps."""
    order = {number: place for place, number in enumerate(sorted({each for each in own if each}), start=1)}
    return [order.get(each, 0) for each in own]


@settings(max_examples=150)
@given(sequences())
def test_the_checker_agrees_with_the_definition(drawn: tuple[list[list[int]], list[str]]) -> None:
    classes, values = [_numbered(own) for own in drawn[0]], drawn[1]
    if all(any(own) for own in classes):
        assert invariance_of(joint_of_lists(classes, values), ILL).m == _m_by_definition(classes, values)


def test_an_invariant_sequence_is_recognized_and_one_swap_breaks_it() -> None:
    values = list("abcabc")
    kept = joint_of_lists([[1, 1, 1, 2, 2, 2], [1, 2, 1, 2, 1, 2]], values)
    assert invariance_of(kept, ILL).m == 3
    assert broken_in(kept, ["m-invariance:3"])[0] == []
    moved = joint_of_lists([[1, 1, 1, 2, 2, 2], [1, 1, 0, 2, 2, 2]], values)  # the first group has lost its c
    found = invariance_of(moved, ILL)
    assert (found.m, found.moved) == (0, (("1", "2", 2),))
    (broken,) = broken_in(moved, ["m-invariance:3"])[0]
    assert (broken.releases, broken.people, broken.threshold) == (("1", "2"), 2, 3)


def test_a_text_that_is_no_m_is_refused() -> None:
    assert (m_of("m-invariance:4"), m_of("k-anonymity:4")) == (4, None)
    for text in ("m-invariance", "m-invariance:1", "m-invariance:x"):
        with pytest.raises(UsageError, match="written m-invariance:3"):
            m_of(text)


@st.composite
def editions(draw: st.DrawFn) -> tuple[int, list[dict[int, int]]]:
    """m, and tables one after the other: people with a value each, who come and go."""
    m, values = draw(st.integers(2, 3)), 4
    tables, everybody = [], {person: draw(st.integers(0, values - 1)) for person in range(30)}
    for _ in range(draw(st.integers(1, 4))):
        present = draw(st.lists(st.integers(0, 29), min_size=8, max_size=30, unique=True))
        tables.append({person: everybody[person] for person in present})
        if len(set(tables[-1].values())) < m:  # no group could have m values
            tables.pop()
    return m, tables


@settings(max_examples=80)
@given(editions(), st.integers(0, 5))
def test_generated_releases_are_invariant_whoever_comes_and_goes(drawn: tuple[int, list[dict[int, int]]], seed: int) -> None:
    m, tables = drawn
    rng, signature_of, signatures = np.random.default_rng(seed), dict[int, int](), list[tuple[int, ...]]()
    first_signature: dict[int, frozenset[int]] = {}
    for table in tables:
        people, values = list(table), np.array(list(table.values()), np.int64)
        earlier = np.array([signature_of.get(person, NOBODY) for person in people], np.int64)
        made = balanced(values, earlier, signatures, m, rng.permutation(len(people)))
        groups, _ = groups_of(made, rng.integers(0, 9, (len(people), 2)).astype(np.int32))
        assert sorted(made.people[made.people != NOBODY].tolist()) == list(range(len(people)))
        _require_groups(made, groups, m)
        for record, person in enumerate(made.people.tolist()):
            if person != NOBODY:
                assert made.values[record] == values[person]
                own = frozenset(made.signatures[made.signature_of[record]])
                assert first_signature.setdefault(people[person], own) == own
                signature_of[people[person]] = int(made.signature_of[record])
        signatures = list(made.signatures)


def _require_groups(made: Buckets, groups: np.ndarray[tuple[int], np.dtype[np.int64]], m: int) -> None:
    """Every group has each value of its signature once, and at least m."""
    for group in range(int(groups.max()) + 1):
        records = np.flatnonzero(groups == group)
        (signature,) = set(made.signature_of[records].tolist())
        assert sorted(made.values[records].tolist()) == sorted(made.signatures[signature])
        assert len(records) >= m
        assert (made.people[records] != NOBODY).any()


def test_counterfeits_that_would_be_a_group_of_nobody_are_left_out() -> None:
    """Two with a keep {a, b, c}, and the newcomers with b and c make a third group of these values: two groups are enough."""
    a, b, c = 0, 1, 2
    made = balanced(np.array([a, a, b, c]), np.array([0, 0, -1, -1]), [(a, b, c)], 3, np.arange(4))
    assert made.counterfeits == 2
    groups, _ = groups_of(made, np.zeros((4, 1), np.int32))
    _require_groups(made, groups, 3)


def test_counterfeits_are_made_only_where_newcomers_cannot_fill_a_bucket() -> None:
    """Ann has {flu, gastritis}, and nobody with gastritis is left. By hand: Eve (dyspepsia) cannot be in her group; Fay (gastritis) could,
    but then Eve would be alone. So Ann's group gets a counterfeit, and Eve and Fay make a group."""
    flu, gastritis, dyspepsia = 0, 1, 2
    made = balanced(np.array([flu, dyspepsia, gastritis]), np.array([0, -1, -1]), [(flu, gastritis)], 2, np.array([0, 1, 2]))
    assert made.counterfeits == 1
    assert Counter(made.signature_of.tolist()) == {0: 2, 1: 2}
    assert made.signatures[1] == (gastritis, dyspepsia)
    # With a second gastritis among the newcomers the bucket is filled by a person.
    more = balanced(
        np.array([flu, dyspepsia, gastritis, gastritis]), np.array([0, -1, -1, -1]), [(flu, gastritis)], 2, np.arange(4)
    )
    assert more.counterfeits == 0


def test_too_frequent_a_value_among_newcomers_takes_counterfeits_and_too_few_values_are_refused() -> None:
    made = balanced(np.array([0, 0, 0, 1]), np.full(4, NOBODY), [], 2, np.arange(4))
    assert made.counterfeits == 2  # three groups for three zeros, one of which has the one
    with pytest.raises(DataSayNo, match="1 different sensitive value, and every group needs 2"):
        balanced(np.array([0, 0]), np.full(2, NOBODY), [], 2, np.arange(2))


def test_a_group_is_published_under_the_lowest_labels_that_its_people_share() -> None:
    ages = Intervals(widths=(10, 20), lower=0, upper=100).build("age", Kind.INTEGER, ["21", "25", "38", "44"])
    place = {label: code for code, label in enumerate(ages.labels[0])}
    codes = np.array([[place[each]] for each in ("21", "25", "21", "38", "21", "44", "25", "25")], np.int32)
    missing = Hierarchy.flat(("x",))
    labels = labels_of(np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.hstack([codes, np.full((8, 1), 1, np.int32)]), [ages, missing])
    assert labels == [["[20, 30)", "[20, 40)", "*", "25"], [None] * 4]


def test_similar_people_are_put_together() -> None:
    """One bucket of eight pairs of values, people of ages 0 to 7 in each: every group has two people of one age."""
    ages = np.repeat(np.arange(8), 2)
    made = Buckets(np.arange(16), np.tile([0, 1], 8), np.zeros(16, np.int64), ((0, 1),))
    groups, _ = groups_of(made, ages[:, None].astype(np.int32))
    assert len(set(groups.tolist())) == 8
    assert all(len({age for age, own in zip(ages, groups, strict=True) if own == group}) == 1 for group in range(8))

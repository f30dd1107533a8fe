"""What somebody knows after each release: by hand, and that it never falls."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple
from itertools import pairwise
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.frequency import Counts
from sfumato.sequence import candidates
from sfumato.sequence.audit import Step, steps_of
from sfumato.sequence.candidates import known_after
from sfumato.sequence.classes import Shown
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes
from tests.unit.sequence.joints import ILL, joint_of_lists
from tests.unit.sequence.test_coalitions import sequences


def test_candidates_are_the_values_of_all_classes_by_hand() -> None:
    """Two classes {a, b, b} and {a, c, c}; then the person with the first a is in a class {a, c}, the others in {a, b, b, c}."""
    classes = [[1, 1, 1, 2, 2, 2], [1, 2, 2, 2, 1, 2]]
    joint = joint_of_lists(classes, ["a", "b", "b", "a", "c", "c"])
    first, second = known_after(joint, ILL)
    assert (first.people, first.by_candidates, first.certain) == (6, ((2, 6),), 0)
    # 1: {a,b} and {a,c}: a. 2 and 3: {a,b} and {a,b,c}: two remain. 4 and 6: {a,c} and {a,b,c}: two. 5: {a,c} and {a,c}: two.
    assert (second.by_candidates, second.certain) == (((1, 1), (2, 5)), 1)
    # Everybody's prior is (1/3, 1/3, 1/3); who is known has (1, 0, 0): sqrt(4/9 + 1/9 + 1/9).
    assert second.distribution_max == pytest.approx(np.sqrt(6) / 3)
    assert second.entropy_max == pytest.approx(np.log2(3))


def test_a_release_that_repeats_another_teaches_nothing_to_either_attacker() -> None:
    own = [1, 1, 1, 2, 2, 2, 2]
    one, two = steps_of(joint_of_lists([own, own], list("aabbccc")))[ILL]
    assert (one.classes, one.smallest, one.distribution, one.entropy) == (
        two.classes,
        two.smallest,
        two.distribution,
        two.entropy,
    )
    assert one.known == two.known


def _rounded(step: Step) -> str:
    """A step without the digits that depend on the order in which numbers are added."""
    rounded = [round(each, 9) if isinstance(each, float) else each for each in (*astuple(step)[:-1], *astuple(step.known))]
    return str(rounded)


@settings(max_examples=50)
@given(sequences())
def test_the_reported_risk_never_falls_when_a_release_is_added(drawn: tuple[list[list[int]], list[str]]) -> None:
    classes, values = drawn
    whole = steps_of(joint_of_lists(classes, values))[ILL]
    for count in range(1, len(classes) + 1):
        for alone, among in zip(steps_of(joint_of_lists(classes[:count], values))[ILL], whole, strict=False):
            assert _rounded(alone) == _rounded(among)
    for before, after in pairwise(whole):
        if not before.people:
            continue
        assert after.distribution >= before.distribution - 1e-12
        assert after.entropy >= before.entropy - 1e-12
        assert after.alone >= before.alone
        assert after.smallest <= before.smallest
        assert after.known.certain >= before.known.certain
        for loss in ("distribution_max", "distribution_mean", "entropy_max", "entropy_mean"):
            assert getattr(after.known, loss) >= getattr(before.known, loss)


@settings(max_examples=50)
@given(sequences())
def test_candidates_are_those_of_sets_intersected_person_by_person(drawn: tuple[list[list[int]], list[str]]) -> None:
    classes, values = drawn
    known = known_after(joint_of_lists(classes, values), ILL)
    for last, each in enumerate(known):
        counted: Counter[int] = Counter()
        for person in range(len(values)):
            mine = [own[person] for own in classes[: last + 1]]
            sets = [
                {value for value, number in zip(values, own, strict=True) if number == mine[place]}
                for place, own in enumerate(classes[: last + 1])
                if mine[place]
            ]
            if sets:
                counted[len(set.intersection(*sets))] += 1
        assert dict(each.by_candidates) == dict(counted)


@given(st.integers(1, 3))
def test_a_step_with_nobody_in_it_has_no_risk(releases: int) -> None:
    steps = steps_of(joint_of_lists([[0, 0]] * releases, ["a", "b"]))[ILL]
    assert {(step.people, step.distribution, step.known.certain) for step in steps} == {(0, 0.0, 0)}


@settings(max_examples=50)
@given(sequences())
def test_cells_taken_one_by_one_say_the_same_as_all_at_once(drawn: tuple[list[list[int]], list[str]]) -> None:
    joint = joint_of_lists(*drawn)
    together = known_after(joint, ILL)
    with mock.patch.object(candidates, "_BLOCK", 1):
        apart = known_after(joint, ILL)
    assert [each.by_candidates for each in apart] == [each.by_candidates for each in together]
    for one, other in zip(apart, together, strict=True):
        assert astuple(one)[2:] == pytest.approx(astuple(other)[2:])


def test_of_very_many_values_only_those_of_a_class_are_looked_at() -> None:
    """A thousand pairs of people with a value of their own each: a pair has two values, whatever the others have."""
    pairs, looked_at = 1000, []
    joint = joint_of_lists([[1 + number // 2 for number in range(2 * pairs)]] * 2, [f"v{number}" for number in range(2 * pairs)])
    of_classes = Shown.of_classes

    def counting(shown: Shown, classes: Codes, among: Counts) -> Floats:
        looked_at.append(len(classes) * len(among))
        return of_classes(shown, classes, among)

    with mock.patch.object(candidates, "_BLOCK", 40 * pairs), mock.patch.object(Shown, "of_classes", counting):
        known = known_after(joint, ILL)
    assert known[1].by_candidates == ((2, 2 * pairs),)
    assert (
        sum(looked_at) <= 2 * pairs * 2 * 20
    )  # two releases of blocks of twenty cells, and not 2,000 values for each of the cells

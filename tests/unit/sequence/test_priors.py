"""Groups of people are judged beside the shares of their own table, which its releases were judged by."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.sequence.audit import broken_in, steps_of
from tests.unit.sequence.joints import ILL
from tests.unit.sequence.test_changed_values import Year, joint_of_years

VALUES = "abc"


def _shares(values: Sequence[str]) -> np.ndarray:
    counted = Counter(values)
    return np.array([counted[each] for each in VALUES]) / len(values)


def _entropy(shares: np.ndarray) -> float:
    return -sum(each * np.log2(each) for each in shares if each)


DISTANCES = {
    "t-closeness:{}": lambda x, a: np.abs(x - a).sum() / 2,
    "distribution-loss:{}": lambda x, a: np.sqrt(((x - a) ** 2).sum()),
    "entropy-loss:{}": lambda x, a: abs(_entropy(x) - _entropy(a)),
}


def _harmed(years: Sequence[Year], places: Sequence[int], name: str, most: float) -> set[str]:
    """Who shares all classes with people among whom the values of some year are too far from those of the table of that year."""
    groups = defaultdict(set)
    for person in {person for place in places for person in years[place]}:
        groups[tuple(years[place].get(person, (0, ""))[0] for place in places)].add(person)
    harmed: set[str] = set()
    for classes, people in groups.items():
        for place, number in zip(places, classes, strict=True):
            if number:
                prior = _shares([value for _, value in years[place].values()])
                own = _shares([years[place][person][1] for person in people])
                harmed |= people if DISTANCES[name](own, prior) > most + 1e-9 else set()
    return harmed


@settings(max_examples=120)
@given(
    st.lists(
        st.dictionaries(st.sampled_from("pqrstuvw"), st.tuples(st.integers(1, 2), st.sampled_from(VALUES)), min_size=1),
        min_size=2,
        max_size=3,
    ),
    st.sampled_from(sorted(DISTANCES)),
    st.sampled_from([0.2, 0.5, 0.8]),
)
def test_every_group_is_judged_beside_the_shares_of_its_own_table(years: list[Year], name: str, most: float) -> None:
    harmed: dict[int, int] = {}
    for size in range(2, len(years) + 1):
        harmed[size] = max(len(_harmed(years, places, name, most)) for places in combinations(range(len(years)), size))
    expected = next(((size, people) for size, people in harmed.items() if people), None)
    broken, _, _ = broken_in(joint_of_years(years), [name.format(most)])
    assert [(len(each.releases), each.people) for each in broken] == ([] if expected is None else [expected])


def test_people_of_another_table_with_other_shares_hide_nothing_and_break_nothing() -> None:
    """Nobody is in both tables, and every class has just the shares of its own."""
    first: Year = {f"x{n}": (1 + n % 2, "a") for n in range(4)}
    second: Year = {f"y{n}": (1 + n // 2, "bc"[n % 2]) for n in range(4)}
    models = ["t-closeness:0.01", "distribution-loss:0.01", "entropy-loss:0.01", "beta-likeness:0.1", "delta-disclosure:0.1"]
    assert broken_in(joint_of_years([first, second]), models)[0] == []


def test_what_the_audit_reports_is_beside_what_was_believed_first() -> None:
    joint = joint_of_years([{"p": (1, "a"), "q": (1, "b")}, {"p": (1, "a"), "q": (1, "b"), "r": (1, "b"), "s": (1, "b")}])
    first, second = steps_of(joint)[ILL]
    assert first.distribution == 0
    assert second.distribution == pytest.approx(np.sqrt(2) / 2)  # r and s are told from p and q: (0, 1) beside (1/2, 1/2)

"""Thresholds and noise: what they promise, by sums over the law of the noise and by trials."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.applications.ato.collaborating.counting import Visits
from sfumato.applications.ato.collaborating.protecting import Protection, at_least, bounded, protected
from sfumato.errors import UsageError

Row = tuple[int, int, int, bool]
SHAPE = (2, 4, 2)
rows = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 1), st.integers(0, 3), st.booleans()), unique_by=lambda row: row[:3], max_size=30
)


def visits(some: list[Row]) -> Visits:
    person, period, key = (np.array([row[place] for row in some], np.int64) for place in range(3))
    return Visits(person, period, key, np.array([row[3] for row in some], bool))


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
def test_the_chance_of_noise_is_the_sum_of_its_law(scale: float) -> None:
    p = exp(-1 / scale)
    law = {z: (1 - p) / (1 + p) * p ** abs(z) for z in range(-400, 401)}
    for least in range(-4, 8):
        assert at_least(scale, least) == pytest.approx(sum(share for z, share in law.items() if z >= least), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.2, 8), st.floats(1e-9, 0.4), st.integers(1, 4), st.integers(1, 12))
def test_the_least_count_is_the_smallest_that_keeps_delta(epsilon: float, delta: float, visits: int, periods: int) -> None:
    protection = Protection(1, epsilon, delta, visits)
    least = protection.least(periods)
    alone = Fraction(at_least(protection.scale, least - 1))
    assert protection.whole_delta(least, periods) == pytest.approx(float(1 - (1 - alone) ** (visits * periods)), rel=1e-9)
    assert protection.whole_delta(least, periods) <= delta
    assert least == 1 or protection.whole_delta(least - 1, periods) > delta


def test_somebody_alone_is_shared_as_often_as_is_stated() -> None:
    """At scale 1 and a least count of 3, a count of 1 shows in 9.89 % of all trials: P(noise >= 2), not P(noise >= 3)."""
    trials = 20_000
    protection = Protection(3, 1.0, 0.5, 1)
    assert protection.least(1) == 3
    alone = Visits(np.arange(trials), np.zeros(trials, np.int64), np.arange(trials), np.ones(trials, bool))
    shown = protected(alone, (1, trials, 2), protection, 5) > 0
    p = exp(-1)
    assert shown.sum() / trials == pytest.approx(p**2 / (1 + p), abs=4 * (0.1 * 0.9 / trials) ** 0.5)


def test_noise_follows_its_law_and_its_seed() -> None:
    trials = 40_000
    everybody = Visits(np.arange(trials), np.zeros(trials, np.int64), np.arange(trials), np.ones(trials, bool))
    protection = Protection(1, 0.5, 0.999, 1)
    found = protected(everybody, (1, trials, 2), protection, 1)[0, :, 1]
    p, counts = exp(-0.5), Counter(found.tolist())
    for count in range(2, 8):
        expected = (1 - p) / (1 + p) * p ** (count - 1)
        assert counts[count] / trials == pytest.approx(expected, abs=4 * (expected / trials) ** 0.5)
    assert (found == protected(everybody, (1, trials, 2), protection, 1)[0, :, 1]).all()
    assert (found != protected(everybody, (1, trials, 2), protection, 2)[0, :, 1]).any()


def test_noise_of_the_system_cannot_be_repeated() -> None:
    many = Visits(np.arange(900), np.zeros(900, np.int64), np.repeat(np.arange(30), 30), np.ones(900, bool))
    once, again = (protected(many, (1, 30, 2), Protection(1, 0.2, 0.999, 1), None) for _ in range(2))
    assert (once != again).any()
    assert (once[..., 0] == 0).all(), "nobody is failing, and what does not occur is not shared"


@settings(max_examples=60, deadline=None)
@given(rows, st.integers(1, 3))
def test_a_person_counts_in_few_cells_whoever_else_there_is(some: list[Row], most: int) -> None:
    all_of = visits(some)
    kept = bounded(all_of, most)
    for person in {row[0] for row in some}:
        own = [place for place, row in enumerate(some) if row[0] == person]
        assert (kept[own] == bounded(visits([some[place] for place in own]), most)).all()
        for period in (0, 1):
            cells = sorted(some[place][2] for place in own if some[place][1] == period)
            assert sorted(some[place][2] for place in own if some[place][1] == period and kept[place]) == cells[:most]


@settings(max_examples=60, deadline=None)
@given(rows, st.integers(0, 5))
def test_one_person_changes_one_count_of_a_cell_by_one(some: list[Row], person: int) -> None:
    every, without = (visits([row for row in some if row[0] != left]).counts(SHAPE) for left in (-1, person))
    change = every - without
    assert change.min(initial=0) >= 0
    assert change.sum(axis=2).max(initial=0) <= 1


@settings(max_examples=60, deadline=None)
@given(rows, st.integers(1, 4))
def test_a_threshold_leaves_out_small_cells_and_changes_no_other(some: list[Row], threshold: int) -> None:
    raw = visits(some).counts(SHAPE)
    shared = protected(visits(some), SHAPE, Protection(threshold), None)
    for period, key in np.ndindex(SHAPE[:2]):
        people = len({row[0] for row in some if row[1:3] == (period, key)})
        assert shared[period, key].tolist() == (raw[period, key].tolist() if people >= threshold else [0, 0])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"threshold": 0}, "at least 1"),
        ({"epsilon": 0.0}, "at least 0.0002"),
        ({"epsilon": -1.0}, "1 would work"),
        ({"epsilon": float("nan")}, "1 would work"),
        ({"epsilon": 1.0, "delta": 0.0}, "1e-5 would work"),
        ({"visits": 0}, "2 would work"),
    ],
)
def test_a_protection_that_protects_nobody_is_refused(arguments: dict[str, float], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Protection(**arguments)  # type: ignore[arg-type]

"""The front of two losses against the plain definition, and the knee on fronts that can be checked by hand."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.search.space.front import front
from sfumato.search.space.knee import front_of_two, knee


def places(values: list[tuple[float, float]]) -> list[int]:
    levels = np.arange(len(values))[:, None]
    return front_of_two(np.array(values, np.float64).reshape(-1, 2), levels).tolist()


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=40))
def test_the_front_is_told_by_rising_losses(values: list[tuple[float, float]]) -> None:
    array = np.array(values, np.float64).reshape(-1, 2)
    found = places(values)
    assert sorted(found) == np.flatnonzero(front(array)).tolist()
    assert [values[place] for place in found] == sorted(values[place] for place in found)


def test_of_equal_nodes_the_least_general_comes_first() -> None:
    values = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    assert front_of_two(values, np.array([[2, 2], [0, 3], [3, 0], [0, 0]])).tolist() == [1, 2, 0]


def test_an_equal_node_of_another_first_loss_does_not_stay() -> None:
    assert places([(0, 1), (1, 1), (2, 0), (2, 0), (3, 0)]) == [0, 2, 3]


@pytest.mark.parametrize(
    ("points", "place"),
    [
        ([(0, 10), (1, 2), (10, 0)], 1),  # one elbow
        ([(0, 10), (1, 5), (2, 2), (6, 1), (10, 0)], 2),  # 1 - 0.2 - 0.2 is the most
        ([(0, 1000), (1, 500), (2, 200), (6, 100), (10, 0)], 2),  # the same in other units
        ([(0, 3), (1, 2), (2, 1), (3, 0)], 1),  # on the chord: the nearest to the ideal, the first of two
        ([(0, 10), (4, 7), (7, 5), (10, 0)], 1),  # bulges the other way: (0.4, 0.7) is nearest to the ideal
        ([(0, 10), (9, 9), (10, 0)], 0),  # bulges so far that the ends are nearest
        ([(0, 4), (1, 2), (2, 1), (4, 0)], 1),  # two equally far: the first
        ([(0, 1), (1, 0)], 0),
        ([(5, 5)], 0),
        ([(0, 0), (0, 0)], 0),
        ([(0, float("inf")), (1, 8), (2, 1), (9, 0)], 2),
        ([(0, float("inf"))], 0),
    ],
)
def test_the_knee_of_fronts_made_by_hand(points: list[tuple[float, float]], place: int) -> None:
    assert knee(np.array(points, np.float64)) == place


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=3, max_size=40))
def test_no_point_of_the_front_is_farther_below_the_chord(values: list[tuple[int, int]]) -> None:
    array = np.array(values, np.float64)
    array = array[places([(float(x), float(y)) for x, y in values])]
    spans = np.where(np.ptp(array, axis=0) > 0, np.ptp(array, axis=0), 1)
    below = 1 - ((array - array.min(axis=0)) / spans).sum(axis=1)
    if below.max() > 1e-9:
        assert below[knee(array)] == pytest.approx(below.max())


@given(rows=st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0, inf]), st.sampled_from([0.0, 0.5, 2.0, inf])), max_size=12))
def test_the_sweep_over_two_losses_keeps_what_comparing_all_rows_keeps(rows: list[tuple[float, float]]) -> None:
    values = np.array(rows, np.float64).reshape(-1, 2)
    beaten = [any(a <= x and b <= y and (a, b) != (x, y) for a, b in rows) for x, y in rows]
    assert front(values).tolist() == [not each for each in beaten]

"""The Shapley value against all orders, and against the axioms that define it."""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.applications.ato.collaborating.shapley import Shapley, shapley
from sfumato.errors import UsageError

Worth = dict[frozenset[int], float]


def game(players: int, seed: int) -> Worth:
    """A random value for each coalition, 0 for none."""
    chance = np.random.default_rng(seed)
    coalitions = [frozenset(p for p in range(players) if number >> p & 1) for number in range(1 << players)]
    return {each: float(chance.normal()) if each else 0.0 for each in coalitions}


def by_orders(players: int, worth: Worth) -> list[float]:
    """What each adds, over all orders."""
    added = [0.0] * players
    for order in permutations(range(players)):
        for place, player in enumerate(order):
            added[player] += worth[frozenset(order[: place + 1])] - worth[frozenset(order[:place])]
    return [each / factorial(players) for each in added]


games = st.tuples(st.integers(1, 5), st.integers(0, 1000)).map(lambda pair: (pair[0], game(*pair)))


@settings(max_examples=40, deadline=None)
@given(games)
def test_it_is_the_mean_over_all_orders_and_divides_the_whole(made: tuple[int, Worth]) -> None:
    players, worth = made
    found = shapley(players, worth.__getitem__)
    assert found.values == pytest.approx(by_orders(players, worth), abs=1e-9)
    assert sum(found.values) == pytest.approx(found.total, abs=1e-9)
    assert found.total == pytest.approx(worth[frozenset(range(players))], abs=1e-9)
    assert found.intervals is None


@settings(max_examples=25, deadline=None)
@given(games, st.integers(0, 1000))
def test_the_values_of_a_sum_of_games_are_the_sums_of_values(made: tuple[int, Worth], seed: int) -> None:
    players, one = made
    other = game(players, seed)
    both = shapley(players, lambda coalition: one[coalition] + other[coalition])
    sums = np.add(shapley(players, one.__getitem__).values, shapley(players, other.__getitem__).values)
    assert both.values == pytest.approx(sums, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(games)
def test_who_adds_nothing_has_no_value_and_equals_have_equal_ones(made: tuple[int, Worth]) -> None:
    players, worth = made
    idle = shapley(players + 1, lambda coalition: worth[coalition - {players}])
    assert idle.values[-1] == pytest.approx(0, abs=1e-12)
    assert idle.values[:-1] == pytest.approx(shapley(players, worth.__getitem__).values, abs=1e-9)
    twins = shapley(players + 1, lambda coalition: worth[frozenset(min(each, players - 1) for each in coalition)])
    assert twins.values[-1] == pytest.approx(twins.values[-2], abs=1e-9)


def test_two_left_gloves_and_a_right_one_are_worth_a_sixth_a_sixth_and_two_thirds() -> None:
    found = shapley(3, lambda coalition: float(2 in coalition and len(coalition) > 1))
    assert found.values == pytest.approx([1 / 6, 1 / 6, 2 / 3])


def test_every_coalition_is_asked_for_once() -> None:
    asked: list[frozenset[int]] = []
    shapley(6, lambda coalition: asked.append(coalition) or float(len(coalition)))
    assert len(asked) == len(set(asked)) == 64
    asked.clear()
    sampled = shapley(9, lambda coalition: asked.append(coalition) or float(len(coalition)), permutations=40)
    assert len(asked) == len(set(asked)) == sampled.coalitions


def test_sampled_values_of_more_than_eight_players_have_intervals_that_hold_the_true_ones() -> None:
    weights = np.arange(9) / 4

    def worth(coalition: frozenset[int]) -> float:
        """Nine players with weights, of whom pairs of neighbors add something more: half of it is each one's."""
        return sum(weights[each] + (each + 1 in coalition) for each in coalition)

    true = weights + np.array([0.5, *[1.0] * 7, 0.5])
    found = shapley(9, worth, permutations=400, seed=3)
    assert found.intervals is not None
    inside = [low <= value <= high for (low, high), value in zip(found.intervals, true, strict=True)]
    assert sum(inside) >= 8, "95 % of nine, but one"
    assert found.values == pytest.approx(true, abs=0.1)
    assert sum(found.values) == pytest.approx(found.total, abs=1e-9), "every order divides the whole"
    assert found == shapley(9, worth, permutations=400, seed=3)


def test_a_reversed_order_makes_a_game_of_pairs_exact() -> None:
    found = shapley(9, lambda coalition: float(len(coalition) * (len(coalition) - 1)), permutations=30)
    assert found.values == pytest.approx([8.0] * 9)
    assert found.intervals is not None
    assert np.array(found.intervals) == pytest.approx(np.full((9, 2), 8.0))


@pytest.mark.parametrize(
    ("values", "total", "paid"),
    [
        ((2.0, 1.0, 1.0), 4.0, (50, 25, 25)),
        ((3.0, -1.0, 1.0), 3.0, (75, 0, 25)),
        ((0.2, -0.5), -0.3, (0, 0)),
        ((0.0, 0.0), 0.0, (0, 0)),
    ],
)
def test_payments_are_the_whole_sum_or_nothing(values: tuple[float, ...], total: float, paid: tuple[int, ...]) -> None:
    assert Shapley(values, None, total, 4).payments(100) == pytest.approx(paid)


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="1 to 32"):
        shapley(0, lambda coalition: 0.0)
    with pytest.raises(UsageError, match="at least 30"):
        shapley(9, lambda coalition: 0.0, permutations=10)
    with pytest.raises(UsageError, match="at least 0"):
        Shapley((1.0,), None, 1.0, 2).payments(float("nan"))

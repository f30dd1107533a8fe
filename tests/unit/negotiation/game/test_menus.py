"""The best menu is the best of all menus, and nobody would rather take something else."""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.negotiation.game import best_menu, program
from sfumato.negotiation.game.menus import ORDERED, PROGRAM
from sfumato.negotiation.game.ordered import order_of
from sfumato.negotiation.game.program import best_of_program
from sfumato.negotiation.game.rents import least_rents, violation
from sfumato.negotiation.game.sellers import chosen, first_best, one_price

Floats = npt.NDArray[np.float64]


def with_nothing(worth: Floats, cost: Floats) -> tuple[Floats, Floats]:
    return np.column_stack([np.zeros(len(worth)), worth]), np.concatenate([[0.0], cost])


def best_of_all(worth: Floats, cost: Floats, likely: Floats) -> float:
    """The largest profit of any menu: every allocation, with the highest prices by a linear program of its own."""
    from scipy.optimize import linprog

    worth, cost = with_nothing(worth, cost)
    types, best = len(worth), 0.0
    for allocation in product(range(worth.shape[1]), repeat=types):
        rows, limits = [], []
        for t in range(types):
            rows.append(np.eye(types)[t])  # p_t <= worth_t(x_t)
            limits.append(worth[t, allocation[t]])
            for s in range(types):  # p_t - p_s <= worth_t(x_t) - worth_t(x_s)
                rows.append(np.eye(types)[t] - np.eye(types)[s])
                limits.append(worth[t, allocation[t]] - worth[t, allocation[s]])
        free = linprog(-likely, A_ub=np.array(rows), b_ub=limits, bounds=[(None, None)] * types)
        if free.status == 0:
            best = max(best, float(-free.fun - likely @ cost[list(allocation)]))
    return best


def taken(worth: Floats, menu: object) -> None:
    """Every type is content with its item, written out for every pair."""
    items = menu.items  # type: ignore[attr-defined]
    value = [0.0 if each.place is None else float(row[each.place]) for row, each in zip(worth, items, strict=True)]
    for t, row in enumerate(worth):
        assert value[t] - items[t].price == pytest.approx(items[t].user, abs=1e-9)
        assert items[t].user >= -1e-9
        for other in items:
            assert items[t].user >= (0.0 if other.place is None else float(row[other.place])) - other.price - 1e-6


@given(st.integers(0, 10**9))
@settings(max_examples=40, deadline=None)
def test_no_menu_has_more_profit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    types, policies = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    likely, cost = rng.dirichlet(np.ones(types)), rng.integers(0, 5, policies).astype(float)
    scaled = np.outer(rng.integers(0, 6, types), rng.integers(0, 6, policies)).astype(float)
    worth = scaled if seed % 2 else rng.integers(0, 9, (types, policies)).astype(float)
    menu = best_menu(worth, cost, likely)
    assert menu.profit == pytest.approx(best_of_all(worth, cost, likely), abs=1e-6)
    assert menu.proved
    assert menu.violated <= 1e-6
    taken(worth, menu)


@given(st.integers(0, 10**9))
@settings(max_examples=25, deadline=None)
def test_the_walk_and_the_program_agree_where_there_is_an_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    types, policies = int(rng.integers(2, 7)), int(rng.integers(2, 30))
    worth, cost = with_nothing(np.outer(np.sort(rng.random(types)) + 0.1, rng.random(policies) * 50), rng.random(policies) * 20)
    likely = rng.dirichlet(np.ones(types))
    assert order_of(worth, cost) is not None
    menu = best_menu(worth[:, 1:], cost[1:], likely)
    assert menu.method == ORDERED
    _, at_most, _ = best_of_program(worth, cost, likely, 30)
    assert menu.profit == pytest.approx(at_most, rel=1e-6, abs=1e-6)
    taken(worth[:, 1:], menu)


def test_two_types_by_hand() -> None:
    # The high type is left with what it would gain by taking the low type's policy: 5 - 4 = 1, so it pays 9.
    worth, cost = np.array([[4.0, 6.0], [5.0, 10.0]]), np.array([0.0, 1.0])
    menu = best_menu(worth, cost, [0.5, 0.5])
    assert [(each.place, each.price, each.user, each.owner) for each in menu.items] == [(0, 4.0, 0.0, 4.0), (1, 9.0, 1.0, 8.0)]
    assert (menu.profit, menu.at_most, menu.method, menu.violated) == (6.0, 6.0, ORDERED, 0.0)


def test_where_high_types_are_likely_the_low_one_gets_nothing() -> None:
    worth, cost = np.array([[4.0], [5.0]]), np.array([0.0])
    assert [each.place for each in best_menu(worth, cost, [0.1, 0.9]).items] == [None, 0]
    assert [each.price for each in best_menu(worth, cost, [0.9, 0.1]).items] == [4.0, 4.0]


def test_a_policy_that_is_worth_less_and_costs_more_can_be_the_best_for_a_type() -> None:
    # The second policy is worth no more to anybody than the first, and costs more. But it does not tempt the high type.
    worth, cost = np.array([[4.0, 4.0], [20.0, 4.0]]), np.array([0.0, 1.0])
    menu = best_menu(worth, cost, [0.5, 0.5])
    assert [(each.place, each.price) for each in menu.items] == [(1, 4.0), (0, 20.0)]
    assert menu.profit == pytest.approx(best_of_all(worth, cost, np.array([0.5, 0.5])))
    assert menu.profit == 11.5
    assert best_menu(worth[:, :1], cost[:1], [0.5, 0.5]).profit == 10.0


@pytest.mark.parametrize("seed", range(12))
def test_what_is_ruled_out_is_not_needed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    types, policies = int(rng.integers(2, 6)), 60
    worth = rng.random((types, policies)) * 9 if seed % 2 else rng.integers(0, 9, (types, policies)).astype(float)
    worth, cost = with_nothing(worth, rng.random(policies) * 3)
    likely = rng.dirichlet(np.ones(types))
    allocation, at_most, left = best_of_program(worth, cost, likely, 30)
    assert left < worth.size / 2
    whole = program._Program(worth, cost, likely, 30).solved(np.ones(worth.shape, bool))
    assert whole is not None
    profit, bound = whole.profit, whole.at_most
    assert at_most == pytest.approx(bound, abs=1e-5)
    assert at_most == pytest.approx(profit, abs=1e-5)
    rents = least_rents(worth, allocation, 1e-6)
    assert rents is not None
    assert float(likely @ (worth[np.arange(types), allocation] - cost[allocation] - rents)) == pytest.approx(profit, abs=1e-5)


def test_types_that_value_everything_alike_are_one() -> None:
    worth = np.array([[3.0, 5.0], [3.0, 5.0], [6.0, 10.0]])
    menu = best_menu(worth, np.array([0.0, 1.0]), [0.25, 0.25, 0.5])
    assert menu.method == ORDERED
    assert menu.items[0] == menu.items[1]


def test_an_order_that_is_none_is_not_assumed() -> None:
    crossing = np.array([[5.0, 1.0], [1.0, 5.0]])
    assert order_of(*with_nothing(crossing, np.zeros(2))) is None
    menu = best_menu(crossing, np.zeros(2), [0.5, 0.5])
    assert (menu.method, menu.profit) == (PROGRAM, pytest.approx(5.0))


def test_prices_are_as_high_as_they_can_be_and_none_fit_where_types_would_swap() -> None:
    worth = np.array([[0.0, 5.0, 1.0], [0.0, 1.0, 5.0]])
    assert least_rents(worth, np.array([2, 1])) is None  # each would rather have the other's
    rents = least_rents(worth, np.array([1, 2]))
    assert rents is not None
    assert rents.tolist() == [0.0, 0.0]
    assert violation(worth, np.array([1, 2]), rents) == 0.0
    assert violation(worth, np.array([2, 1]), np.zeros(2)) == 4.0


@given(st.integers(0, 10**9))
@settings(max_examples=40, deadline=None)
def test_other_ways_to_sell_are_never_better_than_the_menu_or_worse_than_full_information(seed: int) -> None:
    rng = np.random.default_rng(seed)
    types, policies = int(rng.integers(1, 6)), int(rng.integers(1, 20))
    worth, cost, likely = rng.random((types, policies)) * 9, rng.random(policies) * 3, rng.dirichlet(np.ones(types))
    order, profit = np.arange(policies, dtype=float), best_menu(worth, cost, likely).profit
    for items in (one_price(worth, cost, likely, order), chosen(worth, cost, rng.random(policies) * 9, order)):
        assert float(likely @ [each.owner for each in items]) <= profit + 1e-6
    assert float(likely @ [each.owner for each in first_best(worth, cost, order)]) >= profit - 1e-6


def test_the_best_single_price_by_trying_all() -> None:
    rng = np.random.default_rng(5)
    worth, cost, likely = rng.random((4, 6)) * 9, rng.random(6) * 3, rng.dirichlet(np.ones(4))
    best = max(
        sum(likely[s] * (worth[t, p] - cost[p]) for s in range(4) if worth[s, p] >= worth[t, p])
        for t in range(4)
        for p in range(6)
    )
    items = one_price(worth, cost, likely, np.arange(6.0))
    assert float(likely @ [each.owner for each in items]) == pytest.approx(best)


def test_without_scipy_types_without_an_order_are_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(UsageError, match=r"negotiate menu: .*pip install \"sfumato\[game\]\""):
        best_menu(np.array([[5.0, 1.0], [1.0, 5.0]]), np.zeros(2), [0.5, 0.5])
    assert best_menu(np.array([[1.0], [5.0]]), np.zeros(1), [0.5, 0.5]).profit == 2.5


def test_too_many_pairs_of_types_without_an_order_are_refused() -> None:
    worth = np.random.default_rng(1).random((50, 5001))
    with pytest.raises(UsageError, match="250,100 pairs of type and policy are more than the 250,000"):
        best_menu(worth, np.zeros(5001), np.full(50, 0.02))


def test_a_menu_that_is_not_proved_to_be_the_best_comes_with_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    worth, cost, likely = rng.random((4, 60)) * 9, rng.random(60) * 3, rng.dirichlet(np.ones(4))
    best, solved = best_menu(worth, cost, likely), program._Program.solved
    calls: list[int] = []

    def first_only(self: object, allowed: npt.NDArray[np.bool_]) -> object:
        calls.append(int(allowed.sum()))
        return solved(self, allowed) if len(calls) == 1 else None  # type: ignore[arg-type]

    monkeypatch.setattr(program, "_NEAR", 1)
    monkeypatch.setattr(program._Program, "solved", first_only)
    menu = best_menu(worth, cost, likely)
    assert len(calls) == 2
    assert menu.profit <= best.profit <= menu.at_most
    assert not menu.proved
    taken(worth, menu)

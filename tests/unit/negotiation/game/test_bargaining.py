"""The equilibrium in closed form is that of the tree, and no strategy whatsoever does better against it."""

from __future__ import annotations

import warnings
from math import inf
from random import Random

import nashpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.negotiation.events import Party
from sfumato.negotiation.game import Horizon, Small, backward_induction, bargain
from sfumato.negotiation.game.tree import ACCEPT, OWNER, USER
from tests.unit.negotiation.game.trees import nodes, pays_to_deviate, pays_to_deviate_once, played, strategies


def test_with_one_round_the_user_pays_the_owners_cost() -> None:
    (deal,) = bargain(np.array([10.0, 30.0, 26.0]), np.array([2.0, 25.0, 15.0]), np.arange(3), Horizon(1))
    assert (deal.place, deal.price, deal.user, deal.owner) == (2, 15.0, 11.0, 0.0)


def test_with_two_rounds_the_owner_gets_what_waiting_is_worth() -> None:
    # In round 2 the owner would take all of 30 - 12 = 18; half of it is left a round later, so the user offers 12 + 9.
    first, second = bargain(np.array([30.0]), np.array([12.0]), np.arange(1), Horizon(2, 0.5))
    assert (second.proposer, second.price, second.user, second.owner) == (Party.OWNER, 30.0, 0.0, 18.0)
    assert (first.proposer, first.price, first.user, first.owner) == (Party.USER, 21.0, 9.0, 9.0)


def test_with_many_rounds_it_comes_near_the_bargain_without_an_end() -> None:
    # Rubinstein 1982: whoever proposes first gets 1/(1 + d) of the surplus if there is no last round.
    (first, *_) = bargain(np.array([20.0]), np.array([10.0]), np.arange(1), Horizon(1000, 0.8))
    assert first.user == pytest.approx(10 / 1.8)


def test_where_nothing_is_worth_its_cost_there_is_no_deal() -> None:
    found = bargain(np.array([1.0, 2.0]), np.array([3.0, 2.5]), np.arange(2), Horizon(3))
    assert [(each.place, each.user, each.owner) for each in found] == [(None, 0.0, 0.0)] * 3
    assert bargain(np.empty(0), np.empty(0), np.empty(0), Horizon())[0].place is None


def test_a_budget_can_make_the_owner_choose_another_policy() -> None:
    # In round 2 the owner gets min(worth, 10) - cost: 10 - 8 or 9 - 1. In round 1 the user keeps what is worth more and pays the reserve.
    worth, cost = np.array([40.0, 9.0]), np.array([8.0, 1.0])
    first, second = bargain(worth, cost, np.arange(2), Horizon(2, 1.0), budget=10.0)
    assert (second.place, second.price, second.owner) == (1, 9.0, 8.0)
    assert (first.place, first.price, first.user) == (1, 9.0, 0.0)
    assert bargain(worth, cost, np.arange(2), Horizon(1), budget=10.0)[0].place == 0


def test_ties_go_to_the_policy_that_ranks_first() -> None:
    (deal,) = bargain(np.array([5.0, 5.0, 5.0]), np.array([1.0, 1.0, 1.0]), np.array([2, 0, 1]), Horizon(1), places=[7, 8, 9])
    assert deal.place == 8


def small_game(rng: Random, *, rounds: int, policies: int, people: int = 0) -> tuple[Small, tuple[float, float]]:
    """A small game whose prices are those of the closed form and one other, and the payoffs of the closed form."""
    values, compensations = ([rng.randint(low, high) for _ in range(policies)] for low, high in ((0, 12), (0, 8)))
    losses, thresholds = (
        [rng.choice((0.1, 0.5, 0.9)) for _ in range(policies)],
        [rng.choice((0.2, 0.6, 1.0)) for _ in range(people)],
    )
    departure, budget = float(rng.randint(0, 3)), rng.choice((None, 3.0, 6.0))
    horizon = Horizon(rounds, rng.choice((1.0, 0.9, 0.5, 0.0)))
    share = np.array([np.mean([threshold >= loss for threshold in thresholds]) if thresholds else 1.0 for loss in losses])
    worth, cost = np.array(values) * share, np.array(compensations) * share + departure * (1 - share)
    found = bargain(worth, cost, np.arange(policies), horizon, budget)
    prices = sorted({each.price for each in found} | {float(rng.randint(0, 12))})
    limit = inf if budget is None else budget
    small = Small(values, compensations, losses, prices, thresholds, departure, limit, horizon)
    return small, (found[0].user, found[0].owner)


@given(st.integers(0, 10**9))
@settings(max_examples=150, deadline=None)
def test_the_closed_form_is_the_game_move_by_move(seed: int) -> None:
    rng = Random(seed)
    small, payoffs = small_game(rng, rounds=rng.randint(1, 3), policies=rng.randint(1, 3), people=rng.randint(0, 2))
    assert backward_induction(small.tree())[0][:2] == pytest.approx(payoffs, abs=1e-9)


# One policy and two rounds: what it is worth, its cost, the prices of the closed form and perhaps another one, patience, the budget.
TWO_ROUNDS = [
    (10.0, 2.0, [6.0, 10.0], 0.5, inf),
    (10.0, 2.0, [2.0, 10.0], 0.0, inf),
    (10.0, 2.0, [4.0, 6.0], 0.5, 6.0),
    (3.0, 5.0, [3.0, 5.0], 0.5, inf),
]


@pytest.mark.parametrize(("value", "cost", "prices", "patience", "budget"), TWO_ROUNDS)
def test_of_all_strategies_those_are_perfect_from_which_no_single_deviation_pays(
    value: float, cost: float, prices: list[float], patience: float, budget: float
) -> None:
    horizon = Horizon(2, patience)
    first, second = bargain(np.array([value]), np.array([cost]), np.arange(1), horizon, None if budget == inf else budget)
    assert first.place is None or {first.price, second.price} <= set(prices)
    tree = Small([value], [cost], [0.0], prices, budget=budget, horizon=horizon).tree()
    found, strategy = backward_induction(tree)
    assert found == pytest.approx((first.user, first.owner), abs=1e-9)
    every = list(strategies(tree))
    assert len(every) == 768
    perfect = [each for each in every if not pays_to_deviate_once(tree, each)]
    assert strategy in perfect
    for each in [strategy, *Random(1).sample(every, 20), *perfect[:10]]:
        assert (each in perfect) == (not pays_to_deviate(tree, each))


def normal_form(small: Small) -> tuple[nashpy.Game, list[dict[tuple[str, ...], str]], list[dict[tuple[str, ...], str]]]:
    tree = small.tree()
    own, others = list(strategies(tree, USER)), list(strategies(tree, OWNER))
    payoffs = np.array([[played(tree, {**user, **owner})[:2] for owner in others] for user in own])
    return nashpy.Game(payoffs[:, :, USER], payoffs[:, :, OWNER]), own, others


@pytest.mark.parametrize("seed", [1, 2, 3, 5, 8])
def test_nashpy_finds_that_both_sides_answer_each_other_best(seed: int) -> None:
    small, _ = small_game(Random(seed), rounds=2, policies=1)
    game, own, others = normal_form(small)
    _, strategy = backward_induction(small.tree())
    row = np.array([all(strategy[place] == move for place, move in each.items()) for each in own], float)
    column = np.array([all(strategy[place] == move for place, move in each.items()) for each in others], float)
    assert (row.sum(), column.sum()) == (1, 1)
    assert game.is_best_response(row, column) == (True, True)


def test_an_empty_threat_is_an_equilibrium_that_backward_induction_does_not_choose() -> None:
    # Worth 10, cost 2, prices 3 and 9. The owner would like to insist on 9; but asked for 3, taking it is better than nothing.
    small = Small([10.0], [2.0], [0.0], [3.0, 9.0], horizon=Horizon(1))
    game, _, _ = normal_form(small)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the game is degenerate: some moves are never reached
        pure = [each for each in game.support_enumeration() if max(each[0]) == 1 and max(each[1]) == 1]
    payoffs = {tuple(game[row, column].tolist()) for row, column in pure}
    assert {(7.0, 1.0), (1.0, 7.0)} <= payoffs
    found, strategy = backward_induction(small.tree())
    assert found == (7.0, 1.0)
    assert all(strategy[place] == ACCEPT for place, node in nodes(small.tree()).items() if node.player == OWNER)


def test_people_leave_exactly_where_the_loss_is_above_their_threshold() -> None:
    small = Small([10.0], [4.0], [0.5], [2.0], thresholds=[0.4, 0.5, 0.9], departure=3.0, horizon=Horizon(1))
    payoffs, strategy = backward_induction(small.tree())
    deal = ("0 at 2.0", "accept")
    assert [strategy[(*deal, *before)] for before in ((), ("leave",), ("leave", "stay"))] == ["leave", "stay", "stay"]
    # Two of three stay: worth 20/3, cost 4 * 2/3 + 3 * 1/3; the owner would lose, so there is no deal.
    assert payoffs == (0.0, 0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("fields", "wrong"), [({"rounds": 0}, "1 to 1,000"), ({"patience": 1.1}, "0 to 1"), ({"patience": float("nan")}, "0 to 1")]
)
def test_a_horizon_that_is_none_is_refused(fields: dict[str, float], wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        Horizon(**fields)  # type: ignore[arg-type]

"""Users by the equilibrium and by both protocols: payoffs are what the deals are worth, and rules are kept."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest

import sfumato as sf
from sfumato.errors import UsageError
from sfumato.negotiation import game
from sfumato.negotiation.game.buyers import Buyer, random_buyers
from sfumato.negotiation.game.comparing import BOUNDS, EQUILIBRIUM, FLAT, FREE, LEDGER, PROTOCOLS, RULES, VARIABLE
from sfumato.negotiation.game.market import Stakes
from tests.unit.negotiation.game.spaces import invented, six
from tests.unit.negotiation.spaces import census

USERS, SEED = 40, 3
RULES_KEPT = game.Rules(epsilon=0.7)


@cache
def played(rounds: int = 2, patience: float = 0.9) -> game.Game:
    rates = game.Rates(fee=25.0, price="linear:500,520")
    return game.equilibrium(census(), RULES_KEPT, horizon=game.Horizon(rounds, patience), rates=rates, users=USERS, seed=SEED)


@cache
def buyers() -> list[Buyer]:
    return random_buyers(stakes(), game.Types.of("uniform:0.5,1.5,10"), USERS, SEED, game.Rates(fee=25.0))


def stakes() -> Stakes:
    return played().stakes


def outcomes(rule: str, protocol: str, rounds: int = 2, patience: float = 0.9) -> tuple[game.Played, ...]:
    comparison = played(rounds, patience).comparison
    assert comparison is not None
    return comparison.outcomes[rule, protocol]


def test_with_one_round_every_user_gets_the_most_that_a_usable_policy_leaves_above_its_cost() -> None:
    within = np.flatnonzero(RULES_KEPT.within(census()))
    deals = 0
    for buyer, each in zip(buyers(), outcomes(BOUNDS, EQUILIBRIUM, rounds=1), strict=True):
        most = float("inf") if buyer.budget is None else buyer.budget
        usable = [place for place in buyer.places if place in within and stakes().cost[place] <= most]
        best = max((float(buyer.worth[place] - stakes().cost[place]) for place in usable), default=-1.0)
        assert (each.place is not None) == (best >= -1e-9)
        assert each.user == pytest.approx(max(best, 0.0), abs=1e-9)
        assert each.owner == pytest.approx(0.0, abs=1e-9)
        deals += each.place is not None
    assert deals > 10


def test_what_users_do_not_ask_for_is_withheld_and_their_goals_are_kept() -> None:
    lattice, levels = census().lattice, census().evaluations.levels
    for buyer in buyers():
        goal = buyer.user.goal
        for place in buyer.places:
            for name, height, level in zip(lattice.attributes, lattice.heights, levels[place], strict=True):
                assert level <= goal.levels[name] if name in goal.levels else level == height


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nobody_pays_more_than_a_release_is_worth_and_bounds_are_kept(rule: str, protocol: str) -> None:
    within = RULES_KEPT.within(census())
    for buyer, each in zip(buyers(), outcomes(rule, protocol), strict=True):
        assert each.user >= -1e-9
        if each.place is None:
            assert (each.user, each.owner, each.price) == (0, 0, 0)
            continue
        assert each.place in buyer.places
        assert buyer.budget is None or each.price <= buyer.budget + 1e-9
        assert rule == FREE or within[each.place]
        undiscounted = buyer.worth[each.place] - each.price, each.price - stakes().cost[each.place]
        later = [0.9**step for step in range(10)]  # answers after the first one
        assert any(each.user == pytest.approx(share * undiscounted[0], abs=1e-9) for share in later)
        assert any(each.owner == pytest.approx(share * undiscounted[1], abs=1e-9) for share in later)
        if protocol == FLAT:
            assert each.price == 25.0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_with_the_ledger_no_two_deals_break_the_bounds_together(protocol: str) -> None:
    space, within = census(), RULES_KEPT.within(census())
    deals = {each.place for each in outcomes(LEDGER, protocol) if each.place is not None}
    assert deals
    for one, other in combinations(deals, 2):
        met = np.minimum(space.evaluations.levels[one], space.evaluations.levels[other])
        assert within[space.lattice.numbers(met[None, :])[0]]
    free = {each.place for each in outcomes(BOUNDS, protocol) if each.place is not None}
    if protocol == EQUILIBRIUM:  # without it some pair does, so that there was something to forbid
        meets = [np.minimum(*space.evaluations.levels[list(pair)]) for pair in combinations(free, 2)]
        assert not within[space.lattice.numbers(np.array(meets))].all()


def test_nothing_beats_the_best_surplus_and_the_table_adds_up() -> None:
    comparison = played().comparison
    assert comparison is not None
    for each in comparison.outcomes.values():
        assert all(one.user + one.owner <= best + 1e-9 for one, best in zip(each, comparison.best, strict=True))
    rows = {row[:2]: row[2:] for row in comparison.table().rows}
    assert set(rows) == {(rule, protocol) for rule in RULES for protocol in PROTOCOLS}
    for (rule, protocol), (deals, user, owner, share, apart, same) in rows.items():
        each = outcomes(rule, protocol)
        assert deals == sum(one.place is not None for one in each)
        assert user == pytest.approx(sum(one.user for one in each) / USERS)
        assert share == pytest.approx((user + owner) * USERS / sum(comparison.best))
        assert (apart, same) == (0, 1) if protocol == EQUILIBRIUM else apart > 0
    costs = {row[:2]: row[2:] for row in comparison.costs().rows}
    assert costs["the ledger", VARIABLE][0] == pytest.approx(rows[BOUNDS, VARIABLE][1] - rows[LEDGER, VARIABLE][1])


def test_the_same_seed_gives_the_same_users_and_another_one_others() -> None:
    first, again, other = (
        game.equilibrium(census(), RULES_KEPT, users=5, seed=seed).as_dict()["comparison"] for seed in (1, 1, 2)
    )
    assert first == again
    assert first["best_surplus"] != other["best_surplus"]


def test_the_game_of_one_user_is_the_bargain_over_all_policies_that_keep_the_rules() -> None:
    space = six()
    market = game.Market("linear:100,100", "20 * loss", 10.0, "never")
    found = game.equilibrium(space, game.Rules(epsilon=0.5), market=market, users=0)
    # Worth 60, 40, 20, 0 at costs of 10, 8, 4, 0: the largest surplus is 50, of which the owner gets 0.9 * 50.
    assert found.policy(found.deal.place) == {"age": 1, "sex": 0}
    assert (found.deal.price, found.deal.user, found.deal.owner) == pytest.approx((55, 5, 45))
    assert found.comparison is None
    with pytest.raises(UsageError, match="the figure compares users"):
        found.spec()
    poor = game.equilibrium(space, game.Rules(epsilon=0.5), market=market, users=0, budget=9.0)
    # Going on, the owner would get 9 - 4; so the better policies, which cost 8 and 10, are beyond the budget.
    assert poor.policy(poor.deal.place) == {"age": 2, "sex": 0}
    assert (poor.deal.price, poor.deal.user, poor.deal.owner) == pytest.approx((8.5, 11.5, 4.5))


def test_a_market_in_which_nobody_gains_has_no_deal() -> None:
    market = game.Market("linear:10,10", "500 * loss + 20", 0.0, "never")
    found = game.equilibrium(six(), game.Rules(epsilon=0.5), market=market, users=0)
    assert found.deal.place is None
    assert found.terms().rows == (("deal", "none"),)
    sold = game.menu(six(), game.Rules(epsilon=0.5), market=market, types="uniform:0.5,1.5,3")
    assert (sold.menu.profit, sold.price_list().rows) == (0.0, ())


def test_a_menu_on_the_census_and_the_variable_rate_with_the_same_users() -> None:
    found = game.menu(census(), RULES_KEPT)
    profit = {row[0]: row[1] for row in found.compared().rows}
    assert found.menu.proved
    assert found.menu.violated <= 1e-9
    assert profit["the best menu"] == pytest.approx(found.menu.profit)
    assert profit["full information"] >= profit["the best menu"] >= profit["one policy, one price"] - 1e-9
    assert profit["the best menu"] >= max(profit["variable rate, users choose"], profit["variable rate, the owner chooses"])
    within = RULES_KEPT.within(census())
    assert all(within[each.place] for each in found.menu.items if each.place is not None)


@pytest.mark.parametrize(("users", "wrong"), [(-1, "0 to 10,000"), (10_001, "0 to 10,000")])
def test_too_many_users_are_refused(users: int, wrong: str) -> None:
    with pytest.raises(UsageError, match=wrong):
        game.equilibrium(six(), RULES_KEPT, users=users)


@pytest.mark.parametrize("fields", [{"fee": -1.0}, {"limit": 0}, {"price": "100 * loss"}, {"expected": -3.0}, {"grid": 0.0}])
def test_rates_that_are_none_are_refused(fields: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        game.equilibrium(six(), RULES_KEPT, rates=game.Rates(**fields), users=1)  # type: ignore[arg-type]


def test_progress_counts_every_user_of_every_run() -> None:
    calls: list[tuple[int, int]] = []
    game.equilibrium(six(), RULES_KEPT, users=4, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(done, 36) for done in range(1, 37)]


def test_figures_have_every_bar_and_every_offer() -> None:
    pytest.importorskip("altair")
    chart = played().spec()
    rows = [row for part in chart["datasets"].values() for row in part] if "datasets" in chart else chart["data"]["values"]
    assert len(rows) == 2 * len(RULES) * len(PROTOCOLS)
    found = game.menu(census(), RULES_KEPT)
    text = str(found.spec())
    assert all(each.name in text for each in found.sold)
    assert type(found.plot()).__name__ == "HConcatChart"
    assert sf.negotiation.game is game


def test_an_attribute_with_one_level_and_a_space_of_one_policy() -> None:
    flat = invented({"age": 3, "town": 0})
    found = game.equilibrium(flat, game.Rules(epsilon=1.0), users=5)
    assert found.comparison is not None
    assert game.menu(flat, game.Rules(epsilon=1.0)).menu.proved
    single = invented({"town": 0})
    assert game.equilibrium(single, game.Rules(epsilon=1.0), users=0).deal.user == 0
    assert game.menu(single, game.Rules(epsilon=1.0)).menu.profit == 0
    with pytest.raises(UsageError, match="the space has one policy; say users=0"):
        game.equilibrium(single, game.Rules(epsilon=1.0), users=5)

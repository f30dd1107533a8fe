"""An owner offers what looking at every policy would find, and shows nothing that is finer than the grid."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.negotiation import Coalitions, Deal, Negotiation, Owner, Price, Rate, State, UtilityPattern
from sfumato.negotiation.events import CounterOffer, Offer, Party, Reject, Relax, Request, RequestRejected, Terminate
from sfumato.negotiation.owner import rounded_up
from sfumato.negotiation.protocol import IllegalMove
from tests.unit.negotiation.spaces import census, invented
from tests.unit.negotiation.test_pattern import NAMES, patterns, plainly

PRICES = ["linear:100,80", "exponential:50,3", "tiered:0.3=90,0.6=40,1=10", "100 * (1 - loss)^2 + 1"]


def identity(number: int) -> str:
    return f"{number:032x}"


def invented_owner(seed: int, price: str | None = None, expected: float | None = None) -> Owner:
    rng = Random(seed)
    heights = {name: rng.randint(1, 3) for name in NAMES}
    losses = np.array([rng.choice([0.1, 0.25, 0.333, 0.5, 0.7071, 0.9, 1.0]) for _ in range(invented(heights).lattice.size)])
    space = invented(heights, losses)
    within = np.array([rng.random() < 0.6 for _ in range(len(space))])
    within[-1] = True
    return Owner(space, within, price=None if price is None else Price.of(price), expected=expected)


@given(st.integers(0, 10**9), patterns())
@settings(max_examples=150)
def test_flat_rate_offers_every_matching_policy_once_the_least_loss_first(seed: int, pattern: UtilityPattern) -> None:
    owner = invented_owner(seed)
    heights = dict(zip(NAMES, owner.space.lattice.heights, strict=True))
    levels = [dict(zip(NAMES, row, strict=True)) for row in owner.space.evaluations.levels.tolist()]
    shown = rounded_up(owner.space["utility-distribution"], 0.01)
    expected = {place for place in range(len(levels)) if owner.within[place] and plainly(pattern, heights, levels[place])}
    offered: list[int] = []
    while (place := owner.choose(pattern, [levels[each] for each in offered])[0]) is not None:
        offered.append(place)
    assert set(offered) == expected
    assert len(offered) == len(expected)
    assert [shown[place] for place in offered] == sorted(shown[place] for place in offered)


@given(st.integers(0, 10**9), patterns(), st.sampled_from(PRICES), st.none() | st.floats(0, 120), st.none() | st.floats(0, 120))
@settings(max_examples=200)
def test_variable_rate_offers_the_nearest_profit(
    seed: int, pattern: UtilityPattern, price: str, wanted: float | None, budget: float | None
) -> None:
    owner = invented_owner(seed, price, wanted)
    heights = dict(zip(NAMES, owner.space.lattice.heights, strict=True))
    rows = [dict(zip(NAMES, row, strict=True)) for row in owner.space.evaluations.levels.tolist()]
    profits = Price.of(price).at(rounded_up(owner.space["utility-distribution"], 0.01))
    matching = [place for place in range(len(rows)) if owner.within[place] and plainly(pattern, heights, rows[place])]
    affordable = [place for place in matching if budget is None or profits[place] <= budget + 1e-9]
    above = [profits[place] for place in affordable if wanted is not None and profits[place] >= wanted - 1e-9]
    best = min(above) if above else max((profits[place] for place in affordable), default=None)
    place, reason = owner.choose(pattern, [], budget)
    if best is None:
        assert (place, reason) == (None, "budget" if matching else "bounds")
    else:
        assert place in affordable
        assert profits[place] == pytest.approx(best)
        assert owner.terms(place, pattern).price == pytest.approx(best, abs=0.005)


def test_what_is_shown_lies_on_the_grid_and_is_never_too_good() -> None:
    space = census()
    owner = Owner(space, space["distribution.max"] <= 0.6, price=Price.of("100 * (1 - loss)^2"), grid=0.05)
    seen = set()
    for place in np.flatnonzero(owner.within).tolist():
        terms = owner.terms(place, UtilityPattern.parse("age,sex,workclass,education"))
        shown = terms.losses["utility-distribution"]
        exact = float(space["utility-distribution"][place])
        assert shown >= exact - 1e-9
        assert shown < exact + 0.05
        assert shown / 0.05 == pytest.approx(round(shown / 0.05))
        assert terms.price == pytest.approx(100 * (1 - shown) ** 2, abs=0.005)  # the price says no more than the loss
        seen.add(shown)
    assert len(seen) < owner.within.sum() / 3


@given(st.integers(0, 10**9))
@settings(max_examples=100)
def test_two_tables_with_the_same_rounded_losses_get_the_same_offers(seed: int) -> None:
    """What somebody learns from all offers together is which policies keep the bounds, and losses on the grid."""
    rng = Random(seed)
    owner = invented_owner(seed)
    near = np.array([rng.uniform(loss - 0.009, loss) for loss in rounded_up(owner.space["utility-distribution"], 0.01)])
    other = Owner(invented(dict(zip(NAMES, owner.space.lattice.heights, strict=True)), near), owner.within)
    pattern: UtilityPattern | None = UtilityPattern.parse("a,b > c")
    while pattern is not None:
        offered: list[dict[str, int]] = []
        while (place := owner.choose(pattern, offered)[0]) is not None:
            assert other.choose(pattern, offered)[0] == place
            assert other.terms(place, pattern) == owner.terms(place, pattern)
            offered.append(dict(owner.terms(place, pattern).levels))
        pattern = pattern.relax()


@given(st.integers(0, 10**9), st.lists(st.tuples(patterns(), st.none() | st.floats(0, 120)), min_size=1, max_size=12))
@settings(max_examples=100)
def test_answers_tell_nothing_of_policies_that_may_not_be_seen(
    seed: int, asked: list[tuple[UtilityPattern, float | None]]
) -> None:
    """An adversary compares all answers, offers and refusals, with a price and any budgets: they are the same for every table whose
    allowed policies have the same losses on the grid, whatever the others lose."""
    rng = Random(seed)
    owner = invented_owner(seed, "linear:200,100", 40.0)
    space, lattice = owner.space, owner.space.lattice
    coalitions = Coalitions(lattice, owner.within)
    for number in range(3):
        safe = np.flatnonzero(coalitions.safe(space.evaluations.levels))
        node = space.evaluations.levels[rng.choice(safe.tolist())]
        coalitions = coalitions.with_deal(Deal(identity(number), tuple(node.tolist())))
    safe = coalitions.safe(space.evaluations.levels)
    losses = space["utility-distribution"]
    strange = np.array([loss if allowed else rng.random() for loss, allowed in zip(losses, safe, strict=True)])
    other = invented(dict(zip(NAMES, lattice.heights, strict=True)), strange)
    owners = [replace(owner, coalitions=coalitions), replace(owner, space=other, coalitions=coalitions)]
    for number, (pattern, budget) in enumerate(asked):
        events = []
        for each in owners:
            state = Negotiation(Rate.VARIABLE, limit=5).after(Party.USER, Request(identity(90), pattern.as_dict(), budget), 0)
            events.append(each.answer(state, identity(100 + number)))
        assert events[0] == events[1]
        if isinstance(events[0], Offer):
            owners = [each.with_deal(identity(100 + number), events[0].terms) for each in owners]


def test_answers_follow_the_protocol() -> None:
    space = invented({"a": 2, "b": 1})
    owner = Owner(space, np.ones(len(space), bool), most_seen=3)
    state = Negotiation(Rate.FLAT, limit=5).after(
        Party.USER, Request(identity(1), UtilityPattern.parse("a > b", (0.5, 1)).as_dict()), 0
    )
    answers = []
    for number in range(2, 12, 2):
        event = owner.answer(state, identity(number))
        answers.append(type(event))
        state = state.after(Party.OWNER, event, number)
        if isinstance(event, Offer):
            state = state.after(Party.USER, Reject(identity(number + 1), event.id), number)
        else:
            break
    assert answers == [Offer, CounterOffer, CounterOffer, RequestRejected]  # as many as an account may see
    assert state.state is State.REFUSED
    with pytest.raises(IllegalMove, match="nothing to answer"):
        owner.answer(state, identity(99))


def test_after_the_last_answer_the_owner_can_only_end_it() -> None:
    space = invented({"a": 2})
    owner = Owner(space, np.ones(len(space), bool))
    state = Negotiation(Rate.FLAT, limit=1).after(Party.USER, Request(identity(1), UtilityPattern.parse("a", (1,)).as_dict()), 0)
    offer = owner.answer(state, identity(2))
    state = state.after(Party.OWNER, offer, 0).after(Party.USER, Reject(identity(3), offer.id), 0)
    last = owner.answer(state, identity(4))
    assert isinstance(last, Terminate)
    assert state.after(Party.OWNER, last, 0).state is State.TERMINATED
    with pytest.raises(IllegalMove):
        state.after(Party.USER, Relax(identity(5), UtilityPattern.parse("a", (1,)).as_dict()), 0)


def test_what_was_offered_counts_whether_it_was_taken_or_not() -> None:
    space = invented({"a": 1, "b": 1})
    within = np.array([False, True, True, True])  # both as they are is too much
    owner = Owner(space, within, coalitions=Coalitions(space.lattice, within))
    a, b = UtilityPattern.parse("a"), UtilityPattern.parse("b")
    asks = Negotiation(Rate.FLAT, limit=5).after(Party.USER, Request(identity(9), b.as_dict()), 0)
    assert owner.room(asks) == (1, 1)
    place = owner.choose(a)[0]
    assert place is not None
    after = owner.with_deal(identity(1), owner.terms(place, a))
    assert after.choose(b) == (None, "ledger")
    assert (after.room(asks), after.reason(asks)) == ((1, 0), "ledger")
    assert [deal.id for deal in after.in_the_way(asks)] == [identity(1)]
    assert after.choose(a)[0] == place  # the same again tells nothing new


def test_owners_that_cannot_be() -> None:
    space = invented({"a": 2})
    every = np.ones(len(space), bool)
    with pytest.raises(UsageError, match="no policy keeps these bounds"):
        Owner(space, ~every)
    with pytest.raises(UsageError, match="an expected profit needs price"):
        Owner(space, every, expected=5)
    with pytest.raises(UsageError, match=r"a grid is a number from 0\.0001 to 1"):
        Owner(space, every, grid=0)
    with pytest.raises(UsageError, match="it rises with the loss"):
        Owner(space, every, price=Price.of("10 * loss"))
    with pytest.raises(UsageError, match="needs the whole space"):
        Owner(replace(space, evaluations=space.evaluations.only(np.array([0]))), np.array([True]))

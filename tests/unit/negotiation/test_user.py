"""An automatic user takes what meets the goal, asks for less only within it, and always comes to an end."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import UsageError
from sfumato.negotiation import Coalitions, Goal, Negotiation, Owner, Price, State, User, UtilityPattern
from sfumato.negotiation.events import Party, Request, pattern_of
from tests.unit.negotiation.spaces import invented
from tests.unit.negotiation.test_pattern import NAMES


def identity(number: int) -> str:
    return f"{number:032x}"


def negotiated(owner: Owner, user: User, limit: int) -> Negotiation:
    """Both parties, automatically."""
    state = Negotiation(owner.rate, limit).after(Party.USER, user.request(identity(0)), 0)
    for number in range(1, 10 * limit):
        if state.ended or state.state is State.AGREED:
            return state
        if state.turn is Party.OWNER:
            state = state.after(Party.OWNER, owner.answer(state, identity(number)), number)
        else:
            state = state.after(Party.USER, user.answer(state, identity(number)), number)
    return state


@given(st.integers(0, 10**9), st.booleans())
@settings(max_examples=150)
def test_every_negotiation_ends_and_no_deal_is_beyond_the_goal(seed: int, priced: bool) -> None:
    rng = Random(seed)
    heights = {name: rng.randint(1, 3) for name in NAMES}
    space = invented(heights)
    within = np.array([rng.random() < 0.5 for _ in range(len(space))])
    within[-1] = True
    price = Price.of("linear:100,90") if priced else None
    owner = Owner(space, within, price=price, expected=50 if priced else None, coalitions=Coalitions(space.lattice, within))
    names = rng.sample(NAMES, rng.randint(1, 4))
    goal = Goal(
        {name: rng.randint(0, heights[name]) for name in names},
        {"utility-distribution": rng.choice([0.5, 0.8, 1.0])},
        rng.choice([None, 40.0, 80.0]) if priced else None,
    )
    user = User(goal, UtilityPattern((tuple(names),)), heights)
    state = negotiated(owner, user, limit=rng.randint(1, 8))
    assert state.state in (State.AGREED, State.TERMINATED)
    if state.agreed is not None:
        terms = state.agreed.terms
        assert all(terms.levels[name] <= goal.levels[name] for name in names)
        assert terms.losses["utility-distribution"] <= goal.losses["utility-distribution"] + 1e-9
        assert goal.budget is None or (terms.price or 0) <= goal.budget
    for made in state.history:
        if isinstance(made.event, Request):
            pattern = pattern_of(made.event)
            for layer, share in zip(pattern.layers, pattern.shares, strict=True):
                assert all(int(share * heights[name] + 1e-9) <= goal.levels[name] for name in layer)


def test_a_user_relaxes_until_something_within_the_goal_is_offered() -> None:
    space = invented({"age": 3, "sex": 1})
    levels = space.evaluations.levels
    within = (levels[:, 0] >= 2) | (levels.sum(axis=1) == 4)  # age at level 2 at least
    user = User(Goal({"age": 2, "sex": 0}), UtilityPattern.parse("sex,age"), {"age": 3, "sex": 1})
    state = negotiated(Owner(space, within), user, limit=10)
    assert state.state is State.AGREED
    assert state.agreed is not None
    assert state.agreed.terms.levels == {"sex": 0, "age": 2}
    too_little = User(Goal({"age": 1, "sex": 0}), UtilityPattern.parse("sex,age"), {"age": 3, "sex": 1})
    assert negotiated(Owner(space, within), too_little, limit=10).state is State.TERMINATED


def test_the_goal_speaks_of_every_attribute() -> None:
    with pytest.raises(UsageError, match="the goal says nothing about 'sex'"):
        User(Goal({"age": 1}), UtilityPattern.parse("age,sex"), {"age": 3, "sex": 1})

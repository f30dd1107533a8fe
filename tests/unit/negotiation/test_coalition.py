"""An offer is safe exactly if it keeps the bounds with every coalition of earlier deals."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.negotiation import Coalitions, Deal
from sfumato.search.lattice import Lattice


def breached(lattice: Lattice, within: np.ndarray, deals: list[Deal], levels: tuple[int, ...]) -> list[tuple[Deal, ...]]:
    """Every coalition whose meet with a policy breaks the bounds, by looking at all of them."""
    wrong = []
    for size in range(len(deals) + 1):
        for coalition in combinations(deals, size):
            met = tuple(min(each) for each in zip(levels, *(deal.levels for deal in coalition), strict=True))
            if not within[int(lattice.numbers([met])[0])]:
                wrong.append(coalition)
    return wrong


@given(st.integers(0, 10**9))
@settings(max_examples=150)
def test_safe_is_safe_with_every_coalition(seed: int) -> None:
    rng = Random(seed)
    lattice = Lattice(("a", "b", "c"), (0, 0, 0), tuple(rng.randint(1, 3) for _ in range(3)))
    within = np.array([rng.random() < 0.8 for _ in range(lattice.size)])
    deals = [Deal(f"{n:032x}", tuple(rng.randint(0, h) for h in lattice.heights)) for n in range(rng.randint(0, 5))]
    coalitions = Coalitions(lattice, within)
    for deal in deals:
        coalitions = coalitions.with_deal(deal)
    every = lattice.levels()
    safe = coalitions.safe(every)
    for levels, holds in zip(every.tolist(), safe.tolist(), strict=True):
        wrong = breached(lattice, within, deals, tuple(levels))
        assert holds == (not wrong)
        blamed = coalitions.in_the_way(levels)
        assert (blamed is None) == (not wrong)
        if blamed is not None:  # and they are really in the way
            met = np.min([levels, *(deal.levels for deal in blamed)], axis=0)
            assert not within[int(lattice.numbers([met])[0])]
    order = np.array(rng.sample(range(len(every)), len(every)))
    first = coalitions.first_safe(every, order)
    assert first == next((int(place) for place in order if safe[place]), None)


@given(st.integers(0, 10**9))
@settings(max_examples=100)
def test_where_bounds_are_monotone_one_meet_is_enough(seed: int) -> None:
    rng = Random(seed)
    lattice = Lattice(("a", "b", "c"), (0, 0, 0), (2, 2, 2))
    worst = [tuple(rng.randint(0, 2) for _ in range(3)) for _ in range(2)]
    every = lattice.levels()
    within = np.array(
        [any(all(x >= y for x, y in zip(levels, least, strict=True)) for least in worst) for levels in every.tolist()]
    )
    deals = [Deal(f"{n:032x}", tuple(every[rng.choice(np.flatnonzero(within))].tolist())) for n in range(4)]
    one, many = Coalitions(lattice, within, monotone=True), Coalitions(lattice, within)
    for deal in deals:
        one, many = one.with_deal(deal), many.with_deal(deal)
    assert len(one.meets) == 1
    assert one.safe(every).tolist() == many.safe(every).tolist()


# A hundred people: (a, b, c, ill) and how many. Who has a = 1 and b = 0 is ill or not, one of two; with c, or without b, it is clearer.
HUNDRED = {("0", "0", "1", "no"): 62, ("0", "0", "1", "yes"): 1, ("0", "1", "1", "no"): 1, ("1", "0", "0", "yes"): 1,
           ("1", "0", "1", "no"): 1, ("1", "1", "0", "no"): 34}  # fmt: skip
BOUND = 0.2


def test_three_deals_of_which_only_one_pair_breaks_the_entropy_bound() -> None:
    frame = pd.DataFrame([row for row, many in HUNDRED.items() for _ in range(many)], columns=["a", "b", "c", "ill"])
    schema = sf.Schema.parse(
        "".join(f'[attributes.{n}]\nrole = "quasi"\n' for n in "abc") + '[attributes.ill]\nrole = "sensitive"\n'
    )
    space = sf.explore(frame, schema)
    loss = {tuple(levels): value for levels, value in zip(space.evaluations.levels.tolist(), space["entropy.max"], strict=True)}
    alone = {"a": (0, 1, 1), "b": (1, 0, 1), "c": (1, 1, 0)}
    assert [levels for levels in loss if loss[levels] > BOUND] == [(0, 0, 1)]  # a with b, and nothing else: not all three

    coalitions = Coalitions(space.lattice, space["entropy.max"] <= BOUND).with_deal(Deal("1" * 32, alone["a"]))
    coalitions = coalitions.with_deal(Deal("2" * 32, alone["c"]))
    # The newest deal with each other one, or all deals together, would not show it: b and c, and all three, keep the bound.
    assert coalitions.safe(np.array([alone["b"]])).tolist() == [False]
    assert [deal.id for deal in coalitions.in_the_way(alone["b"]) or ()] == ["1" * 32]
    assert Coalitions(space.lattice, space["entropy.max"] <= BOUND).with_deal(Deal("2" * 32, alone["c"])).safe(
        np.array([alone["b"]])
    ).tolist() == [True]

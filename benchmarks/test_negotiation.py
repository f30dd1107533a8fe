"""How long an owner needs to answer: on the census with eight QIDs, with a ledger of fifty deals, and on a million nodes."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import sfumato as sf
from sfumato.negotiation import Coalitions, Deal, Owner, Price, UtilityPattern
from sfumato.negotiation.simulation import simulate
from sfumato.search.evaluation import Evaluations, Measure
from sfumato.search.lattice import Lattice
from sfumato.search.space import About, PolicySpace

PATTERN = UtilityPattern.parse("age,sex > workclass,race > education,income", (1, 1, 1))


@pytest.fixture(scope="module")
def census() -> PolicySpace:
    """Eight QIDs: the sample's seven, and income; 4,320 nodes."""
    with sf.data.adult() as table:
        schema = table.declared.with_role("income", "quasi")
        return sf.explore(replace(table.source, schema=schema))


def owner_of(space: PolicySpace, deals: int = 0, price: str | None = None) -> Owner:
    within = (space["distribution.max"] <= 0.7) & (space["entropy.max"] <= 2.0)
    coalitions = Coalitions(space.lattice, within)
    rng, places = Random(1), np.flatnonzero(within)
    while len(coalitions.deals) < deals:
        levels = space.evaluations.levels[rng.choice(places)]
        if coalitions.safe(levels[None, :])[0]:
            coalitions = coalitions.with_deal(Deal(f"{len(coalitions.deals):032x}", tuple(levels.tolist())))
    return Owner(space, within, price=None if price is None else Price.of(price), coalitions=coalitions)


def test_an_answer_on_the_census(benchmark: Any, census: PolicySpace) -> None:
    assert len(census) == 4320
    owner = owner_of(census)
    assert owner.choose(PATTERN)[0] is not None
    benchmark(owner.choose, PATTERN)
    print(f"\n  an answer on {len(census):,} nodes: {benchmark.stats.stats.median * 1e3:.2f} ms (bar: 5 ms)")


def test_an_answer_with_fifty_deals(benchmark: Any, census: PolicySpace) -> None:
    owner = owner_of(census, deals=50)
    assert (PATTERN.matching(census) & owner.within).any()
    benchmark(owner.choose, PATTERN)
    meets = 0 if owner.coalitions is None else len(owner.coalitions.meets)
    print(f"\n  an answer with 50 deals ({meets:,} meets): {benchmark.stats.stats.median * 1e3:.2f} ms (bar: 50 ms)")


def test_a_thousand_users(benchmark: Any, census: PolicySpace) -> None:
    owner = owner_of(census)
    benchmark.pedantic(simulate, args=(owner, 1000, 1, 10), rounds=1)
    print(f"\n  1,000 users, with the ledger and without: {benchmark.stats.stats.median:.1f} s (bar: 20 s)")


def test_an_answer_on_a_million_nodes(benchmark: Any) -> None:
    names = [f"q{place}" for place in range(8)]
    lattice = Lattice(tuple(names), (0,) * 8, (5, 5, 5, 5, 5, 5, 5, 3))
    levels = lattice.levels()
    losses = levels.sum(axis=1) / levels.sum(axis=1).max()
    space = PolicySpace(
        lattice,
        Evaluations(levels, {Measure("utility-distribution", worst=False): losses}),
        About(10_000, 10_000, "row", ("ill",), "", (), 0, "the table"),
    )
    owner = Owner(space, losses > 0.4, coalitions=Coalitions(lattice, losses > 0.4))
    pattern = UtilityPattern.parse("q0,q1 > q2,q3 > q4,q5,q6,q7")
    assert owner.choose(pattern)[0] is not None
    benchmark(owner.choose, pattern)
    print(f"\n  an answer on {len(space):,} nodes: {benchmark.stats.stats.median * 1e3:.0f} ms (bar: 200 ms)")

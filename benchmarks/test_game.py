"""How long the game takes on the census with eight QIDs: 4,320 policies, a hundred users, ten types; and on a million policies."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import sfumato as sf
from sfumato.negotiation import game
from sfumato.search.space import PolicySpace

RULES = game.Rules(epsilon=0.7)
# Values that differ by more than a factor: no common order.
CROSSING = tuple(
    game.UserType(
        f"t{n}", Fraction(1, 10), value=f"exponential:{200 + 150 * n},{2 + n % 4}", levels={"age": 1 + n % 4, "sex": n % 2}
    )
    for n in range(10)
)


@pytest.fixture(scope="module")
def census() -> PolicySpace:
    """Eight QIDs: the sample's seven, and income; 4,320 nodes."""
    with sf.data.adult() as table:
        schema = table.declared.with_role("income", "quasi")
        return sf.explore(replace(table.source, schema=schema))


def test_an_equilibrium(benchmark: Any, census: PolicySpace) -> None:
    assert len(census) == 4320
    found = benchmark(game.equilibrium, census, RULES, users=0)
    assert found.deal.place is not None
    print(f"\n  the equilibrium on {len(census):,} nodes: {benchmark.stats.stats.median * 1e3:.0f} ms (bar: 100 ms)")


def test_a_hundred_users_by_every_rule_and_protocol(benchmark: Any, census: PolicySpace) -> None:
    benchmark.pedantic(game.equilibrium, args=(census, RULES), rounds=1)
    print(f"\n  100 users, three rules, three protocols: {benchmark.stats.stats.median:.1f} s (bar: 10 s)")


def test_a_menu_for_ten_types_with_an_order(benchmark: Any, census: PolicySpace) -> None:
    found = benchmark.pedantic(game.menu, args=(census, game.Rules(epsilon=1.1)), rounds=3)
    assert found.menu.proved
    kept = f"{found.menu.policies:,} of {len(census):,} nodes"
    print(f"\n  a menu, ten types, {kept}: {benchmark.stats.stats.median:.2f} s (bar: 5 s)")


def test_a_menu_for_ten_types_without_an_order(benchmark: Any, census: PolicySpace) -> None:
    types = game.Types(CROSSING, "crossing")
    found = benchmark.pedantic(game.menu, args=(census, game.Rules(epsilon=1.1)), kwargs={"types": types}, rounds=1)
    assert found.menu.proved
    print(f"\n  a menu by the program, {found.menu.policies:,} candidates: {benchmark.stats.stats.median:.2f} s (bar: 10 s)")


def test_ten_rounds_over_a_million_policies(benchmark: Any) -> None:
    rng = np.random.default_rng(1)
    worth, cost = rng.random(1_000_000) * 100, rng.random(1_000_000) * 50
    found = benchmark.pedantic(game.bargain, args=(worth, cost, np.arange(1_000_000), game.Horizon(10)), rounds=3)
    assert found[0].place is not None
    print(f"\n  ten rounds over a million policies: {benchmark.stats.stats.median:.2f} s (bar: 1 s)")

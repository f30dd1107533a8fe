"""A simulation follows from its seed, and with the ledger no coalition of those who were shown offers breaks the bounds."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from sfumato.errors import UsageError
from sfumato.negotiation import Coalitions, Owner, Price
from sfumato.negotiation.simulation import negotiated, random_user, simulate
from tests.unit.negotiation.spaces import invented

HEIGHTS = {"a": 2, "b": 2, "c": 1}


def owner(price: str | None = None) -> Owner:
    space = invented(HEIGHTS)
    rng = Random(3)
    within = np.array([rng.random() < 0.7 for _ in range(len(space))])
    within[-1] = True
    return Owner(space, within, price=None if price is None else Price.of(price), expected=None if price is None else 5.0)


@pytest.mark.slow
@pytest.mark.parametrize("price", [None, "linear:10,5"])
def test_the_same_seed_gives_the_same_outcomes(price: str | None) -> None:
    once, again, other = (simulate(owner(price), 40, seed, 6) for seed in (1, 1, 2))
    assert once == again
    assert once.ledger != other.ledger
    assert [each.agreed for each in once.free].count(True) >= [each.agreed for each in once.ledger].count(True)
    assert all(each.withheld == 0 for each in once.free)
    assert any(each.withheld for each in once.ledger)


def test_with_the_ledger_no_coalition_of_offers_breaks_the_bounds() -> None:
    made = owner()
    side = Owner(made.space, made.within, coalitions=Coalitions(made.space.lattice, made.within))
    rng, offered = Random(5), set[tuple[int, ...]]()
    for number in range(60):
        state, side, _ = negotiated(side, random_user(rng, HEIGHTS, priced=False), 6, number)
        offered |= {side.levels_of(offer.terms) for offer in state.offers}
    assert len(offered) > 3
    for size in range(1, 4):  # with three attributes, three deals reach every meet
        for coalition in combinations(sorted(offered), size):
            met = np.min(coalition, axis=0)
            assert made.within[int(made.space.lattice.numbers(met[None, :])[0])]


def test_a_deal_is_never_better_than_the_best_policy_and_without_the_ledger_on_its_grid() -> None:
    result = simulate(owner(), 80, 4, 6)
    distances = [each.distance for each in result.free if each.distance is not None]
    assert distances
    assert min(distances) >= -1e-12
    table = {row[0]: row[1:] for row in result.table().rows}
    assert table["deals"] == (sum(each.agreed for each in result.ledger), sum(each.agreed for each in result.free))
    assert table["largest distance"][1] == max(distances)


def test_the_command_writes_what_it_says(census: Path, sfumato: Callable[..., Any], tmp_path: Path) -> None:
    words = ("negotiate", "simulate", census / "adult.parquet", "-s", census / "adult.toml", "--quasi", "age,sex,workclass")
    more = ("--epsilon", 0.6, "--users", 30, "--rate", "variable", "--expected", 20, "-o", tmp_path / "out")
    ended = sfumato(*words, *more, "--json")
    assert (ended.status, ended.json["users"], ended.json["rate"]) == (0, 30, "variable")
    assert json.loads((tmp_path / "out/simulation.json").read_text())["with_ledger"] == ended.json["with_ledger"]
    rows = list(csv.DictReader((tmp_path / "out/outcomes.csv").read_text().splitlines()))
    deals = sum(row["agreed"] == "True" and row["ledger"] == "True" for row in rows)
    assert (len(rows), deals) == (60, ended.json["with_ledger"]["deals"])
    assert (tmp_path / "out/simulation.svg").read_text().startswith("<svg")
    assert sfumato(*words, *more).status == 2  # exists already
    refused = sfumato(*words, "--epsilon", 0.6, "--rate", "free")
    assert (refused.status, refused.err.count("\n")) == (2, 1)


def test_no_users_are_no_simulation() -> None:
    from sfumato.negotiation.files.opening import Offering
    from sfumato.negotiation.files.simulating import simulated

    with pytest.raises(UsageError, match="from 1 up"):
        simulated("x.csv", "x.toml", Offering(epsilon=1), users=0)

"""What honest mistakes explain: shared addresses are spared, whoever sprays passwords is not."""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.applications.ato.features.making import features
from sfumato.applications.ato.forest.model import FEATURES
from sfumato.applications.ato.generating.making import generate
from sfumato.applications.ato.reputation import Reputation, read_known, reputation
from sfumato.applications.ato.reputation.mistakes import HONEST, Mistakes, honest_rate, names_rate
from sfumato.applications.ato.tables import read_features, read_truth
from sfumato.applications.ato.training.drawing import fraudulent_addresses

RATES = st.floats(0.001, 0.5)
PEOPLE = st.integers(0, 60)
# Honest people fail 6 % of their logins and mistype a name in 0.5 %; of a thousand honest addresses one may be taken for bad.
USUAL = Mistakes(0.06, 0.005, 0.001)


def row(failing: int, succeeding: int, failed: int | None = None, good: int | None = None) -> list[float]:
    counts = {"IPBadUsers": failing, "IPGoodUsers": succeeding}
    counts |= {"IPBadLogins": failing if failed is None else failed, "IPGoodLogins": succeeding if good is None else good}
    return [float(counts.get(name, 0)) for name in FEATURES]


def chance(mistakes: Mistakes, failing: int, succeeding: int, good: int) -> float:
    return float(mistakes.chances(np.array([row(failing, succeeding, good=good)]))[0])


@pytest.mark.parametrize(
    ("who", "failing", "succeeding", "failed", "good", "bad"),
    [
        ("an office of 500, 30 of whom mistype", 30, 500, 34, 9_000, False),
        ("an office of 500 on the day of new passwords", 480, 500, 900, 9_000, False),
        ("an office of 12, all of whom have mistyped, and one wrong name", 13, 12, 40, 900, False),
        ("an office of 10 that signs in often, with 7 wrong names", 17, 10, 143, 3_033, False),
        ("a service that fails all day", 1, 0, 40_000, 0, False),
        ("a home whose owner mistypes a password, and a name", 2, 1, 3, 25, False),
        ("a home whose owner signs in often, and mistypes three names", 4, 1, 9, 300, False),
        ("somebody who has forgotten a password", 1, 0, 9, 0, False),
        ("two people at a hotel, one of whom gives up", 1, 1, 3, 2, False),
        ("a sprayer who gets in nowhere", 30, 0, 30, 0, True),
        ("a sprayer who gets in thirty times", 700, 30, 700, 40, True),
        ("low and slow: four people once", 4, 0, 4, 0, True),
        ("a home that was taken over, with its owner", 9, 1, 9, 25, True),
        ("a home from which two people were tried", 2, 1, 2, 25, False),
        ("a sprayer who hides behind a carrier", 105, 700, 110, 950, False),
        ("a sprayer who drowns a carrier", 1_000, 700, 1_000, 950, True),
    ],
)
def test_addresses_made_by_hand(who: str, failing: int, succeeding: int, failed: int, good: int, bad: bool) -> None:
    assert bool(USUAL.leave_open(np.array([row(failing, succeeding, failed, good)]))[0]) is bad, who


@given(RATES, PEOPLE, PEOPLE)
def test_the_chance_is_the_sum_of_its_terms(rate: float, failing: int, succeeding: int) -> None:
    people = sum(
        comb(failing, each) * (1 - rate) ** each * rate ** (failing - each) for each in range(min(succeeding, failing) + 1)
    )
    names, logins = rate / 4, failing + 20
    others = max(failing - succeeding, 0)
    mistyped = sum(comb(logins, each) * names**each * (1 - names) ** (logins - each) for each in range(others, logins + 1))
    found = chance(Mistakes(rate, names, 0.001), failing, succeeding, 20)
    assert found == pytest.approx(max(people, mistyped), rel=1e-9, abs=1e-300)


@given(RATES, PEOPLE, PEOPLE)
def test_failing_people_make_an_address_no_better_and_succeeding_ones_no_worse(
    rate: float, failing: int, succeeding: int
) -> None:
    """With a failing person comes a failed login, which may have a mistyped name, too; so logins are kept the same."""
    mistakes = Mistakes(rate, rate / 4, 0.001)
    here = chance(mistakes, failing, succeeding, 20)
    assert chance(mistakes, failing + 1, succeeding, 19) <= here * (1 + 1e-9)
    assert chance(mistakes, failing, succeeding + 1, 20) >= here * (1 - 1e-9)
    assert chance(mistakes, failing, succeeding, 21) >= here * (1 - 1e-9), "more logins have more mistyped names"
    assert succeeding < failing or here == 1


@given(RATES, st.floats(1e-9, 0.05), st.integers(0, 40))
def test_the_words_tell_the_fewest_who_must_fail(rate: float, bound: float, succeeding: int) -> None:
    mistakes = Mistakes(rate, rate / 4, bound)
    fewest = mistakes.fewest(succeeding)
    rows = np.array([row(fewest - 1, succeeding), row(fewest, succeeding)])
    assert mistakes.leave_open(rows).tolist() == [False, True]
    assert f"at least {mistakes.fewest(0)} fail if nobody succeeds" in str(mistakes)


def test_a_good_address_with_a_service_that_always_fails_changes_the_rate_little() -> None:
    offices = [row(5, 50, failed=failed, good=960) for failed in (30, 35, 40, 40, 45, 45, 50, 50, 55)]
    usual = honest_rate(np.array(offices))
    broken = honest_rate(np.array([*offices, row(6, 50, failed=40_000, good=960)]))
    assert 0.04 < usual < 0.06
    assert usual <= broken < 0.06, "without the median it would be 0.8"


def test_few_logins_at_good_addresses_tell_little_and_those_of_many_addresses_more() -> None:
    """Nobody has failed: with a rate p, n logins succeed with the probability (1 - p)^n, which is 5 % at the bound."""
    for count, logins in ((3, 1), (10, 1), (40, 12)):
        rate = honest_rate(np.array([row(0, 1, good=logins)] * count))
        assert rate == pytest.approx(min(1 - 0.05 ** (1 / (count * logins)), 1 / (logins + 2)))
    assert honest_rate(np.array([row(1, 0)] * 3)) == pytest.approx(2 / 3)


def test_mistyped_names_are_told_by_addresses_at_which_one_person_succeeds() -> None:
    """Three names of others in 10,000 logins of homes at which somebody has failed; what happens at other addresses does not matter."""
    homes = [row(0, 1, 0, 25)] * 300 + [row(1, 1, 1, 24)] * 398 + [row(2, 1, 2, 23), row(3, 1, 3, 22)]
    others = [row(90, 100, 200, 5000), row(30, 0)]
    assert names_rate(np.array([*homes, *others])) == pytest.approx(7.7537 / 10_000, rel=1e-3), "Poisson's bound for 3"


def honest_addresses(chance: np.random.Generator, count: int) -> Any:
    """Homes, offices and carriers: people with some logins each, of which they fail 4 % in the mean, some of them far more; and names that
    they mistype in 0.2 % of the logins, each in its own way."""
    rows = []
    for size in chance.choice([1, 1, 1, 2, 3, 8, 40, 150], count):
        logins = chance.integers(1, chance.choice([2, 4, 40, 400]), size) if size > 1 else chance.integers(1, 40, 1)
        wrong = chance.binomial(logins, np.minimum(chance.lognormal(np.log(0.04) - 0.245, 0.7, size), 0.9))
        names = int(chance.binomial(logins.sum(), 0.002))
        failing, succeeding = int((wrong > 0).sum()) + names, int((wrong < logins).sum())
        rows.append(row(failing, succeeding, int(wrong.sum()) + names, int((logins - wrong).sum())))
    return np.array(rows)


def test_among_honest_addresses_alone_hardly_any_is_left_open() -> None:
    """Each of 20 logs of 1,000 addresses has one with a probability of at most 1 in 20; more than 6 such
    logs are a matter of 1 in 30,000."""
    found = 0
    for seed in range(20):
        rows = honest_addresses(np.random.default_rng(seed), 1000)
        found += bool(Mistakes.of(rows, np.arange(1000) < 30).leave_open(rows).any())
    assert found <= 6


def test_sprayers_among_honest_addresses_are_found_and_few_others() -> None:
    for seed in range(5):
        rng = np.random.default_rng(100 + seed)
        sprayers = np.array([row(int(tried), 0) for tried in rng.integers(4, 200, 60)])
        rows = np.concatenate([honest_addresses(rng, 2000), sprayers])
        found = Mistakes.of(rows, np.arange(len(rows)) < 30).leave_open(rows)
        assert found[2000:].all()
        assert found[:2000].sum() <= HONEST * found.sum()


def generated(folder: Path, rows: int, seed: int) -> tuple[Reputation, Any, set[str]]:
    logs = folder / f"log-{seed}"
    generate(logs, rows=rows, seed=seed)
    features(logs, folder / f"features-{seed}", levels=["ip"])
    table = read_features(folder / f"features-{seed}", "ip")
    fraudulent = set(fraudulent_addresses(logs, read_truth(logs / "truth"), {}))
    return (
        reputation(table, read_known(logs / "known-bad.txt"), read_known(logs / "known-good.txt"), seed=seed),
        table,
        fraudulent,
    )


@pytest.mark.slow
def test_of_generated_addresses_that_are_called_bad_few_are_honest_and_none_is_shared(tmp_path: Path) -> None:
    """The rate is the stated one, of all logs together; a shared address is one where ten people or more get in."""
    called = honest = attackers = 0
    for seed in (311, 312, 313, 314, 315, 316):
        found, table, fraudulent = generated(tmp_path, 20_000, seed)
        real = np.array([key in fraudulent for key in table.column("Key").to_pylist()])
        shared = np.asarray(pc.greater_equal(table.column("IPGoodUsers"), 10).to_numpy(), bool)
        assert not (found.bad & shared & ~real).any()
        called, honest, attackers = called + found.bad.sum(), honest + (found.bad & ~real).sum(), attackers + real.sum()
    assert honest <= HONEST * called
    assert called > 0.3 * attackers

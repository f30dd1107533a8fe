"""Reputation: from a few known addresses to rules that a person can read, on addresses made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.applications.ato.forest.model import FEATURES
from sfumato.applications.ato.reputation import Rules, read_known, reputation
from sfumato.applications.ato.reputation.mistakes import Mistakes
from sfumato.applications.ato.reputation.neighbors import Neighbors, resembling
from sfumato.applications.ato.reputation.rules import Condition
from sfumato.errors import DataError
from tests.unit.ato.making import some_addresses

BAD = [*(f"l{place}" for place in range(5)), *(f"s{place}" for place in range(8))]
GOOD = [*(f"h{place}" for place in range(15)), *(f"o{place}" for place in range(8)), *(f"f{place}" for place in range(8))]
ANYTHING = Mistakes(0.5, 0.5, 1.0)  # whatever fails is left open


def row(**features: int) -> Any:
    return [features.get(name, 0) for name in FEATURES]


def test_sprayers_are_bad_and_homes_offices_and_forgetful_users_are_not() -> None:
    found = reputation(some_addresses(), BAD, GOOD)
    kinds = np.array([key[0] for key in found.keys.to_pylist()])
    share = {kind: float(found.bad[kinds == kind].mean()) for kind in "hofls"}
    assert share["l"] == 1
    assert share["s"] > 0.95
    assert max(share["h"], share["o"], share["f"]) < 0.01


def test_the_rules_alone_decide_and_can_be_read() -> None:
    features = some_addresses()
    found = reputation(features, BAD, GOOD)
    assert 1 <= len(found.rules.lines()) <= 6
    assert all(line.startswith("Bad: at ") for line in found.rules.lines())
    unseen = np.array([row(IPBadLogins=90, IPBadUsers=80, IPBadOrgs=20), row(IPGoodLogins=90, IPGoodUsers=80, IPGoodOrgs=20)])
    assert found.rules.decide(unseen).tolist() == [True, False]


def test_a_rule_holds_where_all_its_conditions_do() -> None:
    rules = Rules(
        (
            (Condition("IPBadUsers", True, 4), Condition("FailingUsers", True, 0.8)),
            (Condition("IPBadOrgs", True, 1), Condition("IPBadLogins", False, 2)),
        ),
        ANYTHING,
    )
    rows = np.array(
        [
            row(IPBadUsers=4, IPGoodUsers=1),
            row(IPBadUsers=4, IPGoodUsers=2),
            row(IPBadUsers=3),
            row(IPBadOrgs=1, IPBadLogins=1),
            row(IPBadOrgs=1, IPBadLogins=2),
            row(),
        ]
    )
    assert rules.decide(rows).tolist() == [True, False, False, True, False, False]
    assert rules.lines() == (
        "Bad: at least 4 failing users, and at least 80 % of its users fail",
        "Bad: at least 1 organization with failures, and at most 1 failed login",
    )


def test_no_rule_asks_for_what_it_forbids_or_says_a_thing_twice() -> None:
    """Random addresses whose counts are possible; a tree may split on any, in any order."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        logins = rng.integers(0, 6, 300)
        users = np.minimum(rng.integers(0, 6, 300), logins)
        orgs = np.minimum(rng.integers(0, 4, 300), users)
        rows = np.column_stack([logins, rng.integers(0, 9, 300), users, rng.integers(0, 4, 300), orgs, orgs * 0, orgs * 0])
        bad = rng.random(300) < np.where(users * 3 + orgs * 2 > rng.integers(3, 12), 0.9, 0.1)
        for rule in Rules.learned(rows, bad, ANYTHING, seed).bad:
            asked = {each.measure: each.bound for each in rule if each.above}
            forbidden = {each.measure: each.bound for each in rule if not each.above}
            for measure, fewer in (("IPBadLogins", "IPBadUsers"), ("IPBadLogins", "IPBadOrgs"), ("IPBadUsers", "IPBadOrgs")):
                assert forbidden.get(measure, np.inf) > asked.get(fewer, 0)
                assert measure not in asked or asked[measure] > asked.get(fewer, 0)


def test_what_resembles_neither_class_is_left_open() -> None:
    """Two clusters on a line, and places at both, between and far beyond; k is 2 of 3 known ones."""
    rows = np.zeros((9, 7))
    rows[:, 0] = [0, 0, 1, 100, 110, 120, 0, 115, 10]
    bad, good = np.zeros(9, bool), np.zeros(9, bool)
    good[:3], bad[3:6] = True, True
    assert resembling(rows, bad, good).tolist() == [0, 0, 0, 1, 1, 1, 0, 1, -1]


def test_the_radius_is_the_distance_of_known_ones_from_each_other() -> None:
    known = np.array([[0.0], [1.0], [2.0]])
    model = Neighbors.of(known)
    assert model.neighbors == 2
    assert model.radius == pytest.approx(np.quantile([1.5, 1.0, 1.5], 0.9))
    assert model.distances(np.array([[1.0]]))[0] == pytest.approx(0.5 / model.radius)


def test_the_truth_scores_the_result_and_changes_nothing_else() -> None:
    features = some_addresses()
    sprayers = [key for key in features.column("Key").to_pylist() if key[0] in "ls"]
    plain, scored = reputation(features, BAD, GOOD), reputation(features, BAD, GOOD, fraudulent=sprayers)
    assert np.array_equal(plain.bad, scored.bad)
    assert plain.score is None
    assert scored.score is not None
    assert scored.score.total == len(features)
    assert scored.score.true_positives + scored.score.false_negatives == 90


def test_the_written_file_has_a_reputation_for_every_key(tmp_path: Path) -> None:
    found = reputation(some_addresses(), BAD, GOOD)
    found.write(tmp_path / "reputation.parquet")
    table = pq.read_table(tmp_path / "reputation.parquet")
    assert table.column("Reputation").to_pylist() == ["Bad" if bad else "Good" for bad in found.bad]
    assert "l1" not in str(found.as_dict())


@pytest.mark.parametrize(
    ("bad", "good", "message"),
    [
        (["x1", "x2", "x3"], GOOD, "0 of the 3 addresses known to be bad occur"),
        (["l1", "l2", "x3"], GOOD, "2 of the 3 addresses known to be bad occur"),
        (BAD, ["h1"], "1 of the 1 address known to be good occur"),
        (BAD, [*GOOD, "l1"], "1 address known to be bad and to be good"),
    ],
)
def test_lists_that_do_not_fit_are_refused_without_naming_an_address(bad: list[str], good: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message) as refused:
        reputation(some_addresses(), bad, good)
    assert not any(name in str(refused.value) for name in ("x1", "l1", "h1"))


def test_a_table_that_lacks_a_feature_is_refused() -> None:
    with pytest.raises(DataError, match="lacks IPGoodOrgs"):
        reputation(some_addresses().drop_columns(["IPGoodOrgs"]), BAD, GOOD)


def test_known_addresses_are_read_in_one_spelling(tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_text("# from the incident of May\n192.0.2.7\n\n2001:DB8:0:0::1  # the second\n192.0.2.7\n", encoding="utf-8")
    assert read_known(file) == {"192.0.2.7", "2001:db8::1"}


@pytest.mark.parametrize(
    ("content", "message"), [("", "no address"), ("# nothing\n", "no address"), ("192.0.2.7\nmallory\n", "line 2 is no")]
)
def test_a_list_without_addresses_or_with_something_else_is_refused(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "bad.txt"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message) as refused:
        read_known(file)
    assert "mallory" not in str(refused.value)


def test_addresses_that_are_all_alike_give_no_rule() -> None:
    alike = pa.table({"Key": [f"k{place}" for place in range(20)], **{name: [1] * 20 for name in FEATURES}})
    with pytest.raises(DataError, match="no address has more failing people than honest mistakes explain"):
        reputation(alike, ["k1", "k2", "k3"], ["k4", "k5", "k6"])


def test_a_rule_that_every_office_meets_accuses_no_office() -> None:
    """Three failed logins of two people: what few known addresses once gave."""
    broad = ((Condition("IPBadUsers", True, 2), Condition("IPBadLogins", True, 3)),)
    rows = np.array(
        [row(IPBadLogins=40, IPBadUsers=30, IPGoodUsers=500, IPGoodLogins=9000), row(IPBadLogins=40, IPBadUsers=30, IPBadOrgs=9)]
    )
    assert Rules(broad, ANYTHING).decide(rows).tolist() == [True, True]
    assert Rules(broad, Mistakes(0.06, 0.005, 0.001)).decide(rows).tolist() == [False, True]


def counted(key: str, count: int, **features: int) -> list[tuple[Any, ...]]:
    return [(f"{key}{place}", *row(**features)) for place in range(count)]


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    return pa.table(dict(zip(("Key", *FEATURES), map(list, zip(*rows, strict=True)), strict=True)))


def test_classes_that_look_alike_are_refused() -> None:
    """Known bad addresses that are homes like the known good ones; the sprayers are not among them."""
    homes, sprayers = (
        counted("h", 30, IPGoodLogins=40, IPGoodUsers=1, IPGoodOrgs=1),
        counted("s", 20, IPBadLogins=30, IPBadUsers=30, IPBadOrgs=9),
    )
    with pytest.raises(DataError, match="no rule tells the known bad addresses from the known good ones"):
        reputation(table_of([*homes, *sprayers]), ["h1", "h2", "h3"], ["h4", "h5", "h6"])


def test_good_addresses_at_which_everybody_fails_explain_everything() -> None:
    with pytest.raises(DataError, match=r"honest mistakes explain: at good addresses up to 96\.9% of the logins fail"):
        reputation(table_of(counted("k", 20, IPBadLogins=30, IPBadUsers=30, IPBadOrgs=9)), ["k1", "k2", "k3"], ["k4", "k5", "k6"])

"""Each attack has a release on which it succeeds, and one on which it equals its baseline."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from math import comb
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import UsageError
from tests.unit.attacks.cases import schema, tried

SCHEMA: dict[str, Any] = {
    "attributes": {
        "age": {
            "role": "quasi",
            "type": "integer",
            "hierarchy": {"builder": "intervals", "lower": 0, "upper": 80, "widths": [20, 40]},
        },
        "city": {"role": "quasi", "type": "text", "hierarchy": {"tree": {"north": ["Oslo", "Turku"], "south": ["Rome", "Nice"]}}},
        "weight": {"role": "quasi", "type": "integer"},
        "ill": {"role": "sensitive", "type": "text", "hierarchy": {"tree": {"skin": ["acne", "rash"], "lung": ["flu", "cold"]}}},
    }
}
RARE = ("acne", "rash", "flu", "cold")


def some(count: int, seed: int) -> pa.Table:
    """People whose illness follows the city, with exceptions; ages and weights tell nearly everybody apart."""
    rng = np.random.default_rng(seed)
    city = rng.integers(0, 4, count)
    ill = np.where(rng.random(count) < 0.7, city, rng.choice(4, count, p=[0.05, 0.15, 0.2, 0.6]))
    return pa.table(
        {
            "age": rng.integers(0, 80, count),
            "city": [("Oslo", "Turku", "Rome", "Nice")[each] for each in city],
            "weight": rng.integers(40, 140, count),
            "ill": [RARE[each] for each in ill],
        }
    )


PEOPLE, OUTSIDE = some(400, 1), some(400, 2)
EVERYBODY = pa.concat_tables([PEOPLE, OUTSIDE])


@pytest.fixture(scope="module")
def table() -> Any:
    with sf.Table.open(PEOPLE, SCHEMA) as opened:
        yield opened


@pytest.fixture(scope="module")
def exact(table: sf.Table) -> sf.Release:
    return sf.publish(table, node=[0, 0, 0])


@pytest.fixture(scope="module")
def nothing(table: sf.Table) -> sf.Release:
    return sf.publish(table, node=[3, 2, 1])


SUCCEED = (
    "record-linkage:prosecutor",
    "record-linkage:journalist",
    "record-linkage:marketer",
    "record-linkage:marketer,errors=0.1",
    "record-linkage:prosecutor,matching=exact",
    "homogeneity",
    "background:excludes",
    "background:knows",
    "background:negative",
    "skewness:2",
    "similarity",
    "probabilistic",
    "table-linkage",
    "learned",
    "singling-out:2",
    "linkability",
    "inference",
)


@pytest.mark.parametrize("attack", [each for each in SUCCEED if each != "linkability"])
def test_an_attack_succeeds_where_nothing_was_done(attack: str, table: sf.Table, exact: sf.Release) -> None:
    external = EVERYBODY if attack == "table-linkage" else None
    found = tried(exact, None, table, attack, control=OUTSIDE, external=external)
    assert (found.outcome, found.rate > found.baseline) == ("gets through", True)
    assert found.interval[0] <= found.rate <= found.interval[1]


@pytest.mark.parametrize("attack", SUCCEED)
def test_an_attack_equals_its_baseline_where_all_look_alike(attack: str, table: sf.Table, nothing: sf.Release) -> None:
    external = EVERYBODY if attack == "table-linkage" else None
    found = tried(nothing, None, table, attack, control=OUTSIDE, external=external)
    assert found.stopped
    measured = attack in ("inference",)  # on two samples of people, which differ by chance
    assert found.rate == pytest.approx(found.baseline, abs=0.05 if measured else 1e-9)


def test_two_halves_are_linked_where_each_leads_to_the_persons_row() -> None:
    rng = np.random.default_rng(0)
    inside, outside = (pa.table({name: rng.integers(0, 10**6, 200) for name in ("a", "b")}) for _ in range(2))
    declared = schema({"a": "integer", "b": "integer"}, {})
    found = tried(inside, declared, inside, "linkability", control=outside)
    assert (found.rate, found.outcome) == (pytest.approx(1, abs=0.01), "gets through")
    assert found.baseline < 0.05
    assert found.figures["risk"] > 0.95


@pytest.mark.parametrize("attack", ["learned", "singling-out", "linkability", "inference"])
def test_what_needs_people_outside_says_so(attack: str, table: sf.Table, exact: sf.Release) -> None:
    with pytest.raises(UsageError, match="needs a control set"):
        tried(exact, None, table, attack)


def test_the_original_itself_is_a_release() -> None:
    found = sf.attack(PEOPLE, SCHEMA, original=PEOPLE, control=OUTSIDE, external=EVERYBODY, others=[PEOPLE])
    assert {each.attack for each in found.attempts if not each.tried} == {"minimality"}
    assert tried(PEOPLE, SCHEMA, PEOPLE, "record-linkage").rate > 0.9


def test_people_outside_who_do_better_are_mentioned() -> None:
    """The release is made of the people outside: they are the ones it gives away."""
    found = tried(OUTSIDE, SCHEMA, PEOPLE, "inference", control=OUTSIDE)
    assert found.remark == "the attack does better on people outside the release"
    assert (found.figures["risk"], found.stopped) == (0, True)


def test_typing_errors_make_links_wrong_and_never_better(table: sf.Table, exact: sf.Release) -> None:
    rates = [tried(exact, None, table, f"record-linkage:prosecutor,0,{errors}").rate for errors in (0, 0.1, 0.3, 1)]
    assert rates == sorted(rates, reverse=True)
    assert rates[1] == pytest.approx(rates[0] * 0.9**3, abs=0.05)  # all three columns must be typed right
    assert rates[3] < 0.02


@pytest.mark.parametrize("scenario", ["prosecutor", "journalist", "marketer"])
def test_a_guess_is_right_only_about_people_who_are_there(scenario: str, table: sf.Table, nothing: sf.Release) -> None:
    """Half of the attacker's table, and a release of half of the people: where all look alike a link is a guess, and as often right."""
    half = pa.concat_tables([PEOPLE.slice(0, 200), OUTSIDE.slice(0, 200)])
    here, there = (
        Counter(tuple(row[name] for name in ("age", "city", "weight")) for row in each.to_pylist()) for each in (half, PEOPLE)
    )
    both = (here & there).total()  # 200, and whoever outside has the same values as somebody inside
    for release in (nothing, nothing.to_arrow().slice(0, 100)):
        found = tried(release, SCHEMA, table, f"record-linkage:{scenario},0", external=half)
        assert found.rate == pytest.approx(found.baseline)
        assert found.rate == pytest.approx(1 / 400 if scenario == "prosecutor" else both / 400 / 400)


@pytest.mark.parametrize("attacks", [3, [], [3]])
def test_what_is_no_attack_is_refused(attacks: Any, table: sf.Table, nothing: sf.Release) -> None:
    with pytest.raises(UsageError, match="attack"):
        sf.attack(nothing, original=table, attacks=attacks)


def test_the_learned_attack_names_its_extra(table: sf.Table, nothing: sf.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(UsageError, match="needs the extra 'learn'"):
        tried(nothing, None, table, "learned", control=OUTSIDE)


def test_exact_matching_understands_no_labels(table: sf.Table) -> None:
    release = sf.publish(table, node=[1, 1, 0])
    assert tried(release, None, table, "record-linkage:prosecutor,0,matching=exact").hits == 0
    assert tried(release, None, table, "record-linkage:prosecutor,0").hits > 100


# ── background knowledge ──


def of_classes(*classes: str) -> tuple[pa.Table, dict[str, Any]]:
    """Classes by their values, one letter each."""
    rows = [(number, value) for number, values in enumerate(classes) for value in values]
    made = pa.table({"place": [str(number) for number, _ in rows], "value": [value for _, value in rows]})
    return made, schema({"place": "text"}, {"value": "text"})


def test_knowing_others_of_a_class_leaves_the_person() -> None:
    rows, declared = of_classes("aab", "aaabbb")
    # In the first class, of those with a one other must be known for certainty, of the one with b two.
    assert [tried(rows, declared, rows, f"background:knows,{known}").hits for known in (1, 2, 3)] == [2, 3, 9]


@pytest.mark.parametrize("values", ["aaab", "aaabb", "aaaaab", "aabb"])
@pytest.mark.parametrize("alike", [1, 2])
def test_people_with_like_values_count_as_ways_to_choose_them(values: str, alike: int) -> None:
    counts = Counter(values)
    ways = {value: comb(count, alike + 1) for value, count in counts.items()}
    best = max(ways, key=lambda value: ways[value])
    sure = sum(ways.values()) > 0 and ways[best] / sum(ways.values()) >= 0.9
    rows, declared = of_classes(values, "abcdefghij" * 3)
    expected = counts[best] if sure else 0
    assert tried(rows, declared, rows, f"background:like,{alike}").hits == expected


def test_a_value_that_nobody_of_a_class_has_is_ruled_out() -> None:
    rows, declared = of_classes("aaaabb", "cccc")
    found = tried(rows, declared, rows, "background:negative,1,0.95")
    # Everybody is told one thing that is true; of anybody the first claim (not c) is right with 6/10, the second (not a) too.
    assert (found.hits, found.baseline) == (10, pytest.approx(0.6))


def test_a_claim_must_be_likelier_than_not() -> None:
    with pytest.raises(UsageError, match=r"confidence must be more than 0\.5"):
        sf.attacks.attack_of("background:knows,1,0.5")


# ── several releases, and how a release was made ──

TWO = schema({"age": "text", "city": "text"}, {"ill": "text"})
TWO_PEOPLE = pa.table(
    {
        "age": ["old", "old", "young", "young"],
        "city": ["Oslo", "Rome", "Oslo", "Rome"],
        "ill": ["flu", "cold", "cold", "gout"],
    }
)


def test_two_releases_intersect_to_one_value() -> None:
    """By age: {flu, cold}, {cold, gout}. By city: {flu, cold}, {cold, gout}. The old of Rome have cold, the young of Oslo too."""
    by_age, by_city = (TWO_PEOPLE.select([name, "ill"]) for name in ("age", "city"))
    found = tried(by_age, TWO, TWO_PEOPLE, "intersection", others=[by_city])
    assert (found.hits, found.baseline, found.classes) == (2, 0, (1, 2))
    assert tried(by_age, TWO, TWO_PEOPLE, "intersection", others=[by_age]).hits == 0


def test_a_third_release_never_makes_the_intersection_smaller() -> None:
    by_age, by_city = (TWO_PEOPLE.select([name, "ill"]) for name in ("age", "city"))
    two = tried(by_age, TWO, TWO_PEOPLE, "intersection", others=[by_city])
    three = tried(by_age, TWO, TWO_PEOPLE, "intersection", others=[by_city, TWO_PEOPLE])
    assert three.hits >= two.hits
    assert three.figures["releases"] == 3


MINIMAL = {
    "attributes": {
        "zip": {"role": "quasi", "type": "text", "hierarchy": {"tree": {"region": ["one", "two"]}}},
        "ill": {"role": "sensitive", "type": "text"},
    }
}
# Wong et al. 2007: two people of `one` who both have hiv are the reason why the places were merged.
MERGED = pa.table({"zip": ["one"] * 2 + ["two"] * 5, "ill": ["hiv", "hiv", "flu", "cold", "gout", "rash", "acne"]})
MODEL = "probabilistic-diversity:2"


def tables_left() -> list[tuple[str, str]]:
    """By looking at every pair of people who may live in `one`: those of which a model would be violated, so that places were merged."""
    values = MERGED["ill"].to_pylist()
    return [(values[i], values[j]) for i, j in permutations(range(7), 2) if values[i] == values[j]]


def test_the_reason_for_merging_classes_gives_them_away() -> None:
    with sf.Table.open(MERGED, MINIMAL) as table:
        release = sf.publish(table, node=[1])
        found = tried(release, None, table, "minimality:0.9,2000", models=MODEL)
    assert set(tables_left()) == {("hiv", "hiv")}
    assert (found.hits, found.baseline) == (2, 0)
    left = found.figures["tables left"] / found.figures["tables drawn"]
    assert left == pytest.approx(len(tables_left()) / 42, abs=0.015)


def test_a_release_that_had_to_be_merged_for_its_size_gives_nothing_away() -> None:
    with sf.Table.open(MERGED, MINIMAL) as table:
        release = sf.publish(table, node=[1])
        found = tried(release, None, table, "minimality:0.9,50", models=[MODEL, "k-anonymity:3"])
    assert (found.hits, found.baseline, found.stopped) == (0, 0, True)


def test_minimality_needs_a_model_that_looks_at_values(table: sf.Table, nothing: sf.Release) -> None:
    with pytest.raises(UsageError, match="needs a satisfied model that judges each class by its sensitive values"):
        tried(nothing, None, table, "minimality", models="k-anonymity:2")


# ── who attacks, and with what ──


def test_named_attackers_hold_what_they_can_know(table: sf.Table, exact: sf.Release) -> None:
    holds = {name: sf.attack(exact, original=table, attacks="homogeneity", attacker=name).held for name in sf.attacks.ATTACKERS}
    assert holds["neighbor"] == holds["journalist"] == ("age", "city", "weight")
    assert holds["insider"] == holds["data-broker"] == ("age", "city", "weight")
    with sf.data.adult() as census:
        release = sf.publish(census, node=[0] * 7)
        found = {
            name: sf.attack(release, original=census, attacks="record-linkage", attacker=name) for name in sf.attacks.ATTACKERS
        }
    assert found["neighbor"].held == ("age", "marital-status", "race", "sex")
    assert found["journalist"].held == ("age", "education", "native-country", "marital-status", "race", "sex")
    assert found["neighbor"].attempts[0].rate < found["journalist"].attempts[0].rate < found["insider"].attempts[0].rate


def test_who_holds_fewer_columns_links_fewer_people(table: sf.Table, exact: sf.Release) -> None:
    found = [tried(exact, None, table, "record-linkage", holds=held).rate for held in (["age"], ["age", "weight"], None)]
    assert found == sorted(found)
    assert found[0] < 0.05 < 0.9 < found[2]


def test_a_satisfied_model_is_compared_with_what_was_observed(table: sf.Table) -> None:
    found = sf.attack(sf.publish(table, node=[2, 1, 1]), original=table, models=["k-anonymity:5", "distinct-diversity:2"])
    claims = {each.model: each.observed for each in found.claims}
    assert set(claims) == {"k-anonymity:5", "distinct-diversity:2"}
    assert set(claims["k-anonymity:5"]) == {"R"}
    assert claims["k-anonymity:5"]["R"].through == ("record-linkage:marketer",)
    assert found.claimed_by("T") == ()


def test_positions_are_the_rows_of_the_classes(table: sf.Table, exact: sf.Release) -> None:
    found = tried(exact, None, table, "homogeneity")
    rows = exact.to_arrow().to_pylist()
    values: dict[Any, set[str]] = {}
    for row in rows:
        values.setdefault((row["age"], row["city"], row["weight"]), set()).add(row["ill"])
    alike = [place for place, row in enumerate(rows, 1) if len(values[row["age"], row["city"], row["weight"]]) == 1]
    assert (found.positions, found.rows) == (tuple(alike[:20]), len(alike))


def test_the_same_seed_gives_the_same_answer_and_another_one_another(table: sf.Table, exact: sf.Release) -> None:
    one, same, other = (tried(exact, None, table, "record-linkage:marketer,0.5,0.2", seed=seed).hits for seed in (1, 1, 2))
    assert one == same != other


def test_an_attack_may_be_tried_on_one_sensitive_attribute_and_not_on_another() -> None:
    rows = pa.table({"place": ["a", "a", "b", "b"], "pay": [1, 2, 8, 9], "ill": ["flu", "cold", "gout", "rash"]})
    declared = schema({"place": "text"}, {"pay": "integer", "ill": "text"})
    pay, ill = sf.attack(rows, declared, original=rows, attacks="similarity").attempts
    assert (pay.hits, pay.outcome) == (4, "gets through")
    assert (ill.stopped, "'ill'" in (ill.reason or "")) == (None, True)


@dataclass(frozen=True, slots=True)
class Everybody(sf.attacks.Attack):
    """An attack of somebody else: everybody has the same."""

    name: ClassVar[str] = "everybody"
    threat: ClassVar[str] = "A"

    value: str = "flu"

    def run(self, view: Any) -> list[sf.attacks.Attempt]:
        hits = sum(person == self.value for person in PEOPLE["ill"].to_pylist())
        return [sf.attacks.Attempt(str(self), self.threat, "ill", PEOPLE.num_rows, hits, hits / PEOPLE.num_rows)]


def test_an_attack_of_your_own_is_run_like_the_others(table: sf.Table, nothing: sf.Release) -> None:
    found = sf.attack(nothing, original=table, attacks=[Everybody("cold"), "homogeneity"])
    assert [each.attack for each in found.attempts] == ["everybody:cold", "homogeneity"]
    assert found.attempts[0].stopped

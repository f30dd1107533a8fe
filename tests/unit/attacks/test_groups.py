"""Attacks on releases with groups: the same rates as those of an attacker in plain Python, who has the rows and the groups as lists."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.attacks import Attempt
from sfumato.errors import DataSayNo
from tests.unit.attacks.cases import schema, tried

SCHEMA = schema({"age": "integer", "town": "text"}, {"ill": {"skin": ["acne", "rash"], "lung": ["cold", "flu", "tb"]}})
KINDS = {"acne": "skin", "rash": "skin", "cold": "lung", "flu": "lung", "tb": "lung"}
VALUES = tuple(KINDS)  # in the order of the schema
QUASI = ("age", "town")
Belief = dict[str, Fraction]
PEOPLE = st.lists(st.tuples(st.integers(1, 3), st.sampled_from("ab"), st.sampled_from(VALUES)), min_size=4, max_size=18)


class Attacker:
    """Somebody who knows some columns of people, and has the two tables of a release."""

    def __init__(self, release: sf.Release, original: Sequence[tuple[Any, ...]], known: Sequence[str]) -> None:
        self.rows = release.to_arrow().to_pylist()
        assert release.groups is not None
        self.groups: dict[int, Counter[str]] = {}
        for line in csv.DictReader(release.groups.splitlines()):
            self.groups.setdefault(int(line["group"]), Counter())[line["ill"]] += int(line["people"])
        self.people = [dict(zip((*QUASI, "ill"), each, strict=True)) for each in original]
        self.known = known
        counted = Counter(each["ill"] for each in self.people)
        self.prior = {value: Fraction(counted[value], len(self.people)) for value in VALUES}

    def belief_about(self, person: Mapping[str, Any]) -> tuple[Belief, int]:
        """What they believe of somebody, and how many people are in the groups of the rows that fit."""
        numbers = [row["group"] for row in self.rows if all(row[name] == person[name] for name in self.known)]
        shares = [{v: Fraction(self.groups[n][v], self.groups[n].total()) for v in VALUES} for n in numbers]
        belief = {value: sum((each[value] for each in shares), Fraction(0)) / len(shares) for value in VALUES}
        return belief, sum(self.groups[number].total() for number in set(numbers))

    def right(self, rule: Callable[[Belief, int], set[str]]) -> int:
        """About how many people a claim is right."""
        return sum(person["ill"] in rule(*self.belief_about(person)) for person in self.people)


def best(belief: Belief, least: Fraction) -> set[str]:
    first = max(belief, key=lambda value: belief[value])  # the first of equals
    return {first} if belief[first] >= least else set()


def near(belief: Belief, least: Fraction) -> set[str]:
    skin = sum(belief[value] for value in VALUES if KINDS[value] == "skin")
    chosen, share = ("skin", skin) if skin >= 1 - skin else ("lung", 1 - skin)
    return {value for value in VALUES if KINDS[value] == chosen} if share >= least else set()


def excludes(belief: Belief, least: Fraction) -> set[str]:
    """The likeliest other value is ruled out."""
    left = {value: 1 - max(belief[other] for other in VALUES if other != value) for value in VALUES}
    return {value for value in VALUES if belief[value] > 0 and belief[value] >= least * left[value]}


def knows(belief: Belief, people: int, least: Fraction, others: int) -> set[str]:
    """So many people of the groups are known to have other values."""
    having = {value: belief[value] * people for value in VALUES}
    left = {value: people - min(others, people - having[value]) for value in VALUES}
    return {value for value in VALUES if having[value] > 0 and having[value] >= least * left[value]}


def like(belief: Belief, people: int, least: Fraction) -> set[str]:
    """Somebody else of the groups has the value of the person: pairs of people with the same value."""
    pairs = {value: belief[value] * people * max(belief[value] * people - 1, Fraction(0)) for value in VALUES}
    total = sum(pairs.values())
    return best({value: each / total for value, each in pairs.items()}, least) if total else set()


def not_one(belief: Belief, prior: Belief, most: Fraction) -> set[str]:
    ruled_out = {value: prior[value] for value in VALUES if belief[value] <= most < prior[value]}
    return set(VALUES) - {max(ruled_out, key=lambda value: ruled_out[value])} if ruled_out else set()


def hits(attacker: Attacker) -> dict[str, int]:
    """About how many people each attack is right."""
    sure, prior = Fraction(3, 5), attacker.prior
    growth = lambda belief: {v: belief[v] / prior[v] if prior[v] else Fraction(0) for v in VALUES}  # noqa: E731
    rules: dict[str, Callable[[Belief, int], set[str]]] = {
        "homogeneity": lambda belief, people: best(belief, Fraction(1)),
        "homogeneity:0.5": lambda belief, people: best(belief, Fraction(1, 2)),
        "probabilistic": lambda belief, people: best(belief, Fraction(0)),
        "skewness:2": lambda belief, people: best(growth(belief), Fraction(2)),
        "similarity:0.6": lambda belief, people: near(belief, sure),
        "background:excludes,1,0.6": lambda belief, people: excludes(belief, sure),
        "background:knows,1,0.6": lambda belief, people: knows(belief, people, sure, 1),
        "background:knows,2,0.6": lambda belief, people: knows(belief, people, sure, 2),
        "background:like,1,0.6": lambda belief, people: like(belief, people, sure),
        "background:negative,1,0.9": lambda belief, people: not_one(belief, prior, Fraction(1, 10)),
    }
    return {name: attacker.right(rule) for name, rule in rules.items()}


def original(people: Sequence[tuple[Any, ...]]) -> pa.Table:
    return pa.table({name: [each[place] for each in people] for place, name in enumerate((*QUASI, "ill"))})


def anatomized(people: Sequence[tuple[Any, ...]], l: int) -> sf.Release | None:  # noqa: E741
    try:
        return sf.sanitize(original(people), SCHEMA, method=f"anatomy:{l}", seed=1).release
    except DataSayNo:
        return None  # one value is too frequent


@pytest.mark.slow
@given(people=PEOPLE, l=st.integers(2, 3), known=st.sampled_from((QUASI, ("age",), ("town",))))
@settings(max_examples=40, deadline=None)
def test_rates_are_those_of_an_attacker_in_plain_python(people: list[tuple[Any, ...]], l: int, known: tuple[str, ...]) -> None:  # noqa: E741
    release = anatomized(people, l)
    if release is None:
        return
    expected = hits(Attacker(release, people, known))
    tried = sf.attack(release, original=original(people), attacks=list(expected), holds=known).attempts
    found: dict[str, Attempt] = dict(zip(expected, tried, strict=True))
    assert {name: each.hits for name, each in found.items()} == expected


# Everybody has an age of their own, so that everybody can be found.
TWELVE = [(age, town, ill) for age, (town, ill) in enumerate([("a", "acne"), ("a", "rash"), ("b", "cold"), ("b", "flu")] * 3)]


def test_groups_hide_a_value_among_as_many_as_they_have() -> None:
    release, people = anatomized(TWELVE, 3), original(TWELVE)
    assert release is not None
    found = {
        name: tried(release, None, people, name) for name in ("homogeneity:0.34", "background:knows,1", "background:knows,2")
    }
    assert found["homogeneity:0.34"].hits == 0  # each value has the share 1/3
    assert found["background:knows,1"].hits == 0  # one of two is left
    assert found["background:knows,2"].hits == 12  # whoever knows both others knows the third
    assert tried(release, None, people, "record-linkage:marketer").rate == 1


def test_people_outside_are_guessed_by_shares_of_groups() -> None:
    """The nearest row of somebody of the release is their own, whose group has their value once among three."""
    release, people = anatomized(TWELVE, 3), original(TWELVE)
    outside = original([(age + 100, town, ill) for age, town, ill in TWELVE])
    assert release is not None
    assert tried(release, None, people, "inference", control=outside).rate == pytest.approx(1 / 3)


def test_two_releases_with_groups_are_intersected() -> None:
    """In one release somebody has one of two values, in the other the same and a third: what both have remains."""
    people = original(TWELVE)
    pairs, triples = anatomized(TWELVE, 2), anatomized(TWELVE, 3)
    assert pairs is not None
    assert triples is not None
    found = tried(pairs, None, people, "intersection:0.6", others=[triples])
    alone = tried(pairs, None, people, "homogeneity:0.6")
    assert found.rate > alone.rate == 0

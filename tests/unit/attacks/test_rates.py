"""Rates against a plain attacker who looks at every row, intervals against published figures, and what stopped means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.attacks.base import Attempt
from sfumato.intervals import wilson
from tests.unit.attacks.cases import tried

SCHEMA: dict[str, Any] = {
    "attributes": {
        "age": {
            "role": "quasi",
            "type": "integer",
            "hierarchy": {"builder": "intervals", "lower": 0, "upper": 8, "widths": [2, 4]},
        },
        "place": {"role": "quasi", "type": "text", "hierarchy": {"tree": {"north": ["Oslo", "Turku"], "south": ["Rome"]}}},
        "ill": {"role": "sensitive", "type": "text"},
    }
}
Person = tuple[int, str, str]
people = st.lists(
    st.tuples(st.integers(0, 7), st.sampled_from(["Oslo", "Turku", "Rome"]), st.sampled_from(["flu", "gout", "cold"])),
    min_size=2,
    max_size=30,
)
levels = st.tuples(st.integers(0, 3), st.integers(0, 2))
WIDTHS = (1, 2, 4, 8)


def as_table(rows: Sequence[Person]) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(("age", "place", "ill"))})


def published(person: Person, node: tuple[int, int]) -> tuple[Any, ...]:
    """What a node makes of the QIDs of a person, worked out apart."""
    place = (person[1], "north" if person[1] in ("Oslo", "Turku") else "south", "*")[node[1]]
    return person[0] // WIDTHS[node[0]], place


def released(rows: Sequence[Person], node: tuple[int, int]) -> pa.Table:
    """The release at a node, as another tool might write it."""
    width = WIDTHS[node[0]]
    ages = [str(row[0]) if width == 1 else f"[{row[0] // width * width}, {row[0] // width * width + width})" for row in rows]
    places = [published(row, node)[1] for row in rows]
    return pa.table({"age": ages, "place": places, "ill": [row[2] for row in rows]})


def top_share(values: Sequence[str]) -> tuple[str, float]:
    """The most frequent value, the first of equals in the order of values, and its share."""
    counts = Counter(values)
    value = min(counts, key=lambda each: (-counts[each], each))
    return value, counts[value] / len(values)


def alike(rows: Sequence[Person], node: tuple[int, int]) -> Callable[[Person], list[Person]]:
    return lambda person: [each for each in rows if published(each, node) == published(person, node)]


@pytest.mark.slow
@settings(max_examples=20)
@given(people, levels, st.sampled_from([0.5, 0.75, 1.0]))
def test_homogeneity_is_what_a_plain_attacker_finds(rows: list[Person], node: tuple[int, int], sure: float) -> None:
    found = tried(released(rows, node), SCHEMA, as_table(rows), f"homogeneity:{sure}")
    like = alike(rows, node)
    expected = 0
    for person in rows:
        value, share = top_share([each[2] for each in like(person)])
        expected += share >= sure - 1e-9 and value == person[2]
    value, share = top_share([each[2] for each in rows])
    assert (found.hits, found.tries) == (expected, len(rows))
    assert found.baseline == pytest.approx(share if share >= sure - 1e-9 else 0)


def fits(person: Person, row: tuple[str, str, str]) -> bool:
    """Whether a published row may be a person's, worked out apart: numbers, bands, places, regions and stars."""
    age, place = row[:2]
    low, _, high = age.strip("[)").partition(", ")
    inside = age == "*" or (int(low) <= person[0] < int(high) if high else int(age) == person[0])
    return inside and (place in ("*", person[1]) or (place in ("north", "south") and published(person, (0, 1))[1] == place))


@pytest.mark.slow
@settings(max_examples=25)
@given(people, st.lists(levels, min_size=30, max_size=30), st.sampled_from([0.5, 1.0]))
def test_where_labels_overlap_all_rows_that_fit_count(rows: list[Person], nodes: list[tuple[int, int]], sure: float) -> None:
    """Every row is generalized in its own way, as by a local recoding or a suppression of cells."""
    mixed = pa.concat_tables([released([row], node) for row, node in zip(rows, nodes, strict=False)])
    mixed = mixed.set_column(0, "age", [["*" if age == "[0, 8)" else age for age in mixed["age"].to_pylist()]])
    published = [(row["age"], row["place"], row["ill"]) for row in mixed.to_pylist()]
    kept = [row for row in published if row[:2] != ("*", "*")] or published  # stars everywhere are suppressed people
    found = tried(mixed, SCHEMA, as_table(rows), f"homogeneity:{sure}")
    expected = 0
    for person in rows:
        fitting = [row[2] for row in kept if fits(person, row)]
        if fitting:
            value, share = top_share(fitting)
            expected += share >= sure - 1e-9 and value == person[2]
    assert found.hits == expected


@pytest.mark.slow
@settings(max_examples=20)
@given(people, levels)
def test_a_prosecutor_is_right_once_in_as_many_rows_as_fit(rows: list[Person], node: tuple[int, int]) -> None:
    found = tried(released(rows, node), SCHEMA, as_table(rows), "record-linkage:prosecutor,0")
    marketer = tried(released(rows, node), SCHEMA, as_table(rows), "record-linkage:marketer")
    like = alike(rows, node)
    assert found.hits == pytest.approx(sum(1 / len(like(person)) for person in rows))
    assert marketer.hits == pytest.approx(found.hits)  # both tables have the same people
    assert found.baseline == pytest.approx(1 / len(rows))


@pytest.mark.slow
@settings(max_examples=20)
@given(people, levels, st.integers(1, 2))
def test_ruling_out_values_is_what_a_plain_attacker_does(rows: list[Person], node: tuple[int, int], amount: int) -> None:
    found = tried(released(rows, node), SCHEMA, as_table(rows), f"background:excludes,{amount}")
    like, expected = alike(rows, node), 0
    for person in rows:
        counts = Counter(each[2] for each in like(person))
        others = sorted((count for value, count in counts.items() if value != person[2]), reverse=True)
        expected += counts[person[2]] / (counts[person[2]] + sum(others[amount:])) >= 0.9
    assert found.hits == expected


@pytest.mark.slow
@settings(max_examples=20)
@given(people, levels)
def test_no_attacker_of_values_does_worse_at_a_finer_node(rows: list[Person], node: tuple[int, int]) -> None:
    """A finer partition only tells more to somebody who guesses the most probable value."""
    finer = max(node[0] - 1, 0), max(node[1] - 1, 0)
    coarse, fine = (tried(released(rows, each), SCHEMA, as_table(rows), "probabilistic") for each in (node, finer))
    assert fine.hits >= coarse.hits >= coarse.baseline * len(rows) - 1e-9


@settings(max_examples=8)
@given(people)
def test_everything_is_stopped_where_all_look_alike(rows: list[Person]) -> None:
    with sf.Table.open(as_table(rows), SCHEMA) as table:
        found = sf.attack(sf.publish(table, node=[3, 2]), original=table)
    assert found.through == ()
    assert all(each.rate == pytest.approx(each.baseline) for each in found.attempts if each.stopped is not None)


def test_a_release_of_another_tool_with_overlapping_labels_and_single_stars() -> None:
    """Somebody of 3 fits `[0, 4)` and `*`; so do the rows, and the guess is among all that fit."""
    original = as_table([(3, "Oslo", "flu"), (5, "Oslo", "gout"), (6, "Rome", "cold")])
    release = pa.table({"age": ["[0, 4)", "*", "6"], "place": ["Oslo", "Oslo", "Rome"], "ill": ["flu", "gout", "cold"]})
    found = tried(release, SCHEMA, original, "record-linkage:prosecutor,0")
    # 3 fits two rows, 5 only the star, 6 its own row. The star may be the row of 3 or of 5: the rate cannot be exact.
    assert found.tries == 3
    assert 1.5 <= found.hits <= 2.5
    assert tried(release, SCHEMA, original, "homogeneity").hits == 2  # 5 and 6: one row each


@pytest.mark.parametrize(
    ("hits", "tries", "low", "high"),
    # Newcombe 1998, Statistics in Medicine 17, table I: method 3, the score interval without continuity correction.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_wilsons(hits: int, tries: int, low: float, high: float) -> None:
    assert wilson(hits, tries) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@pytest.mark.parametrize(
    ("difference", "control", "stopped"),
    # Newcombe 1998, Statistics in Medicine 17, 873-890, table II: method 10 gives 0.0524 to 0.3339 for 56/70 against 48/80.
    [(0.0, None, False), (0.0, 80, False), (0.15, 80, True), (0.14, None, True)],
)
def test_a_measured_baseline_has_an_interval_too(difference: float, control: int | None, stopped: bool) -> None:
    found = Attempt("x", "R", tries=70, hits=56, baseline=48 / 80 + difference, control=control)
    assert found.stopped is stopped
    if (difference, control) == (0.0, 80):
        assert found._lead == pytest.approx(0.0524, abs=5e-5)


def test_nothing_tried_is_neither_stopped_nor_through() -> None:
    assert (Attempt("x", "R", reason="needs more").stopped, Attempt("x", "R").interval) == (None, (0.0, 1.0))


def test_people_whom_no_class_fits_are_told_of_and_those_left_out_are_not() -> None:
    rows = [(1, "Oslo", "flu"), (3, "Oslo", "gout"), (5, "Rome", "cold"), (7, "Turku", "flu")]
    shifted = as_table([(age - 1, place, ill) for age, place, ill in rows])  # even ages, which nobody has
    changed = sf.attack(shifted, SCHEMA, original=as_table(rows), attacks="homogeneity")
    assert changed.unfit == 4
    assert str(changed.remark).startswith("4 of 4 people fit the labels of no class")
    left_out = sf.attack(as_table(rows[:3]), SCHEMA, original=as_table(rows), attacks="homogeneity")
    assert (left_out.unfit, left_out.remark) == (0, None)

"""Which labels stand for which values, and joins of frequency sets, against what one finds by looking at every pair."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.fitting.linking import link
from sfumato.attacks.fitting.matching import Matches, exact, matches
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.schema import Attribute, Schema

AGE = Schema.parse(
    {
        "attributes": {
            "age": {
                "role": "quasi",
                "type": "integer",
                "hierarchy": {"builder": "intervals", "lower": 0, "upper": 100, "widths": [10, 50]},
            }
        }
    }
)["age"]
JOB = Schema.parse(
    {
        "attributes": {
            "job": {"role": "quasi", "type": "text", "hierarchy": {"tree": {"art": ["writer", "dancer"], "law": ["judge"]}}}
        }
    }
)["job"]
ZIP = Schema.parse({"attributes": {"zip": {"role": "quasi", "type": "text"}}})["zip"]


def hierarchy_of(attribute: Attribute, values: list[str]) -> Hierarchy:
    return attribute.builder.build(attribute.name, attribute.kind, values)  # type: ignore[arg-type]


def stands(attribute: Attribute, value: str, label: str, leaves: list[str]) -> bool:
    """Whether a label stands for a value."""
    found = matches(attribute, hierarchy_of(attribute, leaves), [value], [label])
    return 0 in found.labels[found.offsets[0] : found.offsets[1]]


@pytest.mark.parametrize(
    ("value", "label", "expected"),
    [
        ("27", "[20, 30)", True),
        ("30", "[20, 30)", False),
        ("27", "[0, 50)", True),
        ("27", "*", True),
        ("27", "27", True),
        ("27", "20-29", True),
        ("30", "20-29", False),
        ("27", "2*", True),
        ("27", "3*", False),
        ("27", "[17, 27]", True),
        ("27", "[17-27)", False),
        ("40", "≥ 40", True),
        ("40", "> 40", False),
        ("41", "> 40", True),
        ("40", "≤ 40", True),
        ("40", "< 40", False),
        ("27", "27.5", False),
        ("27", "something", False),
    ],
)
def test_a_number_is_in_the_labels_that_cover_it(value: str, label: str, expected: bool) -> None:
    assert stands(AGE, value, label, ["27", "30", "40", "41"]) is expected


@pytest.mark.parametrize(
    ("attribute", "value", "label", "expected"),
    [
        (JOB, "writer", "art", True),
        (JOB, "writer", "law", False),
        (JOB, "art", "writer", True),
        (JOB, "art", "law", False),
        (JOB, "painter", "art", False),
        (JOB, "*", "law", True),
        (ZIP, "47677", "476**", True),
        (ZIP, "47677", "4767", False),
        (ZIP, "47677", "476***", True),
        (ZIP, "476", "476**", False),
        (ZIP, "47905", "476**", False),
    ],
)
def test_a_text_is_in_the_labels_that_cover_it(attribute: Attribute, value: str, label: str, expected: bool) -> None:
    assert stands(attribute, value, label, ["writer", "dancer", "judge"] if attribute is JOB else [value]) is expected


def test_the_missing_value_is_a_value_that_only_the_root_hides() -> None:
    found = matches(AGE, hierarchy_of(AGE, ["27"]), ["27"], ["[20, 30)", "*"])
    assert found.labels[found.offsets[1] : found.offsets[2]].tolist() == [1, 2]


def test_texts_that_differ_are_no_exact_match() -> None:
    found = exact(["27", "[20, 30)"], ["[20, 30)", "27"])
    assert [found.labels[a:b].tolist() for a, b in zip(found.offsets, found.offsets[1:], strict=False)] == [[1], [0], [2]]


@st.composite
def joins(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Cells, distinct classes, and for each column which value matches which label."""
    columns = draw(st.integers(1, 3))
    widths = [(draw(st.integers(1, 4)), draw(st.integers(1, 4))) for _ in range(columns)]
    cells = draw(st.lists(st.tuples(*(st.integers(0, v - 1) for v, _ in widths)), min_size=1, max_size=12))
    classes = draw(st.lists(st.tuples(*(st.integers(0, w - 1) for _, w in widths)), min_size=1, max_size=12, unique=True))
    tables = [
        np.array(draw(st.lists(st.lists(st.booleans(), min_size=w, max_size=w), min_size=v, max_size=v))) for v, w in widths
    ]
    return np.array(cells, np.int32), np.array(sorted(classes), np.int32), tables


@given(joins())
def test_a_join_finds_every_pair_and_no_other(join: tuple[np.ndarray, np.ndarray, list[np.ndarray]]) -> None:
    cells, classes, tables = join
    found = link(cells, classes, [Matches.of_pairs(*map(np.int64, table.nonzero()), len(table)) for table in tables])
    pairs = set(zip(found.cells().tolist(), found.classes.tolist(), strict=True))
    assert len(pairs) == len(found.classes)
    assert pairs == {
        (x, c)
        for x, c in product(range(len(cells)), range(len(classes)))
        if all(table[cells[x, j], classes[c, j]] for j, table in enumerate(tables))
    }
    keys = found.cells() * len(classes) + found.classes
    assert (np.diff(keys) > 0).all()
    assert found.contains(found.cells(), found.classes).all()


ends = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(sorted)
spans = st.one_of(
    st.integers(0, 12).map(lambda n: (str(n), lambda other: other == n)),
    ends.filter(lambda e: e[0] < e[1]).map(lambda e: (f"[{e[0]}, {e[1]})", lambda other: e[0] <= other < e[1])),
    ends.filter(lambda e: e[0] < e[1]).map(lambda e: (f"[{e[0]}, {e[1]}]", lambda other: e[0] <= other <= e[1])),
)


@given(st.lists(st.integers(0, 24), min_size=1, unique=True), st.lists(spans, min_size=1, unique_by=lambda each: each[0]))
def test_numbers_are_in_the_ranges_that_have_them_whatever_their_order(
    halves: list[int], ranges: list[tuple[str, object]]
) -> None:
    values, labels = [str(half / 2) for half in halves], [label for label, _ in ranges]
    found = matches(ZIP, hierarchy_of(ZIP, values), values, labels)
    for place, half in enumerate(halves):
        expected = [code for code, (_, has) in enumerate(ranges) if has(half / 2)]  # type: ignore[operator]
        assert found.labels[found.offsets[place] : found.offsets[place + 1]].tolist() == expected

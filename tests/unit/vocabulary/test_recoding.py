"""A recoding as people read it: which label a value is published under, which classes are suppressed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.recoding import Recoding
from sfumato.vocabulary.schema import Suppressed
from tests.strategies import Paths, paths_to_a_root

AGES = Hierarchy.of_columns("age", [["17", "25", "60"], ["young", "young", "old"]])
SEXES = Hierarchy.of_columns("sex", [["f", "m"]])
BOTH = {"age": AGES, "sex": SEXES}


def at(age: int, sex: int, **more: object) -> Recoding:
    return Recoding(Node(("age", "sex"), (age, sex)), BOTH, **more)  # type: ignore[arg-type]


def test_every_value_has_one_line_in_the_mapping() -> None:
    assert list(at(1, 0).mapping()) == [
        ("age", "17", "young"),
        ("age", "25", "young"),
        ("age", "60", "old"),
        ("sex", "f", "f"),
        ("sex", "m", "m"),
    ]


def test_the_mapping_starts_at_the_floor_that_was_counted() -> None:
    recoding = Recoding(Node(("age",), (2,)), {"age": AGES.above(1)})
    assert list(recoding.mapping()) == [("age", "young", "*"), ("age", "old", "*")]


@given(paths_to_a_root(leaves=7), st.data())
def test_the_mapping_of_a_node_follows_the_paths(paths: Paths, data: st.DataObject) -> None:
    hierarchy = Hierarchy.of_columns("q", list(zip(*paths, strict=True)))
    level = data.draw(st.integers(0, hierarchy.height))
    recoding = Recoding(Node(("q",), (level,)), {"q": hierarchy})
    assert list(recoding.mapping()) == [("q", path[0], path[level]) for path in paths]
    assert recoding.labels("q") == tuple(dict.fromkeys(path[level] for path in paths))


def test_suppressed_classes_are_told_by_label_in_order_with_none_for_missing() -> None:
    recoding = at(1, 0, suppressed=frozenset({(2, 1), (0, 2), (0, 0)}))
    assert list(recoding.suppressed_labels()) == [("young", "f"), ("young", None), (None, "m")]
    assert list(at(1, 0).suppressed_labels()) == []


@pytest.mark.parametrize(
    ("suppressed", "style", "stars", "published"),
    [
        (frozenset(), Suppressed.STAR, False, ("young", "old")),
        (frozenset({(0, 0)}), Suppressed.DROP, False, ("young", "old")),
        (frozenset({(0, 0)}), Suppressed.STAR, True, ("young", "old", "*")),
    ],
)
def test_a_star_is_published_where_records_are_starred(
    suppressed: frozenset[tuple[int, ...]], style: Suppressed, stars: bool, published: tuple[str, ...]
) -> None:
    recoding = at(1, 1, suppressed=suppressed, style=style)
    assert recoding.stars is stars
    assert recoding.published_labels("age") == published
    assert recoding.published_labels("sex") == ("*",)

"""Hierarchies that list their leaves: trees, ordered groups and paths are three spellings of the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import HierarchyError, SchemaError
from sfumato.vocabulary.builders import Keyed, Listed
from sfumato.vocabulary.kinds import Kind
from tests.strategies import Paths, paths_to_a_root
from tests.unit.vocabulary.soundness import assert_in_order_of_leaves, assert_sound, path


@st.composite
def trees(draw: st.DrawFn, above: str = "", depth: int = 3) -> dict[str, Any]:
    """Nested tables of one to three branches, uneven; every label holds the way to it, so that none stands twice."""
    tree: dict[str, Any] = {}
    for number in range(draw(st.integers(1, 3))):
        label = f"{above}{number}"
        if depth > 1 and draw(st.booleans()):
            tree[label] = draw(trees(label + ".", depth - 1))
        else:
            tree[label] = [f"leaf {label}-{leaf}" for leaf in range(draw(st.integers(1, 3)))]
    return tree


def ways(tree: dict[str, Any] | list[str], above: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """Each leaf with the labels above it, from the top down."""
    if isinstance(tree, list):
        return dict.fromkeys(tree, above)
    return {leaf: way for label, branch in tree.items() for leaf, way in ways(branch, (*above, label)).items()}


@given(trees())
def test_a_leaf_of_a_tree_has_its_branches_above_it(tree: dict[str, Any]) -> None:
    builder = Listed.of_tree(tree)
    paths = ways(tree)
    hierarchy = assert_sound(builder, Kind.TEXT, list(paths))
    assert hierarchy.at(0) == tuple(paths)
    assert_in_order_of_leaves(hierarchy)
    deepest = max(map(len, paths.values()))
    for leaf, way in paths.items():
        evened = [leaf, *reversed(way), *[way[0]] * (deepest - len(way))]
        assert path(hierarchy, leaf) == (evened if len(tree) == 1 else [*evened, "*"])


@given(paths_to_a_root(leaves=7))
def test_paths_are_followed_from_leaf_to_root(paths: Paths) -> None:
    hierarchy = assert_sound(Listed(paths), Kind.TEXT, [leaf for leaf, *_ in paths])
    assert_in_order_of_leaves(hierarchy)
    assert [path(hierarchy, leaf) for leaf, *_ in paths] == [list(way) for way in paths]


@given(st.integers(1, 12), st.lists(st.integers(2, 3), max_size=3))
def test_ordered_groups_merge_neighbors(count: int, factors: list[int]) -> None:
    values = [f"v{number}" for number in range(count)]
    sizes: list[int] = []
    for factor in factors:
        sizes.append((sizes[-1] if sizes else 1) * factor)
    hierarchy = assert_sound(Listed.of_groups(values, sizes), Kind.TEXT, values)
    assert_in_order_of_leaves(hierarchy)
    for place, value in enumerate(values):
        for level, size in enumerate(sizes, start=1):
            first, last = place - place % size, min(place - place % size + size, count) - 1
            expected = values[first] if first == last else f"{values[first]} .. {values[last]}"
            assert path(hierarchy, value)[level] == expected


def test_the_tree_of_the_census_work_classes() -> None:
    tree = {"Gov": ["Federal-gov", "Local-gov"], "Non-Gov": ["Private", "Self-emp-inc"]}
    hierarchy = Listed.of_tree(tree).build("workclass", Kind.TEXT, ["Private"])
    assert hierarchy.labels == (
        ("Federal-gov", "Local-gov", "Private", "Self-emp-inc"),
        ("Gov", "Non-Gov"),
        ("*",),
    )


def test_short_branches_keep_their_top_label_on_the_levels_they_lack() -> None:
    hierarchy = Listed.of_tree({"EU": {"West": ["FR"], "East": ["PL"]}, "US": ["US"]}).build("c", Kind.TEXT, [])
    assert path(hierarchy, "FR") == ["FR", "West", "EU", "*"]
    assert path(hierarchy, "US") == ["US", "US", "US", "*"]


def test_leaves_keep_the_order_of_the_schema_not_of_the_data() -> None:
    hierarchy = Listed((("small",), ("medium",), ("large",))).build("size", Kind.TEXT, ["large", "small"])
    assert hierarchy.at(0) == ("small", "medium", "large")


def test_groups_of_grades() -> None:
    hierarchy = Listed.of_groups(["A", "B", "C", "D", "E"], [2, 4]).build("grade", Kind.TEXT, [])
    assert hierarchy.at(1) == ("A .. B", "C .. D", "E")
    assert hierarchy.at(2) == ("A .. D", "E")


def test_a_top_with_one_label_is_the_root_and_keeps_its_name() -> None:
    builder = Listed((("a", "x", "Any"), ("b", "y", "Any")))
    assert (builder.height(Kind.TEXT), builder.build("c", Kind.TEXT, []).labels[-1]) == (2, ("Any",))


def test_leaves_of_numbers_and_dates_are_read_as_such() -> None:
    assert Listed((("01",), (" 2",))).build("n", Kind.INTEGER, ["1", "2"]).at(0) == ("1", "2")
    assert Listed((("1",), ("2.50",))).build("n", Kind.DECIMAL, ["2.5"]).at(0) == ("1.0", "2.5")
    assert Listed((("yes",), ("no",))).build("n", Kind.BOOLEAN, ["true"]).at(0) == ("true", "false")


def test_interval_labels_of_numbers_are_printed_in_one_form() -> None:
    paths = (("20", "20-29", "[20, 40["), ("30", "[30; 40[", "[20,40)"))
    hierarchy = Listed(paths).build("age", Kind.INTEGER, ["20"])
    assert hierarchy.at(1) == ("[20, 30)", "[30, 40)")
    assert Listed(paths).build("code", Kind.TEXT, ["20"]).at(1) == ("20-29", "[30; 40[")


def test_the_height_counts_two_spellings_of_an_interval_once() -> None:
    builder = Listed((("20", "20-29"), ("21", "[20, 30)")))
    assert builder.height(Kind.INTEGER) == builder.build("age", Kind.INTEGER, []).height


def test_values_that_are_no_leaf_are_counted_not_shown() -> None:
    with pytest.raises(HierarchyError) as caught:
        Listed((("Gov",), ("Private",))).build("work", Kind.TEXT, ["Gov", "Acme Inc", "Smith & Sons"])
    assert str(caught.value).startswith("attribute 'work': level 0 lacks 2 values of the data: ")
    assert str(caught.value).endswith(": 'Gov', 'Private')")
    assert not any(value in str(caught.value) for value in ("Acme", "Smith"))


def test_a_message_about_many_leaves_shows_a_few() -> None:
    builder = Listed(tuple((f"leaf {number}",) for number in range(1200)))
    with pytest.raises(HierarchyError) as caught:
        builder.build("work", Kind.TEXT, ["Acme Inc"])
    assert "level 0 lacks 1 value of the data: " in str(caught.value)
    assert "1,200 leaves" in str(caught.value)
    assert str(caught.value).endswith(": 'leaf 0', 'leaf 1', 'leaf 2', 'leaf 3', 'leaf 4' and 1,195 more)")


@pytest.mark.parametrize(("leaves", "wrong"), [(["1", "x"], "1 leaf label that does"), (["x", "1.5"], "2 leaf labels that do")])
def test_leaves_that_do_not_fit_the_type_are_refused(leaves: list[str], wrong: str) -> None:
    with pytest.raises(HierarchyError) as caught:
        Listed(tuple((leaf,) for leaf in leaves)).build("n", Kind.INTEGER, [])
    assert str(caught.value) == f"attribute 'n': level 0 of the hierarchy holds {wrong} not fit type 'integer'"


@pytest.mark.parametrize("sizes", [[1], [0], [4, 2], [2, 5], [2, 2], [-2]])
def test_sizes_that_are_not_multiples_are_refused(sizes: list[int]) -> None:
    with pytest.raises(SchemaError) as caught:
        Listed.of_groups(["a", "b"], sizes)
    assert str(caught.value) == f"'sizes' must be at least 2, each a multiple of the one before, as in [2, 4]; it is {sizes}"


@pytest.mark.parametrize("tree", [{}, {"A": []}, {"A": {"B": {}}}])
def test_a_tree_without_leaves_is_refused(tree: dict[str, Any]) -> None:
    with pytest.raises(SchemaError, match="the hierarchy has no leaf"):
        Listed.of_tree(tree)


@pytest.mark.parametrize(
    ("tree", "place"),
    [({"A": "leaf"}, "A"), ({"A": {"B": 3}}, "A / B"), ({"A": [["leaf"]]}, "A"), ({"A": [True]}, "A"), (3, "the top")],
)
def test_what_is_no_tree_is_named_by_its_place(tree: Any, place: str) -> None:
    with pytest.raises(SchemaError) as caught:
        Listed.of_tree(tree)
    assert str(caught.value) == f"a tree is made of tables and lists of leaves; below {place} is something else"


@pytest.mark.parametrize("paths", [(("a", "x"), ("b",)), ((), ("a",)), ((),)])
def test_paths_of_different_or_no_length_are_refused(paths: tuple[tuple[str, ...], ...]) -> None:
    with pytest.raises(SchemaError):
        Listed(paths)


def test_sql_computes_no_listed_labels() -> None:
    assert not isinstance(Listed((("a",),)), Keyed)
    assert Listed((("a",),)).kinds == frozenset(Kind)

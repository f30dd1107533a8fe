"""The hierarchy itself: levels, missing values, floors, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from sfumato.errors import HierarchyError
from sfumato.vocabulary.hierarchy import Hierarchy, require_covered
from tests.strategies import Paths, paths_to_a_root

AGES = Hierarchy.of_columns("age", [["17", "25", "60"], ["young", "young", "old"]])


def test_a_top_with_several_labels_gets_one_root() -> None:
    assert AGES.labels == (("17", "25", "60"), ("young", "old"), ("*",))
    assert [parent.tolist() for parent in AGES.parents] == [[0, 0, 1, 2], [0, 0, 0]]
    assert AGES.height == 2


def test_the_missing_value_has_a_code_of_its_own_below_the_root() -> None:
    assert [AGES.codes(level) for level in range(3)] == [4, 3, 1]
    assert [AGES.label(level, AGES.codes(level) - 1) for level in range(3)] == [None, None, "*"]


def test_ancestors_are_found_between_any_two_levels() -> None:
    assert AGES.ancestors(0, 0).tolist() == [0, 1, 2, 3]
    assert AGES.ancestors(0, 1).tolist() == [0, 0, 1, 2]
    assert AGES.ancestors(0, 2).tolist() == [0, 0, 0, 0]
    assert AGES.ancestors(1, 2).tolist() == [0, 0, 0]


@given(paths_to_a_root())
def test_going_up_in_two_steps_equals_going_up_in_one(paths: Paths) -> None:
    hierarchy = Hierarchy.of_columns("q", list(zip(*paths, strict=True)))
    for low in range(hierarchy.height + 1):
        for between in range(low, hierarchy.height + 1):
            for high in range(between, hierarchy.height + 1):
                in_two = hierarchy.ancestors(between, high)[hierarchy.ancestors(low, between)]
                assert np.array_equal(in_two, hierarchy.ancestors(low, high))


@given(paths_to_a_root())
def test_above_a_floor_the_levels_keep_their_numbers_labels_and_parents(paths: Paths) -> None:
    hierarchy = Hierarchy.of_columns("q", list(zip(*paths, strict=True)))
    for floor in range(hierarchy.height + 1):
        above = hierarchy.above(floor)
        assert (above.floor, above.height) == (floor, hierarchy.height)
        for level in range(floor, hierarchy.height + 1):
            assert above.at(level) == hierarchy.at(level)
            assert np.array_equal(above.ancestors(floor, level), hierarchy.ancestors(floor, level))
        assert above.above(hierarchy.height).same_as(hierarchy.above(hierarchy.height))


def test_hierarchies_are_the_same_if_labels_parents_and_floor_are() -> None:
    assert AGES.same_as(Hierarchy.of_columns("other", [["17", "25", "60"], ["young", "young", "old"], ["*"] * 3]))
    assert not AGES.same_as(Hierarchy.of_columns("age", [["17", "25", "60"], ["young", "old", "old"]]))
    assert not AGES.same_as(Hierarchy.of_columns("age", [["17", "25", "61"], ["young", "young", "old"]]))
    assert not AGES.same_as(Hierarchy.of_columns("age", [["17", "25", "60"]]))
    assert not AGES.same_as(AGES.above(1))


def test_nothing_in_a_hierarchy_can_be_changed() -> None:
    with pytest.raises(AttributeError):
        AGES.floor = 1  # type: ignore[misc]
    made = Hierarchy.of_columns("age", [["17", "25"]])
    assert not any(parent.flags.writeable for parent in made.parents)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([["a", "b", "a"]], "level 0 holds 1 leaf label more than once ('a')"),
        ([["b", "b", "a", "a", "a"]], "level 0 holds 2 leaf labels more than once ('a', 'b')"),
        (
            [["a", "b"], ["x", "x"], ["y", "z"]],
            "level 2 is not a function of level 1: 1 label of level 1 with more than one parent ('x')",
        ),
        (
            [["a", "b", "c", "d"], ["x", "x", "w", "w"], ["y", "z", "y", "z"]],
            "level 2 is not a function of level 1: 2 labels of level 1 with more than one parent ('x', 'w')",
        ),
        ([["a", "*"]], "level 0 holds the label '*', which is reserved for the root and for suppressed records"),
        (
            [["a", "b"], ["*", "x"], ["y", "y"]],
            "level 1 holds the label '*', which is reserved for the root and for suppressed records",
        ),
        ([["a", "b"], ["*", "x"]], "level 1 holds the label '*', which is reserved for the root and for suppressed records"),
    ],
)
def test_a_malformed_hierarchy_is_refused_in_one_line_that_names_attribute_and_level(
    columns: list[list[str]], message: str
) -> None:
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.of_columns("work class", columns)
    assert str(caught.value) == f"attribute 'work class': {message}"
    assert "\n" not in str(caught.value)
    assert caught.value.where == "attribute 'work class'"


def test_a_message_shows_five_labels_at_most() -> None:
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.of_columns("a", [list("abcdefg") * 2])
    assert str(caught.value).endswith("7 leaf labels more than once ('a', 'b', 'c', 'd', 'e' and 2 more)")


def test_levels_are_told_by_their_number_above_a_floor_too() -> None:
    with pytest.raises(HierarchyError, match="level 4 is not a function of level 3"):
        Hierarchy.of_columns("a", [["a", "b"], ["x", "x"], ["y", "z"]], floor=2)


def test_labels_with_line_breaks_leave_the_message_on_one_line() -> None:
    with pytest.raises(HierarchyError) as caught:
        Hierarchy.of_columns("odd\nname", [["a\nb", "a\nb"]])
    assert "\n" not in str(caught.value)


def test_uncovered_values_are_told_by_their_number_and_never_shown() -> None:
    with pytest.raises(HierarchyError) as caught:
        require_covered("work", ["Gov", "secret one", "secret two", "secret two"], ["Gov"])
    assert str(caught.value).startswith("attribute 'work': level 0 lacks 2 values of the data: ")
    assert "1 leaf" in str(caught.value)
    assert "'Gov'" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert require_covered("work", ["Gov"], ["Gov", "Private"]) is None

"""Edits of a tree against a plain definition: a dict from each leaf to its path. Whatever is done in whatever order, every leaf keeps one
path, every level is a function of the one below, and the people behind the labels of a level are all people."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.beliefs import Prior
from sfumato.errors import HierarchyError, SfumatoError, UsageError
from sfumato.vocabulary.builders import Cuts, Intervals, Listed
from sfumato.vocabulary.hierarchy import ROOT
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute
from sfumato.web.bench.levels.bands import coarser, cuts_of, finer, kept_of, with_width
from sfumato.web.bench.levels.people import column_of, rolled
from sfumato.web.bench.levels.tree import Tree, grouped, moved, relabeled, with_level, without_level

LABELS = ["a", "b", "north", "süd", "<b>", '"', "x/y", "p, q", "'"]
LEAVES = ["Kiel", "Ulm", "Rom", "<i>", "a", 'q"', "é"]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Trees by chance: each level groups the labels of the level below."""
    leaves = draw(st.lists(st.sampled_from(LEAVES), min_size=1, unique=True))
    levels, below = [], {leaf: leaf for leaf in leaves}
    for _ in range(draw(st.integers(0, 3))):
        parent = {label: draw(st.sampled_from(LABELS)) for label in sorted(set(below.values()))}
        below = {leaf: parent[label] for leaf, label in below.items()}
        levels.append(tuple(below[leaf] for leaf in leaves))
    return Tree(tuple(leaves), tuple(levels), draw(st.sampled_from([ROOT, "any"])))


def paths(tree: Tree) -> dict[str, list[str]]:
    """A leaf and what stands above it, below the root."""
    return {leaf: [level[row] for level in tree.levels] for row, leaf in enumerate(tree.leaves)}


def sound(tree: Tree) -> None:
    """The library builds what the tree declares, and finds the same labels; people add up on every level."""
    builder = tree.builder()
    people = np.arange(1, len(tree.leaves) + 1)
    attribute = Attribute("x", Role.QUASI, Kind.TEXT, builder)
    column = column_of(attribute, Prior("x", (*tree.leaves, None), np.append(people, 7)))
    found = rolled(attribute, builder, column)
    assert found.hierarchy.height == tree.height == builder.height(Kind.TEXT)
    assert paths(Tree.of(found.hierarchy)) == paths(tree)
    assert found.hierarchy.at(tree.height) == (tree.root,)
    for level in range(tree.height):
        assert int(found.people[level].sum()) == int(people.sum())
        by_label = dict.fromkeys(tree.at(level), 0)
        for row, label in enumerate(tree.at(level)):
            by_label[label] += int(column.people[column.values.index(tree.leaves[row])])
        assert dict(zip(found.hierarchy.at(level), found.people[level].tolist(), strict=True)) == by_label
    assert int(found.people[-1].sum()) == int(people.sum()) + 7  # at the root, the missing value too


@given(trees(), st.data())
def test_after_any_changes_every_leaf_has_one_path_and_the_people_add_up(tree: Tree, data: st.DataObject) -> None:
    sound(tree)
    leaves = tree.leaves
    for _ in range(data.draw(st.integers(1, 6))):
        level = data.draw(st.integers(0, tree.height))
        chosen = data.draw(st.lists(st.sampled_from(sorted(set(tree.at(level)))), min_size=1, unique=True))
        name = data.draw(st.sampled_from(LABELS))
        act = data.draw(st.sampled_from(["move", "group", "label", "add", "split", "remove"]))
        with suppress(UsageError):  # refused, and the tree is as it was
            tree = {
                "move": lambda: moved(tree, level, chosen, name),  # noqa: B023  it is called at once
                "group": lambda: grouped(tree, level, chosen, name),  # noqa: B023
                "label": lambda: relabeled(tree, level, chosen, name),  # noqa: B023
                "add": lambda: with_level(tree, level, finer=True),  # noqa: B023
                "split": lambda: with_level(tree, level, finer=False),  # noqa: B023
                "remove": lambda: without_level(tree, level),  # noqa: B023
            }[act]()
        sound(tree)
        assert tree.leaves == leaves


@given(trees(), st.data())
def test_a_move_changes_the_path_of_what_was_moved_and_of_nothing_else(tree: Tree, data: st.DataObject) -> None:
    assume(tree.height > 1)
    level = data.draw(st.integers(0, tree.height - 2))
    chosen = data.draw(st.lists(st.sampled_from(sorted(set(tree.at(level)))), min_size=1, unique=True))
    to = data.draw(st.sampled_from(sorted(set(tree.at(level + 1)))))
    before, after = paths(tree), paths(moved(tree, level, chosen, to))
    upward = next(path[level:] for path in before.values() if path[level] == to)
    for row, leaf in enumerate(tree.leaves):
        if tree.at(level)[row] in chosen:
            assert after[leaf] == before[leaf][:level] + upward
        else:
            assert after[leaf] == before[leaf]


@given(trees(), st.data())
def test_merged_labels_become_one_and_the_others_stay(tree: Tree, data: st.DataObject) -> None:
    assume(tree.height > 1)
    level = data.draw(st.integers(1, tree.height - 1))
    chosen = data.draw(st.lists(st.sampled_from(sorted(set(tree.at(level)))), min_size=1, unique=True))
    made = relabeled(tree, level, chosen, "new")
    expected = ["new" if label in chosen else label for label in tree.at(level)]
    assert list(made.at(level)) == expected
    if level + 1 < tree.height:  # all of them stand where the first stood
        first = tree.at(level + 1)[tree.at(level).index(chosen[0])]
        assert {above for label, above in zip(expected, made.at(level + 1), strict=True) if label == "new"} == {first}


def test_split_and_merge_are_opposites() -> None:
    tree = Tree(("Kiel", "Lübeck", "Ulm"), (("town",) * 3,))
    split = grouped(tree, 0, ["Ulm"], "south")
    assert paths(split) == {"Kiel": ["town"], "Lübeck": ["town"], "Ulm": ["south"]}
    assert relabeled(split, 1, ["town", "south"], "town") == tree


def test_what_is_refused_is_refused_in_one_line() -> None:
    tree = Tree(("Kiel", "Ulm"), (("north", "south"),))
    for wrong, why in (
        (lambda: relabeled(tree, 1, ["north"], "south"), "has a label 'south' already"),
        (lambda: relabeled(tree, 0, ["Kiel"], "Köln"), "values of the table cannot be renamed"),
        (lambda: relabeled(tree, 2, ["*"], "x"), "the root cannot be renamed"),
        (lambda: relabeled(tree, 1, ["north"], ""), "needs a name"),
        (lambda: moved(tree, 1, ["north"], "x"), "no level above it"),
        (lambda: moved(tree, 0, ["Kiel"], "x"), "no label 'x' in level 1"),
        (lambda: moved(tree, 0, [], "north"), "at least one label"),
        (lambda: without_level(tree, 2), "cannot be removed"),
    ):
        with pytest.raises(UsageError, match=why):
            wrong()
    with pytest.raises(HierarchyError, match="reserved"):
        relabeled(tree, 1, ["north"], "*").builder().build("x", Kind.TEXT, [])


def test_a_level_that_begins_below_the_root_has_one_label() -> None:
    made = with_level(Tree(("Kiel", "Ulm"), ()), 0, finer=False)
    assert made.builder() == Listed((("Kiel", "all", "*"), ("Ulm", "all", "*")))
    assert with_level(Tree(("Kiel", "Ulm"), ()), 0, finer=True).builder() == Listed((("Kiel", "Kiel"), ("Ulm", "Ulm")))


numbers = st.decimals(Decimal("0.01"), 1000, places=2)


@given(st.lists(st.integers(2, 5), max_size=4), numbers, numbers, st.data())
def test_widths_stay_multiples_whatever_is_dragged(factors: list[int], first: Decimal, new: Decimal, data: st.DataObject) -> None:
    widths = (first,)
    for factor in factors:
        widths = (*widths, widths[-1] * factor)
    made = with_width(widths, 0, new)
    assert Intervals(made).widths[0] == new  # the library accepts them
    place = data.draw(st.integers(0, len(widths) - 1))
    below = made[place - 1] if place else Decimal("0.01")
    dragged = with_width(made, place, below * data.draw(st.integers(2, 9)))
    assert Intervals(dragged).widths[:place] == made[:place]
    assert Intervals(coarser(dragged)).widths[:-1] == dragged


@given(st.integers(2, 5000))
def test_a_finer_level_divides_the_next(width: int) -> None:
    fine, *rest = finer((Decimal(width),), whole=True)
    assert Intervals((fine, *rest)).widths[1] == width
    assert fine == max(each for each in range(1, width) if width % each == 0)


@given(st.dictionaries(st.decimals(-99, 99, places=1), st.integers(1, 4), min_size=1))
def test_cut_points_kept_up_to_a_level_are_on_every_level_below_it(kept: dict[Decimal, int]) -> None:
    made = cuts_of(list(kept.items()))
    assert set(made.cuts[0]) == set(kept)
    tops = sorted(set(kept.values()))
    for number, level in enumerate(made.cuts):
        assert list(level) == sorted(cut for cut, top in kept.items() if top >= tops[number])
    assert cuts_of(kept_of(made)) == made
    assert isinstance(made, Cuts)


def test_values_of_another_type_are_counted_in_the_message_and_not_named() -> None:
    attribute = Attribute("age", Role.QUASI, Kind.INTEGER, Intervals((Decimal(5),)))
    with pytest.raises(SfumatoError, match=r"1 value of the data does not fit the type 'integer'") as refused:
        column_of(attribute, Prior("age", ("5", "Rumpelstilzchen"), np.array([1, 2])))
    assert "Rumpel" not in str(refused.value)
    assert column_of(attribute, Prior("age", ("05", "5", None), np.array([1, 2, 3]))).people.tolist() == [3]

"""A hierarchy of categories, edited: labels are moved, grouped, merged, renamed; levels come and go. The leaves stay as they are.

Every leaf has one label per level, so a level is a function of the level below as long as whoever moves takes the labels above along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sfumato.errors import UsageError, several, unknown
from sfumato.vocabulary.builders import Listed
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy

ALL = "all"


@dataclass(frozen=True, slots=True)
class Tree:
    """The leaves, for each level between them and the root the label of every leaf, and the root."""

    leaves: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    root: str = ROOT

    @classmethod
    def of(cls, hierarchy: Hierarchy) -> Tree:
        """The tree that a hierarchy is, however it was declared."""
        leaves, height = hierarchy.at(0), hierarchy.height
        columns = [hierarchy.ancestors(0, level)[: len(leaves)].tolist() for level in range(1, height)]
        named = [tuple(hierarchy.at(level)[code] for code in codes) for level, codes in enumerate(columns, start=1)]
        return cls(leaves, tuple(named), hierarchy.at(height)[0])

    @property
    def height(self) -> int:
        """The level of the root."""
        return len(self.levels) + 1

    def at(self, level: int) -> tuple[str, ...]:
        """The label of every leaf on a level."""
        return (self.leaves, *self.levels, (self.root,) * len(self.leaves))[level]

    def builder(self) -> Listed:
        """The tree as it is declared. The root is written only where it would not be understood."""
        needed = self.root != ROOT or (bool(self.levels) and len(set(self.levels[-1])) == 1)
        columns = (self.leaves, *self.levels, *([self.at(self.height)] if needed else []))
        return Listed(tuple(zip(*columns, strict=True)))


def moved(tree: Tree, level: int, labels: Sequence[str], to: str) -> Tree:
    """Labels of a level below another label of the next level."""
    if not 0 <= level < tree.height - 1:
        raise UsageError(f"level {level} has no level above it between which its labels could move; add one first")
    above = tree.at(level + 1)
    if to not in above:
        raise UsageError(unknown("label", to, sorted(set(above)), within=f"level {level + 1}"))
    return _placed(tree, level + 1, _rows(tree, level, labels), _path(tree, level + 1, above.index(to)))


def grouped(tree: Tree, level: int, labels: Sequence[str], name: str) -> Tree:
    """Labels of a level below a new label of the next level, which stands where the first of them stood."""
    if not 0 <= level < tree.height - 1:
        raise UsageError(f"level {level} has no level above it in which a group could be; add one first")
    rows = _rows(tree, level, labels)
    _require_free(tree, level + 1, rows, name)
    return _placed(tree, level + 1, rows, (name, *_path(tree, level + 2, rows[0])))


def relabeled(tree: Tree, level: int, labels: Sequence[str], name: str) -> Tree:
    """Labels of a level as one label, which stands where the first of them stood: one label is renamed, several are merged."""
    if not 0 < level < tree.height:
        what = "values of the table" if level == 0 else "the root"
        raise UsageError(f"{what} cannot be renamed or merged, only labels between them and the root")
    rows = _rows(tree, level, labels)
    _require_free(tree, level, rows, name)
    return _placed(tree, level, rows, (name, *_path(tree, level + 1, rows[0])))


def with_level(tree: Tree, above: int, *, finer: bool) -> Tree:
    """Another level above this one. It begins with the labels below it, to be merged (`finer`), or with those above it, to be split."""
    if not 0 <= above < tree.height:
        raise UsageError(f"no level {above} that another could stand above; the levels are 0 to {tree.height}")
    begun = tree.at(above if finer else above + 1)
    if not finer and above + 1 == tree.height:
        begun = (ALL if tree.root == ROOT else tree.root,) * len(tree.leaves)
    return replace(tree, levels=(*tree.levels[:above], begun, *tree.levels[above:]))


def without_level(tree: Tree, level: int) -> Tree:
    """Without a level; its labels stand directly below those above it."""
    if not 0 < level < tree.height:
        raise UsageError(f"level {level} cannot be removed, only a level between the values and the root")
    return replace(tree, levels=(*tree.levels[: level - 1], *tree.levels[level:]))


def _rows(tree: Tree, level: int, labels: Sequence[str]) -> list[int]:
    """The leaves below some labels, those of the first label first."""
    column = tree.at(level)
    if not labels:
        raise UsageError("choose at least one label")
    wrong = [label for label in labels if label not in column]
    if wrong:
        raise UsageError(unknown("label", wrong[0], sorted(set(column)), within=f"level {level}"))
    chosen = {label: place for place, label in reversed(list(enumerate(labels)))}
    return sorted((row for row, label in enumerate(column) if label in chosen), key=lambda row: chosen[column[row]])


def _path(tree: Tree, level: int, row: int) -> tuple[str, ...]:
    """The labels of a leaf from a level up to the one below the root."""
    return tuple(tree.at(each)[row] for each in range(level, tree.height))


def _placed(tree: Tree, level: int, rows: Sequence[int], path: Sequence[str]) -> Tree:
    """The leaves with these labels from a level upward."""
    levels = [list(column) for column in tree.levels]
    for column, label in zip(levels[level - 1 :], path, strict=True):
        for row in rows:
            column[row] = label
    return replace(tree, levels=tuple(map(tuple, levels)))


def _require_free(tree: Tree, level: int, rows: Sequence[int], name: str) -> None:
    """Refuse a name that other leaves of the level have: the labels would be one without anybody having said so."""
    if not name:
        raise UsageError("a label needs a name")
    mine = set(rows)
    others = sum(label == name and row not in mine for row, label in enumerate(tree.at(level)))
    if others:
        raise UsageError(
            f"level {level} has a label {name!r} already, with {several(others, 'other value')}; choose both to merge them"
        )

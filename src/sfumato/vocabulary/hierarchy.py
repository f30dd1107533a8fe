"""A hierarchy: how the values of one attribute are generalized, level by level, up to one root.

Codes follow the order of the leaves, never the order of appearance in a table. On every level below the root, the code one past the
last label stands for the missing value, which is never generalized. So two tables under one schema align at every node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.errors import HierarchyError, NodeError, SchemaError, several

ROOT = "*"
Codes = npt.NDArray[np.int32]
T = TypeVar("T", bound=np.generic)
MOST_LEVELS = 500
_SHOWN = 5


def shown(labels: Sequence[str]) -> str:
    """A few hierarchy labels for a message."""
    rest = f" and {len(labels) - _SHOWN:,} more" if len(labels) > _SHOWN else ""
    return ", ".join(repr(label) for label in labels[:_SHOWN]) + rest


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """Labels of each level from `floor` to `height`, and the parent of every code.

    Labels are distinct within a level; the last level has exactly one. `parents[i]` has one entry per label of level
    floor + i and an additional one for the missing value. Levels below `floor` were not counted and are unknown; `leaves`, if known, is
    how many values of level 0 stand under each label of the floor.
    """

    labels: tuple[tuple[str, ...], ...]
    parents: tuple[Codes, ...]
    floor: int = 0
    leaves: npt.NDArray[np.int64] | None = None

    @property
    def height(self) -> int:
        return self.floor + len(self.parents)

    def at(self, level: int) -> tuple[str, ...]:
        """The labels of a level, in code order."""
        return self.labels[level - self.floor]

    def codes(self, level: int) -> int:
        """How many codes a level has, the missing value included."""
        return len(self.at(level)) + (level < self.height)

    def label(self, level: int, code: int) -> str | None:
        """The label of a code; None for the missing value."""
        labels = self.at(level)
        return labels[code] if code < len(labels) else None

    def ancestors(self, start: int, level: int) -> Codes:
        """For each code of `start` its code at `level` >= `start`."""
        codes = np.arange(self.codes(start), dtype=np.int32)
        for parent in self.parents[start - self.floor : level - self.floor]:
            codes = parent[codes]
        return _frozen(codes)

    def leaves_under(self, level: int) -> npt.NDArray[np.int64]:
        """How many values of level 0 each code of a level stands for; none for the missing value, which is no value."""
        if self.floor and self.leaves is None:
            raise NodeError("how many values stand under a label is known from level 0 only: count without a floor")
        each = np.ones(len(self.labels[0]), np.int64) if self.leaves is None else self.leaves
        total = np.zeros(self.codes(level), np.int64)
        np.add.at(total, self.ancestors(self.floor, level)[: len(each)], each)
        return total

    @classmethod
    def flat(cls, labels: Sequence[str]) -> Hierarchy:
        """The labels as they are, and the root."""
        return cls((tuple(labels), (ROOT,)), (_frozen(np.zeros(len(labels) + 1, np.int32)),))

    def above(self, floor: int) -> Hierarchy:
        """The hierarchy without the levels below `floor`."""
        known = floor > 0 and (not self.floor or self.leaves is not None)
        leaves = _frozen(self.leaves_under(floor)[: len(self.at(floor))]) if known else None
        return Hierarchy(self.labels[floor - self.floor :], self.parents[floor - self.floor :], floor, leaves)

    def same_as(self, other: Hierarchy) -> bool:
        """Whether both have the same labels and parents at every level."""
        return (
            self.floor == other.floor
            and self.labels == other.labels
            and all(np.array_equal(a, b) for a, b in zip(self.parents, other.parents, strict=True))
        )

    @classmethod
    def of_columns(
        cls, attribute: str, columns: Sequence[Sequence[str]], *, floor: int = 0, root: str = ROOT, by_label: bool = False
    ) -> Hierarchy:
        """From one list of labels per level, all as long as the list of leaves.

        The root is appended if the top has several labels. Labels are numbered in the order of their first leaf. With `by_label`
        they are numbered by the label: computed labels depend on the values that occur, and their order must not.
        """
        levels = [list(column) for column in columns]
        _no_duplicate_leaf(attribute, levels[0])
        if len(levels) == 1 or len(set(levels[-1])) > 1:
            levels.append([root] * len(levels[0]))
        labels, parents = [tuple(levels[0])], []
        _no_reserved_label(attribute, floor, levels[0])
        below = np.arange(len(levels[0]), dtype=np.int32)
        for level, column in enumerate(levels[1:], start=1):
            top = level == len(levels) - 1
            names, codes = _numbered(column, by_label)
            names = names or [root] * top
            if not top:
                _no_reserved_label(attribute, floor + level, names)
            parent = _parent_of(attribute, floor + level, labels[-1], below, codes)
            parents.append(_frozen(np.append(parent, 0 if top else len(names)).astype(np.int32)))
            labels.append(tuple(names))
            below = codes
        return cls(tuple(labels), tuple(parents), floor)


def _frozen(codes: npt.NDArray[T]) -> npt.NDArray[T]:
    codes.setflags(write=False)
    return codes


def _numbered(column: Sequence[str], by_label: bool) -> tuple[list[str], Codes]:
    """Distinct labels in order of their first leaf, or of the labels themselves, and each leaf's code."""
    names = sorted(set(column)) if by_label else list(dict.fromkeys(column))
    code_of = {name: code for code, name in enumerate(names)}
    return names, np.fromiter((code_of[label] for label in column), np.int32, len(column))


def _parent_of(attribute: str, level: int, labels: Sequence[str], below: Codes, codes: Codes) -> Codes:
    """The parent of each label of the level below; refuses a label with two parents."""
    parent = np.zeros(len(labels), np.int32)
    parent[below] = codes
    split = np.unique(below[parent[below] != codes])
    if split.size:
        raise HierarchyError(
            f"level {level} is not a function of level {level - 1}: {several(split.size, 'label')} of level {level - 1} "
            f"with more than one parent ({shown([labels[code] for code in split])})",
            where=f"attribute {attribute!r}",
        )
    return parent


def _no_duplicate_leaf(attribute: str, leaves: Sequence[str]) -> None:
    repeated = sorted(leaf for leaf, count in Counter(leaves).items() if count > 1)
    if repeated:
        raise HierarchyError(
            f"level 0 holds {several(len(repeated), 'leaf label')} more than once ({shown(repeated)})",
            where=f"attribute {attribute!r}",
        )


def _no_reserved_label(attribute: str, level: int, labels: Sequence[str]) -> None:
    if ROOT in labels:
        raise HierarchyError(
            f"level {level} holds the label {ROOT!r}, which is reserved for the root and for suppressed records",
            where=f"attribute {attribute!r}",
        )


def require_height(levels: int) -> None:
    """Refuse more levels than anybody can mean: the time to build a hierarchy grows with them, and its lattice with their product."""
    if levels > MOST_LEVELS:
        raise SchemaError(f"{levels:,} levels; a hierarchy has at most {MOST_LEVELS}")


def require_covered(attribute: str, values: Sequence[str], leaves: Sequence[str]) -> None:
    """Refuse values of the data that are not a leaf; the message has their number only."""
    missing = len(set(values).difference(leaves))
    if missing:
        raise HierarchyError(
            f"level 0 lacks {several(missing, 'value')} of the data: add {'it' if missing == 1 else 'them'} "
            f"({several(len(leaves), 'leaf', 'leaves')} declared: {shown(leaves)})",
            where=f"attribute {attribute!r}",
        )

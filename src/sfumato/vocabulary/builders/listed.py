"""Hierarchies that list their leaves: a tree, ordered groups, a plain list of values, a file in ARX's format.

All four are ways of writing the same thing: one path per leaf, from the leaf to the top.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from sfumato.errors import HierarchyError, SchemaError, several
from sfumato.vocabulary.hierarchy import Hierarchy, require_covered, require_height
from sfumato.vocabulary.interval import Interval
from sfumato.vocabulary.kinds import Kind, canonical

LeafPath = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """One path per leaf; all paths are equally long and there is at least one."""

    paths: tuple[LeafPath, ...]

    def __post_init__(self) -> None:
        if not self.paths or not all(self.paths):
            raise SchemaError("the hierarchy has no leaf" if not self.paths else "a path of the hierarchy has no leaf")
        lengths = {len(path) for path in self.paths}
        require_height(max(lengths))
        if len(lengths) > 1:
            raise SchemaError(f"the paths of a hierarchy must be equally long; they have {min(lengths)} to {max(lengths)} levels")

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(Kind)

    def height(self, kind: Kind) -> int:
        levels = len(self.paths[0])
        several_on_top = len({standard_label(kind, path[-1]) for path in self.paths}) > 1
        return levels if several_on_top or levels == 1 else levels - 1

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        leaves, *columns = (list(column) for column in zip(*self.paths, strict=True))
        leaves = _canonical_leaves(attribute, kind, leaves)
        labels = [[standard_label(kind, label) for label in column] for column in columns]
        hierarchy = Hierarchy.of_columns(attribute, [leaves, *labels])
        require_covered(attribute, values, leaves)
        return hierarchy

    def declared(self) -> dict[str, Any]:
        return {"builder": "paths", "paths": [list(path) for path in self.paths]}

    @classmethod
    def of_tree(cls, tree: Mapping[str, Any]) -> Listed:
        """From nested tables whose innermost entries are lists of leaves."""
        return cls(_equal_length(list(_walk(tree))))

    @classmethod
    def of_groups(cls, values: Sequence[str], sizes: Sequence[int]) -> Listed:
        """From ordered values; at level i + 1, groups of `sizes[i]` neighbors are merged."""
        nested = all(b > a and b % a == 0 for a, b in pairwise(sizes))
        if not nested or any(size < 2 for size in sizes):
            raise SchemaError(f"'sizes' must be at least 2, each a multiple of the one before, as in [2, 4]; it is {list(sizes)}")
        return cls(tuple((value, *(_group(values, place, size) for size in sizes)) for place, value in enumerate(values)))


def _group(values: Sequence[str], place: int, size: int) -> str:
    members = values[place // size * size :][:size]
    return members[0] if len(members) == 1 else f"{members[0]} .. {members[-1]}"


def _walk(tree: Mapping[str, Any]) -> Iterator[LeafPath]:
    """The paths of a tree in order; without recursion, since a tree may be deeper than Python can follow."""
    left: list[tuple[Any, LeafPath]] = [(tree, ())]
    while left:
        branch, above = left.pop()
        require_height(len(above))
        if isinstance(branch, Mapping):
            left += [(each, (label, *above)) for label, each in reversed(list(branch.items()))]
        elif isinstance(branch, list) and all(
            isinstance(leaf, str | int | Decimal) and not isinstance(leaf, bool) for leaf in branch
        ):
            yield from ((str(leaf), *above) for leaf in branch)
        else:
            raise SchemaError(
                f"a tree is made of tables and lists of leaves; below {' / '.join(reversed(above)) or 'the top'} is something else"
            )


def _equal_length(paths: list[LeafPath]) -> tuple[LeafPath, ...]:
    """Paths of equal length: short branches repeat their top label on the levels they lack."""
    longest = max(map(len, paths), default=0)
    return tuple(path + (path[-1],) * (longest - len(path)) for path in paths)


def _canonical_leaves(attribute: str, kind: Kind, leaves: Sequence[str]) -> list[str]:
    texts = [canonical(kind, leaf) for leaf in leaves]
    wrong = sum(text is None for text in texts)
    if wrong:
        raise HierarchyError(
            f"level 0 of the hierarchy holds {several(wrong, 'leaf label')} that do{'es' * (wrong == 1)} not fit type {kind.value!r}",
            where=f"attribute {attribute!r}",
        )
    return [text for text in texts if text is not None]


def standard_label(kind: Kind, label: str) -> str:
    """An interval label in the form that sfumato prints; any other label unchanged."""
    numeric = kind in (Kind.INTEGER, Kind.DECIMAL)
    interval = Interval.parse(label, whole=kind is Kind.INTEGER) if numeric else None
    return str(interval) if interval else label

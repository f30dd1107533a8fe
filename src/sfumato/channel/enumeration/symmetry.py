"""Relabelings that a mechanism does not see: permutations of leaves that preserve their hierarchy, and of sensitive values that the
models treat alike. (The order of rows is no matter already: tables are multisets.)

A subgroup serves as well as the whole group, only less is saved: where a group is very large, attributes are left as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, islice

import numpy as np

from sfumato.channel.enumeration.judging import Judge, digits_of, reads_labels
from sfumato.channel.enumeration.multisets import Codes
from sfumato.channel.enumeration.universe import Universe
from sfumato.errors import UsageError, argument
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.node import Node

MOST_ELEMENTS = 5_000  # of a group that is used
MOST_PROFILES = 20_000  # that are judged to find out which sensitive values are alike
Permutation = tuple[int, ...]
Shape = tuple["Shape", ...]


@dataclass(frozen=True, slots=True, eq=False)
class Symmetry:
    """A group of permutations of the rows at level 0, one per row of `elements`, the identity first."""

    universe: Universe
    elements: Codes

    @property
    def order(self) -> int:
        """How many relabelings there are."""
        return len(self.elements)

    @classmethod
    def of(cls, judge: Judge) -> Symmetry:
        """The relabelings under which a universe and the verdicts of a judge stay the same."""
        universe, named = judge.universe, [model for model in judge.models if reads_labels(model)]
        if named:
            raise UsageError(
                f"{', '.join(map(str, named))} reads labels, so that relabeling changes its verdict; use enumerate_mechanism",
                where=argument("models"),
            )
        groups = [automorphisms(each) for each in universe.hierarchies]
        groups.append(_alike_values(judge))
        return cls(universe, _product(_within(groups)))

    def at(self, node: Node) -> Codes:
        """What the relabelings do to the rows that are published at a node, each different permutation once."""
        released = self.universe.released(node)
        induced = np.empty((self.order, self.universe.kinds(node)), np.int64)
        induced[:, released] = released[self.elements]
        return np.unique(induced, axis=0)


def automorphisms(hierarchy: Hierarchy) -> list[Permutation]:
    """All permutations of the leaves that map every label's leaves to a label's leaves on the same level; the identity alone if there are
    too many to use."""
    tree = _Tree(hierarchy)
    return _generated(len(hierarchy.at(0)), [_swap(one, other) for one, other in tree.alike()])


class _Tree:
    """The leaves and the shape under every label."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy

    def children(self, level: int, code: int) -> list[int]:
        parents = self.hierarchy.parents[level - 1][: len(self.hierarchy.at(level - 1))]
        return [int(child) for child in np.flatnonzero(parents == code)]

    def under(self, level: int, code: int) -> tuple[Shape, list[int]]:
        """The shape of what is under a label, and its leaves in an order that depends on shapes alone."""
        if not level:
            return (), [code]
        parts = sorted((self.under(level - 1, child) for child in self.children(level, code)), key=lambda part: part[0])
        return tuple(shape for shape, _ in parts), [leaf for _, leaves in parts for leaf in leaves]

    def alike(self) -> Iterator[tuple[list[int], list[int]]]:
        """The leaves of any two siblings with the same shape: swapping these generates all automorphisms."""
        for level in range(1, self.hierarchy.height + 1):
            for code in range(len(self.hierarchy.at(level))):
                parts = [self.under(level - 1, child) for child in self.children(level, code)]
                yield from ((one[1], other[1]) for one, other in combinations(parts, 2) if one[0] == other[0])


def _swap(one: Sequence[int], other: Sequence[int]) -> dict[int, int]:
    return {**dict(zip(one, other, strict=True)), **dict(zip(other, one, strict=True))}


def _generated(size: int, swaps: Sequence[dict[int, int]]) -> list[Permutation]:
    """The group that some swaps generate, the identity first; the identity alone if it has too many elements."""
    identity = tuple(range(size))
    found, fresh = {identity: None}, [identity]
    while fresh:
        fresh = [each for each in dict.fromkeys(_after(swap, one) for one in fresh for swap in swaps) if each not in found]
        found |= dict.fromkeys(fresh)
        if len(found) > MOST_ELEMENTS:
            return [identity]
    return list(found)


def _after(swap: dict[int, int], permutation: Permutation) -> Permutation:
    return tuple(swap.get(each, each) for each in permutation)


def _alike_values(judge: Judge) -> list[Permutation]:
    """The permutations of sensitive values that change no verdict on any profile: checked on every one of them, not assumed. Where there
    are very many profiles, values stay as they are; k-anonymity does not see them."""
    spread, base = judge.universe.spread, judge.universe.rows + 1
    profiles = all_profiles(judge.universe.rows, spread, MOST_PROFILES) if judge.by_profile else []
    if profiles is None:
        return _generated(spread, [])
    known = {profile: judge.profile_satisfies(profile) for profile in profiles}
    swaps = []
    for one, other in combinations(range(spread), 2):
        exchange = _exchange(one, other, base)
        if all(known[tuple(sorted(map(exchange, profile)))] == answer for profile, answer in known.items()):
            swaps.append({one: other, other: one})
    return _generated(spread, swaps)


def _exchange(one: int, other: int, base: int) -> Callable[[int], int]:
    """How the number of a class changes when two sensitive values change places."""

    def exchanged(number: int) -> int:
        counts = dict(enumerate(digits_of(number, base)))
        more = counts.get(one, 0) - counts.get(other, 0)
        return number + more * (int(base**other) - int(base**one))

    return exchanged


def all_profiles(rows: int, spread: int, most: int) -> list[tuple[int, ...]] | None:
    """The profiles of all tables of so many rows, with any number of classes; None if there are more than `most`."""
    base = rows + 1
    classes = [
        (size, sum(base**value for value in values))
        for size in range(1, rows + 1)
        for values in islice(combinations_with_replacement(range(spread), size), most + 1)
    ]
    found = [tuple(sorted(profile)) for profile in islice(_profiles(classes, rows), most + 1)]
    return sorted(found) if len(found) <= most else None


def _profiles(classes: Sequence[tuple[int, int]], rows: int, start: int = 0) -> Iterator[list[int]]:
    """Classes of given sizes, from a place in their list on, that together have so many rows."""
    if not rows:
        yield []
        return
    for place in range(start, len(classes)):
        size, number = classes[place]
        if size > rows:
            return
        for rest in _profiles(classes, rows - size, place):
            yield [number] * size + rest


def _within(groups: Sequence[list[Permutation]]) -> list[list[Permutation]]:
    """As many groups as keep the product small, the others reduced to the identity."""
    kept, order = [], 1
    for group in groups:
        fits = order * len(group) <= MOST_ELEMENTS
        kept.append(group if fits else group[:1])
        order *= len(kept[-1])
    return kept


def _product(groups: Sequence[list[Permutation]]) -> Codes:
    """The permutations of rows: those of every attribute's values, independently of each other."""
    elements = np.zeros((1, 1), np.int64)
    for group in groups:
        own = np.array(group, np.int64)
        size = own.shape[1]
        joined = elements[:, None, :, None] * size + own[None, :, None, :]
        elements = joined.reshape(len(elements) * len(own), -1)
    return elements

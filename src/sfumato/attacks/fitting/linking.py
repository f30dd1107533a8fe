"""Joining two frequency sets: which classes of a release each combination of known values may belong to.

Both sides are walked column by column, as tries: a pair of beginnings that does not match is never continued. So the work and
the memory grow with the pairs of distinct combinations that match so far, not with rows, and not with all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.attacks.fitting.matching import Matches
from sfumato.attacks.fitting.spreading import spread
from sfumato.frequency import Counts, Mask
from sfumato.statistics import TOLERANCE, Floats
from sfumato.vocabulary.hierarchy import Codes

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The classes that each cell may belong to: classes[offsets[x]:offsets[x + 1]], ascending; there are `width` classes.

    `scores` are logarithms of likelihoods, one per pair: how likely a person of the cell is published like the class. Without them all
    classes of a cell are alike.
    """

    offsets: Counts
    classes: Counts
    width: int
    scores: Floats | None = None

    def counts(self) -> Counts:
        """How many classes each cell may belong to."""
        return np.diff(self.offsets)

    def cells(self) -> Counts:
        """The cell of every pair."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.counts())

    def summed(self, weights: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Per cell, the sum of what its classes weigh."""
        total = np.zeros(len(self.offsets) - 1, weights.dtype)
        np.add.at(total, self.cells(), weights[self.classes])
        return total

    def gathered(self, weights: npt.NDArray[Number]) -> npt.NDArray[Number]:
        """Per class, the sum of what its cells weigh."""
        total = np.zeros(self.width, weights.dtype)
        np.add.at(total, self.classes, np.repeat(weights, self.counts()))
        return total

    def odds(self, *, by_class: bool = False) -> Floats:
        """The likelihood of every pair, as a share of the largest of its cell, or of its class."""
        if self.scores is None:
            return np.ones(len(self.classes))
        side, count = (self.classes, self.width) if by_class else (self.cells(), len(self.offsets) - 1)
        best = np.full(count, -np.inf)
        np.maximum.at(best, side, self.scores)
        return np.asarray(np.exp(self.scores - best[side]))

    def likeliest(self, *, by_class: bool = False) -> Mask:
        """Which pairs are the likeliest of their cell, or of their class."""
        return self.odds(by_class=by_class) >= 1 - TOLERANCE

    def contains(self, cells: Counts, classes: Counts) -> Mask:
        """For each pair of a cell and a class, whether they are linked."""
        keys, wanted = self.cells() * self.width + self.classes, cells * self.width + classes
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        return np.asarray(keys[at] == wanted) if len(keys) else np.zeros(len(wanted), bool)

    def places(self, cells: Counts) -> Counts:
        """The places of the pairs of some cells, one cell after the other."""
        return spread(self.offsets[cells], self.counts()[cells])


def link(cells: Codes, classes: Codes, matches: Sequence[Matches]) -> Links:
    """Which classes match each cell in every column. Both have one column per attribute; classes are distinct, cells may repeat."""
    own, their = _trie(cells), _trie(classes)
    left, right = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for depth, found in enumerate(matches):
        left, right = _deeper(own[depth], their[depth], left, right, found)
    return _links(left, right, _leaves(own, len(cells)), _leaves(their, len(classes)), len(cells), len(classes))


@dataclass(frozen=True, slots=True, eq=False)
class _Depth:
    """The beginnings of one length: the shorter one that each continues, the code that it adds, and the beginning of every row.
    They are sorted by (parent, code)."""

    parents: Counts
    codes: Counts
    of_row: Counts

    def children(self, parents: Counts) -> tuple[Counts, Counts]:
        """First child and number of children of each parent."""
        first = np.searchsorted(self.parents, parents, side="left")
        return first, np.searchsorted(self.parents, parents, side="right") - first


def _trie(rows: Codes) -> list[_Depth]:
    """The beginnings of all rows, one depth per column."""
    depths: list[_Depth] = []
    parent = np.zeros(len(rows), np.int64)
    for column in rows.T.astype(np.int64):
        width = int(column.max(initial=0)) + 1
        keys, of_row = np.unique(parent * width + column, return_inverse=True)
        depths.append(_Depth(keys // width, keys % width, of_row))
        parent = of_row
    return depths


def _deeper(own: _Depth, their: _Depth, left: Counts, right: Counts, matches: Matches) -> tuple[Counts, Counts]:
    """The pairs of beginnings that match in one more column: each child on the left looks up its labels among those on the right."""
    first, many = own.children(left)
    children, right = spread(first, many), np.repeat(right, many)
    values = own.codes[children]
    labels_of = matches.counts()[values]
    labels = matches.labels[spread(matches.offsets[values], labels_of)].astype(np.int64)
    children, right = np.repeat(children, labels_of), np.repeat(right, labels_of)
    width = int(max(their.codes.max(initial=0), labels.max(initial=0))) + 1
    keys, wanted = their.parents * width + their.codes, right * width + labels
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    there = keys[at] == wanted if len(keys) else np.zeros(len(wanted), bool)
    return children[there], at[there]


def _leaves(depths: list[_Depth], rows: int) -> Counts:
    """The last beginning of every row; all rows have one where there is no column."""
    return depths[-1].of_row if depths else np.zeros(rows, np.int64)


def _links(left: Counts, right: Counts, own: Counts, their: Counts, cells: int, classes: int) -> Links:
    """From pairs of whole beginnings to pairs of rows."""
    class_of = np.empty(classes, np.int64)
    class_of[their] = np.arange(classes)
    keys = np.sort(left * max(classes, 1) + class_of[right])
    distinct = int(own.max(initial=-1)) + 1
    offsets = np.searchsorted(keys, np.arange(distinct + 1) * max(classes, 1)).astype(np.int64)
    sizes = np.diff(offsets)[own]
    found = (keys % max(classes, 1))[spread(offsets[own], sizes)]
    return Links(np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]), found, classes)

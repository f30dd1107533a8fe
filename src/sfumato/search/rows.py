"""Measured classes: one row of losses and statistics per distinct class, made once, when the class is made.

A class that a roll-up leaves as it is keeps its row, so that a walk over the lattice measures new classes only. All classes whose
people hold one and the same value share a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts
from sfumato.losses.distances import fitting_distance
from sfumato.models import PrivacyModel
from sfumato.models.t_closeness import TCloseness
from sfumato.search import kernels
from sfumato.search.partition import Cells
from sfumato.statistics import ClassStatistics, Floats, entropy_of

RowOf = npt.NDArray[np.int32]
_MOVES = {"emd_ordered": 1, "emd_hierarchical": 2}
# The row that holds a loss, where it goes by another name; `emd` is the distance that fits.
_NAMES = {"utility-distribution": "utility_distribution", "utility-entropy": "entropy", "entropy": "entropy_loss"}
_LOSSES = ("distribution", "entropy", "utility-distribution", "utility-entropy", "emd", "l1", "kl", "js", "hellinger", "chi2")


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """A prior and the tree of its domain as the compiled loops want them; `moves`: which earth mover's distances are made."""

    prior: Floats
    table: Floats
    tree: tuple[npt.NDArray[np.int64], Floats, int]
    moves: int
    distance: str
    entropy: float

    @classmethod
    def of(cls, statistics: ClassStatistics, models: tuple[PrivacyModel, ...]) -> Belief:
        """For one prior that speaks of all classes: the distance that fits, and those that models name."""
        distance = "emd_" + fitting_distance(statistics.domain)
        asked = {distance, *(f"emd_{model.distance}" for model in models if isinstance(model, TCloseness))}
        moves = sum(bit for name, bit in _MOVES.items() if name in asked)
        prior = statistics.prior[0]
        return cls(kernels.beliefs(prior), _tables(), _tree(statistics), moves, distance, float(entropy_of(prior)))

    @property
    def width(self) -> int:
        return len(self.prior)


@cache
def _tables() -> Floats:
    return np.asarray(kernels.tables())


class RowTable:
    """Rows of measured classes against one belief; grows."""

    def __init__(self, belief: Belief) -> None:
        self.belief = belief
        self.array = np.zeros((belief.width, len(kernels.ROWS)))
        self.used = 0

    def start(self, offsets: Counts, values: npt.NDArray[np.int32], people: Counts) -> RowOf:
        """Measure all classes; the table must be empty."""
        b = self.belief
        self._room(b.width + len(offsets))
        row_of, self.used = kernels.measure_all(offsets, values, people, b.prior, b.table, b.tree, b.moves, self.array)
        return np.asarray(row_of)

    def merged(self, members: tuple[Any, Any], old: RowOf, cells: tuple[Any, Any, Any]) -> RowOf:
        """Measure the classes that a roll-up has made; `members` are the old classes in each, `old` their rows."""
        b, (order, start) = self.belief, members
        self._room(len(start))
        row_of, self.used = kernels.measure_new(
            start, order, old, *cells, b.prior, b.table, b.tree, b.moves, self.array, self.used
        )
        return np.asarray(row_of)

    def _room(self, more: int) -> None:
        if self.used + more > len(self.array):
            array = np.zeros((max(2 * len(self.array), self.used + more), len(kernels.ROWS)))
            array[: self.used] = self.array[: self.used]
            self.array = array


@dataclass(frozen=True, slots=True, eq=False)
class Quick:
    """The quick way to the columns of measured classes."""

    table: RowTable
    row_of: RowOf

    def __call__(self, statistics: ClassStatistics, name: str, parameters: tuple[Any, ...]) -> npt.NDArray[Any] | None:
        """A column, if it was measured."""
        belief = self.table.belief
        if name == "mass":
            return statistics.sizes
        if name == "distinct":
            return np.diff(statistics.offsets)
        if name == "top":
            top = self.table.array[self.row_of, kernels.ROWS.index("top")].astype(np.int64)
            return np.where(self.row_of < belief.width, statistics.sizes, top)
        if name == "prior_entropy":
            return np.full(statistics.classes, belief.entropy)
        if name == "tail":
            return np.asarray(kernels.tail(statistics.offsets, statistics.people, *parameters))
        if name not in kernels.ROWS or _MOVES.get(name, 0) & ~belief.moves:
            return None
        return np.asarray(self.table.array[self.row_of, kernels.ROWS.index(name)])

    def totals(self, people: Counts, kept: npt.NDArray[np.bool_], starts: Counts) -> Mapping[str, tuple[Floats, Floats]]:
        """For several nodes, over their kept classes: the largest value and the sum over people of each loss that is known here."""
        belief = self.table.belief
        most, total = kernels.totals(self.row_of, people, kept, starts, self.table.array, belief.width)
        rows = {loss: kernels.ROWS.index({**_NAMES, "emd": belief.distance}.get(loss, loss)) for loss in _LOSSES}
        return {loss: (most[:, row], total[:, row]) for loss, row in rows.items()}


class Late:
    """The same, measured only when somebody asks for what cannot be had otherwise."""

    def __init__(self, table: RowTable, cells: Cells) -> None:
        self._table, self._cells = table, cells
        self._quick: Quick | None = None

    def __call__(self, statistics: ClassStatistics, name: str, parameters: tuple[Any, ...]) -> npt.NDArray[Any] | None:
        """A column."""
        if name == "top":
            return np.asarray(np.maximum.reduceat(self._cells.people, self._cells.offsets[:-1]))
        if name in ("mass", "distinct", "prior_entropy", "tail"):
            return Quick(self._table, np.zeros(0, np.int32))(statistics, name, parameters)
        return self.measured()(statistics, name, parameters)

    def totals(self, people: Counts, kept: npt.NDArray[np.bool_], starts: Counts) -> Mapping[str, tuple[Floats, Floats]]:
        """The losses of several nodes."""
        return self.measured().totals(people, kept, starts)

    def measured(self) -> Quick:
        if self._quick is None:
            cells = self._cells
            self._quick = Quick(self._table, self._table.start(cells.offsets, cells.values, cells.people))
        return self._quick


def _tree(statistics: ClassStatistics) -> tuple[npt.NDArray[np.int64], Floats, int]:
    """The parent of every node, its share of the prior, and the height; nodes are numbered through the levels, leaves first."""
    domain = statistics.domain
    parents, weights = np.zeros(domain.size, np.int64), [statistics.prior[0]]
    below, first = np.arange(domain.size), 0
    for codes in domain.tree:
        distinct, above = np.unique(codes, return_inverse=True)
        first += len(weights[-1])
        parents = np.append(parents, np.zeros(len(distinct), np.int64))
        parents[below] = above + first
        below = above + first
        weights.append(np.bincount(above, weights=statistics.prior[0], minlength=len(distinct)))
    return parents, np.concatenate(weights), len(domain.tree)

"""Measured classes: one row of losses and statistics per distinct class, made once, when the class is made.

A class that a roll-up leaves as it is keeps its row, so that a walk over the lattice measures new classes only. All classes whose
people hold one and the same value share a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts
from sfumato.losses.distances import fitting_distance
from sfumato.models import PrivacyModel
from sfumato.models.t_closeness import TCloseness
from sfumato.search.compiled import kernels, measures, narrow
from sfumato.search.compiled.partition import Cells, merged
from sfumato.search.compiled.shared import Again, Chain
from sfumato.statistics import ClassStatistics, Floats, entropy_of

RowOf = npt.NDArray[np.int32]
_MOVES = {"emd_ordered": 1, "emd_hierarchical": 2}
# The row that holds a loss, where it goes by another name; `emd` is the distance that fits.
_NAMES = {"utility-distribution": "utility_distribution", "utility-entropy": "entropy", "entropy": "entropy_loss"}
_LOSSES = ("distribution", "entropy", "utility-distribution", "utility-entropy", "emd", "l1", "kl", "js", "hellinger", "chi2")


@dataclass(frozen=True, eq=False)
class Belief:
    """A prior and the tree of its domain as the compiled loops want them; `moves`: which earth mover's distances are made."""

    prior: Floats
    tree: tuple[npt.NDArray[np.int64], Floats, int]
    moves: int
    distance: str
    entropy: float

    @classmethod
    def of(cls, statistics: ClassStatistics, models: tuple[PrivacyModel, ...]) -> Belief:
        """For one prior that speaks of all classes: the distance that fits, and those that models name."""
        distance = "emd_" + fitting_distance(statistics.domain)
        asked = {
            distance,
            *(f"emd_{model.distance}" for model in (each.core for each in models) if isinstance(model, TCloseness)),
        }
        moves = sum(bit for name, bit in _MOVES.items() if name in asked)
        prior = statistics.prior[0]
        steps = statistics.domain.along()
        return cls(measures.beliefs(prior, steps), _tree(statistics), moves, distance, float(entropy_of(prior)))

    @property
    def width(self) -> int:
        return len(self.prior)

    @property
    def against(self) -> tuple[Floats, tuple[npt.NDArray[np.int64], Floats, int], int]:
        """What the loops measure classes against."""
        return self.prior, self.tree, self.moves

    @cached_property
    def of_values(self) -> Floats:
        """The rows of classes whose people all hold one value, value by value."""
        each = (np.arange(self.width + 1), np.arange(self.width, dtype=np.int32), np.ones(self.width, np.int64))
        rows, row_of = np.empty((self.width, len(measures.ROWS))), np.full(self.width, -1, np.int32)
        (narrow.measure_narrow if self.narrow else measures.measure_wide)(each, row_of, self.against, rows, 0)
        return rows

    @property
    def narrow(self) -> bool:
        """Whether looking at every value of the domain is quicker than looking for those that a class has."""
        return self.width <= narrow.NARROW


class RowTable:
    """Rows of measured classes against one belief; grows. Row v belongs to every class whose people all hold value v."""

    def __init__(self, belief: Belief) -> None:
        self.belief = belief
        self.array = np.empty((0, len(measures.ROWS)))
        self.used = 0

    def start(self, offsets: Counts, values: npt.NDArray[np.int32], people: Counts) -> RowOf:
        """Measure all classes, and forget those that were measured before."""
        width, self.used = self.belief.width, 0
        self._room(width + len(offsets) - 1)
        self.array[:width], self.used = self.belief.of_values, width
        return self._measured(Cells(offsets, values, people), np.full(len(offsets) - 1, -1, np.int32))

    def merged(self, first: Chain, after: Chain, cells: Cells, old: RowOf, again: Again | None = None) -> tuple[Cells, RowOf]:
        """The cells of the classes that a roll-up has made, and their rows. `first`, `after`: the old classes in each, see `kernels`;
        `again`: who would be counted too often, which must be known before a class is measured."""
        b, parts = self.belief, (cells.offsets, cells.values, cells.people)
        if again is not None or not b.narrow:
            made = merged(first, after, cells, b.width, again)
            return made, self._measured(made, np.where(after[first] == len(old), old[first], np.int32(-1)))
        self._room(len(first))
        made_cells, row_of, self.used = narrow.merge_narrow((first, after), parts, old, b.against, self.array, self.used)
        return Cells(*made_cells), row_of

    def _measured(self, cells: Cells, row_of: RowOf) -> RowOf:
        """The rows of classes, of which some are known; those of one value have its row, the others are measured."""
        row_of = np.where(np.diff(cells.offsets) == 1, cells.values[cells.offsets[:-1]], row_of)
        self._measure(cells, row_of)
        return row_of

    def _measure(self, cells: Cells, row_of: RowOf) -> None:
        """Measure the classes that have no row yet."""
        b, loop = self.belief, narrow.measure_narrow if self.belief.narrow else measures.measure_wide
        self._room(len(row_of))
        self.used = loop((cells.offsets, cells.values, cells.people), row_of, b.against, self.array, self.used)

    def _room(self, more: int) -> None:
        """Make sure that there is room for more rows."""
        if self.used + more > len(self.array):
            array = np.empty((max(2 * len(self.array), self.used + more), len(measures.ROWS)))
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
            return np.asarray(np.add.reduceat(statistics.people, statistics.offsets[:-1]))
        if name == "distinct":
            return np.diff(statistics.offsets)
        if name == "top":
            top = self.table.array[self.row_of, measures.ROWS.index("top")].astype(np.int64)
            return np.where(self.row_of < belief.width, statistics.sizes, top)
        if name == "prior_entropy":
            return np.full(statistics.classes, belief.entropy)
        if name == "tail":
            return np.asarray(kernels.tail(statistics.offsets, statistics.people, *parameters))
        if name not in measures.ROWS or _MOVES.get(name, 0) & ~belief.moves:
            return None
        return np.asarray(self.table.array[self.row_of, measures.ROWS.index(name)])

    def totals(self, people: Counts, kept: npt.NDArray[np.bool_], starts: Counts) -> Mapping[str, tuple[Floats, Floats]]:
        """For several nodes, over their kept classes: the largest value and the sum over people of each loss that is known here."""
        belief = self.table.belief
        most, total = measures.totals(self.row_of, people, kept, starts, self.table.array, belief.width)
        rows = {loss: measures.ROWS.index({**_NAMES, "emd": belief.distance}.get(loss, loss)) for loss in _LOSSES}
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

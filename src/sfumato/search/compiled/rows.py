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
from sfumato.models.attribute.t_closeness import TCloseness
from sfumato.search.compiled import kernels, measures, narrow, wide
from sfumato.search.compiled.partition import Cells, merged
from sfumato.search.compiled.shared import Again, Chain
from sfumato.statistics import CellsOf, ClassStatistics, Floats, entropy_of
from sfumato.vocabulary.hierarchy import Codes

RowOf = npt.NDArray[np.int32]
_MOVES = {"emd_ordered": measures.ALONG, "emd_hierarchical": measures.UP}
# The row that holds a loss, where it goes by another name; `emd` is the distance that fits.
_NAMES = {"utility-distribution": "utility_distribution", "utility-entropy": "entropy", "entropy": "entropy_loss"}
_LOSSES = ("distribution", "entropy", "utility-distribution", "utility-entropy", "emd", "l1", "kl", "js", "hellinger", "chi2")


@dataclass(frozen=True, eq=False)
class Belief:
    """A prior and the tree of its domain as the compiled loops want them; `wanted`: what may be asked of a class, as bits."""

    prior: Floats
    tree: tuple[npt.NDArray[np.int64], Floats, int]
    wanted: int
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
        wanted = measures.WITHOUT_MOVES + sum(bit for name, bit in _MOVES.items() if name in asked)
        prior = statistics.prior[0]
        steps = statistics.domain.along()
        return cls(measures.beliefs(prior, steps), _tree(statistics), wanted, distance, float(entropy_of(prior)))

    @property
    def width(self) -> int:
        return len(self.prior)

    @cached_property
    def of_values(self) -> Floats:
        """The rows of classes whose people all hold one value, value by value."""
        each = (np.arange(self.width + 1), np.arange(self.width, dtype=np.int32), np.ones(self.width, np.int64))
        rows, row_of = np.empty((self.width, len(measures.ROWS))), np.full(self.width, -1, np.int32)
        self.measure(each, row_of, self.wanted, self.room(), rows, 0)
        return rows

    def room(self) -> wide.Room | None:
        """Room for the loop that measures classes; none if it makes its own."""
        return None if self.narrow else wide.room_for(self.width, len(self.tree[0]))

    def measure(
        self, cells: tuple[Counts, Codes, Counts], row_of: RowOf, wanted: int, room: wide.Room | None, rows: Floats, used: int
    ) -> int:
        """Measure the classes that have no row yet (-1) into the rows after the first `used`; how many are used then."""
        if room is None:
            return int(narrow.measure_narrow(cells, row_of, (self.prior, self.tree, wanted), rows, used))
        return int(wide.measure_wide(cells, row_of, (self.prior, self.sums, self.tree, wanted), room, rows, used))

    @cached_property
    def sums(self) -> Floats:
        """What the prior and each of the other columns adds up to."""
        return np.asarray(self.prior.sum(axis=0))

    @property
    def narrow(self) -> bool:
        """Whether looking at every value of the domain is quicker than looking for those that a class has."""
        return self.width <= narrow.NARROW


class RowTable:
    """Rows of measured classes against one belief; grows. Row v belongs to every class whose people all hold value v."""

    def __init__(self, belief: Belief) -> None:
        self.belief, self.wanted = belief, belief.wanted
        self.array = np.empty((0, len(measures.ROWS)))
        self._scratch = belief.room()
        self.used = 0

    def start(self, offsets: Counts, values: npt.NDArray[np.int32], people: Counts, wanted: int | None = None) -> RowOf:
        """Measure all classes, or what is wanted of them, and forget those that were measured before."""
        width, self.used = self.belief.width, 0
        self.wanted = self.belief.wanted if wanted is None else wanted
        self._room(width + len(offsets) - 1)
        self.array[:width], self.used = self.belief.of_values, width
        row_of = np.where(np.diff(offsets) == 1, values[offsets[:-1]], np.int32(-1))
        self._measure(Cells(offsets, values, people), row_of)
        return row_of

    def merged(self, first: Chain, after: Chain, cells: Cells, old: RowOf, again: Again | None = None) -> tuple[Cells, RowOf]:
        """The cells of the classes that a roll-up has made, and their rows. `first`, `after`: the old classes in each, see `kernels`;
        `again`: who would be counted too often, which must be known before a class is measured."""
        b, parts = self.belief, (cells.offsets, cells.values, cells.people)
        if again is not None or not b.narrow:
            made = merged(first, after, cells, b.width, again)
            row_of = kernels.kept_rows(first, after, made.offsets, made.values, old)
            self._measure(made, row_of)
            return made, row_of
        self._room(len(first))
        made_cells, row_of, self.used = narrow.merge_narrow(
            (first, after), parts, old, (b.prior, b.tree, self.wanted), self.array, self.used
        )
        return Cells(*made_cells), row_of

    def _measure(self, cells: Cells, row_of: RowOf) -> None:
        """Measure the classes that have no row yet."""
        self._room(len(row_of))
        parts = cells.offsets, cells.values, cells.people
        self.used = self.belief.measure(parts, row_of, self.wanted, self._scratch, self.array, self.used)

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
        if name == "largest":
            return np.asarray(statistics.column("top") / statistics.column("mass"), np.float64)
        if name == "prior_entropy":
            return np.full(statistics.classes, belief.entropy)
        if name == "tail":
            return np.asarray(kernels.tail(statistics.offsets, statistics.people, *parameters))
        if name not in measures.ROWS or _MOVES.get(name, 0) & ~belief.wanted:
            return None
        return np.asarray(self.table.array[self.row_of, measures.ROWS.index(name)])

    def totals(self, people: Counts, kept: npt.NDArray[np.bool_], starts: Counts) -> Mapping[str, tuple[Floats, Floats]]:
        """For several nodes, over their kept classes: the largest value and the sum over people of each loss that is known here."""
        belief = self.table.belief
        most, total = measures.totals(self.row_of, people, kept, starts, self.table.array, belief.width)
        rows = {loss: measures.ROWS.index({**_NAMES, "emd": belief.distance}.get(loss, loss)) for loss in _LOSSES}
        return {loss: (most[:, row], total[:, row]) for loss, row in rows.items()}


class Late:
    """The same, measured only when somebody asks for what cannot be had otherwise, and no more than that."""

    def __init__(self, table: RowTable, cells: CellsOf) -> None:
        self._table, self._cells = table, cells
        self._quick, self._has = Quick(table, np.zeros(0, np.int32)), 0

    def __call__(self, statistics: ClassStatistics, name: str, parameters: tuple[Any, ...]) -> npt.NDArray[Any] | None:
        """A column."""
        if name == "top":
            return np.asarray(np.maximum.reduceat(self._cells.people, self._cells.offsets[:-1]))
        return self._measured(measures.PART_OF.get(name, 0))(statistics, name, parameters)

    def totals(self, people: Counts, kept: npt.NDArray[np.bool_], starts: Counts) -> Mapping[str, tuple[Floats, Floats]]:
        """The losses of several nodes."""
        return self._measured(self._table.belief.wanted).totals(people, kept, starts)

    def _measured(self, wanted: int) -> Quick:
        wanted &= self._table.belief.wanted
        if wanted & ~self._has:
            cells, self._has = self._cells, self._has | wanted
            self._quick = Quick(self._table, self._table.start(cells.offsets, cells.values, cells.people, self._has))
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

"""Where a search starts: at level 0 or, for tables with very many different values, at the cheapest floor whose cells fit a budget.

Timestamps, addresses and amounts have nearly as many values as there are rows. Counted at level 0 such a table is held in memory as a
whole, and no release of it is anywhere near level 0. Of the floors that raise such QIDs only (if they cannot help, all QIDs) and whose
cells are within the budget, the one with the least `precision` is taken, the mean share of its height by which a QID is raised: it
follows from the schema alone, where other losses would need the count that is to be avoided. A floor above one that fits fits, too, and
one below one that does not fit does not; so the floors that are left are halved again and again.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sfumato.errors import FloorWarning, NodeError, UsageError, argument, unknown
from sfumato.question.question import Question
from sfumato.search.lattice import Lattice, LevelArray
from sfumato.table import Table
from sfumato.vocabulary.node import Node

CELLS = 5_000_000
MANY = 1_000  # different values: a QID with more is raised first
MOST_FLOORS = 2_000_000  # that are compared


def floor_of(table: Table, question: Question, sensitive: Sequence[str]) -> Node:
    """The floor of a question: the given one, or the cheapest at or above it that is within the budget."""
    names = table.schema.choose_quasi(question.quasi)
    start = _given(table, question, names)
    if question.floor is not None and question.cells is None:
        return start
    budget = question.cells or CELLS
    if not table.has_more_cells(start, sensitive, budget):
        return start
    chosen = _cheapest(table, sensitive, budget, start)
    raised = ",".join(f"{name}={level}" for name, level in chosen.as_dict().items() if level)
    message = f"more than {budget:,} cells at {start.brief()}, so the search starts at {raised}; "
    warnings.warn(
        FloorWarning(message + f"{argument('floor')} sets other levels, {argument('cells')} another number"), stacklevel=2
    )
    return chosen


def _given(table: Table, question: Question, names: Sequence[str]) -> Node:
    """The levels that are given, 0 for the others."""
    floor = question.floor or {}
    for name, level in floor.items():
        if name not in names:
            raise NodeError(unknown("attribute", name, names, within="the QIDs to publish"), where=argument("floor"))
        if not 0 <= level <= table.schema[name].height():
            message = f"level {level} of {name!r} does not exist; it has 0 to {table.schema[name].height()}"
            raise NodeError(message, where=argument("floor"))
    return Node(tuple(names), tuple(floor.get(name, 0) for name in names))


def _cheapest(table: Table, sensitive: Sequence[str], budget: int, start: Node) -> Node:
    """The cheapest floor that fits, raising no more QIDs than need be."""
    heights = {name: table.schema[name].height() for name in start.attributes}
    many = {name for name in heights if table.has_more_cells(_alone(start, heights, name), (), MANY)}
    for raised in (many, set(heights)):
        tops = tuple(heights[name] if name in raised else level for name, level in start.as_dict().items())
        floors = _Floors(table, sensitive, budget, Lattice(start.attributes, start.levels, tops), tuple(heights.values()))
        if floors.fits(np.array(tops)):
            return floors.cheapest()
    raise UsageError(
        f"no floor has as few cells as {budget:,}: with every QID withheld, a sensitive attribute has more values; allow more",
        where=argument("cells"),
    )


def _alone(start: Node, heights: Mapping[str, int], name: str) -> Node:
    """The start of one QID, the others withheld."""
    return Node(start.attributes, tuple(start[each] if each == name else height for each, height in heights.items()))


class _Floors:
    """The floors of a lattice whose top fits; each is counted by the engine, without fetching a cell."""

    def __init__(self, table: Table, sensitive: Sequence[str], budget: int, lattice: Lattice, heights: tuple[int, ...]) -> None:
        self.table, self.sensitive, self.budget, self.lattice, self.heights = table, sensitive, budget, lattice, heights

    def fits(self, levels: npt.NDArray[np.integer]) -> bool:
        return not self.table.has_more_cells(self.lattice.node(levels.tolist()), self.sensitive, self.budget)

    def cheapest(self) -> Node:
        """The one that fits with the least precision; among equal ones the least sum of levels, then the first levels."""
        levels = self._by_cost()
        best, left = len(levels) - 1, np.arange(len(levels) - 1)  # the last is the top, which fits
        below = np.prod(levels - np.array(self.lattice.floors) + 1, axis=1, dtype=np.float64)
        while len(left):
            tried = int(left[_halving(below[left])])
            if self.fits(levels[tried]):
                best, left = tried, left[left < tried]
            else:
                left = left[(levels[left] > levels[tried]).any(axis=1)]
        return self.lattice.node(levels[best].tolist())

    def _by_cost(self) -> LevelArray:
        """All floors, the cheapest first."""
        if self.lattice.size > MOST_FLOORS:
            raise UsageError(
                f"{self.lattice.size:,} floors are too many to find the cheapest of; name one with {argument('floor')}, "
                f"or take fewer QIDs with {argument('quasi')}",
                where=argument("cells"),
            )
        levels = self.lattice.levels()
        shares = levels / np.maximum(np.array(self.heights), 1)
        order = np.lexsort((*levels.T[::-1], levels.sum(axis=1), shares.mean(axis=1).round(12)))
        return levels[order]


def _halving(below: npt.NDArray[np.float64]) -> int:
    """The place of the floor, of those left in the order of their cost, that rules out most whichever way it turns out: those below it,
    as many as in the whole lattice at the most, or those that cost more."""
    costlier = np.arange(len(below), 0, -1)
    return int(np.minimum(below, costlier).argmax())

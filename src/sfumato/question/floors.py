"""Where a search starts: at level 0 or, for tables with very many different values, at the cheapest floor whose cells fit a budget.

Timestamps, addresses and amounts have nearly as many values as there are rows. Counted at level 0 such a table is held in memory as a
whole, and no release of it is anywhere near level 0. Of the floors that raise such QIDs only (if they cannot help, all QIDs) and whose
cells are within the budget, the one with the least `precision` is taken, the mean share of its height by which a QID is raised: it
follows from the schema alone, where other losses would need the count that is to be avoided. A floor above one that fits fits, too, and
one below one that does not fit does not. So few floors are counted, and the rows are read once for all of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sfumato.engines.base import CellsBetween
from sfumato.errors import FloorWarning, NodeError, UsageError, argument, unknown
from sfumato.question.question import Question
from sfumato.search.lattice import Lattice, LevelArray
from sfumato.table import Table
from sfumato.vocabulary.node import Node

Places = npt.NDArray[np.intp]
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
        lattice = Lattice(start.attributes, start.levels, tops)
        if not table.has_more_cells(lattice.node(tops), sensitive, budget):
            floors = _Floors(lattice, tuple(heights.values()))
            with table.cells_between(start, tops, sensitive) as cells:
                return floors.cheapest(cells, budget)
    raise UsageError(
        f"no floor has as few cells as {budget:,}: with every QID withheld, a sensitive attribute has more values; allow more",
        where=argument("cells"),
    )


def _alone(start: Node, heights: Mapping[str, int], name: str) -> Node:
    """The start of one QID, the others withheld."""
    return Node(start.attributes, tuple(start[each] if each == name else height for each, height in heights.items()))


class _Floors:
    """The floors of a lattice whose top fits, the cheapest first."""

    def __init__(self, lattice: Lattice, heights: tuple[int, ...]) -> None:
        if lattice.size > MOST_FLOORS:
            raise UsageError(
                f"{lattice.size:,} floors are too many to find the cheapest of; name one with {argument('floor')}, "
                f"or take fewer QIDs with {argument('quasi')}",
                where=argument("cells"),
            )
        levels = lattice.levels()
        shares = levels / np.maximum(np.array(heights), 1)
        order = np.lexsort((*levels.T[::-1], levels.sum(axis=1), shares.mean(axis=1).round(12)))
        self.lattice, self.levels = lattice, levels[order]
        self.below = np.prod(self.levels - np.array(lattice.floors) + 1, axis=1, dtype=np.float64)

    def cheapest(self, cells: CellsBetween, budget: int) -> Node:
        """The one that fits with the least precision; among equal ones the least sum of levels, then the first levels.

        Estimates only say which floors to count first: the one that they take for the cheapest, and then, if it fits, the costliest of
        those that cost less, as long as there are any. A floor that fits against its estimate, or does not, changes how far they are
        believed.
        """
        guesses = _Guesses(cells, self.levels)
        best, left = len(self.levels) - 1, np.arange(len(self.levels) - 1)  # the last is the top, which fits
        while len(left):
            guess = self._found(left, lambda place: guesses.fits(place, budget)) if guesses.open else None
            guesses.open = guess is not None
            tried = guess if guess is not None else int(left[-1] if guesses.known else left[_halving(self.below[left])])
            fits = not cells.has_more(self.levels[tried].tolist(), budget)
            guesses.learn(tried, budget, fits=fits)
            best, left = (tried, left[left < tried]) if fits else (best, self._beyond(left, tried))
        return self.lattice.node(self.levels[best].tolist())

    def _found(self, left: Places, fits: Callable[[int], bool]) -> int | None:
        """The place of the cheapest of some floors that fit; None if there is none."""
        best = None
        while len(left):
            tried = int(left[_halving(self.below[left])])
            if fits(tried):
                best, left = tried, left[left < tried]
            else:
                left = self._beyond(left, tried)
        return best

    def _beyond(self, left: Places, tried: int) -> Places:
        """Those of some floors that do not lie below one."""
        beyond: Places = left[(self.levels[left] > self.levels[tried]).any(axis=1)]
        return beyond


class _Guesses:
    """What is estimated of floors; nothing is `known` if the engine estimates nothing. `open`: whether a floor of those that are left may
    fit by its estimate."""

    def __init__(self, cells: CellsBetween, levels: LevelArray) -> None:
        self._cells, self._levels = cells, levels
        self._about: dict[int, float] = {}
        self._scale = 1.0  # so many times as many cells as estimated there are, in the experience of those counted
        self.known = self.open = cells.about(levels[-1].tolist()) is not None

    def fits(self, place: int, budget: int) -> bool:
        """Whether a floor fits by its estimate."""
        if not self.known:
            return False
        if place not in self._about:
            self._about[place] = self._cells.about(self._levels[place].tolist()) or 0.0
        return self._about[place] * self._scale <= budget

    def learn(self, place: int, budget: int, *, fits: bool) -> None:
        """That a floor was counted."""
        if self.known and self.fits(place, budget) != fits:
            self._scale = budget / max(self._about[place], 1.0) * (0.99 if fits else 1.01)
            self.open = True


def _halving(below: npt.NDArray[np.float64]) -> int:
    """The place of the floor, of those left in the order of their cost, that rules out most whichever way it turns out: those below it,
    as many as in the whole lattice at the most, or those that cost more."""
    costlier = np.arange(len(below), 0, -1)
    return int(np.minimum(below, costlier).argmax())

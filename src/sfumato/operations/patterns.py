"""Which cells of which records are suppressed, so that every class has k records and few cells are suppressed.

Every record whose class is too small must lose a cell, and so must at least k records if one does: v records in small classes need at
least max(v, k) cells. A record here loses at most all of its q QIDs, and beyond those v records fewer than 2k are touched: so the cells are
fewer than 3q times the fewest. In practice it is much nearer: on small tables, where the fewest can be found by trying all ways, about one
in ten too many on average, and never more than three times as many (the tests try).

Small sets of QIDs are tried first. Records in small classes that agree in all other QIDs, k or more, lose these cells; so do those that can
join a class that lost the same cells before. Where at least s/(s + 1) of k records agree but for s QIDs, the others are borrowed from
large classes: to go on without them would cost as much. Who is left at the end loses all QIDs, with others if there are too few, or
borrows where that is cheaper.

Where people have several rows, classes need k people, and nothing is borrowed: which of somebody's rows a class can do without depends on
all of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.frequency import packed
from sfumato.operations.copied import People

Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
COMPARABLE = 2**62  # beyond it, keys are ranks among the rows they were made for


def patterns_for(columns: Sequence[Codes], widths: Sequence[int], k: int, people: People | None = None) -> Mask:
    """Row by row, which QIDs are suppressed: the fewest of four ways to borrow, early or late. There are at least k people; every row is
    one if they are omitted."""
    people = people or People(len(columns[0]))
    ways = [way for early in (True, False) for way in _Suppression(columns, widths, k, people).carried_out(early=early)]
    return min(ways, key=lambda starred: int(starred.sum()))


class _Suppression:
    """The rows, by their codes, and what each of them has lost so far."""

    def __init__(self, columns: Sequence[Codes], widths: Sequence[int], k: int, people: People) -> None:
        self._columns, self._widths, self._k, self._people = columns, widths, k, people
        self._lends = people.owners is None
        self._rows, self._quasi = len(columns[0]), len(columns)
        self._starred = np.zeros((self._rows, self._quasi), bool)
        everybody = np.arange(self._rows)
        keys = self._keys(everybody, ())
        _, first, self._class_of = np.unique(keys, return_index=True, return_inverse=True)
        sizes = people.per_group(everybody, self._class_of, len(first))
        self._open = everybody[sizes[self._class_of] < k]  # rows in classes that are too small
        self._large = first[sizes >= k]  # one row of each other class
        number = _number_within(keys)
        self._spare = everybody[(number >= k) & (number < 2 * k)]  # rows that large classes can do without
        self._formed: dict[tuple[int, ...], Places] = {}  # keys of the classes that lost the same QIDs

    def carried_out(self, *, early: bool) -> tuple[Mask, Mask]:
        """What every row has lost when all classes have k rows, in two ways to end; whether rows were borrowed `early`."""
        for size in range(1, self._quasi):
            for lost in self._promising(size):
                self._lose(lost)
            for lost in combinations(range(self._quasi), size) if early else ():
                self._borrow(lost, lambda count, size: count * (size + 1) >= self._k * size)
        return self._ended(borrowing=True), self._ended(borrowing=False)

    def _ended(self, *, borrowing: bool) -> Mask:
        """What every row has lost at the end, if those who are left borrow where it is cheaper than to lose all QIDs, or if they do not."""
        before = self._starred.copy(), self._open, dict(self._formed)
        if borrowing and len(self._open):
            each = self._quasi * max(len(self._open), self._k) / len(self._open)  # what one row costs that loses all, with others
            for size in range(1, self._quasi):
                for lost in combinations(range(self._quasi), size):
                    self._borrow(lost, lambda count, size: self._k * size <= count * each)
                    self._join(lost, each)
        self._lose(tuple(range(self._quasi)))
        if len(self._open):
            self._lose_all()
        ended = self._starred
        self._starred, self._open, self._formed = before
        return ended

    def _keys(self, rows: Places, lost: Sequence[int]) -> Places:
        """What rows show besides the QIDs that they lose, comparable among all rows."""
        kept = [place for place in range(self._quasi) if place not in lost]
        widths = [self._widths[place] for place in kept]
        if prod(widths) < COMPARABLE:
            return packed([self._columns[place][rows].astype(np.int64) for place in kept], widths, len(rows))
        return packed([self._columns[place].astype(np.int64) for place in kept], widths, self._rows)[rows]

    def _promising(self, size: int) -> Iterator[tuple[int, ...]]:
        """The sets of so many QIDs, those first that would help most rows at once."""
        sets = list(combinations(range(self._quasi), size))
        helped = [int((self._sizes(self._open, self._keys(self._open, lost)) >= self._k).sum()) for lost in sets]
        for place in np.argsort([-number for number in helped], kind="stable"):
            yield sets[place]

    def _lose(self, lost: tuple[int, ...]) -> None:
        """Rows in small classes lose these QIDs if k of them then agree, or if they then join a class that has lost them."""
        if not len(self._open):
            return
        keys = self._keys(self._open, lost)
        self._close(
            (self._sizes(self._open, keys) >= self._k) | np.isin(keys, self._formed.get(lost, np.zeros(0, np.int64))), keys, lost
        )

    def _close(self, helped: Mask, keys: Places, lost: tuple[int, ...]) -> None:
        self._starred[np.ix_(self._open[helped], np.array(lost))] = True
        self._formed[lost] = np.union1d(self._formed.get(lost, np.zeros(0, np.int64)), keys[helped])
        self._open = self._open[~helped]

    def _borrow(self, lost: tuple[int, ...], pays: Callable[[Any, int], Any]) -> None:
        """Groups of so many rows that it pays for them get the rows that they lack from large classes that have lost nothing."""
        if not len(self._open) or not self._lends:
            return
        keys = self._keys(self._open, lost)
        groups, counts = np.unique(keys, return_counts=True)
        near = groups[pays(counts, len(lost))]
        if not len(near):
            return
        lenders = self._lenders(near, lost)
        helped = []
        for group, need in zip(groups.tolist(), (self._k - counts).tolist(), strict=True):
            rows = lenders.get(group, [])
            if len(rows) >= need > 0:
                self._starred[np.ix_(np.array(rows[:need]), np.array(lost))] = True
                helped.append(group)
        self._close(np.isin(keys, helped), keys, lost)

    def _join(self, lost: tuple[int, ...], each: float) -> None:
        """Groups for which it pays take in a whole class that has lost nothing: `each` is what a row is worth."""
        if not len(self._open):
            return
        keys = self._keys(self._open, lost)
        groups, counts = np.unique(keys, return_counts=True)
        whole = self._large[~self._starred[self._large].any(axis=1)]
        theirs = self._keys(whole, lost)
        helped = []
        for place in np.flatnonzero(np.isin(theirs, groups)):
            count = int(counts[np.searchsorted(groups, theirs[place])])
            rows = np.flatnonzero((self._class_of == self._class_of[whole[place]]) & ~self._starred.any(axis=1))
            if (len(rows) + count) * len(lost) <= count * each and theirs[place] not in helped:
                self._starred[np.ix_(rows, np.array(lost))] = True
                helped.append(theirs[place])
        self._close(np.isin(keys, helped), keys, lost)

    def _lenders(self, groups: Places, lost: tuple[int, ...]) -> dict[int, list[int]]:
        """For each group the rows that it may borrow."""
        spare = self._spare[~self._starred[self._spare].any(axis=1)]
        theirs = self._keys(spare, lost)
        wanted = np.isin(theirs, groups)
        lenders: dict[int, list[int]] = {}
        for row, group in zip(spare[wanted].tolist(), theirs[wanted].tolist(), strict=True):
            lenders.setdefault(group, []).append(row)
        return lenders

    def _lose_all(self) -> None:
        """The last rows lose all QIDs. As they are of fewer than k people, so do others: the cheapest that can be spared, else a whole
        class."""
        self._starred[self._open] = True
        need = self._k - len(self._open)
        classes = self._classes()
        price = self._quasi - self._starred.sum(axis=1)
        others = np.flatnonzero(price > 0)
        spare = others[_number_within(classes[others]) >= self._k] if self._lends else others[:0]
        if self._lends and len(spare) >= need:
            self._starred[spare[np.argsort(price[spare], kind="stable")][:need]] = True
            return
        _, number, rows = np.unique(classes[others], return_inverse=True, return_counts=True)
        sizes = rows[number] * price[others]
        cheapest = classes[others][np.argmin(sizes)]
        self._starred[classes == cheapest] = True

    def _sizes(self, rows: Places, keys: Places) -> Places:
        """How many people have the key of each row."""
        groups, number = np.unique(keys, return_inverse=True)
        return np.asarray(self._people.per_group(rows, number, len(groups))[number], np.int64)

    def _classes(self) -> Places:
        """The class of each row as it would be published."""
        widths = [width + 1 for width in self._widths]
        columns = [
            np.where(self._starred[:, place], self._widths[place], column).astype(np.int64)
            for place, column in enumerate(self._columns)
        ]
        return packed(columns, widths, self._rows)


def _number_within(keys: Places) -> Places:
    """The number of each row among those with its key, from 0."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.searchsorted(ordered, ordered)
    numbers = np.empty(len(keys), np.int64)
    numbers[order] = np.arange(len(keys)) - first
    return numbers

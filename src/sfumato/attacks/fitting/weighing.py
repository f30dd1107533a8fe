"""Which classes of a release a person's row may be in, where values were changed: every class is scored, and the best are kept.

In some columns labels must stand for a person's values; the others were changed, and a *score* says how well a published combination of
them goes with a true one: the logarithm of its likelihood, or a distance with its sign turned. Pairs are looked at some millions at a
time. So memory grows with what is kept, and time with the pairs that agree in the columns that nothing changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from sfumato.attacks.fitting.linking import Links
from sfumato.attacks.fitting.spreading import spread
from sfumato.frequency import Counts, FrequencySet, packed
from sfumato.operations.channel import Labels
from sfumato.statistics import Floats

MARGIN = log(1e4)  # classes that are so much less likely than the best are not looked at
MOST = 200  # classes that are kept of a person, the best of them; of equals the first
_CHUNK = 4_000_000  # pairs that are held at once
TABLE = 4_000_000  # numbers of a table that is compared as a whole
PLAIN = 100  # how many times longer a value takes where tables are larger
_SAME = 1e-9
Compare = Callable[[Labels, Labels], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class Score:
    """How well published combinations of some columns go with true ones. Both are numbered, with a number for each cell of people and each
    class; `compare` gives a table with a row for each true one."""

    true: Labels
    published: Labels
    of_cell: Counts
    of_class: Counts
    compare: Compare

    @classmethod
    def of(cls, people: FrequencySet, release: FrequencySet, names: Sequence[str], compare: Compare) -> Score:
        """The columns of two tables."""
        true, of_cell = _combinations(people, names)
        published, of_class = _combinations(release, names)
        return cls(true, published, of_cell, of_class, compare)

    @property
    def small(self) -> bool:
        """Whether all combinations fit into one table."""
        return len(self.true) * len(self.published) <= TABLE

    def of_pairs(self, cells: Counts, classes: Counts) -> Floats:
        """The scores of some pairs, from tables of the combinations that they have."""
        rows, row = _present(self.of_cell[cells], len(self.true))
        columns, column = _present(self.of_class[classes], len(self.published))
        step, published = max(TABLE // max(len(columns), 1), 1), [self.published[n] for n in columns]
        found = np.empty(len(cells))
        for start in range(0, len(rows), step):
            table = self.compare([self.true[n] for n in rows[start : start + step]], published)
            inside = slice(None) if len(rows) <= step else np.flatnonzero((row >= start) & (row < start + step))
            found[inside] = table[row[inside] - start, column[inside]]
        return found


def _present(numbers: Counts, count: int) -> tuple[Counts, Counts]:
    """The distinct ones of some numbers below a count, and the place of each number among them."""
    there = np.zeros(count, bool)
    there[numbers] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[numbers]


def _combinations(counts: FrequencySet, names: Sequence[str]) -> tuple[Labels, Counts]:
    """The distinct combinations of some columns, and the number of each class's."""
    places = [counts.node.attributes.index(name) for name in names]
    labels = [np.array([*counts.hierarchies[place].labels[0], None], object) for place in places]
    columns = [counts.codes[:, place] for place in places]
    keys = packed(columns, [len(each) for each in labels], counts.classes)
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return list(zip(*(own[column[first]] for own, column in zip(labels, columns, strict=True)), strict=True)), number


def weigh(base: Links, of_cell: Counts, scores: Sequence[Score], margin: float = MARGIN, most: int = MOST) -> Links:
    """The classes of each cell by their scores: those within a margin of the best, and no more than stated. `base` are the classes that
    agree in the columns that nothing changed, for each combination of these, and `of_cell` is the combination of each cell."""
    way = _compiled if all(score.small for score in scores) else plainly
    parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)), *way(base, of_cell, scores, margin, most)]
    cells, classes, total = (np.concatenate([part[side] for part in parts]) for side in range(3))
    offsets = np.searchsorted(cells, np.arange(len(of_cell) + 1)).astype(np.int64)
    return Links(offsets, classes.astype(np.int64), base.width, total)


Kept = Iterator[tuple[Counts, Counts, Floats]]


def plainly(base: Links, of_cell: Counts, scores: Sequence[Score], margin: float, most: int = MOST) -> Kept:
    """The pairs that are kept, some cells at a time: cells, classes, scores."""
    for start, end in _chunks(base.counts()[of_cell]):
        cells = np.repeat(np.arange(start, end), base.counts()[of_cell[start:end]])
        classes, total = base.classes[base.places(of_cell[start:end])], np.zeros(len(cells))
        for each in scores:
            total += each.of_pairs(cells, classes)
        kept = _best(cells, total, margin, most)
        yield cells[kept], classes[kept], total[kept]


def _compiled(base: Links, of_cell: Counts, scores: Sequence[Score], margin: float, most: int = MOST) -> Kept:
    """The same, from whole tables."""
    from sfumato.attacks.fitting.scanning import scan

    tables = [each.compare(each.true, each.published) for each in scores]
    first = np.cumsum([0, *(table.size for table in tables)])[:-1]
    rows = [start + each.of_cell * len(each.published) for start, each in zip(first.tolist(), scores, strict=True)]
    own, their = np.stack(rows), np.stack([each.of_class for each in scores])
    flat = np.concatenate([table.ravel() for table in tables])
    for start, end in _chunks(np.minimum(base.counts()[of_cell], most)):
        cells = np.arange(start, end)
        begin, stop = base.offsets[of_cell[cells]], base.offsets[of_cell[cells] + 1]
        room = int(np.minimum(stop - begin, most).sum())
        found, total = np.empty(room, np.int64), np.empty(room)
        counts = scan(cells, begin, stop, base.classes, own, their, flat, margin + _SAME, most, found, total)
        yield np.repeat(cells, counts), found[: int(counts.sum())], total[: int(counts.sum())]


def _chunks(many: Counts) -> Iterator[tuple[int, int]]:
    """Runs of cells that have some millions of pairs together."""
    starts, ends = _runs(np.cumsum(many) // _CHUNK)
    return zip(starts.tolist(), ends.tolist(), strict=True) if len(many) else iter(())


def _runs(numbers: Counts) -> tuple[Counts, Counts]:
    """Where runs of equal numbers begin and end."""
    edges = np.flatnonzero(np.diff(numbers)) + 1
    return np.concatenate([[0], edges]), np.concatenate([edges, [len(numbers)]])


def _best(cells: Counts, scores: Floats, margin: float, most: int) -> Counts:
    """The places of the pairs that are kept: near the best of their cell, and not too many."""
    starts, ends = _runs(cells)
    if not len(cells):
        return np.zeros(0, np.int64)
    best = np.repeat(np.maximum.reduceat(scores, starts), ends - starts)
    kept = np.flatnonzero((scores >= best - margin - _SAME) & np.isfinite(scores))
    first, last = _runs(cells[kept])
    if (last - first).max(initial=0) <= most:
        return kept
    order = kept[np.lexsort((-scores[kept], cells[kept]))]
    return np.sort(order[np.arange(len(order)) - np.repeat(first, last - first) < most])


def nearest_only(links: Links) -> Links:
    """The classes at the best score of each cell, as links that are all alike."""
    if links.scores is None or not len(links.classes):
        return Links(links.offsets, links.classes, links.width)
    kept = links.likeliest()
    counts = np.bincount(links.cells()[kept], minlength=len(links.offsets) - 1)
    return Links(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), links.classes[kept], links.width)


def everywhere(classes: int) -> Links:
    """One combination that agrees with every class: where all columns were changed."""
    return Links(np.array([0, classes], np.int64), spread(np.zeros(1, np.int64), np.array([classes])), classes)

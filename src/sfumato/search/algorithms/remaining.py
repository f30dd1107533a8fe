"""The nodes that may still be the answer of a search: never the whole lattice, but those that small tables leave.

Every QID alone and every pair of them, the others withheld, rule out combinations of levels and tell how many people leave at the least.
The nodes that all pairs allow are put together QID by QID, and only within the best loss so far. What is learned of a node later is
applied to those that lie below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sfumato.errors import TooManyNodes, argument
from sfumato.frequency import Mask
from sfumato.search.detail import Detail
from sfumato.search.evaluation import Evaluations, Fact
from sfumato.search.lattice import Lattice, LevelArray
from sfumato.search.outcome import tie
from sfumato.statistics import Floats

MOST_LEFT = 8_000_000
_ROUNDING = 1e-12  # terms are added in another order than losses are made: nothing is ruled out by the last digits


class Pairs:
    """What is known of pairs of levels: which are hopeless, and how many people leave at the least. A QID alone is a pair with itself."""

    def __init__(self, lattice: Lattice) -> None:
        self.lattice = lattice
        shape, places = lattice.shape, range(len(lattice.shape))
        self.pairs = [*((q, q) for q in places), *combinations(places, 2)]
        self.hopeless = {(p, q): np.zeros((shape[p], shape[q]), bool) for p, q in self.pairs}
        self.leaving = {(p, q): np.zeros((shape[p], shape[q])) for p, q in self.pairs}

    def learn(self, nodes: Evaluations) -> None:
        """What nodes with at most two QIDs below their roots say of everything below them."""
        steps = (nodes.levels - np.array(self.lattice.floors)).tolist()
        low = (nodes.levels < np.array(self.lattice.heights)).tolist()
        facts = zip(steps, low, nodes[Fact.HOPELESS].tolist(), nodes[Fact.INCURABLE].tolist(), strict=True)
        for step, below, hopeless, incurable in facts:
            if (hopeless or incurable > 0) and sum(below) <= 2:
                lower = [q for q, is_low in enumerate(below) if is_low] or [0]
                p, q = lower[0], lower[-1]
                under = slice(step[p] + 1), slice(step[q] + 1)
                if hopeless:
                    self.hopeless[p, q][under] = True
                if incurable > 0:
                    np.maximum(self.leaving[p, q][under], incurable, out=self.leaving[p, q][under])
        self._spread()

    def _spread(self) -> None:
        """What is hopeless alone is so in every pair."""
        alone = [self.hopeless[q, q].diagonal().copy() for q in range(len(self.lattice.shape))]
        some = [bool(each.any()) for each in alone]
        for p, q in self.pairs:
            if some[p] or some[q]:
                self.hopeless[p, q] |= alone[p][:, None] | alone[q]

    def alone(self, q: int) -> LevelArray:
        """The steps above its floor at which a QID is not hopeless by itself."""
        return np.flatnonzero(~self.hopeless[q, q].diagonal()).astype(np.int16)

    def family(self, p: int, q: int) -> LevelArray:
        """The nodes below the root in these two QIDs alone that are not ruled out; the first lies below the others."""
        lattice = self.lattice
        below = ~self.hopeless[p, q][:-1, :-1]
        rows, columns = np.diag(below.diagonal()).nonzero() if p == q else below.nonzero()
        if len(rows) and columns[0] > (low := columns.min()):
            rows, columns = np.concatenate((rows[:1], rows)), np.concatenate(([low], columns))
        family = np.empty((len(rows), len(lattice.shape)), np.int16)
        family[:] = lattice.heights
        family[:, p], family[:, q] = rows + lattice.floors[p], columns + lattice.floors[q]
        return family

    def allows(self, levels: Sequence[int]) -> bool:
        """Whether no pair rules a node out."""
        step = [level - floor for level, floor in zip(levels, self.lattice.floors, strict=True)]
        return not any(hopeless[step[p], step[q]] for (p, q), hopeless in self.hopeless.items())

    def left(self, detail: Detail | None, loss: str, least: float) -> LevelArray:
        """The nodes that every pair allows and whose loss, with everything else as it is, may be within the best so far."""
        lattice = self.lattice
        floors = np.array(lattice.floors, np.int16)
        found, lost, (more, most) = np.zeros((1, 0), np.int16), np.zeros(1), terms_of(lattice, detail, loss, least)
        for q, size in enumerate(lattice.shape):
            after = lost[:, None] + more[q]
            within = (after <= most) & ~self.hopeless[q, q].diagonal()
            for p in range(q):
                if self.hopeless[p, q].any():
                    within &= ~self.hopeless[p, q][found[:, p]]
            if np.count_nonzero(within) > MOST_LEFT:
                raise TooManyNodes(
                    f"the lattice has {lattice.size:,} nodes, and more than {MOST_LEFT:,} of them cannot be ruled out by pairs of "
                    "QIDs; use the algorithm evolutionary, or publish fewer QIDs",
                    where=argument("algorithm"),
                )
            before, step = np.divmod(np.flatnonzero(within), size)
            found = np.column_stack((found[before], step.astype(np.int16)))
            lost = after[within]
        # With no more than two QIDs below their roots, all that are not hopeless were looked at.
        known = (found + floors < np.array(lattice.heights, np.int16)).sum(axis=1) <= 2
        return np.ascontiguousarray(found[~known] + floors)

    def least_leaving(self, levels: LevelArray) -> Floats:
        """How many people leave at each of some nodes at the least."""
        steps = levels - np.array(self.lattice.floors, np.int16)
        leaving = np.zeros(len(levels))
        for (p, q), known in self.leaving.items():
            if known.any():
                np.maximum(leaving, known[steps[:, p], steps[:, q]], out=leaving)
        return leaving


def terms_of(lattice: Lattice, detail: Detail | None, loss: str, least: float) -> tuple[list[Floats], float]:
    """For each QID and step what it adds to a loss beyond its floor, in terms that are added up; and how much all of them may add for the
    best loss so far. Where nothing is known, nothing is added."""
    if detail is None or not np.isfinite(least):
        return [np.zeros(size) for size in lattice.shape], 0.0
    terms = detail.terms(loss)
    more = [
        terms[q, floor : height + 1] - terms[q, floor]
        for q, (floor, height) in enumerate(zip(lattice.floors, lattice.heights, strict=True))
    ]
    base = sum(float(terms[q, floor]) for q, (floor, _) in enumerate(zip(lattice.floors, lattice.heights, strict=True)))
    return more, detail.added_up(loss, least + tie(least)) - base + _ROUNDING


class Remaining:
    """Nodes in the order of their bounds when they were found; `bound` and `leaving` grow as more is learned."""

    def __init__(self, levels: LevelArray, leaving: Floats, detail: Detail, loss: str) -> None:
        self.detail, self.loss = detail, loss
        bound = detail.bound(levels, loss, leaving)
        order = np.argsort(bound, kind="stable")
        self.columns = np.ascontiguousarray(levels[order].T)
        self.leaving, self.bound = leaving[order], bound[order]

    def __len__(self) -> int:
        return len(self.bound)

    def at(self, places: npt.NDArray[np.intp]) -> LevelArray:
        """Some of the nodes."""
        return np.ascontiguousarray(self.columns[:, places].T)

    def all(self) -> LevelArray:
        """All of the nodes."""
        return np.ascontiguousarray(self.columns.T)

    def meet(self) -> LevelArray:
        """The most general node below all of them."""
        return np.asarray(self.columns.min(axis=1))

    def learn(self, nodes: Evaluations, least: float) -> None:
        """Rule out the nodes themselves, what is below hopeless ones, and what exceeds the best loss so far."""
        alive = np.ones(len(self), bool)
        grown = np.zeros(len(self), bool)
        for node, hopeless, incurable in zip(nodes.levels, nodes[Fact.HOPELESS], nodes[Fact.INCURABLE], strict=True):
            under = self._under(node)
            if hopeless:
                alive[under] = False
            else:
                more = under[self.leaving[under] < incurable]
                self.leaving[more], grown[more] = incurable, True
                alive[under[(self.columns[:, under] == node[:, None]).all(axis=0)]] = False
        again = np.flatnonzero(grown & alive)
        if len(again):
            self.bound[again] = self.detail.bound(self.at(again), self.loss, self.leaving[again])
        self._keep(alive)
        self.within(least)

    def within(self, least: float) -> None:
        """Rule out what exceeds the best loss so far."""
        if np.isfinite(least):
            self._keep(self.bound <= least + tie(least))

    def _under(self, node: LevelArray) -> npt.NDArray[np.intp]:
        """The places of the nodes at or below a node."""
        here = self.columns[0] <= node[0]
        for column, level in zip(self.columns[1:], node[1:], strict=True):
            here &= column <= level
        return np.flatnonzero(here)

    def _keep(self, kept: Mask) -> None:
        if not kept.all():
            self.columns = np.ascontiguousarray(self.columns[:, kept])
            self.leaving, self.bound = self.leaving[kept], self.bound[kept]

    def next(self, count: int, hopeless: float) -> LevelArray:
        """The nodes to look at next: those that rule out most whichever way they turn out, none below another; and, when several are
        wanted, those with the largest bounds, which are coarse, and those with the least, which nothing but a look rules out: as many
        of the former as lately were `hopeless`.

        A node that is hopeless rules out those below it, estimated by a sample; a feasible one rules out those with larger bounds.
        """
        tried = _spread(len(self), _TRIED + 4 * count)
        nodes, sample = self.at(tried), self.at(_spread(len(self), _SAMPLE))
        under = np.ones((len(tried), len(sample)), bool)
        for own, other in zip(nodes.T, sample.T, strict=True):
            under &= other[None] <= own[:, None]
        ruled_out = np.minimum(under.mean(axis=1), 1 - tried / len(self))
        order = np.argsort(-ruled_out, kind="stable")
        if count == 1:
            return nodes[order[:1]]
        apart = [nodes[order[0]]]
        for each in nodes[order[1 : 4 * count]]:
            if len(apart) < (count + 3) // 4 and not any((each <= one).all() or (each >= one).all() for one in apart):
                apart.append(each)
        more = min(count - len(apart), len(self))
        coarse = round(hopeless * more)
        ends = np.concatenate((np.arange(more - coarse), np.arange(len(self) - coarse, len(self))))
        return np.unique(np.vstack([*apart, self.at(ends)]), axis=0)


_TRIED, _SAMPLE = 48, 1024


def _spread(size: int, count: int) -> npt.NDArray[np.intp]:
    """At most so many places, evenly spread."""
    return np.arange(size)[:: max(1, -(-size // count))]

"""The best node in the time that there is, in a lattice of which too much is left to list it.

From the top down, always below the best node that is waiting: the feasible one with the least loss, or, where none is feasible, the one
with the least loss at all. What lies below a hopeless node is left out. So the best node so far is a good one early, and if the time is
enough to look at everything that is not ruled out, it is the best of all.
"""

from __future__ import annotations

import heapq

import numpy as np

from sfumato.frequency import Mask
from sfumato.progress import Progress
from sfumato.search.compiled.evaluator import Evaluator, evaluator_of
from sfumato.search.evaluation import Evaluations, Fact, Measure
from sfumato.search.lattice import Lattice, LevelArray
from sfumato.search.outcome import Found, Interrupted, NotFound, Trace, best_of, is_interrupt
from sfumato.search.problem import Problem
from sfumato.search.space.front import front

Levels = tuple[int, ...]
_EXPECTED = 100_000  # nodes, for the choice of the loops that evaluate them


def descend(problem: Problem, minimize: str, progress: Progress) -> Found | NotFound:
    """The feasible node with the least loss; stopped by `progress`, the best until then."""
    search = _Descent(problem, minimize)
    try:
        search.run(progress)
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        raise Interrupted(search.best()) from None
    return search.best() or NotFound(search.trace())


class _Descent:
    """The nodes evaluated so far, and those whose neighbors below were not looked at."""

    def __init__(self, problem: Problem, minimize: str) -> None:
        self.lattice, self.minimize = Lattice.of(problem.counts), minimize
        self.evaluator: Evaluator = evaluator_of(problem, [minimize], _EXPECTED)
        self.evaluated: list[Evaluations] = []
        self.known: set[Levels] = set()
        self.waiting: list[tuple[bool, float, int, Levels]] = []
        self.hopeless = np.empty((0, len(self.lattice.shape)), np.int16)

    def run(self, progress: Progress) -> None:
        """Until nothing is waiting."""
        self._look(np.array([self.lattice.heights], np.int16))
        while self.waiting:
            progress(len(self.known), self.lattice.size)
            *_, levels = heapq.heappop(self.waiting)
            below = np.array([each for each in self.lattice.predecessors(levels) if each not in self.known], np.int16)
            if len(below) and len(below := below[~self._ruled_out(below)]):
                self._look(below)

    def _look(self, levels: LevelArray) -> None:
        nodes = self.evaluator.evaluate(levels)
        self.evaluated.append(nodes)
        self.known.update(map(tuple, levels.tolist()))
        losses = np.nan_to_num(nodes[Measure.parse(self.minimize)].astype(np.float64), nan=np.inf)
        described = zip(
            levels.tolist(), losses.tolist(), nodes[Fact.FEASIBLE].tolist(), nodes[Fact.HOPELESS].tolist(), strict=True
        )
        for each, loss, feasible, hopeless in described:
            if not hopeless:
                heapq.heappush(self.waiting, (not feasible, loss, sum(each), tuple(each)))
        if nodes[Fact.HOPELESS].any():
            hopeless_ones = np.concatenate([self.hopeless, levels[np.asarray(nodes[Fact.HOPELESS], bool)]])
            self.hopeless = hopeless_ones[front(-hopeless_ones.astype(np.float64))]

    def _ruled_out(self, levels: LevelArray) -> Mask:
        """Which nodes lie below a hopeless one."""
        below = np.asarray((levels[:, None] <= self.hopeless).all(axis=2), bool)
        return np.asarray(below.any(axis=1), bool)

    def best(self) -> Found | None:
        """The best of what was evaluated so far."""
        if not self.evaluated:
            return None
        everything = Evaluations.joined(self.evaluated)
        place = best_of(everything, self.minimize)
        return None if place is None else Found.at(self.lattice.attributes, everything, place, self.trace())

    def trace(self) -> Trace:
        return Trace("optimal", self.lattice.size, len(self.known))

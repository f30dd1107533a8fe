"""The node with the least loss, found without looking at most nodes; the same answer as the minimum over the whole space.

Two facts rule a node out unseen. A node is hopeless when no node below it can be feasible (see `models.base.Part`); then everything
below goes. And a loss that the levels decide is known beforehand, a lower bound where people are suppressed, the higher the more
people must leave; nodes whose bound exceeds the best loss so far go. What is evaluated next is the node that halves the rest best
whichever way it turns out.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Mask
from sfumato.progress import Progress
from sfumato.search.compiled.evaluator import Evaluator, QuickEvaluator, evaluator_of
from sfumato.search.detail import BY_LEVELS, Detail
from sfumato.search.evaluation import Evaluations, Fact, Measure
from sfumato.search.lattice import Lattice, LevelArray, require_enumerable
from sfumato.search.outcome import Found, Interrupted, NotFound, Trace, best_of, is_interrupt, tie
from sfumato.search.problem import Problem

_FEW = 2048  # nodes left for which the best next one is sought exactly
_TRIED = 48
_VISITS = {False: 60, True: 200}  # nodes that a search looks at, with and without suppression


def optimal(problem: Problem, minimize: str, *, progress: Progress | None = None) -> Found | NotFound:
    """The feasible node with the least loss."""
    search = _Search(problem, minimize, progress)
    try:
        search.rule_out_alone()
        search.rule_out_pairs()
        if search.foreseen:
            search.bisect()
        else:
            search.look_at_all()
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        raise Interrupted(search.best()) from None
    return search.best() or NotFound(search.trace())


class _Search:
    """The nodes that are left (`alive`, in the shape of the lattice), and those evaluated so far."""

    def __init__(self, problem: Problem, minimize: str, progress: Progress | None) -> None:
        self.problem, self.minimize, self.progress = problem, minimize, progress
        self.lattice = Lattice.of(problem.counts)
        require_enumerable(self.lattice)
        # With owners the people of a label are not the sum over its values, so levels alone do not tell the loss.
        self.foreseen = minimize in BY_LEVELS and problem.counts.basis == "row"
        visits = _VISITS[problem.limit > 0] if self.foreseen else self.lattice.size
        self.evaluator: Evaluator = evaluator_of(problem, [minimize], visits)
        self.alive: Mask = np.ones(self.lattice.shape, bool)
        self.leaving = np.zeros(self.lattice.shape)  # people who are suppressed at the least
        self.evaluated: list[Evaluations] = []
        self.looked: Mask = np.zeros(self.lattice.shape, bool)
        self.least = np.inf

    def rule_out_alone(self) -> None:
        """Look at every QID alone, the others withheld: a level that is hopeless alone is hopeless with others."""
        families = []
        for place, (floor, height) in enumerate(zip(self.lattice.floors, self.lattice.heights, strict=True)):
            last = height if place else height + 1  # the top belongs to all: the first takes it along
            family = np.tile(np.array(self.lattice.heights, np.int16), (last - floor, 1))
            family[:, place] = np.arange(floor, last)
            families.append(family)
        self._conclude(self.evaluator.evaluate_above(families))

    def rule_out_pairs(self) -> None:
        """Look at every pair of QIDs, the others withheld: small tables that rule out most nodes."""
        self._rise()
        families = []
        for one, other in combinations(range(len(self.lattice.shape)), 2):
            plane = [height - floor for floor, height in zip(self.lattice.floors, self.lattice.heights, strict=True)]
            here = tuple(slice(0, top) if q in (one, other) else top for q, top in enumerate(plane))
            steps = np.argwhere(self.alive[here])
            if len(steps):
                family = np.tile(np.array(self.lattice.heights, np.int16), (len(steps) + 1, 1))
                family[:, [one, other]] = np.vstack([steps.min(axis=0), steps]) + np.array(self.lattice.floors)[[one, other]]
                families.append(family if (family[0] != family[1]).any() else family[1:])
        if families:
            self._conclude(self.evaluator.evaluate_above(families))

    def _rise(self) -> None:
        """Start from the most general node that everything left is above of."""
        left = np.argwhere(self.alive)
        if len(left):
            self.evaluator.rise(left.min(axis=0) + np.array(self.lattice.floors))

    def bisect(self) -> None:
        """Until nothing is left: evaluate the node that rules out most, whether it is feasible or hopeless."""
        levels = self.lattice.levels()
        known = self.evaluator.batches.detail if isinstance(self.evaluator, QuickEvaluator) else None
        detail = known or Detail.of(self.problem.counts, [self.minimize])
        below = np.prod(levels - np.array(self.lattice.floors) + 1, axis=1, dtype=np.float64)
        left, meet = np.flatnonzero(self.alive.ravel()), np.array(self.lattice.floors)
        while True:
            left = left[self.alive.ravel()[left]]
            bound = detail.bound(levels[left], self.minimize, self.leaving.ravel()[left])
            left, bound = left[bound <= self.least + tie(self.least)], bound[bound <= self.least + tie(self.least)]
            if not len(left):
                return
            self._tell(len(levels) - len(left))
            if (levels[left].min(axis=0) > meet).any():
                meet = levels[left].min(axis=0)
                self.evaluator.rise(meet)
            self.look_at(levels[[_halving(levels, bound, below, left)]])

    def look_at_all(self) -> None:
        """Evaluate everything that is left: in one walk where that is quickest, else from the top down."""
        if not (isinstance(self.evaluator, QuickEvaluator) and self.evaluator.roller.compiled):
            self._descend()
        elif self.alive.any():
            from sfumato.search.compiled.walk import Stopped, walked

            evaluator = self.evaluator
            above = replace(self.lattice, floors=evaluator.base.levels)
            try:
                self._conclude(walked(evaluator.batches, evaluator.base, above, progress=self.progress))
            except Stopped as stopped:
                self.evaluated += [part for part in stopped.parts if isinstance(part, Evaluations)]
                raise

    def _descend(self) -> None:
        """Level sum by level sum: what is hopeless hides what is below."""
        levels = self.lattice.levels()
        ranks = levels.sum(axis=1)
        for rank in range(int(ranks.max()), int(ranks.min()) - 1, -1):
            here = np.flatnonzero(self.alive.ravel() & (ranks == rank))
            if len(here):
                self._tell(len(levels) - int(self.alive.sum()))
                self.look_at(levels[here])

    def look_at(self, levels: LevelArray) -> None:
        """Evaluate nodes and draw the conclusions."""
        self._conclude(self.evaluator.evaluate(levels))

    def _conclude(self, nodes: Evaluations) -> None:
        self.evaluated.append(nodes)
        self.looked.ravel()[self.lattice.numbers(nodes.levels)] = True
        self.alive &= ~self.looked
        for node, hopeless, incurable in zip(nodes.levels.tolist(), nodes[Fact.HOPELESS], nodes[Fact.INCURABLE], strict=True):
            under = tuple(slice(0, level - floor + 1) for level, floor in zip(node, self.lattice.floors, strict=True))
            if hopeless:
                self.alive[under] = False
            elif incurable > 0:
                np.maximum(self.leaving[under], incurable, out=self.leaving[under])
        feasible = nodes[Fact.FEASIBLE]
        if feasible.any():
            self.least = min(self.least, float(nodes[Measure.parse(self.minimize)][feasible].min()))

    def best(self) -> Found | None:
        """The best of what was evaluated so far."""
        if not self.evaluated:
            return None
        everything = Evaluations.joined(self.evaluated)
        place = best_of(everything, self.minimize)
        return None if place is None else Found.at(self.lattice.attributes, everything, place, self.trace())

    def trace(self) -> Trace:
        return Trace("optimal", self.lattice.size, int(self.looked.sum()))

    def _tell(self, done: int) -> None:
        if self.progress:
            self.progress(done, self.lattice.size)


def _halving(
    levels: LevelArray, bound: npt.NDArray[np.float64], below: npt.NDArray[np.float64], left: npt.NDArray[np.int64]
) -> int:
    """The node for which the smaller of two sets is largest: the nodes below it, and those with a larger bound.

    Among many nodes the first set is estimated by its size in the whole lattice.
    """
    ranks = np.empty(len(left))
    ranks[np.argsort(bound, kind="stable")] = np.arange(len(left), 0, -1)
    if len(left) > _FEW:
        share = len(left) / len(levels)
        return int(left[np.minimum(below[left] * share, ranks).argmax()])
    tried = np.arange(len(left))[:: max(1, len(left) // _TRIED)]
    nodes = levels[left]
    under = (nodes[None] <= nodes[tried][:, None]).all(axis=2).sum(axis=1)
    return int(left[tried[np.minimum(under, ranks[tried]).argmax()]])

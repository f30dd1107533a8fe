"""The node with the least loss, found without looking at most nodes; the same answer as the minimum over the whole space.

Two facts rule a node out unseen. A node is hopeless when no node below it can be feasible (see `models.base.Part`); then everything
below goes. And a loss that the levels decide is known beforehand, a lower bound where people are suppressed, the higher the more
people must leave; nodes whose bound exceeds the best loss so far go. What is evaluated next is the node that halves the rest best
whichever way it turns out; where single nodes rule out little, several are evaluated at once.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from sfumato.progress import Progress
from sfumato.search.algorithms.remaining import MOST_LEFT, Pairs, Remaining, terms_of
from sfumato.search.compiled.evaluator import Evaluator, QuickEvaluator, evaluator_of
from sfumato.search.detail import BY_LEVELS, Detail
from sfumato.search.evaluation import Evaluations, Fact, Measure
from sfumato.search.lattice import Lattice, LevelArray
from sfumato.search.least import least_detail
from sfumato.search.outcome import Found, Interrupted, NotFound, Stopped, Trace, best_of, is_interrupt
from sfumato.search.problem import Problem

if TYPE_CHECKING:
    from sfumato.search.compiled.walk import Room

_VISITS = {False: 60, True: 200}  # nodes that a search looks at, with and without suppression
_LARGE = 50_000  # nodes of a lattice in which a good node is looked for before the rest is listed
_MOST_AT_ONCE = 512
_MANY = 64  # nodes after which it is asked whether a walk is the shorter way
_MANY_WITH_OWNERS = 1_000  # nodes from which a bound on their losses pays
_QUICKER = 4  # times as quick as a look at a node is one step of a walk, at the least
_MOSTLY_DEAD = 2  # times as many nodes as are left make a walk over all of them the longer way
_LITTLE, _MUCH = 0.02, 0.1  # of the nodes that are left, ruled out by one look
# When few nodes are left, a look at one rules out two others at most, and costs besides what it takes to roll up so many classes and
# cells: two nodes that take half of it are better looked at, too.
_FEW, _LOOK = 32, 30_000


def optimal(problem: Problem, minimize: str, *, progress: Progress | None = None) -> Found | NotFound:
    """The feasible node with the least loss."""
    search = _Search(problem, minimize, progress)
    try:
        search.look_at_pairs()
        if search.detail is not None:
            search.bisect(search.detail)
        else:
            search.look_at_all()
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        raise Interrupted(search.best()) from None
    return search.best() or NotFound(search.trace())


class _Search:
    """What is known of pairs of QIDs, the nodes evaluated so far, and the least loss among the feasible ones."""

    def __init__(self, problem: Problem, minimize: str, progress: Progress | None) -> None:
        self.minimize, self.progress = minimize, progress
        self.lattice = Lattice.of(problem.counts)
        foreseen = minimize in BY_LEVELS and problem.counts.basis == "row"
        visits = min(_VISITS[problem.limit > 0], self.lattice.size) if foreseen else self.lattice.size
        self.evaluator: Evaluator = evaluator_of(problem, [minimize], visits)
        self.detail = self._foreseen(problem) if minimize in BY_LEVELS else None
        self.pairs = Pairs(self.lattice)
        self.evaluated: list[Evaluations] = []
        self.least = self._asked = np.inf

    def _foreseen(self, problem: Problem) -> Detail | None:
        """What levels tell of the loss. With owners the people of a label are not the sum over its values, so that levels tell a bound of
        it alone; where there are few nodes, it takes longer to find than to look at them."""
        if problem.counts.basis == "row":
            known = self.evaluator.batches.detail if isinstance(self.evaluator, QuickEvaluator) else None
            return known or Detail.of(problem.counts, [self.minimize])
        return least_detail(problem.counts, self.minimize, problem.limit) if self.lattice.size > _MANY_WITH_OWNERS else None

    def look_at_pairs(self) -> None:
        """Look at every QID alone, then at every pair, the others withheld: small tables that rule out most nodes."""
        places = range(len(self.lattice.shape))
        top = np.array([self.lattice.heights], np.int16)
        each = [family for q in places if len(family := self.pairs.family(q, q))]
        self.pairs.learn(self._look(self.evaluator.evaluate_above([top, *each])))
        self._tell(self.lattice.size)
        alone = [self.pairs.alone(q) for q in places]
        if all(map(len, alone)):
            self.evaluator.rise(np.array([steps[0] for steps in alone]) + np.array(self.lattice.floors))
        below = [q for q in places if len(alone[q]) > 1]  # others are withheld at every node that is left
        families = [family for p, q in combinations(below, 2) if len(family := self.pairs.family(p, q))]
        if families:
            self.pairs.learn(self._look(self.evaluator.evaluate_above(families)))

    def bisect(self, detail: Detail) -> None:
        """Until nothing is left: evaluate the nodes that rule out most, whether they are feasible or hopeless."""
        greedy = self._descended() if self.lattice.size > _LARGE else []
        levels = self.pairs.left(detail, self.minimize, self.least)
        self._tell(len(levels))  # of millions of nodes each of these steps takes some seconds
        leaving = self.pairs.least_leaving(levels)
        self._tell(len(levels))
        left = Remaining(levels, leaving, detail, self.minimize)
        for nodes in greedy:
            self._tell(len(left))
            left.learn(nodes, self.least)
        left.within(self.least)
        meet, at_once, hopeless = np.array(self.lattice.floors), 1, 0.5
        first, looked = len(left), 0
        while len(left):
            self._tell(len(left))
            if (left.meet() > meet).any():
                meet = left.meet()
                self.evaluator.rise(meet)
            before = len(left)
            if self._quicker_at_once(before):
                self._look(self.evaluator.evaluate(left.all()))
                return
            nodes = self._look(self.evaluator.evaluate(left.next(min(at_once, -(-before // 8)), hopeless)))
            left.learn(nodes, self.least)
            looked += len(nodes)
            # Many nodes have ruled out few others: so will the rest.
            if len(nodes) >= _MANY and self._walked(meet, len(left), (first - len(left)) / looked):
                return
            hopeless = float(np.mean(nodes[Fact.HOPELESS]))
            share = (before - len(left)) / before
            at_once = min(2 * at_once, _MOST_AT_ONCE) if share < _LITTLE else max(at_once // 2, 1) if share > _MUCH else at_once

    def _quicker_at_once(self, left: int) -> bool:
        """Whether to evaluate all that is left takes no longer than to look at one node after the other."""
        return left <= _FEW and self.evaluator.effort() <= _LOOK / 2

    def _descended(self) -> list[Evaluations]:
        """From the top down to a feasible node none of whose neighbors below is better: what exceeds its loss is not even listed."""
        here, looked = tuple(self.lattice.heights), []
        while below := [each for each in self.lattice.predecessors(here) if self.pairs.allows(each)]:
            self._tell(self.lattice.size)
            looked.append(self._look(self.evaluator.evaluate(np.array(below, np.int16))))
            place = best_of(looked[-1], self.minimize)
            if place is None:
                break
            here = tuple(looked[-1].levels[place].tolist())
        return looked

    def look_at_all(self) -> None:
        """Evaluate everything that is left: in one walk where most of it is, else from the top down."""
        levels = self.pairs.left(None, self.minimize, self.least)
        if not len(levels):
            return
        self.evaluator.rise(levels.min(axis=0))
        if not self._walked(levels.min(axis=0), len(levels)):
            self._descend(levels)

    def _walked(self, meet: LevelArray, left: int, ruled_out: float = 1) -> bool:
        """Evaluate everything above a node that may be within the best loss so far in one walk, if that is no longer than to look at the
        nodes that are left there, of which each look rules out so many."""
        above, evaluator = replace(self.lattice, floors=tuple(meet.tolist())), self.evaluator
        if not (isinstance(evaluator, QuickEvaluator) and evaluator.roller.compiled) or ruled_out > _QUICKER:
            return False
        from sfumato.search.compiled.walk import walked

        room = None
        if above.size * max(ruled_out, 1) > _MOSTLY_DEAD * left:
            room = self._room(above, left, ruled_out)
            if room is None:
                return False
        try:
            self._look(walked(evaluator.without_pruning(), evaluator.base, above, progress=self.progress, room=room))
        except Stopped as stopped:
            self.evaluated += [part for part in stopped.parts if isinstance(part, Evaluations)]
            raise
        return True

    def _room(self, above: Lattice, left: int, ruled_out: float) -> Room | None:
        """The bound within which a walk has to stay, if few enough nodes are within it. Asked again when half of the nodes are left."""
        if self.detail is None or not np.isfinite(self.least) or above.size > MOST_LEFT or 2 * left > self._asked:
            return None
        from sfumato.search.compiled.walk import Room

        self._asked = left
        within = len(Pairs(above).left(self.detail, self.minimize, self.least))
        if within * max(ruled_out, 1) > _QUICKER * left:
            return None
        more, most = terms_of(above, self.detail, self.minimize, self.least)
        return Room(tuple(tuple(each.tolist()) for each in more), most)

    def _descend(self, levels: LevelArray) -> None:
        """Level sum by level sum: what is hopeless hides what is below."""
        known = {tuple(levels) for nodes in self.evaluated for levels in nodes.levels.tolist()}
        waiting = levels[np.argsort(-levels.sum(axis=1), kind="stable")]
        waiting = waiting[[tuple(each) not in known for each in waiting.tolist()]]
        while len(waiting):
            self._tell(len(waiting))
            rank = int(waiting[0].sum())
            here = waiting.sum(axis=1) == rank
            nodes = self._look(self.evaluator.evaluate(waiting[here]))
            waiting = waiting[~here]
            for node in nodes.levels[np.asarray(nodes[Fact.HOPELESS], bool)]:
                waiting = waiting[~(waiting <= node).all(axis=1)]

    def _look(self, nodes: Evaluations) -> Evaluations:
        self.evaluated.append(nodes)
        feasible = nodes[Fact.FEASIBLE]
        if feasible.any():
            self.least = min(self.least, float(nodes[Measure.parse(self.minimize)][feasible].min()))
        return nodes

    def best(self) -> Found | None:
        """The best of what was evaluated so far."""
        if not self.evaluated:
            return None
        everything = Evaluations.joined(self.evaluated)
        place = best_of(everything, self.minimize)
        return None if place is None else Found.at(self.lattice.attributes, everything, place, self.trace())

    def trace(self) -> Trace:
        levels = np.concatenate([nodes.levels for nodes in self.evaluated])
        fits = self.lattice.size < np.iinfo(np.int64).max
        visited = np.unique(self.lattice.numbers(levels)) if fits else np.unique(levels, axis=0)
        return Trace("optimal", self.lattice.size, len(visited))

    def _tell(self, left: int) -> None:
        if self.progress:
            self.progress(max(self.lattice.size - left, 0), self.lattice.size)

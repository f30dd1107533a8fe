"""Evaluates nodes of a problem, each from the smallest partition below it that is still at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from operator import le
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.search.compiled.judging import BatchEvaluator
from sfumato.search.compiled.partition import Partition, Roller
from sfumato.search.evaluation import Evaluations
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Loops, Problem

# Loading the compiled loops takes as long as the plain way needs for so many classes and cells, node by node.
WORTH_LOADING = 6_000_000
_SLOWER = 8  # times as long takes the plain way where people do not add up
_PLAIN = 10  # times as long take plain arrays for a class or a cell
_CALL = 3_000  # classes and cells that take as long as to call the loops
_CLASSES_PER_BATCH = 100_000
_REMEMBERED, _HELD = 64, 8  # partitions that are kept, and how many times the base they may hold


class Evaluator(Protocol):
    """Evaluates nodes given by their levels."""

    def evaluate(self, levels: npt.NDArray[np.integer]) -> Evaluations:
        """The columns of these nodes, in order."""

    def evaluate_above(self, families: Sequence[npt.NDArray[np.integer]]) -> Evaluations:
        """Nodes in families; the first of a family lies below the others."""

    def rise(self, levels: npt.NDArray[np.integer]) -> None:
        """From now on only nodes at least as general as this one are asked for."""

    def effort(self) -> float:
        """What a node costs, in classes and cells that the compiled loops roll up."""


class QuickEvaluator:
    """Rolls partitions up and evaluates them in batches; remembers some, to start from them again. For one search in one thread.

    A search that begins with plain arrays and turns out to be long goes on with the compiled loops, from the classes at hand.
    """

    def __init__(self, problem: Problem, wanted: Sequence[str], *, compiled: bool, pruning: bool = True) -> None:
        problem = problem.narrowed_to(wanted)
        statistics = problem.statistics(problem.counts)
        self.roller, self.base = Roller.of(problem.counts, statistics, compiled=compiled, beside=problem.beside)
        self._batches = partial(BatchEvaluator, problem, base=statistics, wanted=wanted, pruning=pruning)
        self.batches = self._batches(self.roller)
        self._known: dict[tuple[int, ...], Partition] = {self.base.levels: self.base}
        self._held = 0
        self._wide_first = np.argsort(-self.roller.layout.mask.astype(np.float64), kind="stable").tolist()
        self._spent = 0

    def evaluate(self, levels: npt.NDArray[np.integer]) -> Evaluations:
        return self._in_batches(self._partitions(levels))

    def _in_batches(self, partitions: Iterator[tuple[int, Partition]]) -> Evaluations:
        """Nodes in the order of their places; no more of them are held at once than a batch needs."""
        places, parts, waiting, classes = [], [], [], 0
        for place, partition in partitions:
            places.append(place)
            waiting.append(partition)
            classes += partition.classes
            if classes > _CLASSES_PER_BATCH:
                parts.append(self.batches.evaluate(waiting))
                waiting, classes = [], 0
        if waiting:
            parts.append(self.batches.evaluate(waiting))
        found = parts[0] if len(parts) == 1 else Evaluations.joined(parts)
        return found if places == sorted(places) else found.only(np.argsort(places, kind="stable"))

    def _partitions(self, levels: npt.NDArray[np.integer]) -> Iterator[tuple[int, Partition]]:
        """The classes of some nodes, and the place of each among them."""
        if len(levels) == 1:
            yield 0, self.partition(levels[0])
        elif len(levels):
            nodes = list(enumerate(map(tuple, levels.tolist())))
            yield from self._divided(self.partition(levels.min(axis=0)), nodes)

    def _divided(self, partition: Partition, nodes: Sequence[tuple[int, tuple[int, ...]]]) -> Iterator[tuple[int, Partition]]:
        """Nodes that have levels of some QIDs in common are made from the most general node below all of them."""
        if len(nodes) == 1:
            place, levels = nodes[0]
            yield place, self._rolled(partition, levels)
            return
        columns = list(zip(*(levels for _, levels in nodes), strict=True))
        low = tuple(map(min, columns))
        partition = self._known.get(low) or self._remember(self._rolled(partition, low))
        apart = next((q for q in self._wide_first if max(columns[q]) > low[q]), None)
        if apart is None:
            yield from ((place, partition) for place, _ in nodes)
            return
        by_level: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
        for node in nodes:
            by_level.setdefault(node[1][apart], []).append(node)
        for _, some in sorted(by_level.items()):
            yield from self._divided(partition, some)

    def partition(self, levels: npt.NDArray[np.integer]) -> Partition:
        """The classes of a node."""
        target = tuple(levels.tolist())
        if target in self._known:
            return self._known[target]
        below = [known for levels, known in self._known.items() if all(map(le, levels, target))]
        return self._remember(self._rolled(min(below, key=lambda known: known.weight), target))

    def _rolled(self, partition: Partition, levels: tuple[int, ...]) -> Partition:
        """The classes of a node at least as general; counts what that costs, and loads the compiled loops when it has become much."""
        if not self.roller.compiled:
            self._spent += partition.weight
            if self._spent > WORTH_LOADING:
                self.roller = Roller(self.roller.layout, self.roller.widths, compiled=True)
                self.batches = self._batches(self.roller)
        return self.roller.roll(partition, levels)

    def evaluate_above(self, families: Sequence[npt.NDArray[np.integer]]) -> Evaluations:
        """Nodes in families; each family is rolled up from the node that is its first."""
        firsts = self._partitions(np.array([family[0] for family in families]))
        return self._in_batches(
            (place, self._rolled(first, tuple(node))) for place, first in firsts for node in families[place].tolist()
        )

    def rise(self, levels: npt.NDArray[np.integer]) -> None:
        """From now on only nodes at least as general as this one are asked for: start from there."""
        self.base = self.partition(levels)
        others = [
            known for known in self._known.values() if known is not self.base and all(map(le, self.base.levels, known.levels))
        ]
        self._known = {known.levels: known for known in (self.base, *others)}
        self._held = sum(known.weight for known in others)

    def without_pruning(self) -> BatchEvaluator:
        """What evaluates nodes after which no other is looked at: what they would rule out is left out."""
        return self._batches(self.roller, pruning=False)

    def effort(self) -> float:
        """What a node costs, in classes and cells that the compiled loops roll up; nodes that lie together share half of it."""
        return self.base.weight / 2 * (1 if self.roller.compiled else _PLAIN) + _CALL

    def _remember(self, partition: Partition) -> Partition:
        """Keep it if it may save work; the base is never forgotten, the oldest of the others first."""
        weight = partition.weight
        if weight * 8 >= self.base.weight:
            self._known[partition.levels] = partition
            self._held += weight
        while len(self._known) > _REMEMBERED or self._held > _HELD * self.base.weight:
            oldest = next(levels for levels in self._known if levels != self.base.levels)
            self._held -= self._known.pop(oldest).weight
        return partition


def evaluator_of(problem: Problem, wanted: Sequence[str], nodes: int, *, pruning: bool = True) -> Evaluator:
    """The evaluator for a problem of which about so many nodes will be looked at; what only pruning needs can be left out."""
    problem, compiled = problem.narrowed_to(wanted), compiled_for(problem, nodes)
    if problem.additive or (compiled and problem.compilable):
        return QuickEvaluator(problem, wanted, compiled=compiled, pruning=pruning)
    return PlainEvaluator(problem, wanted)


def compiled_for(problem: Problem, nodes: int) -> bool:
    """Whether the compiled loops look at about so many nodes of a problem."""
    slower = 1 if problem.additive else _SLOWER
    return problem.loops is Loops.COMPILED or slower * nodes * problem.counts.classes > WORTH_LOADING

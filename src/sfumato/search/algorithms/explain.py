"""Why no node is feasible, and what would help: for each bound alone the nearest threshold that works given the others, and the
smallest suppression that does.

The nearest threshold of a condition at a node: suppress what violates the other conditions; if that is within the limit, spend what is
left of it on the condition's own worst classes; the worst value that then remains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet, Mask
from sfumato.models import PrivacyModel
from sfumato.models.base import AT_LEAST, AT_MOST, TOLERANCE, Part
from sfumato.progress import Progress
from sfumato.search.algorithms.plain_reach import Asked, PlainReach
from sfumato.search.compiled.batch import Batch, Batches
from sfumato.search.compiled.evaluator import QuickEvaluator, compiled_for, evaluator_of
from sfumato.search.compiled.judging import BatchEvaluator
from sfumato.search.compiled.partition import Partition, Roller
from sfumato.search.compiled.walk import walked
from sfumato.search.evaluation import Evaluations, Fact, value_of
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem
from sfumato.statistics import ClassStatistics, Floats, that_works
from sfumato.vocabulary.node import Node

if TYPE_CHECKING:
    from sfumato.search.compiled.rows import RowTable

MOST_NODES = 200_000


@dataclass(frozen=True, slots=True)
class Nearest:
    """A condition, its threshold, and the nearest one that works given the others, with a node (None: the others fail by themselves).

    `alone`: the number of nodes that satisfy the condition by itself; `others`: whether the others can be had together. Where they can
    and there is no nearest threshold, the value is infinite everywhere.
    """

    model: str
    direction: str
    threshold: float
    nearest: float | None
    node: Node | None
    alone: int
    others: bool

    def rounded(self) -> float | int | None:
        """The nearest threshold with four digits, rounded to the side that works."""
        return self.nearest if self.nearest is None else that_works(self.nearest, upwards=self.direction == AT_MOST)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What would make a problem feasible. `suppression`: the fewest people to leave, with a node (None: none helps)."""

    nearest: tuple[Nearest, ...]
    suppression: tuple[int, Node] | None


def explain(problem: Problem, *, progress: Progress | None = None) -> Explanation | None:
    """The explanation of an infeasible problem; None for a lattice too large to look at every node."""
    problem = problem.narrowed_to([])
    lattice = Lattice.of(problem.counts)
    if lattice.size > MOST_NODES or not problem.models:
        return None
    if not problem.additive:
        return _plainly(problem, lattice)
    quick = QuickEvaluator(problem, [], compiled=compiled_for(problem, 2 * lattice.size))
    top = quick.partition(np.array(lattice.heights))
    reach = _ReachEvaluator(problem, quick.roller, quick.batches.base, top)
    reached = walked(reach, quick.base, lattice, progress=progress)
    conditions = [_nearest(each, reached.of(place), lattice) for place, each in enumerate(reach.conditions)]
    free = replace(problem, limit=problem.people - 1)
    suppressing = BatchEvaluator(free, quick.roller, quick.batches.base, [])
    return Explanation(tuple(conditions), _fewest(walked(suppressing, quick.base, lattice), lattice))


@dataclass(frozen=True, slots=True)
class _Condition:
    """One part of a model, or a model of the table as a whole (no part)."""

    model: str
    direction: str
    threshold: float
    strict: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """What each condition could reach at nodes, NaN where the others fail, and whether it holds by itself: [node, condition]."""

    levels: npt.NDArray[np.int16]
    value: Floats
    alone: Mask

    def __len__(self) -> int:
        return len(self.levels)

    def only(self, chosen: npt.NDArray[Any]) -> Self:
        """At some of the nodes."""
        return replace(self, levels=self.levels[chosen], value=self.value[chosen], alone=self.alone[chosen])

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Several, one after the other."""
        columns = ([getattr(part, name) for part in parts] for name in ("levels", "value", "alone"))
        return cls(*map(np.concatenate, columns))

    def of(self, place: int) -> Reach:
        """Of one condition alone."""
        return replace(self, value=self.value[:, place], alone=self.alone[:, place])


class _ReachEvaluator(Batches[Reach]):
    """Finds out, instead of how nodes are, what each condition could reach at them. `conditions`: parts first, then models of tables.

    What the conditions are is the same at every node, so one of them is asked.
    """

    def __init__(self, problem: Problem, roller: Roller, base: Mapping[str, ClassStatistics], node: Partition) -> None:
        super().__init__(problem, roller, base)
        batch = Batch.of([node], self, None)
        everybody = np.ones(len(batch.people), bool)
        of_parts, of_tables = [], []
        self.tables_asked: list[tuple[PrivacyModel, str | None]] = []
        for model, sensitive in problem.asked():
            name = str(problem.criterion(model, sensitive))
            parts = model.parts(batch.judged(sensitive))
            of_parts += [_Condition(name, part.direction, part.threshold, part.strict) for part in parts]
            if not parts:
                verdict = model.judge(batch.released(0, everybody, sensitive, 0))
                of_tables.append(_Condition(name, verdict.direction, verdict.threshold))
                self.tables_asked.append((model, sensitive))
        self.conditions = (*of_parts, *of_tables)

    def evaluate(self, partitions: Sequence[Partition], tables: Sequence[RowTable] | None = None) -> Reach:
        batch = Batch.of(partitions, self, tables)
        parts = [part for model, name in self.problem.asked() for part in model.parts(batch.judged(name))]
        values, alone = [], []
        for part in parts:
            others = _any([other.broken() for other in parts if other is not part], len(batch.people))
            leaving, within = self._leaving(batch, others)
            # Somebody must stay.
            left = np.minimum(self.problem.limit, self.problem.people - 1) - leaving
            if self.tables_asked:
                reach = np.array([self._with_tables(batch, part, others, node, int(left[node])) for node in range(batch.nodes)])
            else:
                reach = _attained(part, batch, others, left)
            values.append(np.where(within, reach, np.nan))
            alone.append(self._leaving(batch, part.broken())[1])
        if self.tables_asked:
            others = _any([part.broken() for part in parts], len(batch.people))
            values += self._of_tables(batch, ~others, *self._leaving(batch, others))
            alone += [self._holds_alone(batch, model, sensitive) for model, sensitive in self.tables_asked]
        return Reach(batch.levels, np.stack(values, axis=1), np.stack(alone, axis=1))

    def _leaving(self, batch: Batch, others: Mask) -> tuple[npt.NDArray[np.int64], Mask]:
        """How many people leave because of the other conditions, and whether that is allowed."""
        leaving = batch.sums(np.where(others, batch.people, 0))
        return leaving, (leaving <= self.problem.limit) & (leaving < self.problem.people)

    def _of_tables(self, batch: Batch, kept: Mask, leaving: npt.NDArray[np.int64], within: Mask) -> list[Floats]:
        """The values of the models of the table as a whole on what is kept; NaN where another one fails."""
        values, holds = [], []
        for model, sensitive in self.tables_asked:
            verdicts = [
                model.judge(batch.released(node, kept, sensitive, int(leaving[node]))) if within[node] else None
                for node in range(batch.nodes)
            ]
            values.append(np.array([np.nan if v is None else value_of(v) for v in verdicts], np.float64))
            holds.append(np.array([v is not None and v.satisfied is True for v in verdicts], bool))
        return [
            np.where(np.logical_and.reduce([within, *(h for other, h in enumerate(holds) if other != place)]), value, np.nan)
            for place, value in enumerate(values)
        ]

    def _holds_alone(self, batch: Batch, model: PrivacyModel, sensitive: str | None) -> Mask:
        """Where one model of the table as a whole is satisfied by everybody."""
        everybody = np.ones(len(batch.people), bool)
        verdicts = [model.judge(batch.released(node, everybody, sensitive, 0)) for node in range(batch.nodes)]
        return np.array([verdict.satisfied is True for verdict in verdicts], bool)

    def _with_tables(self, batch: Batch, part: Part, others: Mask, node: int, left: int) -> float:
        """What a part could reach at a node, when what then stays must satisfy the models of the table as a whole too: threshold by
        threshold, the strictest first; NaN if none will do."""
        here = slice(batch.starts[node], batch.starts[node + 1])
        sign = -1.0 if part.direction == AT_LEAST else 1.0
        values, free, people = part.badness()[here], ~others[here], batch.people[here]
        for threshold in np.unique(values[free]):
            stays = free & (values <= threshold)
            if int(people[free & ~stays].sum()) <= left and self._tables_hold(batch, node, here, stays):
                return float(sign * threshold)
        return float("nan")

    def _tables_hold(self, batch: Batch, node: int, here: slice, stays: Mask) -> bool:
        """Whether the models of the table as a whole are satisfied by the classes of a node that stay."""
        kept = np.zeros(len(batch.people), bool)
        kept[here] = stays
        suppressed = self.problem.people - int(batch.people[here][stays].sum())
        return all(
            model.judge(batch.released(node, kept, name, suppressed)).satisfied is True for model, name in self.tables_asked
        )


def _any(masks: Sequence[Mask], count: int) -> Mask:
    return np.logical_or.reduce(masks) if masks else np.zeros(count, bool)


def _attained(part: Part, batch: Batch, others: Mask, left: npt.NDArray[np.int64]) -> Floats:
    """The worst value that remains at each node when its worst classes leave as far as the limit allows."""
    sign = -1.0 if part.direction == AT_LEAST else 1.0
    worst = np.where(others, -np.inf, part.badness())
    order = np.lexsort((-worst, batch.spread(np.arange(batch.nodes))))
    people = np.where(others, 0, batch.people)[order]
    running = np.cumsum(people)
    before = running - people - batch.spread(np.concatenate(([0], running[batch.starts[1:-1] - 1])))
    stays = (before + people > batch.spread(left)) & ~others[order]
    return np.asarray(sign * batch.most(np.where(stays, worst[order], -np.inf)), np.float64)


def _nearest(condition: _Condition, at_nodes: Reach, lattice: Lattice) -> Nearest:
    reach, alone = at_nodes.value, int(at_nodes.alone.sum())
    others = not bool(np.isnan(reach).all())
    possible = np.flatnonzero(np.isfinite(reach))
    if not len(possible):
        return Nearest(condition.model, condition.direction, condition.threshold, None, None, alone, others)
    values = reach[possible]
    best = values.max() if condition.direction == AT_LEAST else values.min()
    at = lattice.node(at_nodes.levels[possible[values == best][0]].tolist())
    # A strict bound must lie beyond the value by more than the tolerance.
    value = int(best) if isinstance(condition.threshold, int) else float(best) + (3 * TOLERANCE if condition.strict else 0)
    return Nearest(condition.model, condition.direction, condition.threshold, value, at, alone, others)


def _fewest(nodes: Evaluations, lattice: Lattice) -> tuple[int, Node] | None:
    feasible = np.flatnonzero(nodes[Fact.FEASIBLE])
    if not len(feasible):
        return None
    place = int(feasible[nodes[Fact.VIOLATING][feasible].argmin()])
    return int(nodes[Fact.VIOLATING][place]), lattice.node(nodes.levels[place].tolist())


def _plainly(problem: Problem, lattice: Lattice) -> Explanation:
    """Without the quick way."""
    reach = PlainReach(problem)
    top = reach.counts(lattice.heights)
    conditions = [_condition(problem, reach, top, asked) for asked in reach.conditions(top)]
    values, alone = zip(*(reach.at(levels) for levels in lattice.levels().tolist()), strict=True)
    reached = Reach(lattice.levels(), np.array(values, np.float64), np.array(alone, bool))
    nearest = [_nearest(each, reached.of(place), lattice) for place, each in enumerate(conditions)]
    free = evaluator_of(replace(problem, limit=problem.people - 1), [], lattice.size).evaluate(lattice.levels())
    return Explanation(tuple(nearest), _fewest(free, lattice))


def _condition(problem: Problem, reach: PlainReach, counts: FrequencySet, asked: Asked) -> _Condition:
    name, part = str(problem.criterion(asked.model, asked.sensitive)), asked.part
    if part is not None:
        return _Condition(name, part.direction, part.threshold, part.strict)
    verdict = reach.verdict(counts, asked)
    return _Condition(name, verdict.direction, verdict.threshold)

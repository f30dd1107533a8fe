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

from sfumato.frequency import Counts, FrequencySet, Mask, added
from sfumato.models import PrivacyModel
from sfumato.models.base import AT_LEAST, AT_MOST, TOLERANCE, Part
from sfumato.progress import Progress
from sfumato.search.algorithms.plain_reach import Asked, PlainReach
from sfumato.search.compiled.batch import Batch, Batches
from sfumato.search.compiled.evaluator import QuickEvaluator, evaluator_of
from sfumato.search.compiled.judging import BatchEvaluator
from sfumato.search.compiled.partition import Partition, Roller
from sfumato.search.compiled.walk import walked
from sfumato.search.deadline import Deadline
from sfumato.search.evaluation import Evaluations, Fact, value_of
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem
from sfumato.statistics import ClassStatistics, Floats, that_works
from sfumato.vocabulary.node import Node

if TYPE_CHECKING:
    from sfumato.search.compiled.rows import RowTable

MOST_NODES = 200_000
_Pair = tuple[PrivacyModel, str | None]


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


def explain(problem: Problem, *, progress: Progress | None = None, time_limit: float | None = None) -> Explanation | None:
    """The explanation of an infeasible problem; None for a lattice too large to look at every node, or if the time is up before."""
    if time_limit is None:
        return _explained(problem, progress)
    deadline = Deadline(time_limit, progress)
    try:
        return _explained(problem, deadline)
    except KeyboardInterrupt:
        if not deadline.over:
            raise
        return None


def _explained(problem: Problem, progress: Progress | None) -> Explanation | None:
    problem = problem.narrowed_to([])
    lattice = Lattice.of(problem.counts)
    if lattice.size > MOST_NODES or not problem.models:
        return None
    quick = evaluator_of(problem, [], 2 * lattice.size, pruning=False)
    if not isinstance(quick, QuickEvaluator):
        return _plainly(problem, lattice, progress)
    top = quick.partition(np.array(lattice.heights))
    reach = _ReachEvaluator(problem, quick.roller, quick.batches.base, top)
    reached = walked(reach, quick.base, lattice, progress=progress)
    conditions = [_nearest(each, reached.of(place), lattice) for place, each in enumerate(reach.conditions)]
    free = replace(problem, limit=problem.people - 1)
    suppressing = BatchEvaluator(free, quick.roller, quick.batches.base, [], pruning=False)
    return Explanation(tuple(conditions), _fewest(walked(suppressing, quick.base, lattice, progress=progress), lattice))


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

    What the conditions are is the same at every node, so one of them is asked. `wholes`: the models that are judged on what stays,
    because that its classes satisfy their parts does not tell; `tables_asked`, those without parts, are the last of them.
    """

    def __init__(self, problem: Problem, roller: Roller, base: Mapping[str, ClassStatistics], node: Partition) -> None:
        super().__init__(problem, roller, base)
        batch = Batch.of([node], self, None)
        everybody = np.ones(len(batch.people), bool)
        of_parts, of_tables = [], []
        beyond: list[_Pair] = []
        self.tables_asked: list[_Pair] = []
        for model, sensitive in problem.asked():
            name = str(problem.criterion(model, sensitive))
            parts = model.parts(batch.judged(sensitive))
            of_parts += [_Condition(name, part.direction, part.threshold, part.strict) for part in parts]
            if not parts:
                verdict = model.judge(batch.released(0, everybody, sensitive, 0))
                of_tables.append(_Condition(name, verdict.direction, verdict.threshold))
                self.tables_asked.append((model, sensitive))
            elif model.beyond_classes:
                beyond.append((model, sensitive))
        self.conditions = (*of_parts, *of_tables)
        self.wholes = [*beyond, *self.tables_asked]

    def evaluate(self, partitions: Sequence[Partition], tables: Sequence[RowTable] | None = None) -> Reach:
        batch = Batch.of(partitions, self, tables)
        asked = [(pair, part) for pair in self.problem.asked() for part in pair[0].parts(batch.judged(pair[1]))]
        broken = [part.broken() for _, part in asked]
        values, alone = [], []
        for place, (pair, part) in enumerate(asked):
            others = _any([each for other, each in enumerate(broken) if other != place], len(batch.people))
            values.append(self._reached(batch, pair, part, others))
            alone.append(self._leaving(batch, broken[place])[1])
        if self.tables_asked:
            others = _any(broken, len(batch.people))
            values += self._of_tables(batch, ~others, *self._leaving(batch, others))
            alone += [self._holds_alone(batch, model, sensitive) for model, sensitive in self.tables_asked]
        return Reach(batch.levels, np.stack(values, axis=1), np.stack(alone, axis=1))

    def _reached(self, batch: Batch, pair: _Pair, part: Part, others: Mask) -> Floats:
        """What a part of a model could reach at each node when others leave; NaN where more do than may."""
        leaving, within = self._leaving(batch, others)
        # Where nobody may leave, no class may: not even one whose owners all stay with another.
        last = batch.last_with(np.where(others, np.inf, part.badness())) if self.problem.limit else batch.people
        # Somebody must stay.
        spend = _Spend(part.badness(), ~others, last, leaving, min(self.problem.limit, self.problem.people - 1) - leaving)
        wholes = [whole for whole in self.wholes if whole != pair]
        if wholes:
            nodes = range(batch.nodes)
            worst = np.array([self._with_wholes(batch, spend, wholes, node) if within[node] else np.nan for node in nodes])
        else:
            worst = np.where(within, spend.attained(batch), np.nan)
        return -worst if part.direction == AT_LEAST else worst

    def _leaving(self, batch: Batch, others: Mask) -> tuple[npt.NDArray[np.int64], Mask]:
        """How many people leave because of the other conditions, and whether that is allowed."""
        leaving = batch.leaving(others)
        allowed = (leaving <= self.problem.limit) & (leaving < self.problem.people) & (self.problem.limit > 0)
        return leaving, allowed | ~batch.any(others)

    def _of_tables(self, batch: Batch, kept: Mask, leaving: npt.NDArray[np.int64], within: Mask) -> list[Floats]:
        """The values of the models of the table as a whole on what is kept; NaN where another one fails."""
        values, holds = [], []
        for model, sensitive in self.wholes:
            verdicts = [
                model.judge(batch.released(node, kept, sensitive, int(leaving[node]))) if within[node] else None
                for node in range(batch.nodes)
            ]
            values.append(np.array([np.nan if v is None else value_of(v) for v in verdicts], np.float64))
            holds.append(np.array([v is not None and v.satisfied is True for v in verdicts], bool))
        return [
            np.where(np.logical_and.reduce([within, *(h for other, h in enumerate(holds) if other != place)]), value, np.nan)
            for place, value in enumerate(values)
        ][len(self.wholes) - len(self.tables_asked) :]

    def _holds_alone(self, batch: Batch, model: PrivacyModel, sensitive: str | None) -> Mask:
        """Where one model of the table as a whole is satisfied by everybody."""
        everybody = np.ones(len(batch.people), bool)
        verdicts = [model.judge(batch.released(node, everybody, sensitive, 0)) for node in range(batch.nodes)]
        return np.array([verdict.satisfied is True for verdict in verdicts], bool)

    def _with_wholes(self, batch: Batch, spend: _Spend, wholes: Sequence[_Pair], node: int) -> float:
        """How bad the worst class at a node is when what stays must satisfy models as a whole too: threshold by threshold, the strictest
        that the limit allows first; NaN if none will do."""
        here = slice(batch.starts[node], batch.starts[node + 1])
        for threshold, leaving in spend.thresholds(here, int(spend.left[node])):
            kept = np.zeros(len(batch.people), bool)
            kept[here] = spend.free[here] & (spend.worse[here] <= threshold)
            released = (
                (model, batch.released(node, kept, name, int(spend.leaving[node]) + int(leaving))) for model, name in wholes
            )
            if all(model.judge(judged).satisfied is True for model, judged in released):
                return threshold
        return float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class _Spend:
    """What is left of the limit, spent on the worst classes of a condition: how bad each class is, which are `free`, that is violate
    no other condition, how many people leave with each and no sooner, and per node how many leave because of others and may besides."""

    worse: Floats
    free: Mask
    last: Counts
    leaving: Counts
    left: Counts

    def attained(self, batch: Batch) -> Floats:
        """How bad the worst class that remains at each node is when the worst classes leave as far as the limit allows."""
        worst = np.where(self.free, self.worse, -np.inf)
        order = np.lexsort((-worst, batch.spread(np.arange(batch.nodes))))
        people = np.where(self.free, self.last, 0)[order]
        running = np.cumsum(people)
        before = running - people - batch.spread(np.concatenate(([0], running[batch.starts[1:-1] - 1])))
        stays = (before + people > batch.spread(self.left)) & self.free[order]
        return batch.most(np.where(stays, worst[order], -np.inf))

    def thresholds(self, here: slice, left: int) -> list[tuple[float, int]]:
        """Of one node, the thresholds that the limit allows, the strictest first, and how many people leave for each."""
        free = self.free[here]
        values, place = np.unique(self.worse[here][free], return_inverse=True)
        people = added(self.last[here][free], place, len(values))
        leaving = people.sum() - np.cumsum(people)
        return [(float(value), int(count)) for value, count in zip(values, leaving, strict=True) if count <= left]


def _any(masks: Sequence[Mask], count: int) -> Mask:
    return np.logical_or.reduce(masks) if masks else np.zeros(count, bool)


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


def _plainly(problem: Problem, lattice: Lattice, progress: Progress | None = None) -> Explanation:
    """Without the quick way: where something is believed about some people only, or a small search does without the compiled loops."""
    reach = PlainReach(problem)
    top = reach.counts(lattice.heights)
    conditions = [_condition(problem, reach, top, asked) for asked in reach.conditions(top)]
    at_nodes = []
    for levels in lattice.levels().tolist():
        at_nodes.append(reach.at(levels))
        if progress:
            progress(len(at_nodes), lattice.size)
    values, alone = zip(*at_nodes, strict=True)
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

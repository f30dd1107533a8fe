"""The classes of several nodes side by side, so that the same models and losses look at many nodes in a few calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, FrequencySet, Mask, Payload
from sfumato.models import Judged, LocatedMembership, Population
from sfumato.models.protected import Protected
from sfumato.search.compiled.partition import Cells, Partition, Roller
from sfumato.search.detail import Detail
from sfumato.search.evaluation import Array, ByNode
from sfumato.search.problem import Problem
from sfumato.statistics import CellsOf, ClassStatistics, Floats
from sfumato.vocabulary.group import Group
from sfumato.vocabulary.hierarchy import Codes

if TYPE_CHECKING:
    from sfumato.search.compiled.rows import Belief, Late, Quick, RowTable

T = TypeVar("T")
R = TypeVar("R", bound=ByNode)
_EXACT_SQUARES = 3_000_000_000  # people whose square fits 64 bits


class Batches(ABC, Generic[R]):
    """Evaluates partitions, several nodes at a time. Everything that is the same for all nodes is made once, here: threads only read."""

    def __init__(self, problem: Problem, roller: Roller, base: Mapping[str, ClassStatistics]) -> None:
        self.problem, self.roller, self.base = problem, roller, base
        self.beliefs = _beliefs(base, problem) if roller.compiled else []
        self.codes = {name: _codes(problem.counts.payloads[name], each) for name, each in base.items()}
        groups = {model.group for model in problem.models if isinstance(model, Protected)}
        self._members = {group: _members(problem, group) for group in groups}
        self.exact = int(problem.counts.people.sum()) < _EXACT_SQUARES

    @abstractmethod
    def evaluate(self, partitions: Sequence[Partition], tables: Sequence[RowTable] | None = None) -> R:
        """What is to be found out about some nodes; with tables, of partitions that were measured."""

    def tables(self) -> list[RowTable]:
        """Empty tables for measured classes, one per sensitive attribute; none without the compiled loops."""
        if not self.beliefs:
            return []
        from sfumato.search.compiled.rows import RowTable

        return [RowTable(belief) for belief in self.beliefs]

    def measured(self, partition: Partition, tables: Sequence[RowTable]) -> Partition:
        """A partition whose classes are measured, into empty tables."""
        cells = zip(tables, partition.payloads, strict=False)
        return replace(partition, rows=tuple(table.start(c.offsets, c.values, c.people) for table, c in cells))

    @property
    def payloads(self) -> tuple[str, ...]:
        """What the cells of a partition are about, in order: the sensitive attributes, then what models count besides."""
        return (*self.base, *(name for name in self.problem.counts.payloads if name not in self.base))

    def statistics(
        self, people: Counts, cells: Mapping[str, CellsOf], quick: Mapping[str, Quick | Late]
    ) -> dict[str, ClassStatistics]:
        """The class statistics of classes given by their cells."""
        return {name: base.with_cells(people, cells[name], quick.get(name)) for name, base in self.base.items()}

    def members(self, group: Group) -> list[tuple[int, dict[int, Mask]]]:
        """The QIDs that a group names, and the codes that may stand for its people; see `_members`."""
        return self._members[group] if group in self._members else _members(self.problem, group)

    def counted(self, cells: Mapping[str, CellsOf]) -> dict[str, Payload]:
        """The payloads of classes given by their cells, whose values are places in the domain of the statistics."""
        return {
            name: replace(
                payload,
                offsets=cells[name].offsets,
                values=self.codes[name][cells[name].values] if name in self.codes else cells[name].values,
                rows=cells[name].people,
                people=cells[name].people,
                incidence=None,
            )
            for name, payload in self.problem.counts.payloads.items()
        }


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Classes of several nodes: those of node i are starts[i]:starts[i + 1]; every node has some."""

    partitions: Sequence[Partition]
    levels: npt.NDArray[np.int16]
    starts: Counts
    people: Counts
    counts: FrequencySet
    statistics: Mapping[str, ClassStatistics]
    quick: Mapping[str, Quick | Late]
    evaluator: Batches[Any]

    @classmethod
    def of(cls, partitions: Sequence[Partition], evaluator: Batches[Any], tables: Sequence[RowTable] | None) -> Batch:
        levels = np.array([partition.levels for partition in partitions], np.int16)
        starts = np.cumsum([0, *(partition.classes for partition in partitions)])
        people = _joined([partition.people for partition in partitions])
        columns = dict(zip(evaluator.payloads, zip(*(partition.payloads for partition in partitions), strict=True), strict=True))
        cells = {name: _SideBySide(parts) for name, parts in columns.items()}
        quick = _quick(partitions, evaluator, cells, tables)
        statistics = evaluator.statistics(people, cells, quick)
        counts = replace(
            evaluator.problem.counts,
            codes=np.zeros((len(people), 0), np.int32),
            rows=people,
            people=people,
            payloads=_Later(evaluator.problem.counts.payloads, lambda: evaluator.counted(cells)),
            incidence=None,
        )
        return cls(partitions, levels, starts, people, counts, statistics, quick, evaluator)

    @property
    def nodes(self) -> int:
        return len(self.partitions)

    def judged(self, sensitive: str | None) -> Judged:
        statistics = self.statistics[sensitive] if sensitive else None
        context = self.evaluator.problem.context
        located = replace(context, members=LocatedMembership(context, self.inside), population=self._population(self.partitions))
        return Judged(self.counts, statistics, located)

    def _population(self, partitions: Sequence[Partition], kept: Mask | None = None) -> Population | None:
        """The people of a larger table in the classes of some nodes, of those that are kept."""
        beside = self.evaluator.problem.beside
        if beside is None:
            return self.evaluator.problem.context.population
        from sfumato.search.compiled import kernels

        pairs = [(each.keys, each.beside) for each in partitions if each.beside is not None]
        people = np.concatenate([kernels.matched(keys, other.keys, other.people) for keys, other in pairs])
        people = people if kept is None else people[kept]
        return Population(people, sum(int(other.people.sum()) for _, other in pairs) - int(people.sum()), beside.size)

    def inside(self, group: Group) -> Mask:
        """Which classes may hold people of a group."""
        codes, inside = self._codes(), np.ones(len(self.people), bool)
        for place, tables in self.evaluator.members(group):
            level_of = self.spread(self.levels[:, place])
            for level in np.unique(level_of):
                here = level_of == level
                inside[here] &= tables[level][codes[here, place]]
        return inside

    def _codes(self, places: npt.NDArray[np.intp] | slice = slice(None)) -> Codes:
        keys = np.concatenate([partition.keys for partition in self.partitions], axis=1)[:, places]
        return self.evaluator.roller.layout.unpack(keys)

    def spread(self, per_node: Array) -> Array:
        """A value per node for each of its classes."""
        return np.repeat(per_node, np.diff(self.starts))

    def sums(self, values: Array) -> Array:
        return np.add.reduceat(values, self.starts[:-1], dtype=np.int64 if values.dtype == bool else None)

    def most(self, values: Array) -> Array:
        return np.maximum.reduceat(values, self.starts[:-1])

    def least(self, values: Array) -> Array:
        return np.minimum.reduceat(values, self.starts[:-1])

    def any(self, marked: Mask) -> Mask:
        return np.logical_or.reduceat(marked, self.starts[:-1])

    def summed(self, values: Floats, kept: Mask) -> tuple[Floats, Floats]:
        """Over the kept classes of each node: the largest value and the sum over people."""
        return self.most(np.where(kept, values, -np.inf)), self.sums(np.where(kept, values * self.people, 0.0))

    def squares(self, kept: Mask) -> Floats:
        """The sum over kept classes of the square of their people, exact."""
        sizes = np.where(kept, self.people, 0)
        if not self.evaluator.exact:
            sizes = sizes.astype(object)
        return self.sums(sizes * sizes).astype(np.float64)

    def leaving(self, marked: Mask) -> Counts:
        """How many people leave each node with some of its classes; an owner does with the last one."""
        if self.evaluator.problem.counts.incidence is None:
            return self.sums(np.where(marked, self.people, 0))
        spans = zip(self.partitions, self.starts[:-1], self.starts[1:], strict=True)
        return np.array([each.shared[0].leaving(marked[a:b], each.people) for each, a, b in spans], np.int64)

    def last_with(self, worse: Floats) -> Counts:
        """How many people leave with each class and no sooner, when the classes of a node leave from the worst to the best; those who
        are in no other class, where rows are people."""
        if self.evaluator.problem.counts.incidence is None:
            return self.people
        spans = zip(self.partitions, self.starts[:-1], self.starts[1:], strict=True)
        return _joined([each.shared[0].last_with(worse[a:b], each.people) for each, a, b in spans])

    def covered(self, some: Mask, detail: Detail) -> Floats:
        """Per node and QID: the share of the leaves that the labels of some classes cover, summed over their people."""
        if self.evaluator.roller.compiled:
            return self._covered(some, detail)
        places = np.flatnonzero(some)
        node_of = np.repeat(np.arange(self.nodes), np.diff(self.starts))[places]
        lost = np.zeros(self.levels.shape)
        for q, codes in enumerate(self._codes(places).T):
            shares = detail.cover[detail.first[q, self.levels[node_of, q]] + codes]
            lost[:, q] = np.bincount(node_of, weights=shares * self.people[places], minlength=self.nodes)
        return lost

    def _covered(self, some: Mask, detail: Detail) -> Floats:
        from sfumato.search.compiled import kernels

        layout = self.evaluator.roller.layout
        keys = np.concatenate([partition.keys for partition in self.partitions], axis=1)
        first = detail.first[np.arange(self.levels.shape[1]), self.levels]
        return np.asarray(kernels.covered(keys, layout.place_of, some, self.people, self.starts, first, detail.cover))

    def released(self, node: int, kept: Mask, sensitive: str | None, suppressed: int) -> Judged:
        """One node as it would be released, for a model of the table as a whole."""
        evaluator, partition = self.evaluator, self.partitions[node]
        cells = dict(zip(evaluator.payloads, partition.payloads, strict=True))
        whole = replace(
            evaluator.problem.counts,
            node=replace(evaluator.problem.counts.node, levels=partition.levels),
            codes=evaluator.roller.layout.unpack(partition.keys),
            rows=partition.people,
            people=partition.people,
            payloads=evaluator.counted(cells),
            incidence=None,
        )
        here = kept[self.starts[node] : self.starts[node + 1]]
        counts = whole.keep(here)
        counts = replace(counts, total_people=evaluator.problem.people - suppressed)
        statistics = evaluator.problem.statistics(counts)[sensitive] if sensitive else None
        population = self._population([partition], here)
        return Judged(counts, statistics, replace(evaluator.problem.context, suppressed=suppressed, population=population))


def _members(problem: Problem, group: Group) -> list[tuple[int, dict[int, Mask]]]:
    """The QIDs that a group names, by their places, and at every level the codes that may stand for its people."""
    tell = problem.context.membership.labels
    return [
        (place, {level: tell(name, wanted, h.at(level)) for level in range(h.floor, h.height + 1)})
        for name, wanted in group.labels
        for place, (own, h) in enumerate(zip(problem.counts.node.attributes, problem.counts.hierarchies, strict=True))
        if own == name
    ]


def _beliefs(base: Mapping[str, ClassStatistics], problem: Problem) -> list[Belief]:
    from sfumato.search.compiled.rows import Belief

    return [Belief.of(statistics, problem.models) for statistics in base.values()]


def _quick(
    partitions: Sequence[Partition], evaluator: Batches[Any], cells: Mapping[str, CellsOf], tables: Sequence[RowTable] | None
) -> dict[str, Quick | Late]:
    """The measured classes of a batch: as they were measured on the way, or all now."""
    if not evaluator.roller.compiled:
        return {}
    from sfumato.search.compiled.rows import Late, Quick

    if tables is not None:
        rows = zip(*(partition.rows for partition in partitions), strict=True)
        return {name: Quick(t, np.concatenate(r)) for name, t, r in zip(evaluator.base, tables, rows, strict=True)}
    return {name: Late(table, cells[name]) for name, table in zip(evaluator.base, evaluator.tables(), strict=True)}


class _Later(Mapping[str, T]):
    """A mapping with these names, made when something is looked up."""

    def __init__(self, names: Iterable[str], make: Callable[[], Mapping[str, T]]) -> None:
        self._names, self._make = tuple(names), make
        self._made: Mapping[str, T] | None = None

    def __getitem__(self, name: str) -> T:
        if self._made is None:
            self._made = self._make()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _joined(arrays: Sequence[Array]) -> Array:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


class _SideBySide:
    """The cells of several nodes. Few models look at them: they are laid side by side when one does."""

    def __init__(self, parts: Sequence[Cells]) -> None:
        self._parts = parts

    @cached_property
    def offsets(self) -> Counts:
        ends = np.cumsum([0, *(len(part.values) for part in self._parts)])
        offsets = [part.offsets[:-1] + end for part, end in zip(self._parts, ends[:-1], strict=True)]
        return np.concatenate([*offsets, ends[-1:]])

    @cached_property
    def values(self) -> Codes:
        return _joined([part.values for part in self._parts])

    @cached_property
    def people(self) -> Counts:
        return _joined([part.people for part in self._parts])


def _codes(payload: Payload, statistics: ClassStatistics) -> Codes:
    """The code of every value of the domain."""
    code_of = {label: code for code, label in enumerate((*payload.hierarchy.labels[0], None))}
    return np.array([code_of[label] for label in statistics.domain.labels], np.int32)

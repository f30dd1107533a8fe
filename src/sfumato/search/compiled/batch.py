"""The classes of several nodes side by side, judged and measured at once: the same models and losses, a few calls for many nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, FrequencySet, Payload
from sfumato.losses import LOSSES
from sfumato.models import Judged, LocatedMembership
from sfumato.models.base import AT_LEAST, Part
from sfumato.search.compiled.partition import Cells, Partition, Roller
from sfumato.search.detail import BY_LEVELS, Detail
from sfumato.search.evaluation import MAX, Column, Evaluations, told_value, wanted_losses
from sfumato.search.problem import Problem
from sfumato.statistics import ClassStatistics, Floats
from sfumato.vocabulary.group import Group
from sfumato.vocabulary.hierarchy import Codes

if TYPE_CHECKING:
    from sfumato.search.compiled.rows import Belief, Late, Quick, RowTable

Mask = npt.NDArray[np.bool_]
T = TypeVar("T")
_EXACT_SQUARES = 3_000_000_000  # people whose square fits 64 bits


class BatchEvaluator:
    """Evaluates partitions; everything that is the same for all nodes is made once."""

    def __init__(
        self,
        problem: Problem,
        roller: Roller,
        base: Mapping[str, ClassStatistics],
        wanted: Sequence[str],
        *,
        pruning: bool = True,
    ) -> None:
        self.problem, self.pruning = problem, pruning
        self.roller = roller
        self.base = base
        self.losses, self.information = wanted_losses(wanted)
        self.detail = Detail.of(problem.counts, self.information) if self.information else None
        self.beliefs = _beliefs(base, problem) if roller.compiled else []
        self.codes = {name: _codes(problem.counts.payloads[name], each) for name, each in base.items()}
        self._members: dict[Group, list[tuple[int, dict[int, Mask]]]] = {}
        self.of_prior = {(name, s): LOSSES[name].of_prior(each) for name in self.losses for s, each in base.items()}

    def tables(self) -> list[RowTable]:
        """Empty tables for measured classes, one per sensitive attribute."""
        from sfumato.search.compiled.rows import RowTable

        return [RowTable(belief) for belief in self.beliefs]

    def measured(self, partition: Partition, tables: Sequence[RowTable]) -> Partition:
        """A partition whose classes are measured, into empty tables."""
        cells = zip(tables, partition.payloads, strict=False)
        return replace(partition, rows=tuple(table.start(c.offsets, c.values, c.people) for table, c in cells))

    def evaluate(self, partitions: Sequence[Partition], tables: Sequence[RowTable] | None = None) -> Evaluations:
        """The columns of some nodes; with tables, of partitions that were measured."""
        batch = Batch.of(partitions, self, tables)
        found, kept, suppressed = self._judged(batch)
        found |= self._measured(batch, kept, suppressed)
        found |= self._information(batch, kept, suppressed)
        self._judge_tables(batch, kept, found)
        return Evaluations(batch.levels, found)

    @property
    def payloads(self) -> tuple[str, ...]:
        """What the cells of a partition are about, in order: the sensitive attributes, then what models count besides."""
        return (*self.base, *(name for name in self.problem.counts.payloads if name not in self.base))

    def statistics(
        self, people: Counts, cells: Mapping[str, Cells], quick: Mapping[str, Quick | Late]
    ) -> dict[str, ClassStatistics]:
        """The class statistics of classes given by their cells."""
        return {
            name: replace(
                base,
                sizes=people,
                offsets=cells[name].offsets,
                values=cells[name].values,
                people=cells[name].people,
                quick=quick.get(name),
                _made={},
                _blocks_kept=[],
            )
            for name, base in self.base.items()
        }

    def members(self, group: Group) -> list[tuple[int, dict[int, Mask]]]:
        """The QIDs that a group names, by their places, and at every level the codes that may stand for its people."""
        counts = self.problem.counts
        if group not in self._members:
            tell = self.problem.context.membership.labels
            self._members[group] = [
                (place, {level: tell(name, wanted, h.at(level)) for level in range(h.floor, h.height + 1)})
                for name, wanted in group.labels
                for place, (own, h) in enumerate(zip(counts.node.attributes, counts.hierarchies, strict=True))
                if own == name
            ]
        return self._members[group]

    def counted(self, cells: Mapping[str, Cells]) -> dict[str, Payload]:
        """The payloads of classes given by their cells, whose values are places in the domain of the statistics."""
        return {
            name: replace(
                payload,
                offsets=cells[name].offsets,
                values=self.codes[name][cells[name].values] if name in self.codes else cells[name].values,
                rows=cells[name].people,
                people=cells[name].people,
            )
            for name, payload in self.problem.counts.payloads.items()
        }

    def _judged(self, batch: Batch) -> tuple[dict[str, Column], Mask, Counts]:
        """Who violates, who is kept, and what every model of classes says."""
        broken = np.zeros(len(batch.people), bool)
        incurable, hopeless = np.zeros(len(batch.people)), np.zeros(batch.nodes, bool)
        told: list[tuple[str, tuple[Part, ...]]] = []
        for model, sensitive in self.problem.asked():
            parts = model.parts(batch.judged(sensitive))
            told.append((self.problem.label(model, sensitive), parts))
            for part in parts:
                violated = part.broken()
                broken |= violated
                if self.pruning and self.problem.limit == 0 and self.problem.prunes(model):
                    hopeless |= batch.any(violated)
                elif self.pruning:
                    incurable = np.maximum(incurable, part.incurable(batch.people))
        violating = batch.sums(np.where(broken, batch.people, 0))
        limit = self.problem.limit
        suppressed = np.where((violating <= limit) & (violating < self.problem.people), violating, 0)
        kept = ~(broken & batch.spread(suppressed > 0))
        hopeless |= batch.sums(incurable) > limit + 1e-6 * max(1, limit)
        found: dict[str, Column] = {
            "classes": batch.sums(kept.astype(np.int64)),
            "smallest": batch.least(np.where(kept, batch.people, np.iinfo(np.int64).max)),
            "people": self.problem.people - suppressed,
            "violating": violating,
            "suppressed": suppressed,
            "feasible": violating <= suppressed,
            "incurable": batch.sums(incurable),
            "hopeless": hopeless,
        }
        for label, parts in told:
            found |= _verdicts(label, parts, batch, kept)
        return found, kept, suppressed

    def _measured(self, batch: Batch, kept: Mask, suppressed: Counts) -> dict[str, Column]:
        """Class-wise losses: worst class and mean over people, over the sensitive attributes the worst and the mean."""
        found: dict[str, Column] = {}
        known = {s: quick.totals(batch.people, kept, batch.starts) for s, quick in batch.quick.items() if self.losses}
        for name in self.losses:
            each = []
            for sensitive in self.base:
                quick = known.get(sensitive, {}).get(name)
                most, total = quick or batch.summed(LOSSES[name].of(batch.statistics[sensitive]), kept)
                mean = (total + self.of_prior[name, sensitive] * suppressed) / self.problem.people
                each.append((sensitive, most, mean))
            if len(each) == 1:
                _, found[name + MAX], found[name] = each[0]
            elif each:
                found[name + MAX] = np.max([most for _, most, _ in each], axis=0)
                found[name] = np.mean([mean for _, _, mean in each], axis=0)
            for sensitive, most, mean in each if len(each) > 1 else ():
                found |= {f"{name}{MAX}@{sensitive}": most, f"{name}@{sensitive}": mean}
        return found

    def _information(self, batch: Batch, kept: Mask, suppressed: Counts) -> dict[str, Column]:
        if self.detail is None:
            return {}
        people, gone = self.problem.people, suppressed / self.problem.people
        found: dict[str, Column] = {
            name: value if name == "loss" else value * (1 - gone) + gone
            for name, value in self.detail.at(batch.levels, [n for n in self.information if n in BY_LEVELS]).items()
        }
        if "loss" in found and suppressed.any():
            places = np.arange(batch.levels.shape[1])
            lost = batch.covered(~kept, self.detail)
            shares = self.detail.share[places, batch.levels] + (suppressed[:, None] - lost) / people
            found["loss"] = np.where(suppressed > 0, self.detail.combined(shares), found["loss"])
        if "discernibility" in self.information:
            found["discernibility"] = batch.squares(kept) + suppressed.astype(np.float64) * people
        if "class-size" in self.information:
            found["class-size"] = (people - suppressed) / batch.sums(kept.astype(np.int64))
        return found

    def _judge_tables(self, batch: Batch, kept: Mask, found: dict[str, Column]) -> None:
        """Models of the table as a whole, node by node, on what is kept."""
        for model, sensitive in self.problem.asked():
            label = self.problem.label(model, sensitive)
            if f"satisfied:{label}" in found:
                continue
            verdicts = [
                model.judge(batch.released(node, kept, sensitive, int(found["suppressed"][node]))) for node in range(batch.nodes)
            ]
            found[f"value:{label}"] = np.array([told_value(verdict) for verdict in verdicts], np.float64)
            satisfied = np.array([v.satisfied is True for v in verdicts], bool)
            found[f"satisfied:{label}"] = satisfied
            found["feasible"] = found["feasible"] & satisfied
            if self.problem.limit == 0 and self.problem.prunes(model):
                found["hopeless"] = found["hopeless"] | ~satisfied


def _verdicts(label: str, parts: Sequence[Part], batch: Batch, kept: Mask) -> dict[str, Column]:
    """What a model of classes says of each node: the first part that is violated speaks, else the first one."""
    if not parts:
        return {}
    value: Floats | None = None
    satisfied = np.ones(batch.nodes, bool)
    for part in parts:
        least = part.direction == AT_LEAST
        spoken = kept if part.inside is None else kept & part.inside
        filled = np.where(spoken, part.values, np.inf if least else -np.inf)
        worst = batch.least(filled) if least else batch.most(filled)
        holds = part.kept_by(worst)
        value = worst if value is None else np.where(satisfied & ~holds, worst, value)
        satisfied &= holds
    return {f"value:{label}": np.asarray(value, np.float64), f"satisfied:{label}": satisfied}


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
    evaluator: BatchEvaluator

    @classmethod
    def of(cls, partitions: Sequence[Partition], evaluator: BatchEvaluator, tables: Sequence[RowTable] | None) -> Batch:
        levels = np.array([partition.levels for partition in partitions], np.int16)
        starts = np.cumsum([0, *(partition.classes for partition in partitions)])
        people = _joined([partition.people for partition in partitions])
        columns = dict(zip(evaluator.payloads, zip(*(partition.payloads for partition in partitions), strict=True), strict=True))
        # Few models look at cells: they are laid side by side when one does.
        cells = _Later(columns, lambda: {name: _side_by_side(parts) for name, parts in columns.items()})
        quick = _quick(partitions, evaluator, cells, tables)
        statistics = _Later(evaluator.base, lambda: evaluator.statistics(people, cells, quick))
        counts = replace(
            evaluator.problem.counts,
            codes=np.zeros((len(people), 0), np.int32),
            rows=people,
            people=people,
            payloads=_Later(evaluator.problem.counts.payloads, lambda: evaluator.counted(cells)),
        )
        return cls(partitions, levels, starts, people, counts, statistics, quick, evaluator)

    @property
    def nodes(self) -> int:
        return len(self.partitions)

    def judged(self, sensitive: str | None) -> Judged:
        statistics = self.statistics[sensitive] if sensitive else None
        context = self.evaluator.problem.context
        return Judged(self.counts, statistics, replace(context, members=LocatedMembership(context, self.inside)))

    def inside(self, group: Group) -> Mask:
        """Which classes may hold people of a group."""
        codes, found = self._codes(), np.ones(len(self.people), bool)
        for place, tables in self.evaluator.members(group):
            level_of = self.spread(self.levels[:, place])
            for level in np.unique(level_of):
                here = level_of == level
                found[here] &= tables[level][codes[here, place]]
        return found

    def _codes(self, places: npt.NDArray[np.intp] | slice = slice(None)) -> Codes:
        keys = np.concatenate([partition.keys for partition in self.partitions], axis=1)[:, places]
        return self.evaluator.roller.layout.unpack(keys)

    def spread(self, per_node: Column) -> Column:
        """A value per node for each of its classes."""
        return np.repeat(per_node, np.diff(self.starts))

    def sums(self, values: Column) -> Column:
        return np.add.reduceat(values, self.starts[:-1])

    def most(self, values: Column) -> Column:
        return np.maximum.reduceat(values, self.starts[:-1])

    def least(self, values: Column) -> Column:
        return np.minimum.reduceat(values, self.starts[:-1])

    def any(self, marked: Mask) -> Mask:
        return np.logical_or.reduceat(marked, self.starts[:-1])

    def summed(self, values: Floats, kept: Mask) -> tuple[Floats, Floats]:
        """Over the kept classes of each node: the largest value and the sum over people."""
        return self.most(np.where(kept, values, -np.inf)), self.sums(np.where(kept, values * self.people, 0.0))

    def squares(self, kept: Mask) -> Floats:
        """The sum over kept classes of the square of their people, exact."""
        sizes = np.where(kept, self.people, 0)
        if self.evaluator.problem.people >= _EXACT_SQUARES:
            sizes = sizes.astype(object)
        return self.sums(sizes * sizes).astype(np.float64)

    def covered(self, gone: Mask, detail: Detail) -> Floats:
        """Per node and QID: the share of the leaves that the labels of gone people cover, summed over them."""
        places = np.flatnonzero(gone)
        node_of = np.repeat(np.arange(self.nodes), np.diff(self.starts))[places]
        lost = np.zeros(self.levels.shape)
        for q, codes in enumerate(self._codes(places).T):
            shares = detail.cover[detail.first[q, self.levels[node_of, q]] + codes]
            lost[:, q] = np.bincount(node_of, weights=shares * self.people[places], minlength=self.nodes)
        return lost

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
        )
        counts = whole.keep(kept[self.starts[node] : self.starts[node + 1]])
        statistics = evaluator.problem.statistics(counts)[sensitive] if sensitive else None
        return Judged(counts, statistics, replace(evaluator.problem.context, suppressed=suppressed))


def _beliefs(base: Mapping[str, ClassStatistics], problem: Problem) -> list[Belief]:
    from sfumato.search.compiled.rows import Belief

    return [Belief.of(statistics, problem.models) for statistics in base.values()]


def _quick(
    partitions: Sequence[Partition], evaluator: BatchEvaluator, cells: Mapping[str, Cells], tables: Sequence[RowTable] | None
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


def _joined(arrays: Sequence[Counts]) -> Counts:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _side_by_side(parts: Sequence[Cells]) -> Cells:
    if len(parts) == 1:
        return parts[0]
    ends = np.cumsum([0, *(len(part.values) for part in parts)])
    offsets = [part.offsets[:-1] + end for part, end in zip(parts, ends[:-1], strict=True)]
    values, people = np.concatenate([p.values for p in parts]), np.concatenate([p.people for p in parts])
    return Cells(np.concatenate([*offsets, ends[-1:]]), values, people)


def _codes(payload: Payload, statistics: ClassStatistics) -> Codes:
    """The code of every value of the domain."""
    code_of = {label: code for code, label in enumerate((*payload.hierarchy.labels[0], None))}
    return np.array([code_of[label] for label in statistics.domain.labels], np.int32)

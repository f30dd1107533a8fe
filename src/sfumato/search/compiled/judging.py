"""Nodes judged and measured in batches: the columns of the plain way, by the same models and losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.frequency import Counts, Mask
from sfumato.losses import LOSSES
from sfumato.models import PrivacyModel
from sfumato.models.base import AT_LEAST, Part
from sfumato.search.compiled.batch import Batch, Batches
from sfumato.search.compiled.partition import Partition, Roller
from sfumato.search.detail import BY_LEVELS, Detail
from sfumato.search.evaluation import Array, Criterion, Evaluations, Fact, Judgments, Measure, wanted_losses
from sfumato.search.problem import Problem
from sfumato.statistics import ClassStatistics, Floats

if TYPE_CHECKING:
    from sfumato.search.compiled.rows import RowTable


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A model with the sensitive attribute that it is asked about, and its conditions on the classes of a batch."""

    model: PrivacyModel
    sensitive: str | None
    criterion: Criterion
    parts: tuple[Part, ...]


class BatchEvaluator(Batches[Evaluations]):
    """Evaluates nodes; what only pruning needs can be left out."""

    def __init__(
        self,
        problem: Problem,
        roller: Roller,
        base: Mapping[str, ClassStatistics],
        wanted: Sequence[str],
        *,
        pruning: bool = True,
    ) -> None:
        super().__init__(problem, roller, base)
        self.pruning = pruning
        self.losses, self.information = wanted_losses(wanted, problem.counts)
        self.detail = Detail.of(problem.counts, self.information) if self.information else None
        self.criteria = [(model, name, problem.criterion(model, name)) for model, name in problem.asked()]
        self.of_prior = {(name, s): LOSSES[name].of_prior(each) for name in self.losses for s, each in base.items()}

    def evaluate(self, partitions: Sequence[Partition], tables: Sequence[RowTable] | None = None) -> Evaluations:
        """The columns of some nodes; with tables, of partitions that were measured."""
        batch = Batch.of(partitions, self, tables)
        asked = [_Asked(model, name, criterion, model.parts(batch.judged(name))) for model, name, criterion in self.criteria]
        broken, incurable, hopeless = self._violations(batch, asked)
        violating, some = batch.leaving(broken), batch.any(broken)
        # An owner whose other classes stay does not leave: classes may go without anybody leaving.
        leave = some & (violating <= self.problem.limit) & (violating < self.problem.people) & (self.problem.limit > 0)
        suppressed = np.where(leave, violating, 0)
        kept = ~(broken & batch.spread(leave)) if leave.any() else np.ones(len(broken), bool)
        feasible, verdicts = leave | ~some, {}
        for each in asked:
            by_classes = each.parts and not each.model.beyond_classes
            judgments = _of_classes(each.parts, batch, kept) if by_classes else _of_table(each, batch, kept, suppressed)
            verdicts[each.criterion] = judgments
            if not by_classes:
                feasible = feasible & judgments.satisfied
                if self.problem.limit == 0 and self.problem.prunes(each.model):
                    hopeless = hopeless | ~judgments.satisfied
        facts: dict[Fact | Measure, Array] = {
            Fact.CLASSES: batch.sums(kept),
            Fact.SMALLEST: batch.least(np.where(kept, batch.people, np.iinfo(np.int64).max)),
            Fact.PEOPLE: self.problem.people - suppressed,
            Fact.VIOLATING: violating,
            Fact.SUPPRESSED: suppressed,
            Fact.FEASIBLE: feasible,
            Fact.INCURABLE: incurable,
            Fact.HOPELESS: hopeless,
        }
        people = _held(batch, kept) + suppressed
        measures = self._measured(batch, kept, suppressed, people) | self._information(batch, kept, suppressed, people)
        return Evaluations(batch.levels, facts | measures, verdicts)

    def _violations(self, batch: Batch, asked: Sequence[_Asked]) -> tuple[Mask, Floats, Mask]:
        """Which classes violate a model; per node how many people do at every node below, and whether none below is feasible."""
        broken, limit = np.zeros(len(batch.people), bool), self.problem.limit
        overlapping = self.problem.counts.basis == "owner"
        incurable, hopeless = np.zeros(len(batch.people)), np.zeros(batch.nodes, bool)
        for each in asked:
            for part in each.parts:
                violated = part.broken()
                broken |= violated
                if self.pruning and limit == 0 and self.problem.prunes(each.model):
                    hopeless |= batch.any(violated)
                elif self.pruning:
                    incurable = np.maximum(incurable, part.incurable(batch.people, overlapping=overlapping))
        by_node = batch.leaving(incurable > 0).astype(np.float64) if overlapping else batch.sums(incurable)
        return broken, by_node, hopeless | (by_node > limit + 1e-6 * max(1, limit))

    def _measured(self, batch: Batch, kept: Mask, suppressed: Counts, people: Counts) -> dict[Fact | Measure, Array]:
        """Class-wise losses: worst class and mean over people, over the sensitive attributes the worst and the mean."""
        measures: dict[Fact | Measure, Array] = {}
        known = {s: quick.totals(batch.people, kept, batch.starts) for s, quick in batch.quick.items() if self.losses}
        for name in self.losses:
            mean_of, worst, each = Measure(name), Measure(name, worst=True), []
            for sensitive in self.base:
                quick = known.get(sensitive, {}).get(name)
                most, total = quick or batch.summed(LOSSES[name].of(batch.statistics[sensitive]), kept)
                mean = (total + self.of_prior[name, sensitive] * suppressed) / people
                each.append((sensitive, most, mean))
            if len(each) == 1:
                _, measures[worst], measures[mean_of] = each[0]
            elif each:
                measures[worst] = np.max([most for _, most, _ in each], axis=0)
                measures[mean_of] = np.mean([mean for _, _, mean in each], axis=0)
            for sensitive, most, mean in each if len(each) > 1 else ():
                measures |= {worst.of(sensitive): most, mean_of.of(sensitive): mean}
        return measures

    def _information(self, batch: Batch, kept: Mask, suppressed: Counts, people: Counts) -> dict[Fact | Measure, Array]:
        if self.detail is None:
            return {}
        share = suppressed / people
        losses = {
            name: value if name == "loss" else value * (1 - share) + share
            for name, value in self.detail.at(batch.levels, [n for n in self.information if n in BY_LEVELS]).items()
        }
        if "loss" in losses and self.problem.counts.basis == "owner":
            # The people of a label are not the sum over its values, so levels alone do not tell the loss.
            lost = batch.covered(kept, self.detail) + suppressed[:, None]
            losses["loss"] = self.detail.combined(lost / people[:, None])
        elif "loss" in losses and suppressed.any():
            places = np.arange(batch.levels.shape[1])
            lost = batch.covered(~kept, self.detail)
            shares = self.detail.share[places, batch.levels] + (suppressed[:, None] - lost) / people[:, None]
            losses["loss"] = np.where(suppressed > 0, self.detail.combined(shares), losses["loss"])
        if "discernibility" in self.information:
            losses["discernibility"] = batch.squares(kept) + suppressed.astype(np.float64) * people
        if "class-size" in self.information:
            losses["class-size"] = (people - suppressed) / batch.sums(kept)
        return {Measure(name): column for name, column in losses.items()}


def _held(batch: Batch, kept: Mask) -> Counts:
    """The people of the kept classes of each node, an owner once for each of their classes."""
    return np.asarray(batch.sums(np.where(kept, batch.people, 0)))


def _of_table(asked: _Asked, batch: Batch, kept: Mask, suppressed: Counts) -> Judgments:
    """What a model of the table as a whole says of each node, on what is kept."""
    released = (batch.released(node, kept, asked.sensitive, int(suppressed[node])) for node in range(batch.nodes))
    return Judgments.of([asked.model.judge(judged) for judged in released])


def _of_classes(parts: Sequence[Part], batch: Batch, kept: Mask) -> Judgments:
    """What a model of classes says of each node: the first part that is violated speaks, else the first one."""
    value: Floats | None = None
    satisfied = np.ones(batch.nodes, bool)
    for part in parts:
        least = part.direction == AT_LEAST
        spoken = kept if part.inside is None else kept & part.inside
        filled = np.where(spoken, part.values, np.inf if least else -np.inf)
        worst = batch.least(filled) if least else batch.most(filled)
        holds = part.satisfied_by(worst)
        value = worst if value is None else np.where(satisfied & ~holds, worst, value)
        satisfied &= holds
    return Judgments(np.asarray(value, np.float64), satisfied)

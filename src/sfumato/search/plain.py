"""One node after the other, by rolling the frequency set up and asking models and losses as `check` and `measure` do.

The reference for the quick way, and the way itself where every class has a prior of its own (beliefs about some people), and without the
compiled loops where people do not add up (owners) or another table is counted beside (population).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet, Mask
from sfumato.losses import LOSSES, summarize
from sfumato.losses.information import INFORMATION, Recoded
from sfumato.models import Judged, Verdict
from sfumato.search.evaluation import Array, Criterion, Evaluations, Fact, Judgments, Measure, wanted_losses
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem
from sfumato.statistics import ClassStatistics

Number = float | int | bool


@dataclass(frozen=True, slots=True)
class _Node:
    """Everything about one node: its facts and measures, and what every model says."""

    columns: Mapping[Fact | Measure, Number]
    verdicts: Mapping[Criterion, Verdict]


class PlainEvaluator:
    """Evaluates nodes by the plain definitions."""

    def __init__(self, problem: Problem, wanted: Sequence[str]) -> None:
        self.problem = problem.narrowed_to(wanted)
        self.lattice = Lattice.of(problem.counts)
        self.losses, self.information = wanted_losses(wanted, problem.counts)

    def evaluate(self, levels: npt.NDArray[np.integer]) -> Evaluations:
        """The columns of some nodes."""
        rows = [self._node(row) for row in levels]
        columns: dict[Fact | Measure, Array] = {key: np.array([row.columns[key] for row in rows]) for key in rows[0].columns}
        verdicts = {key: Judgments.of([row.verdicts[key] for row in rows]) for key in rows[0].verdicts}
        return Evaluations(np.asarray(levels, np.int16), columns, verdicts)

    def evaluate_above(self, families: Sequence[npt.NDArray[np.integer]]) -> Evaluations:
        """Nodes in families."""
        return self.evaluate(np.concatenate(families))

    def rise(self, levels: npt.NDArray[np.integer]) -> None:
        """Every node is rolled up from the count."""

    def effort(self) -> float:
        """Much: nodes are never looked at together to save what a look takes besides."""
        return inf

    def _node(self, levels: npt.NDArray[np.integer]) -> _Node:
        problem, counts = self.problem, self.problem.counts.roll_up(self.lattice.node(levels.tolist()))
        broken, incurable, hopeless = self._violations(counts)
        unbroken = counts.keep(~broken) if broken.any() else counts
        violating = counts.total_people - unbroken.total_people
        # An owner whose other classes stay does not leave: classes may go without anybody leaving.
        leave = bool(broken.any()) and 0 < problem.limit >= violating and violating < problem.people
        suppressed = violating if leave else 0
        kept = unbroken if leave else counts
        statistics = problem.statistics(kept)
        verdicts = self._verdicts(kept, statistics, suppressed)
        failed = [model for model, name in problem.asked() if verdicts[problem.criterion(model, name)].satisfied is not True]
        facts: dict[Fact | Measure, Number] = {
            Fact.CLASSES: kept.classes,
            Fact.SMALLEST: int(kept.people.min()),
            Fact.PEOPLE: problem.people - suppressed,
            Fact.VIOLATING: violating,
            Fact.SUPPRESSED: suppressed,
            Fact.FEASIBLE: (leave or not broken.any()) and not failed,
            Fact.INCURABLE: incurable,
            Fact.HOPELESS: hopeless or (problem.limit == 0 and any(map(problem.prunes, failed))),
        }
        recoded = Recoded(kept, problem.counts, suppressed) if self.information else None
        information: dict[Fact | Measure, Number] = {
            Measure(name): INFORMATION[name](recoded) for name in self.information if recoded
        }
        return _Node(facts | self._measures(kept, statistics, suppressed) | information, verdicts)

    def _violations(self, counts: FrequencySet) -> tuple[Mask, float, bool]:
        """Which classes violate a model, how many people do at every node below, and whether that means that none is feasible."""
        problem, statistics = self.problem, self.problem.statistics(counts)
        broken, doomed, hopeless = np.zeros(counts.classes, bool), np.zeros(counts.classes), False
        context = problem.context_of(counts)
        for model, sensitive in problem.asked():
            for part in model.parts(Judged(counts, statistics.get(sensitive or ""), context)):
                violated = part.broken()
                broken |= violated
                if problem.limit == 0 and problem.prunes(model):
                    hopeless |= bool(violated.any())
                else:
                    doomed = np.maximum(doomed, part.incurable(counts.people, overlapping=problem.counts.basis == "owner"))
        incurable = self._doomed(counts, doomed)
        return broken, incurable, hopeless or incurable > problem.limit + 1e-6 * max(1, problem.limit)

    def _doomed(self, counts: FrequencySet, doomed: npt.NDArray[np.float64]) -> float:
        """How many people leave at every node below; an owner leaves only with the last of their classes."""
        if self.problem.counts.basis == "row":
            return float(doomed.sum())
        if not doomed.any():
            return 0.0
        return counts.total_people - counts.keep(doomed == 0).total_people

    def leaving(self, levels: Sequence[int]) -> list[int]:
        """The numbers of the classes that leave at a node."""
        counts = self.problem.counts.roll_up(self.lattice.node(levels))
        broken, _, _ = self._violations(counts)
        return [int(place) + 1 for place in np.flatnonzero(broken)]

    def _verdicts(
        self, kept: FrequencySet, statistics: Mapping[str, ClassStatistics], suppressed: int
    ) -> dict[Criterion, Verdict]:
        """What every model says of what is kept."""
        context = self.problem.context_of(kept, suppressed)
        return {
            self.problem.criterion(model, sensitive): model.judge(Judged(kept, statistics.get(sensitive or ""), context))
            for model, sensitive in self.problem.asked()
        }

    def _measures(
        self, kept: FrequencySet, statistics: Mapping[str, ClassStatistics], suppressed: int
    ) -> dict[Fact | Measure, Number]:
        """Class-wise losses: over the sensitive attributes the worst, and the mean."""
        measures: dict[Fact | Measure, Number] = {}
        for name in self.losses:
            loss, mean, worst = LOSSES[name], Measure(name), Measure(name, worst=True)
            each = {
                s: summarize(loss.of(of), kept.people, suppressed=suppressed, of_prior=loss.of_prior(of))
                for s, of in statistics.items()
            }
            if each:
                measures[worst] = max(summary.max for summary in each.values())
                measures[mean] = float(np.mean([summary.people_mean for summary in each.values()]))
            for s, summary in each.items() if len(each) > 1 else ():
                measures |= {worst.of(s): summary.max, mean.of(s): summary.people_mean}
        return measures

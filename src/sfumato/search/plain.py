"""One node after the other, by rolling the frequency set up and asking models and losses as `check` and `measure` do.

The reference for the quick way, and the way itself where people do not add up (owners), where every class has a prior of its own
(stated beliefs), or where another table is counted beside (population).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet
from sfumato.losses import LOSSES, summarize
from sfumato.losses.information import INFORMATION, Recoded
from sfumato.models import Judged, Verdict
from sfumato.models.base import worst_class
from sfumato.search.evaluation import MAX, Column, Evaluations, told_value, wanted_losses
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem
from sfumato.statistics import ClassStatistics

Mask = npt.NDArray[np.bool_]


class PlainEvaluator:
    """Evaluates nodes by the plain definitions."""

    def __init__(self, problem: Problem, wanted: Sequence[str]) -> None:
        self.problem = problem
        self.lattice = Lattice.of(problem.counts)
        self.losses, self.information = wanted_losses(wanted)

    def evaluate(self, levels: npt.NDArray[np.integer]) -> Evaluations:
        """The columns of some nodes."""
        rows = [self._node(row) for row in levels]
        columns: dict[str, Column] = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        return Evaluations(np.asarray(levels, np.int16), columns)

    def evaluate_above(self, families: Sequence[npt.NDArray[np.integer]]) -> Evaluations:
        """Nodes in families."""
        return self.evaluate(np.concatenate(families))

    def rise(self, levels: npt.NDArray[np.integer]) -> None:
        """Every node is rolled up from the count."""

    def _node(self, levels: npt.NDArray[np.integer]) -> dict[str, float | int | bool]:
        problem, counts = self.problem, self.problem.counts.roll_up(self.lattice.node(levels.tolist()))
        broken, incurable, hopeless = self._violations(counts)
        violating = counts.total_people - counts.keep(~broken).total_people
        # An owner whose other classes stay does not leave: classes may go without anybody leaving.
        leave = bool(broken.any()) and 0 < problem.limit >= violating and violating < problem.people
        suppressed = violating if leave else 0
        feasible = leave or not broken.any()
        kept = counts.keep(~broken) if leave else counts
        found: dict[str, float | int | bool] = {
            "classes": kept.classes,
            "smallest": int(kept.people.min()),
            "people": problem.people - suppressed,
            "violating": violating,
            "suppressed": suppressed,
            "feasible": feasible,
            "incurable": incurable,
            "hopeless": hopeless,
        }
        statistics = problem.statistics(kept)
        self._judge(kept, statistics, suppressed, found)
        self._measure(kept, statistics, suppressed, found)
        recoded = Recoded(kept, problem.counts, suppressed) if self.information else None
        return found | {name: INFORMATION[name](recoded) for name in self.information if recoded}

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
                elif problem.counts.basis == "row" or part.hereditary:
                    doomed = np.maximum(doomed, part.incurable(counts.people))
        incurable = self._doomed(counts, doomed)
        return broken, incurable, hopeless or incurable > problem.limit + 1e-6 * max(1, problem.limit)

    def _doomed(self, counts: FrequencySet, doomed: npt.NDArray[np.float64]) -> float:
        """How many people leave at every node below; an owner leaves only with the last of their classes."""
        if self.problem.counts.basis == "row":
            return float(doomed.sum())
        return counts.total_people - counts.keep(doomed == 0).total_people

    def leaving(self, levels: Sequence[int]) -> list[int]:
        """The numbers of the classes that leave at a node."""
        counts = self.problem.counts.roll_up(self.lattice.node(levels))
        broken, _, _ = self._violations(counts)
        return [int(place) + 1 for place in np.flatnonzero(broken)]

    def conditions(self, levels: Sequence[int]) -> list[Verdict]:
        """What every condition says of a node by itself: each part of a model, or the model of the table as a whole."""
        counts = self.problem.counts.roll_up(self.lattice.node(levels))
        statistics, context, found = self.problem.statistics(counts), self.problem.context_of(counts), []
        for model, sensitive in self.problem.asked():
            judged, label = Judged(counts, statistics.get(sensitive or ""), context), self.problem.label(model, sensitive)
            own = [worst_class(model, judged, part) for part in model.parts(judged)] or [model.judge(judged)]
            found += [replace(verdict, model=label) for verdict in own]
        return found

    def _judge(
        self, kept: FrequencySet, statistics: dict[str, ClassStatistics], suppressed: int, found: dict[str, float | int | bool]
    ) -> None:
        """Every verdict on what is kept."""
        context = self.problem.context_of(kept, suppressed)
        for model, sensitive in self.problem.asked():
            judged = Judged(kept, statistics.get(sensitive or ""), context)
            verdict, label = model.judge(judged), self.problem.label(model, sensitive)
            found[f"value:{label}"] = told_value(verdict)
            found[f"satisfied:{label}"] = verdict.satisfied is True
            found["feasible"] = bool(found["feasible"]) and verdict.satisfied is True
            if self.problem.limit == 0 and self.problem.prunes(model):
                found["hopeless"] = bool(found["hopeless"]) or verdict.satisfied is not True

    def _measure(
        self, kept: FrequencySet, statistics: dict[str, ClassStatistics], suppressed: int, found: dict[str, float | int | bool]
    ) -> None:
        """Class-wise losses: over the sensitive attributes the worst, and the mean."""
        for name in self.losses:
            loss = LOSSES[name]
            each = {
                s: summarize(loss.of(of), kept.people, suppressed=suppressed, of_prior=loss.of_prior(of))
                for s, of in statistics.items()
            }
            if each:
                found[name + MAX] = max(summary.max for summary in each.values())
                found[name] = float(np.mean([summary.people_mean for summary in each.values()]))
            for s, summary in each.items() if len(each) > 1 else ():
                found |= {f"{name}{MAX}@{s}": summary.max, f"{name}@{s}": summary.people_mean}

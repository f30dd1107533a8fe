"""What each condition could reach at a node, worked out class by class: where something is believed about some people only, and what the
quick way is tested against for owners and populations.

Suppress what violates the other conditions; if that is within the limit, spend what is left of it on the condition's own worst classes.
An owner leaves with the last of their classes, so who leaves is counted anew for every threshold. More people leave for a stricter one:
the strictest that the limit allows is bisected, and the first from there on under which all other models hold is the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.frequency import FrequencySet, Mask
from sfumato.models import Judged, PrivacyModel, Verdict
from sfumato.models.base import AT_LEAST, Part
from sfumato.search.evaluation import value_of
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A model with the attribute that it is asked about, and the number of one of its conditions on classes; None: the whole table."""

    model: PrivacyModel
    sensitive: str | None
    number: int | None = None
    part: Part | None = None


class PlainReach:
    """Nodes of a problem, one after the other."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.lattice = Lattice.of(problem.counts)

    def counts(self, levels: Sequence[int]) -> FrequencySet:
        """The classes of a node."""
        return self.problem.counts.roll_up(self.lattice.node(levels))

    def conditions(self, counts: FrequencySet) -> list[Asked]:
        """The conditions of all models, those on classes first."""
        of_parts, of_tables = [], []
        for (model, sensitive), judged in self._judged(counts):
            parts = model.parts(judged)
            of_parts += [Asked(model, sensitive, number, part) for number, part in enumerate(parts)]
            of_tables += [] if parts else [Asked(model, sensitive)]
        return [*of_parts, *of_tables]

    def verdict(self, counts: FrequencySet, asked: Asked, suppressed: int = 0) -> Verdict:
        """What a model says of classes."""
        return next(
            model.judge(judged)
            for (model, sensitive), judged in self._judged(counts, suppressed)
            if model is asked.model and sensitive == asked.sensitive
        )

    def at(self, levels: Sequence[int]) -> tuple[list[float], list[bool]]:
        """Per condition what it could reach at a node, NaN where the others fail, and whether it holds by itself."""
        counts = self.counts(levels)
        conditions = self.conditions(counts)
        parts = [asked.part for asked in conditions if asked.part is not None]
        values, alone = [], []
        for asked in conditions:
            others = _any([part.broken() for part in parts if part is not asked.part], counts.classes)
            if asked.part is None:
                values.append(self._of_table(counts, asked, others))
                alone.append(self.verdict(counts, asked).satisfied is True)
            else:
                values.append(self._attained(counts, asked, asked.part, others))
                alone.append(self._without(counts, asked.part.broken()) is not None)
        return values, alone

    def _without(self, counts: FrequencySet, leaving: Mask) -> FrequencySet | None:
        """The classes that stay; None if more people leave than may, or all."""
        if not leaving.any():
            return counts
        if self.problem.limit == 0 or leaving.all():
            return None
        kept = counts.keep(~leaving)
        return kept if counts.total_people - kept.total_people <= self.problem.limit else None

    def _of_table(self, counts: FrequencySet, asked: Asked, others: Mask) -> float:
        kept = self._without(counts, others)
        if kept is None or not self._others_hold(kept, asked, counts.total_people - kept.total_people):
            return float("nan")
        return value_of(self.verdict(kept, asked, counts.total_people - kept.total_people))

    def _attained(self, counts: FrequencySet, asked: Asked, part: Part, others: Mask) -> float:
        badness = part.badness()
        thresholds = np.unique(badness[~others])
        low, high = 0, len(thresholds)
        while low < high:
            middle = (low + high) // 2
            allowed = self._without(counts, others | (badness > thresholds[middle])) is not None
            low, high = (low, middle) if allowed else (middle + 1, high)
        for threshold in thresholds[low:]:
            kept = self._without(counts, others | (badness > threshold))
            if kept is not None and self._others_hold(kept, asked, counts.total_people - kept.total_people):
                return float(-threshold if part.direction == AT_LEAST else threshold)
        return float("nan")

    def _others_hold(self, kept: FrequencySet, asked: Asked, suppressed: int) -> bool:
        """Whether all conditions but one hold on what is kept."""
        for (model, sensitive), judged in self._judged(kept, suppressed):
            if model is not asked.model or sensitive != asked.sensitive:
                holds = model.judge(judged).satisfied is True
            else:
                holds = not any(part.broken().any() for n, part in enumerate(model.parts(judged)) if n != asked.number)
            if not holds:
                return False
        return True

    def _judged(self, counts: FrequencySet, suppressed: int = 0) -> list[tuple[tuple[PrivacyModel, str | None], Judged]]:
        """Every model with the attribute that it is asked about, and what it judges."""
        statistics, context = self.problem.statistics(counts), self.problem.context_of(counts, suppressed)
        return [((model, name), Judged(counts, statistics.get(name or ""), context)) for model, name in self.problem.asked()]


def _any(masks: Sequence[Mask], count: int) -> Mask:
    return np.logical_or.reduce(masks) if masks else np.zeros(count, bool)

"""A release beside its prior: what the models say of it, and what it loses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sfumato.beliefs import statistics_of
from sfumato.frequency import FrequencySet
from sfumato.losses import LOSSES, Summary, summarize
from sfumato.models import Context, Judged, PrivacyModel, Verdict
from sfumato.question.priors import Priors
from sfumato.results import Rows
from sfumato.statistics import ClassStatistics
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Assessed:
    """The kept classes of a release, the statistics of each sensitive attribute, and what models know besides."""

    counts: FrequencySet
    statistics: Mapping[str, ClassStatistics]
    context: Context

    @classmethod
    def of(cls, counts: FrequencySet, schema: Schema, priors: Priors, context: Context) -> Assessed:
        """A release with its priors."""
        statistics = {
            name: statistics_of(counts, schema[name], prior, priors.statements.get(name, ()))
            for name, prior in priors.of.items()
            if name in counts.payloads
        }
        return cls(counts, statistics, context)

    def verdicts(self, models: Sequence[PrivacyModel]) -> list[Verdict]:
        """The verdict of every model; one that judges sensitive values is asked about each sensitive attribute."""
        verdicts = []
        for model in models:
            attributes: Sequence[str | None] = list(self.statistics) if model.needs_sensitive and self.statistics else [None]
            for attribute in attributes:
                statistics = self.statistics[attribute] if attribute else None
                verdicts.append(_applicable(model.judge(Judged(self.counts, statistics, self.context))))
        return verdicts

    def losses(self, attribute: str) -> dict[str, Summary]:
        """Every class-wise loss over the table."""
        return losses_of(self.counts, self.statistics[attribute], self.context.suppressed)

    def per_class(self, attribute: str) -> Rows:
        """One row per class: number, people, every loss."""
        columns = [loss.of(self.statistics[attribute]).tolist() for loss in LOSSES.values()]
        rows = zip(range(1, self.counts.classes + 1), self.counts.people.tolist(), *columns, strict=True)
        return Rows(("class", "people", *LOSSES), tuple(rows))


def losses_of(counts: FrequencySet, statistics: ClassStatistics, suppressed: int) -> dict[str, Summary]:
    """Every class-wise loss of some classes, summed up; suppressed people are charged the loss of the prior."""
    return {
        name: summarize(loss.of(statistics), counts.people, suppressed=suppressed, of_prior=loss.of_prior(statistics))
        for name, loss in LOSSES.items()
    }


def _applicable(verdict: Verdict) -> Verdict:
    """What is satisfied because there is nobody to judge is not applicable: a misspelt group must not look protected."""
    return replace(verdict, satisfied=None) if verdict.satisfied and verdict.value is None else verdict

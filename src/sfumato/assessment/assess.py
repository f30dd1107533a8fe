"""What `measure` and `check` share: a release seen with its prior, and the models and losses applied to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sfumato.beliefs import statistics_of
from sfumato.frequency import FrequencySet
from sfumato.losses import LOSSES, Summary, summarize
from sfumato.models import Context, Judged, PrivacyModel, Verdict
from sfumato.question.priors import Priors
from sfumato.statistics import ClassStatistics
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """The kept classes of a release, the statistics of each sensitive attribute, and how many people were suppressed."""

    counts: FrequencySet
    statistics: Mapping[str, ClassStatistics]
    suppressed: int = 0


def seen(counts: FrequencySet, schema: Schema, priors: Priors, suppressed: int = 0) -> Seen:
    """A release with its priors."""
    statistics = {
        name: statistics_of(counts, schema[name], prior, priors.statements.get(name, ()))
        for name, prior in priors.of.items()
        if name in counts.payloads
    }
    return Seen(counts, statistics, suppressed)


def judge(release: Seen, models: Sequence[PrivacyModel], context: Context | None = None) -> list[Verdict]:
    """The verdict of every model; one that speaks of sensitive values is asked about each sensitive attribute."""
    known = replace(context or Context(), suppressed=release.suppressed)
    verdicts = []
    for model in models:
        attributes: Sequence[str | None] = list(release.statistics) if model.needs_sensitive and release.statistics else [None]
        for attribute in attributes:
            statistics = release.statistics[attribute] if attribute else None
            verdicts.append(_telling(model.judge(Judged(release.counts, statistics, known))))
    return verdicts


def _telling(verdict: Verdict) -> Verdict:
    """What is satisfied because there is nobody to judge is not applicable: a misspelt group must not look protected."""
    return replace(verdict, satisfied=None) if verdict.satisfied and verdict.value is None else verdict


def losses(release: Seen, attribute: str) -> dict[str, Summary]:
    """Every class-wise loss over the table."""
    statistics = release.statistics[attribute]
    return {
        name: summarize(
            loss.of(statistics), release.counts.people, suppressed=release.suppressed, of_prior=loss.of_prior(statistics)
        )
        for name, loss in LOSSES.items()
    }

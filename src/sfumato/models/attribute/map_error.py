"""A bound on the error of the best guesser."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.losses import loss_named, summarize
from sfumato.models.base import AT_LEAST, NO_PEOPLE, Judged, Part, PrivacyModel, Verdict, not_applicable, statistics_of, within
from sfumato.models.bounds.loss_bounds import CLASS, TOTAL
from sfumato.models.curable import within_caps
from sfumato.models.parameter import choice, share
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class MapError(PrivacyModel):
    """The best guess of a person's value is wrong at least as often as this, in every class or on average (channel paper, 4.1).

    Blind to: how well one guesses without the release, and values that are close in meaning.
    Monotone: the error of merged classes is at least the mean of theirs, because it is concave.
    Example: a class with counts (3, 1, 0): value 1/4.
    """

    name: ClassVar[str] = "map-error"
    stops: ClassVar[str] = "A"
    monotone: ClassVar[bool] = True
    compared: ClassVar[str | None] = "least"

    least: float = field(metadata=share(example=0.4))
    scope: str = field(default=CLASS, metadata=choice(CLASS, TOTAL))

    @property
    def classwise(self) -> bool:
        return self.scope == CLASS

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        if self.scope == TOTAL:
            return ()
        statistics = statistics_of(judged)
        curable = within_caps(statistics, np.full(statistics.domain.size, 1 - self.least))
        return (Part(loss_named(self.name).of(statistics), self.least, AT_LEAST, curable=curable),)

    def judge(self, judged: Judged) -> Verdict:
        """The worst class, or the mean over people, where suppressed people count with the error of the prior."""
        if self.scope == CLASS:
            return PrivacyModel.judge(self, judged)
        statistics = statistics_of(judged)
        if not statistics.classes:
            return not_applicable(self, self.least, AT_LEAST, NO_PEOPLE)
        loss, suppressed = loss_named(self.name), judged.context.suppressed
        of_prior = loss.of_prior(statistics)
        value = summarize(loss.of(statistics), judged.counts.people, suppressed=suppressed, of_prior=of_prior).people_mean
        satisfied = within(value, self.least, AT_LEAST)
        return Verdict(str(self), value, AT_LEAST, self.least, satisfied, sensitive=statistics.domain.attribute)

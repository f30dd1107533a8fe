"""A bound on one loss: in every class, or in the mean over people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.losses import loss_named, summarize
from sfumato.models.base import (
    AT_MOST,
    NO_PEOPLE,
    Judged,
    Part,
    PrivacyModel,
    Verdict,
    at_most,
    not_applicable,
    statistics_of,
    within,
)
from sfumato.models.curable import Curable
from sfumato.models.parameter import choice, number
from sfumato.statistics import ClassStatistics

CLASS, TOTAL = "class", "total"


@dataclass(frozen=True, slots=True)
class LossBound(PrivacyModel):
    """One loss is within a bound in every class or, with the scope `total`, in the mean over people.

    Monotone where the loss is. The mean of a loss that is not monotone is not monotone either.
    """

    loss: ClassVar[str]
    stops: ClassVar[str] = "A,P"
    monotone: ClassVar[bool] = False
    compared: ClassVar[str | None] = "bound"

    bound: float = field(metadata=number(at_least=0))
    scope: str = field(default=CLASS, metadata=choice(CLASS, TOTAL))

    @property
    def bounds(self) -> tuple[LossBound, ...]:
        """The bounds on single losses: itself."""
        return (self,)

    @property
    def classwise(self) -> bool:
        return self.scope == CLASS

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        if self.scope == TOTAL:
            return ()
        statistics = statistics_of(judged)
        values = loss_named(self.loss).of(statistics)
        return (at_most(values, self.bound, self.curable(statistics)),)

    def curable(self, statistics: ClassStatistics) -> Curable | None:
        """Who can be cured by splitting a class; None if nothing is known."""
        return None

    def judge(self, judged: Judged) -> Verdict:
        """The worst class, or the mean over people, where suppressed people count with the loss of the prior."""
        statistics = statistics_of(judged)
        if self.scope == CLASS:
            return PrivacyModel.judge(self, judged)
        if not statistics.classes:
            return not_applicable(self, self.bound, AT_MOST, NO_PEOPLE)
        loss, suppressed = loss_named(self.loss), judged.context.suppressed
        of_prior = loss.of_prior(statistics)
        value = summarize(loss.of(statistics), judged.counts.people, suppressed=suppressed, of_prior=of_prior).people_mean
        satisfied = within(value, self.bound, AT_MOST)
        return Verdict(str(self), value, AT_MOST, self.bound, satisfied, sensitive=statistics.domain.attribute)

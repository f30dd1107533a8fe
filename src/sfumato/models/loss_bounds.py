"""Bounds on the losses themselves: one loss, or a pair, over the worst class or over all people."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import ClassVar

from sfumato.errors import UsageError
from sfumato.losses import loss_named, summarize
from sfumato.models.base import (
    AT_MOST,
    Judged,
    Part,
    PrivacyModel,
    Verdict,
    convex,
    not_applicable,
    statistics_of,
    tangent,
    within,
)
from sfumato.models.parameter import number


@dataclass(frozen=True, slots=True)
class LossBound(PrivacyModel):
    """One loss stays within a bound in every class or, with `total`, in the mean over people.

    Monotone where the loss says so, and never on the total basis of a loss that is not (see the losses).
    """

    name: ClassVar[str] = "loss-bound"
    loss: ClassVar[str] = "distribution"
    stops: ClassVar[str] = "A,P"
    monotone: ClassVar[bool] = False

    bound: float = field(metadata=number(at_least=0))
    basis: str = ""

    def check_parameters(self) -> None:
        if self.basis not in ("", "total"):
            raise UsageError(f"no basis {self.basis!r}; leave it out for the worst class, or write total", where=self.name)

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        if self.basis:
            return ()
        statistics = statistics_of(judged)
        values = loss_named(self.loss).of(statistics)
        # Of these losses the one that is monotone is convex, and a column of the statistics under its own name.
        return (convex(values, self.bound, tangent(statistics, self.loss) if self.monotone else inf),)

    def judge(self, judged: Judged) -> Verdict:
        """The worst class, or the mean over people with the suppressed ones charged the loss of the prior."""
        statistics = statistics_of(judged)
        if not self.basis:
            return PrivacyModel.judge(self, judged)
        if not statistics.classes:
            return not_applicable(self, self.bound, AT_MOST, "the release holds nobody")
        loss, suppressed = loss_named(self.loss), judged.context.suppressed
        of_prior = loss.of_prior(statistics)
        value = summarize(loss.of(statistics), judged.counts.people, suppressed=suppressed, of_prior=of_prior).people_mean
        satisfied = within(value, self.bound, AT_MOST)
        return Verdict(str(self), value, AT_MOST, self.bound, satisfied, sensitive=statistics.domain.attribute)


class DistributionLoss(LossBound):
    """The distribution loss of every class is at most epsilon (leakage paper, Def. 7).

    Blind to: record linkage. Monotone: the distance is convex; so is its mean over people.
    Example: prior (7, 3, 2)/12, class (1, 1, 2)/4: value sqrt(32)/12 = 0.4714.
    """

    name = "distribution-loss"
    loss = "distribution"
    monotone = True


class EntropyLoss(LossBound):
    """The entropy loss of every class is at most alpha (leakage paper, Def. 10).

    Blind to: a permutation of the prior, which has loss 0. Not monotone: a merged class may be more mixed than the table.
    Example: prior (3, 4, 5)/12, class (0, 0, 4)/4: value H(a) = 1.5546.
    """

    name = "entropy-loss"
    loss = "entropy"


class UtilityDistributionLoss(LossBound):
    """The distribution utility loss of every class is at most delta (negotiation paper, 3.1).

    Blind to: what the release gives away; it bounds what the release costs.
    Not monotone: merging mixes classes, which costs, and yet merging counts (0, 13, 2) and (3, 15, 0) lowers the total.
    Example: a class with counts (2, 2, 0): value sqrt(1/2) = 0.7071.
    """

    name = "utility-distribution-loss"
    loss = "utility-distribution"
    stops = ""


class UtilityEntropyLoss(LossBound):
    """The entropy of every class is at most gamma bits (negotiation paper, 3.1).

    Blind to: what the release gives away; it bounds what the release costs.
    Not monotone: merging mixes classes, so the bound is sooner broken.
    Example: a class with counts (1, 2, 1): value 1.5.
    """

    name = "utility-entropy-loss"
    loss = "utility-entropy"
    stops = ""

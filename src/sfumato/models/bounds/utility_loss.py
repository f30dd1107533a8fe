"""(gamma, delta): a pair of bounds on utility losses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.bounds.loss_bounds import CLASS, TOTAL, LossBound
from sfumato.models.bounds.loss_pairs import LossPair
from sfumato.models.bounds.utility_distribution_loss import UtilityDistributionLoss
from sfumato.models.bounds.utility_entropy_loss import UtilityEntropyLoss
from sfumato.models.parameter import choice, number
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class UtilityLoss(LossPair):
    """(gamma, delta): entropy utility loss at most gamma and distribution utility loss at most delta in every class (thesis, 4.2).

    The value is the larger of the two losses, each as a share of its bound; the threshold is 1.
    Blind to: what the release reveals; it bounds what the release costs. Not monotone: neither part is.
    Example: losses 1.5 and 0.7739 with (3, 0.9): value 0.860.
    """

    name: ClassVar[str] = "utility-loss"
    stops: ClassVar[str] = ""

    gamma: float = field(metadata=number(at_least=0))
    delta: float = field(metadata=number(at_least=0))
    scope: str = field(default=CLASS, metadata=choice(CLASS, TOTAL))

    @property
    def bounds(self) -> tuple[LossBound, LossBound]:
        return UtilityEntropyLoss(self.gamma, self.scope), UtilityDistributionLoss(self.delta, self.scope)

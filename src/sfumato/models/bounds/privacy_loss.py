"""(epsilon, alpha): a pair of bounds on privacy losses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.bounds.distribution_loss import DistributionLoss
from sfumato.models.bounds.entropy_loss import EntropyLoss
from sfumato.models.bounds.loss_bounds import CLASS, TOTAL, LossBound
from sfumato.models.bounds.loss_pairs import LossPair
from sfumato.models.parameter import choice, number
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class PrivacyLoss(LossPair):
    """(epsilon, alpha): distribution loss at most epsilon and entropy loss at most alpha in every class (leakage paper, Def. 23).

    The value is the larger of the two losses, each as a share of its bound; the threshold is 1.
    Blind to: record linkage. Not monotone: the entropy loss is not.
    Example: losses 0.4714 and 0.1156 with (0.5, 1): value 0.943.
    """

    name: ClassVar[str] = "privacy-loss"
    stops: ClassVar[str] = "A,P"

    epsilon: float = field(metadata=number(at_least=0))
    alpha: float = field(metadata=number(at_least=0))
    scope: str = field(default=CLASS, metadata=choice(CLASS, TOTAL))

    @property
    def bounds(self) -> tuple[LossBound, LossBound]:
        return DistributionLoss(self.epsilon, self.scope), EntropyLoss(self.alpha, self.scope)

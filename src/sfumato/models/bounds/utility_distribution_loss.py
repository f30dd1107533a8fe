"""Distribution utility loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.models.bounds.loss_bounds import LossBound
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class UtilityDistributionLoss(LossBound):
    """The distribution utility loss of every class is at most delta (negotiation paper, 3.1).

    Blind to: what the release reveals; it bounds what the release costs.
    Not monotone: merging mixes classes, which raises the loss, but merging counts (0, 13, 2) and (3, 15, 0) lowers the total.
    Example: a class with counts (2, 2, 0): value sqrt(1/2) = 0.7071.
    """

    name: ClassVar[str] = "utility-distribution-loss"
    stops: ClassVar[str] = ""
    loss: ClassVar[str] = "utility-distribution"

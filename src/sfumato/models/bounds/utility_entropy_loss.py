"""Entropy utility loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.models.bounds.loss_bounds import LossBound
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class UtilityEntropyLoss(LossBound):
    """The entropy of every class is at most gamma bits (negotiation paper, 3.1).

    Blind to: what the release reveals; it bounds what the release costs.
    Not monotone: merging mixes classes, which raises the entropy.
    Example: a class with counts (1, 2, 1): value 1.5.
    """

    name: ClassVar[str] = "utility-entropy-loss"
    stops: ClassVar[str] = ""
    loss: ClassVar[str] = "utility-entropy"

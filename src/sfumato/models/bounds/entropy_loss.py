"""Entropy loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.models.bounds.loss_bounds import LossBound
from sfumato.models.curable import Curable, mixed
from sfumato.models.registration import register
from sfumato.statistics import ClassStatistics, entropy_of


@register
@dataclass(frozen=True, slots=True)
class EntropyLoss(LossBound):
    """The entropy loss of every class is at most alpha (leakage paper, Def. 10).

    Blind to: a permutation of the prior, which has loss 0. Not monotone: a merged class may be more mixed than the table.
    Example: prior (3, 4, 5)/12, class (0, 0, 4)/4: value H(a) = 1.5546.
    """

    name: ClassVar[str] = "entropy-loss"
    loss: ClassVar[str] = "entropy"

    def curable(self, statistics: ClassStatistics) -> Curable | None:
        """A class that is too mixed may be cured; of one that is not mixed enough, as in entropy diversity."""
        if len(statistics.prior) > 1:
            return None
        return mixed(statistics, float(entropy_of(statistics.prior[0])) - self.bound)

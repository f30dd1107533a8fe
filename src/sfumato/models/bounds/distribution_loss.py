"""Distribution loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.models.bounds.loss_bounds import LossBound
from sfumato.models.curable import Curable, near_euclidean
from sfumato.models.registration import register
from sfumato.statistics import ClassStatistics


@register
@dataclass(frozen=True, slots=True)
class DistributionLoss(LossBound):
    """The distribution loss of every class is at most epsilon (leakage paper, Def. 7).

    Blind to: record linkage. Monotone: the distance is convex; so is its mean over people.
    Example: prior (7, 3, 2)/12, class (1, 1, 2)/4: value sqrt(32)/12 = 0.4714.
    """

    name: ClassVar[str] = "distribution-loss"
    loss: ClassVar[str] = "distribution"
    monotone: ClassVar[bool] = True

    def curable(self, statistics: ClassStatistics) -> Curable:
        return near_euclidean(statistics, self.bound)

"""(alpha, k)-anonymity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import Judged, Part, PrivacyModel, at_least, statistics_of, top_share
from sfumato.models.parameter import share, whole
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class AlphaKAnonymity(PrivacyModel):
    """Every class has at least k people, and no sensitive value is that of more than a share alpha of them (Wong et al. 2006).

    Blind to: values close in meaning. Monotone: both parts are.
    Example: alpha = 0.5, k = 3: counts (3, 1) violate it (value 0.75), counts (2, 2) satisfy it.
    """

    name: ClassVar[str] = "alpha-k-anonymity"
    stops: ClassVar[str] = "R,A"
    monotone: ClassVar[bool] = True

    alpha: float = field(metadata=share())
    k: int = field(metadata=whole(at_least=1, example=5))

    @property
    def smallest_class(self) -> int:
        return self.k

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        return top_share(statistics_of(judged), self.alpha), at_least(judged.counts.people, self.k)

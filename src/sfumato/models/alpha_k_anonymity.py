"""(alpha, k)-anonymity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import AT_LEAST, Judged, Part, PrivacyModel, convex, statistics_of
from sfumato.models.parameter import share, whole


@dataclass(frozen=True, slots=True)
class AlphaKAnonymity(PrivacyModel):
    """Every class holds at least k people and no sensitive value more than alpha of it (Wong et al. 2006).

    Blind to: values close in meaning. Monotone: both parts are.
    Example: alpha = 0.5, k = 3: counts (3, 1) violate it (value 0.75), counts (2, 2) satisfy it.
    """

    name: ClassVar[str] = "alpha-k-anonymity"
    stops: ClassVar[str] = "R,A"
    monotone: ClassVar[bool] = True

    alpha: float = field(metadata=share())
    k: int = field(metadata=whole(at_least=1, example=5))

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        statistics = statistics_of(judged)
        shares = convex(statistics.column("top") / statistics.column("mass"), self.alpha, 1)
        return shares, Part(judged.counts.people, self.k, AT_LEAST, hereditary=True)

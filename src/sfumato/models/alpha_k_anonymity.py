"""(alpha, k)-anonymity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sfumato.errors import UsageError
from sfumato.models.base import AT_MOST, Judged, PrivacyModel, Verdict, statistics_of, worst_class, written
from sfumato.models.k_anonymity import KAnonymity


@dataclass(frozen=True, slots=True)
class AlphaKAnonymity(PrivacyModel):
    """Every class holds at least k people and no sensitive value more than alpha of it (Wong et al. 2006).

    Blind to: values close in meaning. Monotone: both parts are.
    Example: alpha = 0.5, k = 3: counts (3, 1) violate it (value 0.75), counts (2, 2) satisfy it.
    """

    name: ClassVar[str] = "alpha-k-anonymity"
    stops: ClassVar[str] = "R,A"
    monotone: ClassVar[bool] = True

    alpha: float
    k: int

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise UsageError(f"alpha must be between 0 and 1; it is {written(self.alpha)}", where=f"model {self.name}")

    def judge(self, judged: Judged) -> Verdict:
        statistics = statistics_of(judged)
        shares = worst_class(self, judged, statistics.column("top") / statistics.column("mass"), self.alpha, AT_MOST)
        sizes = KAnonymity(self.k).judge(judged)
        if sizes.satisfied is not False:
            return shares
        return replace(
            shares,
            satisfied=False,
            witness=sizes.witness,
            witness_size=sizes.witness_size,
            reason=f"a class of fewer than {self.k} people",
        )

"""(k, e)-anonymity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import Judged, Part, PrivacyModel, at_least, numeric_statistics_of
from sfumato.models.parameter import number, whole
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class KEAnonymity(PrivacyModel):
    """Every class holds at least k distinct numbers, spread over a range of at least e (Zhang et al. 2007).

    Blind to: how the numbers lie within the range; all but one may be equal.
    Monotone: merging never loses a number nor narrows the range.
    Example: salaries {3, 4, 5} with k = 3, e = 3: three numbers, range 2 (the value), so it is violated.
    """

    name: ClassVar[str] = "ke-anonymity"
    stops: ClassVar[str] = "A"
    monotone: ClassVar[bool] = True
    monotone_with_owners: ClassVar[bool] = True

    k: int = field(metadata=whole(at_least=1, example=5))
    e: float = field(metadata=number(at_least=0))

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        statistics = numeric_statistics_of(self, judged)
        return (
            at_least(statistics.column("range"), self.e),
            at_least(statistics.column("distinct_numbers"), self.k),
        )

"""(X, Y)-privacy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import Judged, Part, PrivacyModel, at_least, statistics_of, top_share
from sfumato.models.parameter import share, whole
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class XYPrivacy(PrivacyModel):
    """Every class (X) has at least k distinct values of the judged attribute (Y), each that of at most a share h of its people.

    Wang and Fung 2006. The first part is (X, Y)-anonymity, the second (X, Y)-linkability.
    Blind to: values close in meaning and, without h, how often they occur.
    Monotone: merging never loses a value, and a share lies between those it was merged from.
    Example: counts (3, 1, 0): k = 2 is satisfied (value 2); k = 2, h = 0.5 is not (value 3/4).
    """

    name: ClassVar[str] = "xy-privacy"
    stops: ClassVar[str] = "R,A"
    monotone: ClassVar[bool] = True

    k: int = field(metadata=whole(at_least=1, example=5))
    h: float = field(default=1.0, metadata=share())

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        statistics = statistics_of(judged)
        distinct = at_least(statistics.column("distinct"), self.k)
        if self.h >= 1:
            return (distinct,)
        return distinct, top_share(statistics, self.h)

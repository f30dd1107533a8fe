"""delta-disclosure privacy."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import e, exp, log2
from typing import ClassVar

from sfumato.models.base import Judged, Part, PrivacyModel, at_most, statistics_of
from sfumato.models.curable import between
from sfumato.models.parameter import number
from sfumato.models.registration import register

_LARGEST = 500.0  # whose power is a number


@register
@dataclass(frozen=True, slots=True)
class DeltaDisclosure(PrivacyModel):
    """|ln(x_i / a_i)| is at most delta for every value of the table in every class (Brickell and Shmatikov 2008, who write <).

    Blind to: record linkage. A value that is absent from a class makes it infinite.
    Monotone: the ratio of a merged class lies between theirs.
    Example: prior (1/2, 1/2), class (3/4, 1/4): value ln 2 = 0.693, for the second value.
    """

    name: ClassVar[str] = "delta-disclosure"
    stops: ClassVar[str] = "A,P"
    monotone: ClassVar[bool] = True
    compared: ClassVar[str | None] = "delta"

    delta: float = field(metadata=number(at_least=0))

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        statistics = statistics_of(judged)
        prior, most = statistics.prior[0], exp(min(self.delta, _LARGEST))
        values = statistics.column("log_ratio") / log2(e)
        return (at_most(values, self.delta, between(statistics, prior / most, prior * most)),)

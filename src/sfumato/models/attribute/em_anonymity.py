"""(epsilon, m)-anonymity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import AT_MOST, Judged, Part, PrivacyModel, numeric_statistics_of
from sfumato.models.parameter import choice, number
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class EMAnonymity(PrivacyModel):
    """For every number of a class, at most 1/m of its values lies within epsilon of it (Li, Tao and Xiao 2008).

    Where people have several values, each of them counts. epsilon is absolute, or with `relative` a share of the number.
    Blind to: record linkage.
    Not monotone: {0, 5} and {-1, 1} satisfy epsilon = 1, m = 2; merged they do not, since -1 and 1 are within epsilon of 0.
    Example: {0, 5} with epsilon = 1: value 1/2.
    """

    name: ClassVar[str] = "em-anonymity"
    stops: ClassVar[str] = "A"
    monotone: ClassVar[bool] = False
    compared: ClassVar[str | None] = "m"

    epsilon: float = field(metadata=number(at_least=0))
    m: float = field(metadata=number(at_least=1, example=3))
    kind: str = field(default="absolute", metadata=choice("absolute", "relative"))

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        statistics = numeric_statistics_of(self, judged)
        return (Part(statistics.column("crowding", self.epsilon, self.kind == "relative"), 1 / self.m, AT_MOST),)

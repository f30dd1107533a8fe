"""Probabilistic l-diversity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import Judged, Part, PrivacyModel, statistics_of, top_share
from sfumato.models.parameter import number
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class ProbabilisticDiversity(PrivacyModel):
    """No sensitive value is that of more than 1/l of a class's people (Wong et al. 2006).

    Blind to: values that are close in meaning, and to how rare a value is elsewhere.
    Monotone: the top share of merged classes lies between theirs.
    Example: a class with counts (3, 1, 0): value 3/4; l = 1 is satisfied, l = 2 is not.
    """

    name: ClassVar[str] = "probabilistic-diversity"
    stops: ClassVar[str] = "R,A"
    monotone: ClassVar[bool] = True
    compared: ClassVar[str | None] = "l"

    l: float = field(metadata=number(at_least=1, example=3))  # noqa: E741  the letter of the definition

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        return (top_share(statistics_of(judged), 1 / self.l),)

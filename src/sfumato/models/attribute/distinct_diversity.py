"""Distinct l-diversity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import Judged, Part, PrivacyModel, at_least, statistics_of
from sfumato.models.parameter import whole
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class DistinctDiversity(PrivacyModel):
    """Every class holds at least l distinct sensitive values (Machanavajjhala et al. 2006).

    Blind to: how often they occur; 99 of 100 people with one value and one with another are 2-diverse.
    Monotone: merging never loses a value.
    Example: a class with counts (3, 1, 0): value 2.
    """

    name: ClassVar[str] = "distinct-diversity"
    stops: ClassVar[str] = "R,A"
    monotone: ClassVar[bool] = True
    monotone_with_owners: ClassVar[bool] = True
    compared: ClassVar[str | None] = "l"

    l: int = field(metadata=whole(at_least=1, example=3))  # noqa: E741  the letter of the definition

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        return (at_least(statistics_of(judged).column("distinct"), self.l),)

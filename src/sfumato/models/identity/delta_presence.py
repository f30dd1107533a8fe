"""delta-presence."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from sfumato.errors import UsageError
from sfumato.models.base import AT_LEAST, AT_MOST, Judged, Part, PrivacyModel, Verdict, not_applicable
from sfumato.models.parameter import share, written
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class DeltaPresence(PrivacyModel):
    """low <= people of the class / people of a public table who fit it <= high (Nergiz, Atzori and Clifton 2007).

    The release is drawn from the public table; a class with more people than that table counts as 1. People of the public table who
    fit no class are present with probability 0. The verdict is about the violated bound, or else about the upper one. Not
    applicable without the table.
    Blind to: sensitive values.
    Monotone: the presence of a merged class lies between those of its parts.
    Example: 4 of 5 artists and 3 of 4 professionals: value 4/5; (0.5, 0.8) is satisfied, (0.5, 0.75) and (0.8, 0.9) are not.
    """

    name: ClassVar[str] = "delta-presence"
    stops: ClassVar[str] = "T"
    monotone: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False
    beyond_classes: ClassVar[bool] = True

    low: float = field(metadata=share(example=0))
    high: float = field(metadata=share())

    def check_parameters(self) -> None:
        if self.low > self.high:
            raise UsageError(f"low is above high ({written(self.low)} > {written(self.high)})", where=f"model {self.name}")

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        population = judged.context.population
        if population is None:
            return ()
        presence = judged.counts.people / np.maximum(population.people, judged.counts.people)
        return Part(presence, self.high, AT_MOST), Part(presence, self.low, AT_LEAST)

    def judge(self, judged: Judged) -> Verdict:
        population = judged.context.population
        if population is None:
            return not_applicable(self, self.high, AT_MOST, "no public table to compare the release with")
        verdict = super(DeltaPresence, self).judge(judged)
        if verdict.direction == AT_MOST and not verdict.satisfied:
            return verdict
        if self.low > 0 and population.unmatched:
            reason = "people of the public table fit no class"
            least = replace(verdict, direction=AT_LEAST, threshold=self.low)
            return replace(least, value=0.0, satisfied=False, witness=None, witness_size=None, reason=reason)
        return verdict

"""Average re-identification risk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import AT_MOST, NO_PEOPLE, Judged, PrivacyModel, Verdict, not_applicable, within
from sfumato.models.parameter import share
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class AverageRisk(PrivacyModel):
    """The mean over people of 1 / size of their class is at most r: classes per person.

    Blind to: the worst class, and sensitive values. Monotone: merging reduces the number of classes.
    Example: 8 classes of 30,162 people: value 0.000265.
    """

    name: ClassVar[str] = "average-risk"
    stops: ClassVar[str] = "R"
    monotone: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False
    compared: ClassVar[str | None] = "r"

    r: float = field(metadata=share())

    def judge(self, judged: Judged) -> Verdict:
        if not judged.counts.classes:
            return not_applicable(self, self.r, AT_MOST, NO_PEOPLE)
        value = judged.counts.classes / int(judged.counts.people.sum())
        return Verdict(str(self), value, AT_MOST, self.r, within(value, self.r, AT_MOST))

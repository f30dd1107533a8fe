"""Shared by the models that require at least k people for every class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.frequency import Counts
from sfumato.models.base import AT_LEAST, Judged, Part, PrivacyModel, Verdict, at_least, not_applicable
from sfumato.models.parameter import whole


@dataclass(frozen=True, slots=True)
class AtLeastK(PrivacyModel):
    """At least k people for every class. A subclass decides which `people` it counts; `lacks` is the reason if it cannot."""

    stops: ClassVar[str] = "R"
    monotone: ClassVar[bool] = True
    monotone_with_owners: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False
    lacks: ClassVar[str] = ""
    compared: ClassVar[str | None] = "k"

    k: int = field(metadata=whole(at_least=1, example=5))

    def people(self, judged: Judged) -> Counts | None:
        """The people counted for each class, by default those in it; None if they are not known."""
        return judged.counts.people

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        people = self.people(judged)
        return () if people is None else (at_least(people, self.k),)

    def judge(self, judged: Judged) -> Verdict:
        if self.people(judged) is None:
            return not_applicable(self, self.k, AT_LEAST, self.lacks)
        return PrivacyModel.judge(self, judged)

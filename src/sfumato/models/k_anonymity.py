"""k-anonymity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import AT_LEAST, Judged, Part, PrivacyModel
from sfumato.models.parameter import whole


@dataclass(frozen=True, slots=True)
class KAnonymity(PrivacyModel):
    """Every class holds at least k people (Samarati and Sweeney 1998).

    Blind to: sensitive values; a class of k people with one disease satisfies it.
    Monotone: merging never shrinks a class.
    Example: classes of 22 and 181 people: value 22; k = 22 is satisfied, k = 23 is not.
    """

    name: ClassVar[str] = "k-anonymity"
    stops: ClassVar[str] = "R"
    monotone: ClassVar[bool] = True
    monotone_with_owners: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False

    k: int = field(metadata=whole(at_least=1, example=5))

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        return (Part(judged.counts.people, self.k, AT_LEAST, hereditary=True),)

"""k-anonymity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.models.identity.at_least_k import AtLeastK
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class KAnonymity(AtLeastK):
    """Every class holds at least k people (Samarati and Sweeney 1998).

    Blind to: sensitive values; a class of k people with one disease satisfies it.
    Monotone: merging never shrinks a class.
    Example: classes of 22 and 181 people: value 22; k = 22 is satisfied, k = 23 is not.
    """

    name: ClassVar[str] = "k-anonymity"

    @property
    def smallest_class(self) -> int:
        return self.k

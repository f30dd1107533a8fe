"""MultiRelational k-anonymity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.frequency import Counts
from sfumato.models.base import Judged
from sfumato.models.identity.at_least_k import AtLeastK
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class MultirelationalKAnonymity(AtLeastK):
    """Every class of the joined tables holds at least k owners, however many rows each has (Nergiz, Clifton and Nergiz 2007).

    Not applicable without an owner column: then it is unknown which rows belong to the same person.
    Blind to: sensitive values, and what several classes reveal about an owner who is in all of them.
    Monotone: merging never loses an owner.
    Example: one class with three rows of one owner and one of another: value 2, though it has four rows.
    """

    name: ClassVar[str] = "multirelational-k-anonymity"
    lacks: ClassVar[str] = "no column identifies the owner of a row; give one the role owner"

    @property
    def smallest_class(self) -> int:
        return self.k

    def people(self, judged: Judged) -> Counts | None:
        return None if judged.counts.basis == "row" else judged.counts.people

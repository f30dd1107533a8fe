"""MultiRelational k-anonymity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import AT_LEAST, Judged, Part, PrivacyModel, Verdict, not_applicable
from sfumato.models.parameter import whole


@dataclass(frozen=True, slots=True)
class MultirelationalKAnonymity(PrivacyModel):
    """Every class of the joined tables holds at least k owners, however many rows each has (Nergiz, Clifton and Nergiz 2007).

    Not applicable without an owner column: then nothing says which rows are one person's.
    Blind to: sensitive values, and what several classes tell about an owner who is in all of them.
    Monotone: merging never loses an owner.
    Example: one class with three rows of one owner and one of another: value 2, though it has four rows.
    """

    name: ClassVar[str] = "multirelational-k-anonymity"
    stops: ClassVar[str] = "R"
    monotone: ClassVar[bool] = True
    monotone_with_owners: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False

    k: int = field(metadata=whole(at_least=1, example=5))

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        return (Part(judged.counts.people, self.k, AT_LEAST, hereditary=True),)

    def judge(self, judged: Judged) -> Verdict:
        if judged.counts.basis == "row":
            return not_applicable(self, self.k, AT_LEAST, "no column says whose a row is; give one the role owner")
        return super(MultirelationalKAnonymity, self).judge(judged)

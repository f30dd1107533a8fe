"""Entropy l-diversity."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import ClassVar

from sfumato.models.base import AT_LEAST, Judged, PrivacyModel, Verdict, statistics_of, worst_class


@dataclass(frozen=True, slots=True)
class EntropyDiversity(PrivacyModel):
    """The entropy of every class is at least log2 l (Machanavajjhala et al. 2006).

    Blind to: which values they are; a class unlike the table satisfies it if it is mixed.
    Monotone: entropy is concave, so a merged class has at least the lesser entropy.
    Example: a class with counts (2, 2, 2): value log2 3, so that l = 3 is satisfied.
    """

    name: ClassVar[str] = "entropy-diversity"
    stops: ClassVar[str] = "R,A"
    monotone: ClassVar[bool] = True

    l: float  # noqa: E741  the letter of the definition

    def judge(self, judged: Judged) -> Verdict:
        return worst_class(self, judged, statistics_of(judged).column("entropy"), log2(self.l), AT_LEAST)

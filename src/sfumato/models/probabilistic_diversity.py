"""Probabilistic l-diversity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.models.base import AT_MOST, Judged, PrivacyModel, Verdict, statistics_of, worst_class


@dataclass(frozen=True, slots=True)
class ProbabilisticDiversity(PrivacyModel):
    """No sensitive value is held by more than 1/l of a class (Wong et al. 2006).

    Blind to: values that are close in meaning, and to how rare a value is elsewhere.
    Monotone: the top share of merged classes lies between theirs.
    Example: a class with counts (3, 1, 0): value 3/4; l = 1 is satisfied, l = 2 is not.
    """

    name: ClassVar[str] = "probabilistic-diversity"
    stops: ClassVar[str] = "R,A"
    monotone: ClassVar[bool] = True

    l: float  # noqa: E741  the letter of the definition

    def judge(self, judged: Judged) -> Verdict:
        statistics = statistics_of(judged)
        return worst_class(self, judged, statistics.column("top") / statistics.column("mass"), 1 / self.l, AT_MOST)

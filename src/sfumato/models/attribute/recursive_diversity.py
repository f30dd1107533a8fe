"""Recursive (c, l)-diversity."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.models.base import AT_MOST, Judged, Part, PrivacyModel, below_tangent, statistics_of
from sfumato.models.curable import with_distinct
from sfumato.models.parameter import number, whole
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class RecursiveDiversity(PrivacyModel):
    """r_1 < c (r_l + ... + r_m) in every class, r the counts of its values in descending order (Machanavajjhala et al. 2006).

    Blind to: which values are frequent; the second to (l-1)-th most frequent do not count.
    Monotone: the value never grows when classes merge.
    Example: counts (4, 3, 2, 1) with l = 3: value 4 / (2 + 1) = 1.33, so c = 2 is satisfied. The bound is strict: with
    counts (4, 2, 2), l = 2 the value 1 satisfies c = 1.5 and not c = 1.
    """

    name: ClassVar[str] = "recursive-diversity"
    stops: ClassVar[str] = "R,A"
    monotone: ClassVar[bool] = True
    compared: ClassVar[str | None] = "c"

    c: float = field(metadata=number(at_least=0, example=3))
    l: int = field(metadata=whole(at_least=1, example=3))  # noqa: E741  the letter of the definition

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        statistics = statistics_of(judged)
        top, tail = statistics.column("top"), statistics.column("tail", self.l)
        ratio = np.divide(top, tail, out=np.full(len(top), np.inf), where=tail > 0)
        # The ratio is not convex, r_1 - c (r_l + ... + r_m) in shares is; it is at most 1 and must stay below 0.
        excess = np.asarray((top - self.c * tail) / statistics.column("mass"), np.float64)
        cured = below_tangent(excess, 0.0, lambda marked: np.ones(np.count_nonzero(marked)))
        return (Part(ratio, self.c, AT_MOST, strict=True, curable=with_distinct(statistics, self.l, cured)),)

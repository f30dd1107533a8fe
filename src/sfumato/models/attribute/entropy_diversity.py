"""Entropy l-diversity."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log2
from typing import ClassVar

from sfumato.models.base import AT_LEAST, Judged, Part, PrivacyModel, statistics_of
from sfumato.models.curable import mixed
from sfumato.models.parameter import number
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class EntropyDiversity(PrivacyModel):
    """The entropy of every class is at least log2 l (Machanavajjhala et al. 2006).

    Blind to: which values they are; a class very different from the table satisfies it if it is mixed.
    Monotone: entropy is concave, so a merged class has at least the lesser entropy.
    Example: a class with counts (2, 2, 2): value log2 3, so l = 3 is satisfied.
    """

    name: ClassVar[str] = "entropy-diversity"
    stops: ClassVar[str] = "R,A"
    monotone: ClassVar[bool] = True
    compared: ClassVar[str | None] = "l"

    l: float = field(metadata=number(at_least=1, example=3))  # noqa: E741  the letter of the definition

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        statistics = statistics_of(judged)
        entropy, least = statistics.column("entropy"), log2(self.l)
        return (Part(entropy, least, AT_LEAST, curable=mixed(statistics, least)),)

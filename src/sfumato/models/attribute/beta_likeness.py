"""beta-likeness, basic and enhanced."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import Judged, Part, PrivacyModel, at_most, statistics_of
from sfumato.models.curable import within_caps
from sfumato.models.parameter import choice, number
from sfumato.models.registration import register
from sfumato.sparse import gain_bounds


@register
@dataclass(frozen=True, slots=True)
class BetaLikeness(PrivacyModel):
    """No value gains more than beta times its prior: (x_i - a_i) / a_i <= beta where x_i > a_i (Cao and Karras 2012).

    Enhanced: the bound for a value is min(beta, -ln a_i), so that frequent values cannot become certain.
    Blind to: values that become rarer, and record linkage.
    Monotone: the largest gain of a merged class lies between theirs.
    Example: prior (0.1, 0.9), class (0.3, 0.7): value 2, for the first value.
    """

    name: ClassVar[str] = "beta-likeness"
    stops: ClassVar[str] = "A,P"
    monotone: ClassVar[bool] = True

    beta: float = field(metadata=number(at_least=0))
    kind: str = field(default="basic", metadata=choice("basic", "enhanced"))

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        statistics = statistics_of(judged)
        if self.kind == "basic":
            caps = statistics.prior[0] * (1 + self.beta)
            return (at_most(statistics.column("gain"), self.beta, within_caps(statistics, caps)),)
        # As a share of each value's own bound, so that one number and one threshold are enough.
        caps = statistics.prior[0] * (1 + gain_bounds(statistics.prior[0], self.beta))
        return (at_most(statistics.column("capped_gain", self.beta), 1.0, within_caps(statistics, caps)),)

"""t-closeness."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.errors import UsageError, argument
from sfumato.losses.distances import emd, fitting_distance
from sfumato.models.base import Judged, Part, PrivacyModel, at_most, statistics_of
from sfumato.models.curable import near_equal, near_hierarchical, near_ordered
from sfumato.models.parameter import choice, share
from sfumato.models.registration import register
from sfumato.statistics import Domain

DISTANCES = ("equal", "ordered", "hierarchical")
_CURABLE = {"equal": near_equal, "ordered": near_ordered, "hierarchical": near_hierarchical}


@register
@dataclass(frozen=True, slots=True)
class TCloseness(PrivacyModel):
    """The distribution of every class lies within earth mover's distance t of the prior (Li, Li and Venkatasubramanian 2007).

    Blind to: record linkage, and differences that the distance between values does not measure.
    Monotone: the distance is convex, so a merged class is no farther away than the worse of the two.
    Example: prior (7, 3, 2)/12, class (1, 1, 2)/4, equal distance: value 1/3.
    """

    name: ClassVar[str] = "t-closeness"
    stops: ClassVar[str] = "A,P"
    monotone: ClassVar[bool] = True
    compared: ClassVar[str | None] = "t"

    t: float = field(metadata=share(example=0.2))  # a distance is never larger than 1
    distance: str = field(default="", metadata=choice(*DISTANCES))

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        statistics = statistics_of(judged)
        if statistics.classes:
            self._require_defined(statistics.domain)
        chosen = self.distance or fitting_distance(statistics.domain)
        return (at_most(emd(statistics, chosen), self.t, _CURABLE[chosen](statistics, self.t)),)

    def _require_defined(self, domain: Domain) -> None:
        """Refuse a distance that is not defined for the attribute: text has no order and, unless declared, no hierarchy."""
        if self.distance == "ordered" and not domain.ordered:
            raise UsageError(
                f"{domain.attribute!r} has no order; list its 'values' in the schema, or use equal", where=argument("models")
            )
        if self.distance == "hierarchical" and len(domain.tree) < 2:
            raise UsageError(
                f"{domain.attribute!r} has no hierarchy; give it one in the schema, or use equal", where=argument("models")
            )

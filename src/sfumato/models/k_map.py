"""k-map."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.models.base import AT_LEAST, Judged, Part, PrivacyModel, Verdict, not_applicable
from sfumato.models.parameter import whole


@dataclass(frozen=True, slots=True)
class KMap(PrivacyModel):
    """At least k people of a public table fit every class (Sweeney 2001; El Emam and Dankar 2008).

    Weaker than k-anonymity: the adversary does not know who of the population is in the release. Not applicable without the table.
    Blind to: sensitive values, and an adversary who knows that somebody is in the release.
    Monotone: merging adds the people of the public table up.
    Example: classes of 1 and 3 people, 7 and 5 people of the public table: value 5.
    """

    name: ClassVar[str] = "k-map"
    stops: ClassVar[str] = "R"
    monotone: ClassVar[bool] = True
    monotone_with_owners: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False

    k: int = field(metadata=whole(at_least=1, example=5))

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        population = judged.context.population
        return () if population is None else (Part(population.people, self.k, AT_LEAST, hereditary=True),)

    def judge(self, judged: Judged) -> Verdict:
        if judged.context.population is None:
            return not_applicable(self, self.k, AT_LEAST, "no public table to count the population in")
        return super(KMap, self).judge(judged)

"""k-map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.frequency import Counts
from sfumato.models.base import Judged
from sfumato.models.identity.at_least_k import AtLeastK
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class KMap(AtLeastK):
    """At least k people of a public table fit every class (Sweeney 2001; El Emam and Dankar 2008).

    Weaker than k-anonymity: the adversary does not know which of them are in the release. Not applicable without the table.
    Blind to: sensitive values, and an adversary who knows that somebody is in the release.
    Monotone: merging adds up the people of the public table.
    Example: classes of 1 and 3 people, 7 and 5 people of the public table: value 5.
    """

    name: ClassVar[str] = "k-map"
    lacks: ClassVar[str] = "no public table to count the population in"

    def people(self, judged: Judged) -> Counts | None:
        return judged.context.population.people if judged.context.population else None

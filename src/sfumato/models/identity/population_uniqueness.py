"""Population uniqueness."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from sfumato.errors import UsageError
from sfumato.models.base import AT_MOST, NO_PEOPLE, Judged, PrivacyModel, Verdict, not_applicable, within
from sfumato.models.identity.uniqueness import METHODS, OFF_BY, Sample, estimated
from sfumato.models.parameter import choice, share
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class PopulationUniqueness(PrivacyModel):
    """At most a share of the released people are estimated to be unique in the population from which the release is a sample.

    `method` is pitman (Hoshino 2001; default), zayatz (1991) or snb (Chen and Keller-McNulty 1998), see `models.uniqueness`. Where
    its equations have no solution, zayatz is used and the verdict reports it. Not applicable without the size of the population.
    The value is an estimate without an interval. In simulations the default was between 0.5 and 12 times the truth, most often too
    large, and farthest off where all classes are equally likely and the sample is small; zayatz and snb reached 54 times.
    Blind to: who is unique, sensitive values, and samples that were not drawn at random.
    Not monotone: the true share is, the estimates are not; merging two larger classes changes what the sizes imply about the population.
    Example: ten people in classes of one, ten in the population: value 1; in classes of two or more: value 0 for any population.
    """

    name: ClassVar[str] = "population-uniqueness"
    stops: ClassVar[str] = "R"
    monotone: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False
    compared: ClassVar[str | None] = "share"

    share: float = field(metadata=share())
    method: str = field(default="pitman", metadata=choice(*METHODS))

    def _how_far_off(self, used: str) -> str:
        """What to think of an estimate."""
        low, high = OFF_BY[used]
        by = used if used == self.method else f"{used}, since {self.method} has no solution"
        return f"estimated by {by}; in simulations {low:g} to {high:g} times the truth"

    def judge(self, judged: Judged) -> Verdict:
        size = judged.context.size_of_population
        if size is None:
            return not_applicable(self, self.share, AT_MOST, "the size of the population is not known")
        people = judged.counts.people
        if not len(people):
            return not_applicable(self, self.share, AT_MOST, NO_PEOPLE)
        if size < int(people.sum()):
            raise UsageError(f"the population ({size:,}) is smaller than the release ({people.sum():,})", where=self.name)
        sample = Sample.of(people, size)
        value, used = estimated(sample, self.method)
        reason = None if sample.known else self._how_far_off(used)
        return Verdict(str(self), value, AT_MOST, self.share, within(value, self.share, AT_MOST), reason=reason)

"""Who was suppressed, and how removing them shifts each sensitive distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sfumato.beliefs import Prior
from sfumato.frequency import FrequencySet
from sfumato.naming import name_values


@dataclass(frozen=True, slots=True)
class Removed:
    """The suppressed people, their share, and per sensitive attribute the distance between before and after, and both value by value."""

    people: int
    share: float
    change: Mapping[str, float]
    shares: Mapping[str, tuple[tuple[Mapping[str, Any], float, float], ...]]

    @classmethod
    def of(cls, priors: Mapping[str, Prior], kept: FrequencySet, suppressed: int, people: int) -> Removed:
        """From the priors of everybody and the classes that are kept; values held by few are not named."""
        change, shares = {}, {}
        for name, before in priors.items() if suppressed else ():
            after = Prior.of(kept, name)
            later = dict(zip(after.values, after.shares.tolist(), strict=True))
            pairs = zip(
                name_values(before), before.shares.tolist(), (later.get(value, 0.0) for value in before.values), strict=True
            )
            shares[name] = tuple(pairs)
            change[name] = float(sum((b - a) ** 2 for _, b, a in shares[name]) ** 0.5)
        return cls(suppressed, suppressed / people, MappingProxyType(change), MappingProxyType(shares))

    def as_dict(self) -> dict[str, Any]:
        """For machines; a value that few people hold is not named."""
        rows = {
            name: [{**value, "before": before, "after": after} for value, before, after in each]
            for name, each in self.shares.items()
        }
        return {"people": self.people, "share": self.share, "change": dict(self.change), "distribution": rows}

"""Confidence bounding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError
from sfumato.models.base import Judged, Part, PrivacyModel, at_most, share_of_people, statistics_of, top_share
from sfumato.models.curable import within_caps
from sfumato.models.parameter import share, text
from sfumato.models.registration import register


@register
@dataclass(frozen=True, slots=True)
class ConfidenceBounding(PrivacyModel):
    """Templates QID -> s: in every class at most a share h of the people has each named sensitive value (Wang, Fung and Yu 2005).

    `values` are separated by semicolons; without any, every value counts, the missing one too.
    Blind to: values that are not named, and record linkage.
    Monotone: the share of a value in a merged class lies between its shares in the parts.
    Example: counts (3, 1, 0) of flu, cold and gout: value 3/4 for all values, 1/4 for `cold;gout`.
    """

    name: ClassVar[str] = "confidence-bounding"
    stops: ClassVar[str] = "A"
    monotone: ClassVar[bool] = True
    compared: ClassVar[str | None] = "h"

    h: float = field(metadata=share())
    values: str = field(default="", metadata=text(example="VALUE;VALUE"))

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        statistics = statistics_of(judged)
        if not self.values:
            return (top_share(statistics, self.h),)
        shares: npt.NDArray[np.float64] = np.zeros(statistics.classes)
        places = self._places(judged)
        for place in places:
            shares = np.maximum(shares, share_of_people(statistics, statistics.column("people_with", place)))
        caps = np.ones(statistics.domain.size)
        caps[places] = self.h
        return (at_most(shares, self.h, within_caps(statistics, caps)),)

    def _places(self, judged: Judged) -> list[int]:
        """The places of the named values; a declared value that nobody has is left out, since its share is 0 in every class."""
        domain = statistics_of(judged).domain
        named = [value.strip() for value in self.values.split(";")]
        declared = judged.counts.payloads[domain.attribute].hierarchy.labels[0]
        unknown = [value for value in named if value not in domain.labels and value not in declared]
        if unknown:
            raise UsageError(
                f"{domain.attribute!r} lacks {len(unknown)} of the named values ({', '.join(unknown)}); "
                "separate values by semicolons and spell them as the schema does",
                where=f"model {self.name}",
            )
        return [domain.labels.index(value) for value in named if value in domain.labels]

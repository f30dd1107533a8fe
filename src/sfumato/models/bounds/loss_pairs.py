"""A pair of bounds on losses, judged as one model: the value is the larger of the two losses, each as a share of its bound."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Mask
from sfumato.models.base import AT_MOST, Judged, Part, PrivacyModel, Verdict
from sfumato.models.bounds.loss_bounds import LossBound
from sfumato.statistics import Floats


@dataclass(frozen=True, slots=True)
class LossPair(PrivacyModel):
    """Two losses, each within its bound, in every class or in the mean over people. A subclass names the `bounds`."""

    monotone: ClassVar[bool] = False

    @property
    @abstractmethod
    def bounds(self) -> tuple[LossBound, LossBound]:
        """The two bounds."""

    @property
    def classwise(self) -> bool:
        return all(each.classwise for each in self.bounds)

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        one, other = (each.parts(judged) for each in self.bounds)
        return (_pair_part(*one, *other),) if one and other else ()

    def judge(self, judged: Judged) -> Verdict:
        one, other = self.bounds
        return _judge_pair(self, one.judge(judged), other.judge(judged))


def _judge_pair(model: PrivacyModel, one: Verdict, other: Verdict) -> Verdict:
    """The verdict on both bounds: the value is the larger loss as a share of its bound, so the threshold is 1."""
    if one.satisfied is None:
        return replace(one, model=str(model), threshold=1.0)
    shares = [_share(verdict) for verdict in (one, other)]
    worse = one if shares[0] >= shares[1] else other
    satisfied = bool(one.satisfied and other.satisfied)
    value, reason = (max(shares), None) if isfinite(max(shares)) else (None, "a bound of 0 is exceeded")
    return replace(worse, model=str(model), value=value, threshold=1.0, satisfied=satisfied, reason=reason)


def _share(verdict: Verdict) -> float:
    """The share of its bound that a verdict uses; 0 for a bound of 0 that is met."""
    if verdict.satisfied and verdict.threshold <= 0:
        return 0.0
    return (verdict.value or 0.0) / verdict.threshold if verdict.threshold > 0 else inf


def _pair_part(one: Part, other: Part) -> Part:
    """Both bounds for each class, with the values that `_judge_pair` reports."""
    shares = np.maximum(_shares(one), _shares(other))
    known = [(part, part.curable) for part in (one, other) if part.curable is not None]

    def curable(marked: Mask) -> Floats:
        """Of who violates a bound, by this bound; the least of both."""
        least = np.ones(len(marked))
        for part, of in known:
            if (here := marked & part.broken()).any():
                least[here] = np.minimum(least[here], of(here))
        return least[marked]

    return Part(shares, 1.0, AT_MOST, curable=curable)


def _shares(part: Part) -> npt.NDArray[np.float64]:
    """The share of its bound that each class uses; at most 1 for a class within the tolerance of the bound."""
    satisfied = part.satisfied_by(part.values)
    used = part.values / part.threshold if part.threshold > 0 else np.where(satisfied, 0.0, inf)
    return np.asarray(np.where(satisfied, np.minimum(used, 1), used), np.float64)

"""A pair of bounds on losses, judged as one model: the value is the larger share of its bound that is used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.models.base import AT_MOST, Judged, Part, PrivacyModel, Verdict
from sfumato.models.loss_bounds import LossBound


@dataclass(frozen=True, slots=True)
class LossPair(PrivacyModel):
    """Two losses, each within its bound, in every class or in the mean over people. A subclass names the `bounds`."""

    monotone: ClassVar[bool] = False

    @property
    def bounds(self) -> tuple[LossBound, LossBound]:
        """The two bounds; only the first may be convex."""
        raise NotImplementedError

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
    """Both bounds at once: the value is the larger share of its bound, so that 1 is the threshold."""
    if one.satisfied is None:
        return replace(one, model=str(model), threshold=1.0)
    shares = [_share(verdict) for verdict in (one, other)]
    worse = one if shares[0] >= shares[1] else other
    satisfied = bool(one.satisfied and other.satisfied)
    value, reason = (max(shares), None) if isfinite(max(shares)) else (None, "a bound of 0 is exceeded")
    return replace(worse, model=str(model), value=value, threshold=1.0, satisfied=satisfied, reason=reason)


def _share(verdict: Verdict) -> float:
    """How much of its bound a verdict uses; a bound of 0 that is kept uses none."""
    if verdict.satisfied and verdict.threshold <= 0:
        return 0.0
    return (verdict.value or 0.0) / verdict.threshold if verdict.threshold > 0 else inf


def _pair_part(one: Part, other: Part) -> Part:
    """Both bounds of each class at once, as `_judge_pair` reports them; the first may be convex."""
    shares = np.maximum(_shares(one), _shares(other))
    return Part(shares, 1.0, AT_MOST, excess=one.excess, peak=one.peak)


def _shares(part: Part) -> npt.NDArray[np.float64]:
    """How much of its bound each class uses; one within the tolerance of its bound uses no more than all of it."""
    kept = part.kept_by(part.values)
    used = part.values / part.threshold if part.threshold > 0 else np.where(kept, 0.0, inf)
    return np.asarray(np.where(kept, np.minimum(used, 1), used), np.float64)

"""Pairs of bounds on losses: (epsilon, alpha) on privacy, (gamma, delta) on utility."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError
from sfumato.models.base import AT_MOST, Judged, Part, PrivacyModel, Verdict
from sfumato.models.loss_bounds import DistributionLoss, EntropyLoss, LossBound, UtilityDistributionLoss, UtilityEntropyLoss
from sfumato.models.parameter import number


def judge_pair(model: PrivacyModel, one: Verdict, other: Verdict) -> Verdict:
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


def pair_part(one: Part, other: Part) -> Part:
    """Both bounds of each class at once, as `judge_pair` tells them; the first may be convex."""
    shares = np.maximum(_shares(one), _shares(other))
    return Part(shares, 1.0, AT_MOST, excess=one.excess, peak=one.peak)


def _shares(part: Part) -> npt.NDArray[np.float64]:
    """How much of its bound each class uses; one within the tolerance of its bound uses no more than all of it."""
    kept = part.kept_by(part.values)
    used = part.values / part.threshold if part.threshold > 0 else np.where(kept, 0.0, inf)
    return np.asarray(np.where(kept, np.minimum(used, 1), used), np.float64)


@dataclass(frozen=True, slots=True)
class PrivacyLoss(PrivacyModel):
    """(epsilon, alpha): distribution loss at most epsilon and entropy loss at most alpha in every class (leakage paper, Def. 23).

    The value is the larger share of its bound that is used; 1 is the threshold.
    Blind to: record linkage. Not monotone: the entropy loss is not.
    Example: losses 0.4714 and 0.1156 with (0.5, 1): value 0.943.
    """

    name: ClassVar[str] = "privacy-loss"
    stops: ClassVar[str] = "A,P"
    monotone: ClassVar[bool] = False

    epsilon: float = field(metadata=number(at_least=0))
    alpha: float = field(metadata=number(at_least=0))
    basis: str = ""

    def check_parameters(self) -> None:
        _require_basis(self.name, self.basis)

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        if self.basis:
            return ()
        one, other = self._bounds()
        return (pair_part(*one.parts(judged), *other.parts(judged)),)

    def judge(self, judged: Judged) -> Verdict:
        one, other = self._bounds()
        return judge_pair(self, one.judge(judged), other.judge(judged))

    def _bounds(self) -> tuple[LossBound, LossBound]:
        return DistributionLoss(self.epsilon, self.basis), EntropyLoss(self.alpha, self.basis)


@dataclass(frozen=True, slots=True)
class UtilityLoss(PrivacyModel):
    """(gamma, delta): entropy utility loss at most gamma and distribution utility loss at most delta in every class (thesis, 4.2).

    The value is the larger share of its bound that is used; 1 is the threshold.
    Blind to: what the release gives away; it bounds what the release costs. Not monotone: neither part is.
    Example: losses 1.5 and 0.7739 with (3, 0.9): value 0.860.
    """

    name: ClassVar[str] = "utility-loss"
    stops: ClassVar[str] = ""
    monotone: ClassVar[bool] = False

    gamma: float = field(metadata=number(at_least=0))
    delta: float = field(metadata=number(at_least=0))
    basis: str = ""

    def check_parameters(self) -> None:
        _require_basis(self.name, self.basis)

    def parts(self, judged: Judged) -> tuple[Part, ...]:
        if self.basis:
            return ()
        one, other = self._bounds()
        return (pair_part(*one.parts(judged), *other.parts(judged)),)

    def judge(self, judged: Judged) -> Verdict:
        one, other = self._bounds()
        return judge_pair(self, one.judge(judged), other.judge(judged))

    def _bounds(self) -> tuple[LossBound, LossBound]:
        return UtilityEntropyLoss(self.gamma, self.basis), UtilityDistributionLoss(self.delta, self.basis)


def _require_basis(name: str, basis: str) -> None:
    if basis not in ("", "total"):
        raise UsageError(f"no basis {basis!r}; leave it out for the worst class, or write total", where=name)

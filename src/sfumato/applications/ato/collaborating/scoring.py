"""How good detection is for one owner, or for several together.

An *alert* is a bad address in a period in which the owner has a sign-in from it. Precision is the share of alerts with a fraudulent
sign-in of this owner in them, recall the share of the fraudulent sign-ins that are in alerts, as in `sfumato ato detect`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import sfumato as sf
from sfumato.applications.ato.collaborating.counting import HONEST, Bools, Logins, Owners, Whole
from sfumato.applications.ato.collaborating.learning import Setting, bad_keys, learned

_SURE = 1e-12  # a variance below it is rounding


@dataclass(frozen=True, slots=True)
class Proportion:
    """A share with its interval at the level 0.95; the value is None where nothing was counted."""

    value: float | None
    low: float
    high: float

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"value": self.value, "interval": [self.low, self.high]}


@dataclass(frozen=True, eq=False)
class Later:
    """The later sign-ins of an owner by cell: all, the fraudulent ones, and which campaigns are in which cell. `tried` says that somebody
    tried an account from this key in the window that ends with the period, at this owner or another."""

    period: Whole
    key: Whole
    logins: Whole
    fraudulent: Whole
    tried: Bools
    owner: int
    campaigns: tuple[Whole, Whole]

    @classmethod
    def of(cls, owner: int, logins: Logins, first: int, tried: Bools) -> Later:
        """Of an owner's log, from a period on; `tried` is by period and key."""
        own = logins.take(logins.period >= first)
        cells, of = np.unique(np.column_stack([own.period, own.key]), axis=0, return_inverse=True)
        of = np.asarray(of).ravel()
        bad = own.campaign != HONEST
        named = own.campaign >= 0
        many, fraudulent = (np.bincount(of, own.count * kind, len(cells)).astype(np.int64) for kind in (np.ones_like(bad), bad))
        period, key = (np.asarray(column, np.int64) for column in cells.T)
        return cls(period, key, many, fraudulent, tried[period, key], owner, (of[named], own.campaign[named]))

    def alerts(self, view: Whole, rate: float | None, setting: Setting) -> Bools:
        """Which cells are alerts for an owner with a view, whose honest logins fail at a rate."""
        detector, found = learned(view, rate, setting), np.zeros(len(self.key), bool)
        for period in range(setting.calendar.trained, setting.calendar.periods):
            own = self.period == period
            found[own] = bad_keys(view, detector, setting, period, self.key[own])
        return found


def tried_in(owners: Owners, setting: Setting) -> Bools:
    """From which keys somebody tried an account in the window that ends with each period, at any owner."""
    tried = np.zeros(owners.shape[:2], bool)
    for each in owners.logins:
        bad = each.campaign != HONEST
        tried[each.period[bad], each.key[bad]] = True
    spans = [slice(max(0, period + 1 - setting.window), period + 1) for period in range(len(tried))]
    return np.stack([tried[span].any(axis=0) for span in spans])


@dataclass(frozen=True, eq=False)
class Score:
    """What alerts of some owners find. Arrays have one entry for each cell, and `keys` says which belong together. `campaigns` are those
    that alerts have met, of the `known` ones, each with the owner whom it tried."""

    keys: Whole
    alerted: Bools
    logins: Whole
    fraudulent: Whole
    tried: Bools
    campaigns: frozenset[tuple[int, int]]
    known: frozenset[tuple[int, int]]

    @classmethod
    def of(cls, later: Later, alerted: Bools) -> Score:
        """Of one owner."""
        cells, campaigns = later.campaigns
        met, known = (frozenset((later.owner, each) for each in some.tolist()) for some in (campaigns[alerted[cells]], campaigns))
        return cls(later.key, alerted, later.logins, later.fraudulent, later.tried, met, known)

    @classmethod
    def together(cls, scores: Sequence[Score]) -> Score:
        """Of several owners."""
        keys, alerted, logins, fraudulent, tried = (np.concatenate([getattr(each, name) for each in scores]) for name in _COLUMNS)
        met, known = (frozenset().union(*(getattr(each, name) for each in scores)) for name in ("campaigns", "known"))
        return cls(keys, alerted, logins, fraudulent, tried, met, known)

    @cached_property
    def alerts(self) -> int:
        return int(self.alerted.sum())

    @cached_property
    def right(self) -> int:
        """Alerts with a fraudulent sign-in in them."""
        return int((self.alerted & (self.fraudulent > 0)).sum())

    @cached_property
    def fraud(self) -> int:
        """All fraudulent sign-ins."""
        return int(self.fraudulent.sum())

    @cached_property
    def caught(self) -> int:
        """Fraudulent sign-ins in alerts."""
        return int(self.fraudulent[self.alerted].sum())

    @property
    def elsewhere(self) -> int:
        """Alerts without one, from whose keys another owner was tried, or this one before."""
        return int((self.alerted & (self.fraudulent == 0) & self.tried).sum())

    @property
    def bothered(self) -> int:
        """Honest sign-ins in alerts."""
        return int((self.logins - self.fraudulent)[self.alerted].sum())

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where nothing right was found."""
        if not self.right:
            return 0.0
        precision, recall = self.right / self.alerts, self.caught / self.fraud
        return 2 * precision * recall / (precision + recall)

    @property
    def precision(self) -> Proportion:
        return proportion_by_key(self.keys, self.alerted & (self.fraudulent > 0), self.alerted)

    @property
    def recall(self) -> Proportion:
        return proportion_by_key(self.keys, self.fraudulent * self.alerted, self.fraudulent)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        counts = {name: getattr(self, name) for name in ("alerts", "right", "elsewhere", "fraud", "caught", "bothered", "f1")}
        campaigns = {"campaigns": len(self.campaigns), "known_campaigns": len(self.known)}
        return {"precision": self.precision.as_dict(), "recall": self.recall.as_dict(), **counts, **campaigns}


_COLUMNS = ("keys", "alerted", "logins", "fraudulent", "tried")


def proportion_by_key(keys: Whole, parts: npt.NDArray[Any], wholes: npt.NDArray[Any]) -> Proportion:
    """A share of sign-ins or alerts, with the score interval (Wilson 1927) of as many independent ones as they are worth: those of one
    address are alike, so an address is what varies (the linearized variance of a ratio, by address, gives the number). Where all
    are alike, each address counts once.

    >>> found = proportion_by_key(np.array([0, 0, 1, 2]), np.array([1, 1, 0, 0]), np.ones(4))  # worth 2 of 4
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.5, 0.095, 0.905)
    """
    _, of = np.unique(keys, return_inverse=True)
    part, whole = (np.bincount(of, each) for each in (parts, wholes))
    part, whole = part[whole > 0], whole[whole > 0]
    if not len(whole):
        return Proportion(None, 0.0, 1.0)
    value, count = float(part.sum() / whole.sum()), len(whole)
    variance = float((((part - value * whole) ** 2).sum() / whole.sum() ** 2) * count / max(count - 1, 1))
    worth = value * (1 - value) / variance if variance > _SURE else float(count)
    tries = max(1, round(min(worth, float(whole.sum()))))
    low, high = sf.attacks.Attempt("", "", tries=tries, hits=value * tries).interval
    return Proportion(value, low, high)

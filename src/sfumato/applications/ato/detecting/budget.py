"""How many alerts somebody can look at: the threshold for a budget, and how good the alerts above it are.

An alert is a login, all suspicious logins of one key on one day, or a campaign. Those with the highest scores fill the budget; none is at
or below the score at which the model itself calls a login legitimate. Many have the same score: of these, first come those with most
wrong passwords, then the earlier ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.detecting.scoring import SUSPICIOUS
from sfumato.applications.ato.forest.trees import Floats

Numbers = npt.NDArray[np.int64]
_ROUNDING = 1e-6  # 0.29 alerts a day are 29 in a hundred days


@dataclass(frozen=True, slots=True, eq=False)
class Logins:
    """Scored logins. `good`: the password was right. `fraudulent`, `takeover` and `campaign` (-1: none) where the truth is known."""

    scores: Floats
    keys: Numbers
    days: npt.NDArray[np.int32]
    good: npt.NDArray[np.bool_]
    fraudulent: npt.NDArray[np.bool_] | None = None
    takeover: npt.NDArray[np.bool_] | None = None
    campaign: Numbers | None = None

    def day_count(self) -> int:
        """The days that have a login. Those from the first to the last would be decades if one clock is wrong, and a budget with them."""
        return len(np.unique(self.days))


@dataclass(frozen=True, slots=True)
class Alerts:
    """Alerts of one unit at a budget. `threshold` is the lowest score among them, None without any; `left` more have this score or a lower
    one, and are suspicious. Precision is the share of alerts with a fraudulent login; recall the share of fraudulent logins in alerts;
    `takeovers` and `campaigns` are the shares of those that alerts have met."""

    unit: str
    threshold: float | None
    alerts: int
    left: int
    per_day: float
    precision: float | None = None
    recall: float | None = None
    takeovers: float | None = None
    campaigns: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {name: getattr(self, name) for name in self.__slots__}


def alerts_of(unit: str, logins: Logins, group: Numbers, budget: float) -> Alerts:
    """The alerts for logins that were grouped: `group` numbers them from 0, and -1 is in none. A group has the score of its highest."""
    grouped = group >= 0
    members, groups = group[grouped], int(group.max(initial=-1)) + 1
    scores = np.zeros(groups)
    np.maximum.at(scores, members, logins.scores[grouped])
    order = np.lexsort((-np.bincount(members, ~logins.good[grouped], groups), -scores))
    suspicious = int((scores > SUSPICIOUS).sum())
    days = logins.day_count()
    chosen = order[: int(min(budget * days + _ROUNDING, suspicious))]
    alerted = np.zeros(len(group), bool)
    alerted[grouped] = np.isin(members, chosen)
    threshold = float(scores[chosen[-1]]) if len(chosen) else None
    found = Alerts(unit, threshold, len(chosen), suspicious - len(chosen), len(chosen) / days)
    return found if logins.fraudulent is None else _judged(found, logins, group, alerted)


def _judged(found: Alerts, logins: Logins, group: Numbers, alerted: npt.NDArray[np.bool_]) -> Alerts:
    assert logins.fraudulent is not None and logins.takeover is not None and logins.campaign is not None  # noqa: S101, PT018
    right = len(np.unique(group[alerted & logins.fraudulent]))
    named = logins.campaign >= 0
    every, met = (len(np.unique(logins.campaign[each])) for each in (named, named & alerted))
    return replace(
        found,
        precision=right / found.alerts if found.alerts else None,
        recall=_share(alerted, logins.fraudulent),
        takeovers=_share(alerted, logins.takeover),
        campaigns=met / every if every else None,
    )


def _share(chosen: npt.NDArray[np.bool_], of: npt.NDArray[np.bool_]) -> float | None:
    return float((chosen & of).sum() / of.sum()) if of.any() else None


def by_login(logins: Logins) -> Numbers:
    """Every suspicious login is an alert of its own."""
    suspicious = logins.scores > SUSPICIOUS
    return np.where(suspicious, suspicious.cumsum() - 1, -1)


def by_day(logins: Logins) -> Numbers:
    """One alert for the suspicious logins of a key on a day."""
    suspicious = logins.scores > SUSPICIOUS
    first, last = int(logins.days.min()), int(logins.days.max())
    pairs = logins.keys * (last - first + 1) + (logins.days - first)
    _, group = np.unique(pairs[suspicious], return_inverse=True)
    found = np.full(len(pairs), -1, np.int64)
    found[suspicious] = group
    return found


def by_campaign(logins: Logins, campaigns: Numbers) -> Numbers:
    """One alert for the suspicious logins of all keys of a campaign, given the number of each key's campaign, or -1."""
    return np.where(logins.scores > SUSPICIOUS, campaigns[logins.keys], -1)

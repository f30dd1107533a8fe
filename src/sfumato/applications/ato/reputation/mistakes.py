"""What honest mistakes explain: an address is bad only if more people fail there, and never succeed, than mistype.

Where f people have failed and s have succeeded, at least f different people were, and at most s of them ever got in: who did both counts
in both. An honest person never got in only if the first login failed, which has at most the probability p that an honest login fails. So
an honest address does this with a probability of at most P(Bin(f, 1 - p) <= s): its *chance*. It is 1 where as many succeed as fail, so
a shared address is spared, whatever its size. Attempts do not count: a thousand failures of one account are one person.

A name that somebody mistypes is no person, and never succeeds either. Where people sign in often there are many of these. So the chance
is at least P(Bin(n, w) >= f - s), with n logins, each of which has a mistyped name with at most the probability w: it must be neither
people who never get in nor their mistyped names. Addresses at which one person succeeds and somebody has failed tell w: all failing names
there but one are mistyped, or an attacker's, who can only raise it.

p is read off the known good addresses, as the smaller of two upper bounds: for the share of failed logins at all of them, and for the
median of their shares. The first is the closer one where each has few logins; the second still holds where one of them houses a service
that always fails. The bound on the chance is that of Benjamini and Hochberg (1995): of all addresses that meet it, one in twenty is
expected to be honest, at most. Reasons are in docs/decisions/0044.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.forest.model import FEATURES
from sfumato.applications.ato.forest.trees import Floats

HONEST = 0.05  # of the addresses that meet the bound, at most, are expected to be honest
_CONFIDENCE = 0.95
_TOLERANCE = 1e-9
_BAD_LOGINS, _GOOD_LOGINS, _FAILING, _SUCCEEDING = (
    FEATURES.index(name) for name in ("IPBadLogins", "IPGoodLogins", "IPBadUsers", "IPGoodUsers")
)


@dataclass(frozen=True, slots=True)
class Mistakes:
    """Honest logins fail with the probability `rate`, or less, and have a mistyped name with the probability `names`, or less; an address
    whose chance is within `bound` is not explained by that."""

    rate: float
    names: float
    bound: float

    @classmethod
    def of(cls, rows: npt.NDArray[Any], good: npt.NDArray[np.bool_]) -> Mistakes:
        """From the features of all addresses, and which are known to be good."""
        return cls.at_rate(rows, honest_rate(rows[good]))

    @classmethod
    def at_rate(cls, rows: npt.NDArray[Any], rate: float) -> Mistakes:
        """From the features of all addresses, where it is known how often honest logins fail."""
        people = _of_people(rows, rate)
        names = min(rate, names_rate(rows[people > _bound(people)]))
        return cls(rate, names, _bound(np.maximum(people, _of_names(rows, names))))

    def chances(self, rows: npt.NDArray[Any]) -> Floats:
        """How probable, at most, it is that an honest address has so few people who succeed among so many names."""
        return np.maximum(_of_people(rows, self.rate), _of_names(rows, self.names))

    def leave_open(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Which rows have more people who fail and never succeed than mistakes explain."""
        return np.asarray(self.chances(rows) <= self.bound * (1 + _TOLERANCE), bool)

    def fewest(self, succeeding: int) -> int:
        """How many people must have failed where so many have succeeded, once each; the bound must be above 0."""
        high = succeeding + 1
        while not self._left_open(high, succeeding):
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._left_open(middle, succeeding) else (middle, high)
        return high

    def _left_open(self, failing: int, succeeding: int) -> bool:
        row = np.zeros((1, len(FEATURES)))
        row[0, _FAILING], row[0, _SUCCEEDING] = row[0, _BAD_LOGINS], row[0, _GOOD_LOGINS] = failing, succeeding
        return bool(self.leave_open(row)[0])

    def __str__(self) -> str:
        none, one, ten = map(self.fewest, (0, 1, 10))
        return (
            f"more people fail and never succeed than mistakes explain: at least {none} fail if nobody succeeds, {one} if 1 does, "
            f"{ten} if 10 do; more if people sign in often, and mistype names"
        )


def honest_rate(good: npt.NDArray[Any]) -> float:
    """The probability, at most, that an honest login fails, from the features of some good addresses."""
    failed, succeeded = good[:, _BAD_LOGINS], good[:, _GOOD_LOGINS]
    return min(_share_together(float(failed.sum()), float(succeeded.sum())), _median_share(failed, succeeded))


def names_rate(rows: npt.NDArray[Any]) -> float:
    """The probability, at most, that a login has a mistyped name, from the features of addresses. Where one person succeeds, all failing
    names but that one's are others'; that one has failed, too, in nearly all cases, since passwords are mistyped more often than names."""
    alone = rows[(rows[:, _SUCCEEDING] == 1) & (rows[:, _FAILING] >= 1)]
    others = (alone[:, _FAILING] - 1).sum()
    return _share_together(float(others), float(alone[:, _BAD_LOGINS].sum() + alone[:, _GOOD_LOGINS].sum() - others))


def _share_together(failed: float, succeeded: float) -> float:
    """The upper end of Clopper's and Pearson's interval for the share of failures."""
    from scipy.special import betaincinv

    return float(betaincinv(failed + 1, succeeded, _CONFIDENCE)) if succeeded else 1.0


def _median_share(failed: Floats, succeeded: Floats) -> float:
    """The upper end of an interval for the median of shares. One failure and one success are added to each: few logins tell little."""
    shares = np.sort((failed + 1) / (failed + succeeded + 2))
    return float(shares[_above_median(len(shares))])


def _above_median(count: int) -> int:
    """The place, from 0, of the least of so many values in order that is above the median with confidence; the last if none is. The value
    at place j is below the median if more than j of them are, as heads of a fair coin."""
    from scipy.special import bdtr

    places = np.arange(count)
    below = 1 - bdtr(places.astype(np.float64), count, 0.5)
    return int(places[below <= 1 - _CONFIDENCE].min(initial=count - 1))


def _of_names(rows: npt.NDArray[Any], names: float) -> Floats:
    """How probable it is that so many mistyped names are in so many logins."""
    from scipy.special import bdtrc

    failed, succeeded, failing, succeeding = (
        np.asarray(rows[:, place], np.int64) for place in (_BAD_LOGINS, _GOOD_LOGINS, _FAILING, _SUCCEEDING)
    )
    others = np.maximum(failing - succeeding, 0)
    logins = np.maximum(failed + succeeded, np.maximum(others, 1))
    return np.where(others > 0, bdtrc(others - 1.0, logins, names), 1.0)


def _of_people(rows: npt.NDArray[Any], rate: float) -> Floats:
    """How probable it is that so few of the people who were there got in."""
    from scipy.special import bdtr

    failing, succeeding = (np.asarray(rows[:, place], np.int64) for place in (_FAILING, _SUCCEEDING))
    found = bdtr(np.minimum(succeeding, failing).astype(np.float64), np.maximum(failing, 1), 1 - rate)
    return np.where(succeeding >= failing, 1.0, found)


def _bound(chances: Floats) -> float:
    """The largest bound of which so many addresses are within that a share of `HONEST` would be, if all were honest; 0 if none is."""
    allowed = HONEST * np.arange(1, len(chances) + 1) / len(chances)
    return float(allowed[np.sort(chances) <= allowed].max(initial=0.0))

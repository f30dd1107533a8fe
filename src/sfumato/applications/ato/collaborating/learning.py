"""The detector: what honest mistakes explain (docs/decisions/0044), learned from counts of people and applied to later ones.

What an owner knows of the addresses is a *view*: people by period, key and kind, its own and those that others share with it. In a
window of periods, an address is bad if more people were failing there than mistakes explain. How many that are is learned from the window
that ends with the last period of training, and from how often logins fail at addresses that are known to be good. This rate an owner reads
off its own log, so that nobody has to share logins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.collaborating.counting import FAILING, SUCCEEDING, Bools, Calendar, Logins, Whole
from sfumato.applications.ato.forest.model import FEATURES
from sfumato.applications.ato.reputation.mistakes import Mistakes, honest_rate

_FEWEST_PEOPLE = 2  # who fail at an address; one may have forgotten a password
_SUCCEEDING, _MOST_FAILING = (0, 1, 10), 10_000  # what the detector is described by
_PLACES = tuple(map(FEATURES.index, ("IPBadLogins", "IPGoodLogins", "IPBadUsers", "IPGoodUsers")))

Fewest = tuple[int | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What all detectors share: the periods, how many of them a window has, and which keys are known to be good or allowed."""

    calendar: Calendar
    window: int
    good: Bools
    allowed: Bools

    def windowed(self, view: Whole, period: int) -> Whole:
        """People by key and kind in the window that ends with a period; whoever was there in two periods counts twice."""
        return np.asarray(view[max(0, period + 1 - self.window) : period + 1].sum(axis=0), np.int64)


def rows_of(people: Whole) -> npt.NDArray[np.float64]:
    """People by key and kind as the features that `Mistakes` reads. All who were there count as failing once, so that it knows how many
    they were: f - s of f never got in. A person counts as one login, failed for whoever never got in."""
    rows = np.zeros((len(people), len(FEATURES)))
    failing, succeeding = people[:, FAILING], people[:, SUCCEEDING]
    for place, column in zip(_PLACES, (failing, succeeding, failing + succeeding, succeeding), strict=True):
        rows[:, place] = column
    return rows


def rate_of(logins: Logins, setting: Setting) -> float | None:
    """How often honest logins of an owner fail, at most: at known good addresses, in the periods of training. None if it has none there."""
    some = setting.good[logins.key] & (logins.period < setting.calendar.trained)
    keys, of = np.unique(logins.key[some], return_inverse=True)
    rows = np.zeros((len(keys), len(FEATURES)))
    for place, column in zip(_PLACES, (logins.count - logins.right, logins.right), strict=False):
        rows[:, place] = np.bincount(of, column[some], len(keys))
    return honest_rate(rows) if len(keys) else None


def learned(view: Whole, rate: float | None, setting: Setting) -> Mistakes | None:
    """What mistakes explain, from the window that ends with the last period of training. None if it is not known how often honest logins
    fail, or if nothing there is beyond mistakes: then nothing can be detected."""
    people = setting.windowed(view, setting.calendar.trained - 1)
    there = people.sum(axis=1) > 0
    if rate is None or not there.any():
        return None
    found = Mistakes.at_rate(rows_of(people[there]), rate)
    return found if found.bound else None


def bad_keys(view: Whole, mistakes: Mistakes | None, setting: Setting, period: int, some: Whole) -> Bools:
    """Which of some keys are bad in the window that ends with a period."""
    if mistakes is None:
        return np.zeros(len(some), bool)
    people = setting.windowed(view, period)[some]
    open_ = mistakes.leave_open(rows_of(people)) & (people[:, FAILING] >= _FEWEST_PEOPLE)
    return np.asarray(open_ & ~setting.allowed[some], bool)


def fewest(mistakes: Mistakes | None) -> Fewest:
    """How many people must fail at an address where none, one and ten get in, for it to be bad; None if nothing is detected."""
    if mistakes is None:
        return (None,) * len(_SUCCEEDING)
    failing = np.arange(_FEWEST_PEOPLE, _MOST_FAILING)
    found = (mistakes.leave_open(rows_of(np.column_stack([failing, np.full_like(failing, each)]))) for each in _SUCCEEDING)
    return tuple(int(failing[open_.argmax()]) if open_.any() else None for open_ in found)

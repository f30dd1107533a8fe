"""The detector: learned from counts of people in the first periods, and applied to later ones.

What an owner knows of the addresses is a *view*: people by period, key and kind, its own and those that others share with it. Addresses are
labelled by what honest mistakes explain (docs/decisions/0044) in the window that ends with the last period of training: one is bad if more
people were failing there. How often honest logins fail, at addresses that are known to be good, an owner reads off its own log, so that
nobody has to share logins. The detector is this test with the numbers that it has learned, or a forest that was trained on its labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.collaborating.counting import FAILING, SUCCEEDING, Bools, Calendar, Logins, Whole
from sfumato.applications.ato.forest import Forest
from sfumato.applications.ato.forest.model import FEATURES, Settings
from sfumato.applications.ato.reputation.mistakes import Mistakes, honest_rate
from sfumato.applications.ato.training.fitting import fitted
from sfumato.applications.ato.training.training import THRESHOLD

_FEWEST_PEOPLE = 2  # who fail at an address; one may have forgotten a password
DETECTORS = ("mistakes", "forest")
_SUCCEEDING, _MOST_FAILING = (0, 1, 10), 10_000  # what the detector is described by
_SETTINGS = Settings(trees=25, depth=15, leaf=1)
_PLACES = tuple(map(FEATURES.index, ("IPBadLogins", "IPGoodLogins", "IPBadUsers", "IPGoodUsers")))

Fewest = tuple[int | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What all detectors share: the periods, how many of them a window has, which keys are known to be good or allowed, and what is
    learned; `seed` is that of forests."""

    calendar: Calendar
    window: int
    good: Bools
    allowed: Bools
    detector: str = "mistakes"
    seed: int = 0

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


class Detector(Protocol):
    """Which people by key and kind are those of a bad key."""

    def bad(self, people: Whole) -> Bools: ...


@dataclass(frozen=True, slots=True)
class Unexplained:
    """More people were failing than mistakes explain, and several."""

    mistakes: Mistakes

    def bad(self, people: Whole) -> Bools:
        return np.asarray(self.mistakes.leave_open(rows_of(people)) & (people[:, FAILING] >= _FEWEST_PEOPLE), bool)


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """A forest calls them bad."""

    forest: Forest

    def bad(self, people: Whole) -> Bools:
        return np.asarray(self.forest.scores(people.astype(np.float64)) > THRESHOLD, bool)


def learned(view: Whole, rate: float | None, setting: Setting) -> Detector | None:
    """The detector of a view. None if it is not known how often honest logins fail, or if nothing is beyond mistakes in the window that
    ends with the last period of training: then nothing can be detected."""
    people = setting.windowed(view, setting.calendar.trained - 1)
    people = people[people.sum(axis=1) > 0]
    if rate is None or not len(people):
        return None
    mistakes = Mistakes.at_rate(rows_of(people), rate)
    found = Unexplained(mistakes)
    if not mistakes.bound or setting.detector == "mistakes":
        return found if mistakes.bound else None
    return _grown(np.unique(people, axis=0), found, setting)


def _grown(people: Whole, labels: Unexplained, setting: Setting) -> Grown | None:
    """A forest of the counts that occur, each once: equal counts have equal labels."""
    bad = labels.bad(people)
    if bad.all() or not bad.any():
        return None
    return Grown(fitted(people.astype(np.float64), bad, "ip", _SETTINGS, setting.seed).forest)


def bad_keys(view: Whole, detector: Detector | None, setting: Setting, period: int, some: Whole) -> Bools:
    """Which of some keys are bad in the window that ends with a period."""
    if detector is None:
        return np.zeros(len(some), bool)
    return detector.bad(setting.windowed(view, period)[some]) & ~setting.allowed[some]


def fewest(detector: Detector | None) -> Fewest:
    """How many people must fail at an address where none, one and ten get in, for it to be bad; None if nothing is detected."""
    if detector is None:
        return (None,) * len(_SUCCEEDING)
    failing = np.arange(1, _MOST_FAILING)
    found = (detector.bad(np.column_stack([failing, np.full_like(failing, each)])) for each in _SUCCEEDING)
    return tuple(int(failing[bad.argmax()]) if bad.any() else None for bad in found)

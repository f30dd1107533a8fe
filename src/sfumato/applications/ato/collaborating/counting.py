"""Who was where: what an owner counts before it shares anything, and what detection is scored by.

A *cell* is a period and a key (an address or a subnet). In each cell a person is *failing*, if no sign-in there had the right password,
or else *succeeding*. People are numbers here; a user id does not leave the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Whole = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
FAILING, SUCCEEDING = 0, 1
HONEST, NO_CAMPAIGN = -2, -1  # in the place of the number of a campaign


@dataclass(frozen=True, slots=True)
class Calendar:
    """Periods of so many days each, from a first day on."""

    begin: date
    days: int
    periods: int

    @property
    def trained(self) -> int:
        """How many periods are trained with; the later ones are judged."""
        return (self.periods + 1) // 2

    def day(self, period: int) -> date:
        """The first day of a period."""
        return self.begin + timedelta(days=period * self.days)


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """One row for each person, period and key: whether this person got in there."""

    person: Whole
    period: Whole
    key: Whole
    inside: Bools

    def take(self, some: npt.NDArray[np.generic]) -> Visits:
        """Some of the rows."""
        return Visits(self.person[some], self.period[some], self.key[some], self.inside[some])

    def counts(self, shape: tuple[int, int, int]) -> Whole:
        """People by period, key and kind."""
        periods, keys, kinds = shape
        places = (self.period * keys + self.key) * kinds + np.where(self.inside, SUCCEEDING, FAILING)
        return np.bincount(places, minlength=periods * keys * kinds).reshape(shape).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Logins:
    """How many sign-ins there were by period, key and campaign (`HONEST` or `NO_CAMPAIGN` where there is none), and how many of them had
    the right password."""

    period: Whole
    key: Whole
    campaign: Whole
    count: Whole
    right: Whole

    def take(self, some: npt.NDArray[np.generic]) -> Logins:
        """Some of the rows."""
        return Logins(self.period[some], self.key[some], self.campaign[some], self.count[some], self.right[some])


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """The logs of all owners, counted: their visits and logins, over the same keys in their order and the same periods."""

    level: str
    keys: pa.Array
    calendar: Calendar
    visits: tuple[Visits, ...]
    logins: tuple[Logins, ...]

    @property
    def count(self) -> int:
        """How many owners there are."""
        return len(self.visits)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Periods, keys, and the two kinds of people."""
        return self.calendar.periods, len(self.keys), 2

    def raw(self) -> Whole:
        """The counts of every owner, of which nothing was left out."""
        return np.stack([each.counts(self.shape) for each in self.visits])

"""When people sign in: in the working hours of their country. The numbers of events and their times are in the same order."""

from __future__ import annotations

from datetime import UTC

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.generating.parameters import COUNTRIES, Parameters

SECOND = 1_000_000
DAY = 86_400 * SECOND
_BIN = DAY // 96  # a quarter of an hour
# By hour of the day: the night, the way to work, the morning, lunch, the afternoon, the evening.
_HOURS = np.array([2, 1, 1, 1, 2, 5, 15, 45, 90, 100, 85, 70, 55, 75, 80, 70, 60, 40, 22, 15, 12, 10, 7, 4]) / 100
_WEEKEND = 0.12
Whole = npt.NDArray[np.int64]
Shares = npt.NDArray[np.float64]


class Clock:
    """How the events of people and services are spread over the days of a log."""

    def __init__(self, parameters: Parameters, people: Whole) -> None:
        self.begin = int(parameters.begin.replace(tzinfo=UTC).timestamp()) * SECOND
        self.length = parameters.days * DAY
        middles = np.arange(parameters.days * 96) * 24 / 96 + 1 / 8
        offsets = np.array([offset for _, offset in COUNTRIES.values()])
        local = middles[:, None] + offsets + 24 * 7
        weekend = (local // 24 % 7 >= 5) * (_WEEKEND - 1) + 1
        weights = _HOURS[(local % 24).astype(int)] * weekend * people  # by bin and country
        busy = weights.sum(axis=1) / weights.sum()
        even = np.full(len(busy), 1 / len(busy))
        every = (1 - parameters.service_logins) * busy + parameters.service_logins * even
        self._service = parameters.service_logins * even / every
        self._country = np.cumsum(weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300), axis=1)
        self._ends = np.concatenate([[0.0], np.cumsum(every)])
        self._ends /= self._ends[-1]
        self._edges = np.arange(len(self._ends)) * float(_BIN)

    def times(self, shares: Shares) -> Whole:
        """The moments at which such a share of all events is done, in whole seconds, as Office 365 tells them."""
        after = np.interp(shares, self._ends, self._edges).astype(np.int64)
        return np.asarray(self.begin + np.minimum(after, self.length - SECOND) // SECOND * SECOND)

    def is_service(self, times: Whole, shares: Shares) -> npt.NDArray[np.bool_]:
        """Whether an event at some moment is that of a service."""
        return np.asarray(shares < self._service[self._bins(times)])

    def country(self, times: Whole, shares: Shares) -> Whole:
        """The country of a person who signs in at some moment."""
        found = (self._country[self._bins(times)] <= shares[:, None]).sum(axis=1)
        return np.asarray(np.minimum(found, self._country.shape[1] - 1))

    def day(self, times: Whole) -> Whole:
        return (times - self.begin) // DAY

    def _bins(self, times: Whole) -> Whole:
        return (times - self.begin) // _BIN

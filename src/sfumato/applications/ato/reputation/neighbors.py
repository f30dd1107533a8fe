"""Addresses that resemble known ones: a k-nearest-neighbor model for each class.

Counts are compared by their ratios (log1p), each in units of how much it varies over all addresses. An address resembles a class if its
mean distance from its k nearest known members is at most the distance that those have among each other. What resembles both belongs to
the class that is nearer in units of this distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.forest.trees import Floats

NEIGHBORS = 5
_QUANTILE = 0.9  # of the distances among the known ones: a single stray one must not stretch it
_AGENT = 2.0  # how far a suspicious agent is from an ordinary one, in units of the counts' deviations


@dataclass(frozen=True, slots=True, eq=False)
class Neighbors:
    """The known addresses of one class, and the distance within which others resemble them."""

    model: Any
    neighbors: int
    radius: float

    @classmethod
    def of(cls, known: Floats) -> Neighbors:
        """From the places of the known addresses, at least two."""
        from sklearn.neighbors import NearestNeighbors

        neighbors = min(NEIGHBORS, len(known) - 1)
        model = NearestNeighbors(n_neighbors=neighbors).fit(known)
        apart, _ = model.kneighbors()  # without oneself
        return cls(model, neighbors, max(float(np.quantile(apart.mean(axis=1), _QUANTILE)), 1e-9))

    def distances(self, places: Floats) -> Floats:
        """How far each place is from this class, in units of its radius: at most 1 resembles it."""
        apart, _ = self.model.kneighbors(places, n_neighbors=self.neighbors)
        return np.asarray(apart.mean(axis=1) / self.radius, np.float64)


def places_of(rows: npt.NDArray[Any]) -> Floats:
    """Rows of features (six counts, and the flag last) as places of a space in which distances mean something."""
    counts = np.log1p(np.asarray(rows[:, :-1], np.float64))
    spread = counts.std(axis=0)
    scaled = counts / np.where(spread > 0, spread, 1.0)
    return np.column_stack([scaled, rows[:, -1] * _AGENT])


def resembling(rows: npt.NDArray[Any], bad: npt.NDArray[np.bool_], good: npt.NDArray[np.bool_]) -> npt.NDArray[np.int8]:
    """1 for rows that resemble the known bad ones or are known to be bad, 0 for those that resemble the good ones, -1 for all others."""
    _, first, row_of = np.unique(rows, axis=0, return_index=True, return_inverse=True)  # many addresses have the same few logins
    places = places_of(rows)
    to_bad, to_good = (Neighbors.of(places[known]).distances(places[first])[row_of.ravel()] for known in (bad, good))
    found = np.where((to_bad <= 1) & (to_bad < to_good), 1, np.where((to_good <= 1) & (to_good < to_bad), 0, -1))
    return np.where(bad, 1, np.where(good, 0, found)).astype(np.int8)

"""Prices for an allocation: who gets which policy decides how much each type must be left with.

Type t must not prefer what type s gets: u_t ≥ u_s + worth_t(x_s) - worth_s(x_s), and u_t ≥ 0, where u is what a type is left with. These
are difference constraints, so the least u of all types at once are longest paths, and with them every price is as high as it can be.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.statistics import Floats

Places = npt.NDArray[np.intp]
_EXACT = 1e-9


def least_rents(worth: Floats, allocation: Places, tolerance: float = _EXACT) -> Floats | None:
    """What each type is left with at the least; None if no prices make every type take what is meant for it."""
    edges = _edges(worth, allocation)
    rents = np.zeros(len(worth))
    for _ in range(len(worth) + 1):
        raised = np.maximum(rents, (rents[:, None] + edges).max(axis=0))
        if (raised <= rents + tolerance).all():
            return rents
        rents = raised
    return None


def violation(worth: Floats, allocation: Places, rents: Floats) -> float:
    """By how much a pair of types, or a type alone, would rather do something else, at the most; 0 if none would."""
    pairs = (rents[:, None] + _edges(worth, allocation) - rents[None, :]).max(initial=0.0)
    return float(max(pairs, (-rents).max(initial=0.0), 0.0))


def _edges(worth: Floats, allocation: Places) -> Floats:
    """How much more the policy of a row's type is worth to a column's type than to its own."""
    bought = worth[:, allocation].T
    return np.asarray(bought - np.diag(bought)[:, None])

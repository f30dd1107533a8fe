"""The arguments, checked: the prior, the bounds, the weights and the sizes of the classes.

A value that nobody has is in no class of any table, so its share is zero in every answer and the solvers leave it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, isnan
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.beliefs import Prior
from sfumato.errors import UsageError, argument
from sfumato.statistics import Floats
from sfumato.tradeoff.formulas import PARAMETERS

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """The prior over all values, and the places of the values that somebody has, the most frequent first."""

    labels: tuple[str | None, ...]
    shares: Floats
    places: Places

    @classmethod
    def of(cls, prior: Prior | Sequence[float] | npt.NDArray[Any]) -> Given:
        """From a prior, or from shares or counts of people."""
        people = prior.people.astype(np.float64) if isinstance(prior, Prior) else _numbers(prior)
        labels = prior.values if isinstance(prior, Prior) else tuple(str(place + 1) for place in range(len(people)))
        shares = people / people.sum()
        return cls(labels, shares, np.argsort(-shares, kind="stable")[: np.count_nonzero(shares)])

    @property
    def descending(self) -> Floats:
        """The shares that solvers work with: those above zero, the largest first."""
        return np.asarray(self.shares[self.places], np.float64)

    def expand(self, x: Floats) -> tuple[float, ...]:
        """A distribution over the solvers' values as one over all values, in the order of the prior."""
        shares = np.zeros(len(self.shares))
        shares[self.places] = x
        return tuple(float(share) for share in shares)


def _numbers(prior: Sequence[float] | npt.NDArray[Any]) -> Floats:
    try:
        numbers = np.array(prior, np.float64)
    except (TypeError, ValueError):
        raise UsageError("give a prior, or a list of shares or counts", where=argument("prior")) from None
    if numbers.ndim != 1 or not len(numbers):
        raise UsageError("give one share or count per value, and at least one", where=argument("prior"))
    if not np.isfinite(numbers).all() or (numbers < 0).any() or not 0 < numbers.sum() < inf:
        raise UsageError("shares or counts must be finite, none below 0 and at least one above 0", where=argument("prior"))
    return numbers


def bounds_of(**bounds: float | None) -> Floats:
    """The bounds in the order of the losses; infinity where there is none."""
    return np.array([_bound(name, bounds.get(name)) for name in PARAMETERS])


def _bound(name: str, value: float | None) -> float:
    if value is None:
        return inf
    if not isinstance(value, Real) or isnan(value) or value < 0:
        raise UsageError(f"a bound is a number of at least 0, or None for no bound; got {value!r}", where=argument(name))
    return float(value)


def weights_of(weights: Sequence[float]) -> tuple[float, float]:
    """Two weights, none negative and at least one above zero."""
    valid = len(weights) == 2 and all(isinstance(weight, Real) and isfinite(weight) and weight >= 0 for weight in weights)
    if not valid or not sum(weights) > 0:
        raise UsageError("give two weights, none below 0 and at least one above 0, such as (1, 1)", where=argument("weights"))
    return float(weights[0]), float(weights[1])


def sizes_of(sizes: Sequence[int] | npt.NDArray[Any]) -> tuple[int, ...]:
    """People per class: whole numbers above zero."""
    people = np.asarray(sizes)
    if people.ndim != 1 or not len(people) or people.dtype.kind not in "iu" or (people < 1).any():
        raise UsageError("give the people of each class as whole numbers of at least 1", where=argument("sizes"))
    return tuple(int(size) for size in people)


def seed_of(seed: int) -> np.random.Generator:
    """The source of the random starts."""
    if not isinstance(seed, int) or seed < 0:
        raise UsageError(f"a seed is a whole number of at least 0; got {seed!r}", where=argument("seed"))
    return np.random.default_rng(seed)

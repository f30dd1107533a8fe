"""What an owner does to its counts before it shares them: a threshold, or noise and a threshold that follows from it.

A person counts once in each cell (a period and a key) in one of two kinds: as failing, who never got in there, or as succeeding. So one
person more or less changes one count of a cell by one. With noise, people are counted first: at most `visits` cells of a person in a
period, the first in the order of the keys, which depends on nobody else. Then each count that is not 0 gets discrete Laplace noise of
scale visits/epsilon, and is shared if it is at least `least`. A count that is there for one person alone is shared with the probability
P(noise >= least - 1); that any of a person's is, over all cells and periods, has at most the probability delta.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, expm1, log, log1p

import numpy as np
import numpy.typing as npt

from sfumato.applications.ato.collaborating.counting import Visits, Whole
from sfumato.errors import UsageError, argument

WIDEST = 10_000  # scale of the noise; nothing of sign-ins is seen in more
MOST_PEOPLE = 1_000_000  # that a threshold may ask for


@dataclass(frozen=True, slots=True)
class Protection:
    """A cell is shared if at least `threshold` people stand behind it. With `epsilon`, the privacy loss of a person in one period, counts
    are noisy, and `delta` bounds the chance that somebody shows who stands behind a count alone."""

    threshold: int = 5
    epsilon: float | None = None
    delta: float = 1e-5
    visits: int = 2

    def __post_init__(self) -> None:
        if not 1 <= self.threshold <= MOST_PEOPLE:
            raise UsageError("must be a number of people, at least 1; 5 would work", where=argument("threshold"))
        if self.visits < 1:
            raise UsageError("must be a number of cells, at least 1; 2 would work", where=argument("visits"))
        if self.epsilon is None:
            return
        if not self.visits / WIDEST <= self.epsilon < float("inf"):
            raise UsageError(f"must be at least {self.visits / WIDEST:g}; 1 would work", where=argument("private"))
        if not 0 < self.delta < 1:
            raise UsageError("must be above 0 and below 1; 1e-5 would work", where=argument("delta"))

    @property
    def scale(self) -> float:
        """The scale of the noise; 0 without any."""
        return 0.0 if self.epsilon is None else self.visits / self.epsilon

    def least(self, periods: int) -> int:
        """The least count that is shared, over so many periods; without noise, the least number of people behind a cell."""
        if self.epsilon is None:
            return self.threshold
        alone = -expm1(log1p(-self.delta) / (self.visits * periods))
        start = 1 + ceil(-self.scale * (log(alone) + log1p(exp(-1 / self.scale))))
        found = max(self.threshold, start - 2, 1)
        while self.whole_delta(found, periods) > self.delta:
            found += 1
        return found

    def whole_delta(self, least: int, periods: int) -> float:
        """The probability, at most, that some count is shared which holds one person only, over all that this person contributes."""
        alone = at_least(self.scale, least - 1)
        return 1.0 if alone >= 1 else -expm1(self.visits * periods * log1p(-alone))


def at_least(scale: float, least: int) -> float:
    """The probability of discrete Laplace noise of at least so much.

    >>> [round(at_least(1.0, least), 4) for least in (-1, 0, 1, 2)]
    [0.9011, 0.7311, 0.2689, 0.0989]
    """
    p = exp(-1 / scale)
    return p**least / (1 + p) if least >= 1 else 1 - p ** (1 - least) / (1 + p)


def protected(visits: Visits, shape: tuple[int, int, int], protection: Protection, seed: int | None) -> Whole:
    """The counts that one owner shares; 0 where it shares none."""
    if protection.epsilon is None:
        counts = visits.counts(shape)
        return np.where(counts.sum(axis=2, keepdims=True) >= protection.threshold, counts, 0)
    counts = visits.take(bounded(visits, protection.visits)).counts(shape)
    there = counts > 0
    noised = np.zeros_like(counts)
    noised[there] = _noisy(counts[there], protection, seed)
    return np.where(noised >= protection.least(shape[0]), noised, 0)


def bounded(visits: Visits, most: int) -> npt.NDArray[np.bool_]:
    """Which visits count: at most so many of a person in a period, the first in the order of their keys."""
    order = np.lexsort((visits.key, visits.period, visits.person))
    person, period = visits.person[order], visits.period[order]
    new = np.ones(len(order), bool)
    new[1:] = (person[1:] != person[:-1]) | (period[1:] != period[:-1])
    first = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    kept = np.empty(len(order), bool)
    kept[order] = np.arange(len(order)) - first < most
    return kept


def _noisy(counts: Whole, protection: Protection, seed: int | None) -> Whole:
    if seed is None:
        return _from_the_system(counts, protection)
    chance, p = np.random.Generator(np.random.Philox(seed)), exp(-1 / protection.scale)
    up, down = (chance.geometric(1 - p, len(counts)) for _ in range(2))
    return np.asarray(counts + up - down, np.int64)


def _from_the_system(counts: Whole, protection: Protection) -> Whole:
    """Noise that nobody can draw again."""
    try:
        import opendp.prelude as dp
    except ImportError:
        raise UsageError(
            f"noise that cannot be repeated needs the extra 'dp': pip install 'sfumato[dp]'; or give {argument('seed')} to try it out",
            where=argument("private"),
        ) from None
    dp.enable_features("contrib")
    domain, metric, scale = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), protection.scale
    measurement = dp.m.make_laplace(domain, metric, scale=scale)
    while measurement.map(protection.visits) > protection.epsilon:  # type: ignore[no-untyped-call]  # the last digit of the division
        scale = float(np.nextafter(scale, np.inf))
        measurement = dp.m.make_laplace(domain, metric, scale=scale)
    return np.array(measurement(counts.tolist()), np.int64)

"""How large a count is expected to be behind a noisy one: the posterior mean of Bayes.

Before, a count N of mean m is geometric: P(N = n) falls as g^n with g = m / (m + 1). Of all distributions on 0, 1, 2, … with this mean
it says least else. The noise is discrete Laplace noise, P(Z = z) falls as p^|z|. So what a count weighs is geometric on both sides of the
published one, and all sums have a closed form. They are kept as logarithms, because both ends underflow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
_FLAT = 1e-4  # below this, a geometric series is taken for a linear one


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Some of the counts that are possible: the logarithm of what they weigh, and their mean."""

    log: Floats
    mean: Floats


def expected(counts: Counts, means: Floats, scale: float, least: int = 0) -> Floats:
    """The means of counts of at least `least` (0 or 1), by their noisy values and the means before, which are positive."""
    g, p = _logarithm(means), np.full(len(means), -1 / scale)
    with np.errstate(divide="ignore", over="ignore"):
        below, above = _between(g, p, counts - least), _from(g, counts - least, g + p)
        return least + _mean_of(below, above)


def expected_below(threshold: int, means: Floats, scale: float, *, observed: bool = False) -> Floats:
    """The means of counts that with their noise are below a threshold (at least 1). `observed`: a count of 0 gets no noise and is never
    published."""
    g, p, limit = _logarithm(means), np.full(len(means), -1 / scale), np.full(len(means), threshold)
    half = np.log1p(np.exp(p))
    with np.errstate(divide="ignore", over="ignore"):
        below = _between(g, np.zeros(len(g)), limit)
        lost = _scaled(_between(g, p, limit), -half)  # noise lifts them to the threshold
        above = _scaled(_from(g, limit, g + p), p - half)
        parts = [below, above, *([_Part(p * threshold - half, np.zeros(len(g)))] if observed else [])]
        return _mean_of(*parts, without=lost)


def _logarithm(means: Floats) -> Floats:
    """log g."""
    return np.asarray(-np.log1p(1 / means), np.float64)


def _between(a: Floats, b: Floats, count: Counts) -> _Part:
    """The terms e^(a i) e^(b (count - i)) for i = 0 … count - 1."""
    series = _series(-np.abs(a - b), count)
    rising = a > b
    log = np.where(rising, a * count + b - a, b * count) + series.log
    return _Part(log, np.where(rising, count - 1 - series.mean, series.mean))


def _series(u: Floats, count: Counts) -> _Part:
    """The terms e^(u i) for i = 0 … count - 1, where u is at most 0."""
    flat = -u * count < _FLAT
    safe = np.where(flat, -1.0, u)
    whole = np.where(flat, count * (1 + u * (count - 1) / 2), np.expm1(safe * count) / np.expm1(safe))
    level = (count - 1) / 2 + u * (count**2 - 1) / 12
    return _Part(np.log(whole), np.where(flat, level, 1 / np.expm1(-safe) - count / np.maximum(np.expm1(-safe * count), 1e-300)))


def _from(a: Floats, start: Counts, u: Floats) -> _Part:
    """The terms e^(a start) e^(u j) for j = 0, 1, …, each at start + j."""
    return _Part(a * start - np.log(-np.expm1(u)), start + 1 / np.expm1(-u))


def _scaled(part: _Part, log: Floats) -> _Part:
    return _Part(part.log + log, part.mean)


def _mean_of(*parts: _Part, without: _Part | None = None) -> Floats:
    """The mean of parts together, without some that are in them."""
    every = [*parts, *([without] if without else [])]
    top = np.max([part.log for part in every], axis=0)
    weights = np.array([np.exp(part.log - top) for part in every])
    if without:
        weights[-1] *= -1
    means = np.array([np.where(weight == 0, 0, part.mean) for part, weight in zip(every, weights, strict=True)])
    return np.asarray((weights * means).sum(axis=0) / weights.sum(axis=0), np.float64)

"""Guessers that learn from a sample: the most frequent secret of an observation, and the secret of the nearest one."""

from __future__ import annotations

import numpy as np

from sfumato.channel.estimating.samplers import Observed, Secrets

_NUMBERS = 4_000_000  # distances that are held at once


def tallied(secrets: Secrets, observed: Observed) -> tuple[Secrets, Observed, Secrets]:
    """The distinct pairs of a secret and an observation (by its place among the distinct ones), and how often each occurs."""
    _, observation = np.unique(observed, axis=0, return_inverse=True)
    pairs, count = np.unique(np.stack([observation.ravel(), secrets], axis=1), axis=0, return_counts=True)
    return pairs[:, 1], pairs[:, 0], count.astype(np.int64)


def resubstitution_error(secrets: Secrets, observed: Observed) -> float:
    """How often the most frequent secret of each observation is wrong on the very sample: at most the true error, in expectation."""
    _, observation, count = tallied(secrets, observed)
    best = np.zeros(int(observation.max()) + 1, np.int64)
    np.maximum.at(best, observation, count)
    return 1 - int(best.sum()) / len(secrets)


def most_frequent(train: tuple[Secrets, Observed], observed: Observed) -> Secrets:
    """For each observation the secret that it had most often in the training sample, the lowest of several; the most frequent secret of
    all for one that did not occur."""
    both = np.concatenate([train[1], observed])
    _, place = np.unique(both, axis=0, return_inverse=True)
    place = place.ravel()
    secrets, observation, count = tallied(train[0], place[: len(train[0])][:, None])
    known = np.unique(place[: len(train[0])])[observation]
    order = np.lexsort((-secrets, count))  # the last one written wins
    values, times = np.unique(train[0], return_counts=True)
    guess = np.full(int(place.max()) + 1, values[times.argmax()], np.int64)
    guess[known[order]] = secrets[order]
    return guess[place[len(train[0]) :]]


def nearest(train: tuple[Secrets, Observed], observed: Observed, rng: np.random.Generator) -> Secrets:
    """For each observation the secret of the nearest one in the training sample; of several at the same place, a random one."""
    known, place_of = np.unique(_rows(train[1]), axis=0, return_inverse=True)
    asked, place = np.unique(_rows(observed), axis=0, return_inverse=True)
    found = np.empty(len(asked), np.int64)
    step = max(1, _NUMBERS // len(known))
    for start in range(0, len(asked), step):
        some = asked[start : start + step]
        squares = sum((some[:, None, axis] - known[None, :, axis]) ** 2 for axis in range(known.shape[1]))
        found[start : start + step] = np.asarray(squares).argmin(axis=1)
    sizes = np.bincount(place_of.ravel(), minlength=len(known))
    here = found[place.ravel()]
    one = (np.cumsum(sizes) - sizes)[here] + np.floor(rng.random(len(here)) * sizes[here]).astype(np.int64)
    return np.asarray(train[0][np.argsort(place_of.ravel(), kind="stable")][one], np.int64)


def _rows(observed: Observed) -> Observed:
    return np.asarray(observed, np.float64).reshape(len(observed), -1)

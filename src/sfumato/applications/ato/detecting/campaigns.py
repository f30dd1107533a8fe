"""Campaigns: keys that act together.

Whoever sprays passwords goes after some organizations for a while, from changing addresses. So two suspicious keys are linked wherever both
have tried people of one organization in one week; where many keys have, the link weighs less. Which keys then belong together is decided
by modularity (Blondel et al. 2008): a group has more links within it than its keys would have by chance. The order is fixed, and so is
the result. People do not link keys: a campaign with one password tries everybody once, so that its addresses share nobody with each other,
but some with those of other campaigns.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_SWEEPS = 50
_GAIN = 1e-9  # a smaller one is rounding


@dataclass(frozen=True, slots=True, eq=False)
class Tries:
    """Which of `count` suspicious keys tried what (an organization in a week), each pair once, both numbered from 0."""

    count: int
    keys: Numbers
    tried: Numbers


def campaigns_of(tries: Tries) -> Numbers:
    """The number of each key's campaign, from 0 in the order of the keys."""
    sizes = np.bincount(tries.tried)
    weight = np.where(sizes > 1, 1 / np.maximum(sizes - 1, 1), 0.0)
    keys, tried = tries.keys, tries.tried
    times: Floats = np.ones(len(keys))
    degree: Floats = np.bincount(keys, (sizes > 1)[tried], tries.count).astype(np.float64)
    found = np.arange(tries.count)
    while True:  # groups become the keys of the next round
        labels = _moved(*_lists(keys, tried, times, len(degree)), *_lists(tried, keys, times, len(weight)), weight, degree)
        groups, group_of = np.unique(labels, return_inverse=True)
        found = group_of[found]
        if len(groups) == len(degree):
            return _in_order(found)
        degree = np.bincount(group_of, degree, len(groups)).astype(np.float64)
        pairs, of = np.unique(group_of[keys] * len(weight) + tried, return_inverse=True)
        keys, tried, times = pairs // len(weight), pairs % len(weight), np.bincount(of, times).astype(np.float64)


def _in_order(found: Numbers) -> Numbers:
    """Groups numbered in the order in which they first occur."""
    _, first, of = np.unique(found, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[of], np.int64)


def _lists(groups: Numbers, members: Numbers, times: Floats, count: int) -> tuple[Numbers, Numbers, Floats]:
    """The members of each group and how often each is in it: those of group g are at offsets[g]:offsets[g + 1]."""
    order = np.lexsort((members, groups))
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(groups, minlength=count), out=offsets[1:])
    return offsets, members[order], times[order]


@njit(cache=True, nogil=True)
def _moved(tie_ends, ties, tie_times, key_ends, keys, key_times, weight, degree):  # type: ignore[no-untyped-def]
    """Labels of keys after each has moved to the group of the largest gain, until none wants to."""
    count = len(tie_ends) - 1
    labels, total, whole = np.arange(count), degree.copy(), max(degree.sum(), 1.0)
    links, met = np.zeros(count), np.empty(count, np.int64)
    for _ in range(_SWEEPS):
        changed = False
        for key in range(count):
            own, groups = labels[key], 0
            total[own] -= degree[key]
            for place in range(tie_ends[key], tie_ends[key + 1]):
                tie = ties[place]
                some = slice(key_ends[tie], key_ends[tie + 1])
                groups = _linked(key, keys[some], key_times[some], weight[tie] * tie_times[place], labels, links, met, groups)
            best = _best(own, met[:groups], links, total, degree[key] / whole)
            for label in met[:groups]:
                links[label] = 0.0
            total[best] += degree[key]
            labels[key] = best
            changed |= best != own
        if not changed:
            break
    return labels


@njit(cache=True, nogil=True)
def _linked(key, others, times, weight, labels, links, met, groups):  # type: ignore[no-untyped-def]
    """Add the links of a key to the groups of others; returns how many groups it has met."""
    for place, other in enumerate(others):
        label = labels[other]
        if other != key and weight > 0:
            if links[label] == 0.0:
                met[groups] = label
                groups += 1
            links[label] += weight * times[place]
    return groups


@njit(cache=True, nogil=True)
def _best(own, met, links, total, share):  # type: ignore[no-untyped-def]
    """The group with most links beyond those that chance would give; its own where none has more."""
    best, most = own, links[own] - share * total[own]
    for label in met:
        gain = links[label] - share * total[label]
        if gain > most + _GAIN:
            best, most = label, gain
    return best

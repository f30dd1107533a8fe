"""What adversaries come to believe of a tuple, for whom tuples are in the table independently of each other: (d, gamma)-privacy.

The inputs are all sets of tuples. Let a and b be how likely an output is with and without tuple t, for somebody who holds the other tuples
for likely with p_s each. The posterior of t grows with a/b, which is a ratio of two numbers linear in each p_s: on [0, d] it is extreme
at an end. So it is enough to look at the adversaries for whom every other tuple is absent, at d, or known: 3^(tuples - 1) of them.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.errors import UsageError, argument, several
from sfumato.models.of_mechanisms.mechanism import Beliefs, Found

MOST_TUPLES = 8
_BLOCK = 512  # outputs


def extreme_beliefs(channel: ChannelMatrix, members: Any, most: float) -> Beliefs:
    """The largest posterior of a tuple held for `most` likely, and the least ratio of posterior to prior, over all adversaries."""
    order, tuples = _by_sets(channel, members)
    columns = channel.columns[order]
    largest, least = Found(0.0), Found(inf)
    for first in range(0, channel.outputs, _BLOCK):
        block = columns[:, first : first + _BLOCK].toarray().reshape(*[2] * tuples, -1)
        for place in range(tuples):
            absent, present = _likelihoods(block, place, most)
            named = (f"tuple {place + 1}",)
            largest = max(largest, Found(_largest(absent, present, most), named), key=lambda each: each.value)
            least = min(least, Found(_least(absent, present), named), key=lambda each: each.value)
    return Beliefs(largest, least)


def _likelihoods(block: Floats, place: int, most: float) -> tuple[Floats, Floats]:
    """How likely each output is without and with a tuple, for every extreme adversary."""
    extremes = np.array([[1, 0], [1 - most, most], [0, 1]])
    found = np.moveaxis(block, place, 0)
    for axis in range(1, found.ndim - 1):
        found = np.moveaxis(np.tensordot(extremes, found, axes=(1, axis)), 0, axis)
    return found[0].ravel(), found[1].ravel()


def _largest(absent: Floats, present: Floats, most: float) -> float:
    probability = most * present + (1 - most) * absent
    return float(np.divide(most * present, probability, out=np.zeros_like(probability), where=probability > 0).max())


def _least(absent: Floats, present: Floats) -> float:
    """For a tuple held for all but absent, where the ratio is that of the likelihoods; nobody who knew it beforehand counts."""
    possible = absent > 0
    return float((present[possible] / absent[possible]).min(initial=inf))


def _by_sets(channel: ChannelMatrix, members: Any) -> tuple[np.typing.NDArray[np.integer], int]:
    """The inputs in the order of their sets of tuples, and how many tuples there are."""
    table = np.asarray(members)
    if table.ndim != 2 or len(table) != channel.inputs or not np.isin(table, (0, 1)).all():
        raise UsageError(f"a row of zeros and ones for each of {several(channel.inputs, 'input')}", where=argument("members"))
    tuples = table.shape[1]
    if not 1 <= tuples <= MOST_TUPLES:
        raise UsageError(f"{several(tuples, 'tuple')}; judged exactly are 1 to {MOST_TUPLES}", where=argument("members"))
    order = np.lexsort(table.T[::-1])
    every = (np.arange(2**tuples)[:, None] >> np.arange(tuples)[::-1]) & 1
    if not np.array_equal(table[order], every):
        raise UsageError(
            f"the inputs must be all {2**tuples:,} sets of {several(tuples, 'tuple')}, each once: to adversaries for whom tuples are "
            "independent, all of them are possible",
            where=argument("members"),
        )
    return order, tuples

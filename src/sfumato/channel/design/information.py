"""The channel that tells the user most, in bits, within a bound on how often the adversary guesses the input.

Mutual information is convex in the channel, so its largest value is at a corner. A column c of the channel adds at the most what is convex
in c; where the adversary's best guess is one input, the columns that cost the adversary's bound alike form a cone, and its edges are the
columns that leave some set of inputs equally likely to the adversary and rule out the others. So every best channel can be made of such
columns: an output says "one of these", as a class does. What is left is how often each set is used, which is a linear program.

With one uniform prior for both sides only the sizes of the sets matter. The best are two sizes next to each other, and the channel is
made of windows of these sizes; any number of inputs is possible. Otherwise every set is a number to find, and inputs are few.
"""

from __future__ import annotations

from math import floor, log2
from typing import Any

import numpy as np

from sfumato.channel.design.results import Designed, rows_of
from sfumato.channel.information import mutual_information
from sfumato.channel.linear import solved
from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.channel.needs import scipy_part
from sfumato.channel.priors import probabilities_of
from sfumato.channel.vulnerability import posterior_vulnerability
from sfumato.errors import UsageError, argument, several
from sfumato.statistics import TOLERANCE

MOST_INPUTS = 14
_MOST_ENTRIES = 20_000_000


def most_information(inputs: int, most: float, *, prior: Any = None, belief: Any = None) -> Designed:
    """Design the channel that tells the user most.

    Parameters
    ----------
    inputs : int
        How many inputs there are; up to 14, or any number if both priors are uniform.
    most : float
        How often the adversary may guess the input at the most.
    prior : sequence of float, optional
        What the user believes beforehand; uniform if omitted.
    belief : sequence of float, optional
        What the adversary believes beforehand, no input impossible; as the prior, if omitted.

    Returns
    -------
    Designed
        The channel, its information in bits, what the adversary reaches, and by how much another channel could be better at the most.
    """
    weights = probabilities_of(prior, inputs, "prior")
    believed = weights if belief is None else probabilities_of(belief, inputs, "belief")
    if most < believed.max() - TOLERANCE:
        raise UsageError(
            f"no channel keeps the adversary below {believed.max():.6g}, the likeliest input", where=argument("most")
        )
    if np.ptp(believed) <= TOLERANCE and np.ptp(weights) <= TOLERANCE:
        return _uniform(inputs, most)
    if inputs > MOST_INPUTS:
        raise UsageError(
            f"{several(inputs, 'input')} have {2**inputs - 1:,} sets; up to {MOST_INPUTS} inputs are solved, or uniform priors",
            where=argument("prior"),
        )
    if not (believed > 0).all():
        raise UsageError("an input that the adversary rules out needs no protection; leave it out", where=argument("belief"))
    return _by_sets(weights, believed, max(most, float(believed.max())))


def best_bits(weights: Floats, believed: Floats, most: float) -> float:
    """The most that a channel within the bound can tell; without the channel where it need not be made."""
    if np.ptp(believed) <= TOLERANCE and np.ptp(weights) <= TOLERANCE:
        return _bits(len(weights), *_sizes(len(weights), most))
    return most_information(len(weights), most, prior=weights, belief=believed).value


def _sizes(inputs: int, most: float) -> tuple[int, float]:
    """The smaller of two sizes next to each other, and its share of the outputs, so that the adversary reaches the bound."""
    size = min(max(floor(1 / most + TOLERANCE), 1), inputs)
    if size == inputs or most * size >= 1 - TOLERANCE:
        return size, 1.0
    return size, size * (most * (size + 1) - 1)


def _bits(inputs: int, size: int, share: float) -> float:
    return log2(inputs) - share * log2(size) - (1 - share) * log2(size + 1)


def _uniform(inputs: int, most: float) -> Designed:
    size, share = _sizes(inputs, most)
    entries = inputs * (2 * size + 1)
    if entries > _MOST_ENTRIES:
        raise UsageError(
            f"the channel would have some {entries:,} entries; up to {_MOST_ENTRIES:,} are written down", where=argument("inputs")
        )
    windows = [share * _windows(inputs, size)] + ([(1 - share) * _windows(inputs, size + 1)] if share < 1 else [])
    channel = ChannelMatrix.of(scipy_part("sparse").hstack(windows))
    value = mutual_information(channel)
    return Designed(channel, value, posterior_vulnerability(channel), max(_bits(inputs, size, share) - value, 0.0))


def _windows(inputs: int, size: int) -> Any:
    """An output for each run of inputs, the first following the last; each input is in as many runs as a run is long."""
    sparse = scipy_part("sparse")
    if size == inputs:
        return sparse.csr_array(np.ones((inputs, 1)))
    runs = (np.arange(inputs)[:, None] - np.arange(size)) % inputs
    return sparse.csr_array(
        (np.full(runs.size, 1 / size), runs.ravel(), np.arange(0, runs.size + 1, size)), shape=(inputs, inputs)
    )


def _by_sets(weights: Floats, believed: Floats, most: float) -> Designed:
    inputs = len(weights)
    member = (((np.arange(1, 2**inputs)[:, None] >> np.arange(inputs)) & 1) == 1).T
    lifted = np.where(member, (weights / believed)[:, None], 0.0)
    probability = lifted.sum(axis=0)
    # What one unit of a set tells: P(y|x) = 1/belief(x), and the output has that `probability`.
    bits = -(lifted * np.log2(np.where(lifted > 0, believed[:, None] * probability, 1.0))).sum(axis=0)
    found = solved(-bits, (np.ones((1, len(bits))), np.array([most])), (member.astype(np.float64), believed))
    used = found.x > TOLERANCE**2
    channel = ChannelMatrix.of(rows_of(np.where(member[:, used], found.x[used], 0.0) / believed[:, None]))
    value = mutual_information(channel, weights)
    proved = -found.proved - found.undercut * most
    return Designed(channel, value, posterior_vulnerability(channel, believed), max(proved - value, 0.0))

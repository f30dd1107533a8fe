"""Capacity: the largest Shannon leakage over all priors, with a certificate.

For every prior p with outputs q = pP, the capacity lies between I(p) = sum of p(x)·D(P_x‖q) and the largest D(P_x‖q). The difference is
the residual, and it is computed from the answer alone: whatever found the prior, the bounds hold.

Two ways. Newton's method (`channel.interior`) needs some twenty steps, each with a matrix of inputs by inputs. Where that is too large,
Blahut and Arimoto's step p(x) ← p(x)·2^(r·D(P_x‖q)), with a factor r that grows while it helps, costs one pass over the entries; it
creeps near the end. Decision 0046 compares them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.channel.information import divergences
from sfumato.channel.interior import best_prior
from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.channel.priors import locked, uniform
from sfumato.errors import UsageError, argument
from sfumato.statistics import TOLERANCE

_MOST_INPUTS = 4_000  # whose squared number of floats is 128 MB
_MOST_CELLS = 40_000_000
_FASTER, _SLOWER = 1.5, 0.5
_SMALLEST = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class Capacity:
    """Bits. The capacity is at least `value`, which `prior` attains, and at most `value + residual`."""

    value: float
    prior: Floats
    residual: float
    steps: int

    @property
    def at_most(self) -> float:
        """What the capacity certainly does not exceed."""
        return self.value + self.residual


def capacity(channel: ChannelMatrix, tolerance: float = TOLERANCE, steps: int = 20_000) -> Capacity:
    """The capacity of a channel, to a tolerance in bits or as near as that many steps come; the result says how near.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    tolerance : float
        The residual that is small enough, in bits.
    steps : int
        After how many steps to give up.

    Returns
    -------
    Capacity
        The value, the prior that attains it, and the residual.
    """
    if not tolerance > 0:
        raise UsageError("must be more than 0", where=argument("tolerance"))
    if channel.inputs > _MOST_INPUTS or channel.inputs * channel.outputs > _MOST_CELLS:
        return blahut_arimoto(channel, tolerance, steps)
    return certified(channel, *best_prior(channel, tolerance, steps))


def blahut_arimoto(channel: ChannelMatrix, tolerance: float = TOLERANCE, steps: int = 20_000) -> Capacity:
    """Steps of Blahut and Arimoto from the uniform prior; a longer step that lowers the leakage is taken back.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    tolerance : float
        The residual that is small enough, in bits.
    steps : int
        After how many steps to give up.

    Returns
    -------
    Capacity
        The value, the prior that attains it, and the residual.
    """
    own_terms = _own_terms(channel)
    prior, stretch, step = uniform(channel.inputs), 1.0, 0
    own, value = _leakages(channel, own_terms, prior)
    while step < steps and own.max() - value > tolerance:
        step += 1
        tried = prior * np.exp2(stretch * (own - own.max()))
        tried /= tried.sum()
        again, now = _leakages(channel, own_terms, tried)
        if now < value and stretch > 1:
            stretch = max(stretch * _SLOWER, 1.0)
            continue
        prior, own, value, stretch = tried, again, now, stretch * _FASTER
    return certified(channel, prior, step)


def certified(channel: ChannelMatrix, prior: Floats, steps: int) -> Capacity:
    """What a prior proves of the capacity."""
    own = divergences(channel, prior @ channel.rows)
    value = float(prior[prior > 0] @ own[prior > 0])
    return Capacity(max(value, 0.0), locked(prior), max(float(own.max()) - value, 0.0), steps)


def _own_terms(channel: ChannelMatrix) -> Floats:
    """The part of D(P_x‖q) that does not depend on q."""
    data = channel.rows.data
    return channel.added(data * np.log2(data))


def _leakages(channel: ChannelMatrix, own_terms: Floats, prior: Floats) -> tuple[Floats, float]:
    """D(P_x‖q) of each input, and their mean."""
    own = own_terms - channel.rows @ np.log2(np.maximum(prior @ channel.rows, _SMALLEST))
    return own, float(prior @ own)

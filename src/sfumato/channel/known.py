"""Channels of well-known mechanisms."""

from __future__ import annotations

from math import exp

import numpy as np

from sfumato.channel.matrix import ChannelMatrix
from sfumato.errors import UsageError, argument


def identity(inputs: int) -> ChannelMatrix:
    """The input is published.

    Parameters
    ----------
    inputs : int
        How many.

    Returns
    -------
    ChannelMatrix
        The channel.
    """
    return ChannelMatrix.of(np.eye(_at_least(inputs, 1)))


def constant(inputs: int) -> ChannelMatrix:
    """Nothing is published: one output.

    Parameters
    ----------
    inputs : int
        How many.

    Returns
    -------
    ChannelMatrix
        The channel.
    """
    return ChannelMatrix.of(np.ones((_at_least(inputs, 1), 1)))


def randomized_response(values: int, epsilon: float) -> ChannelMatrix:
    """The true value with e^epsilon / (e^epsilon + n - 1), else one of the n - 1 others; epsilon-differentially private for one person.

    Parameters
    ----------
    values : int
        How many values there are.
    epsilon : float
        The privacy parameter.

    Returns
    -------
    ChannelMatrix
        The channel.
    """
    others = 1 / (exp(_positive(epsilon)) + _at_least(values, 2) - 1)
    return ChannelMatrix.of(np.full((values, values), others) + np.eye(values) * (1 - values * others))


def geometric(counts: int, epsilon: float) -> ChannelMatrix:
    """A count of 0 to `counts` with two-sided geometric noise, P(z) in proportion to e^(-epsilon·abs(z)), cut off at both ends.

    Epsilon-differentially private where neighbors differ by one (Ghosh, Roughgarden and Sundararajan 2009).

    Parameters
    ----------
    counts : int
        The largest count.
    epsilon : float
        The privacy parameter.

    Returns
    -------
    ChannelMatrix
        The channel.
    """
    ratio = exp(-_positive(epsilon))
    places = np.arange(_at_least(counts, 1) + 1)
    noise = (1 - ratio) / (1 + ratio) * ratio ** np.abs(places[:, None] - places)
    for end in (0, counts):  # whatever lies beyond an end is published as the end
        noise[:, end] = ratio ** np.abs(places - end) / (1 + ratio)
    return ChannelMatrix.of(noise, [str(each) for each in places], [str(each) for each in places])


def _positive(epsilon: float) -> float:
    if not 0 < epsilon < 700:
        raise UsageError("must be a number above 0 and below 700", where=argument("epsilon"))
    return epsilon


def _at_least(number: int, least: int) -> int:
    if number < least:
        raise UsageError(f"at least {least}; it is {number}", where="channel")
    return number

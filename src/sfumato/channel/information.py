"""Shannon's measures of a channel, in bits: entropy, conditional entropy, and mutual information, which is Shannon leakage."""

from __future__ import annotations

import numpy as np

from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.channel.priors import PriorLike, prior_of


def entropy(distribution: Floats) -> float:
    """Bits; 0·log 0 = 0.

    Parameters
    ----------
    distribution : array of float
        Probabilities.

    Returns
    -------
    float
        Bits.
    """
    positive = distribution[distribution > 0]
    return max(float(-(positive * np.log2(positive)).sum()), 0.0)


def output_probabilities(channel: ChannelMatrix, prior: PriorLike = None) -> Floats:
    """How likely each output is.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    prior : sequence or mapping of float, optional
        What the adversary believes beforehand; uniform if omitted.

    Returns
    -------
    array of float
        A probability for each output.
    """
    return np.asarray(prior_of(channel, prior) @ channel.rows, np.float64)


def divergences(channel: ChannelMatrix, outputs: Floats) -> Floats:
    """For each input the Kullback-Leibler divergence of its row from a distribution of outputs, in bits; infinite where the row has an
    output that the distribution lacks."""
    rows = channel.rows
    expected = outputs[rows.indices]
    with np.errstate(divide="ignore"):
        terms = rows.data * np.log2(rows.data / expected)
    return channel.added(terms)


def mutual_information(channel: ChannelMatrix, prior: PriorLike = None) -> float:
    """Shannon leakage: by how many bits seeing the output lowers the uncertainty about the input.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    prior : sequence or mapping of float, optional
        What the adversary believes beforehand; uniform if omitted.

    Returns
    -------
    float
        Bits.
    """
    weights = prior_of(channel, prior)
    own = divergences(channel, output_probabilities(channel, weights))
    return max(float(weights[weights > 0] @ own[weights > 0]), 0.0)


def conditional_entropy(channel: ChannelMatrix, prior: PriorLike = None) -> float:
    """H(input | output), the uncertainty that is left. [C] equation 7 has it with the wrong sign.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    prior : sequence or mapping of float, optional
        What the adversary believes beforehand; uniform if omitted.

    Returns
    -------
    float
        Bits.
    """
    weights = prior_of(channel, prior)
    rows = channel.rows
    joint = rows.data * np.repeat(weights, np.diff(rows.indptr))
    output_probability = output_probabilities(channel, weights)[rows.indices]
    kept = joint > 0
    return max(float(-(joint[kept] * np.log2(joint[kept] / output_probability[kept])).sum()), 0.0)

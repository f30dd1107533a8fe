"""The channel with the least expected loss within a bound on the adversary's gain: a linear program, solved exactly.

The unknowns are P(y|x) and t(y), the adversary's gain from output y: t(y) >= sum of g(w,x)·belief(x)·P(y|x) for every guess w, and the
t(y) add up to at most the bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.channel.design.results import Designed, loss_table, rows_of
from sfumato.channel.gains import Gain, g_vulnerability
from sfumato.channel.linear import solved
from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.channel.needs import scipy_part
from sfumato.channel.priors import probabilities_of
from sfumato.errors import UsageError, argument
from sfumato.statistics import TOLERANCE


def least_loss(loss: Any, most: float, *, prior: Any = None, belief: Any = None, gain: Gain | None = None) -> Designed:
    """Design the channel with the least expected loss.

    Parameters
    ----------
    loss : table of numbers
        What each output costs the user for each input: a row per input, a column per output.
    most : float
        What the adversary's g-vulnerability may be at the most; without a gain, the probability of a right guess.
    prior : sequence of float, optional
        How likely the inputs are, for the expected loss; uniform if omitted.
    belief : sequence of float, optional
        What the adversary believes beforehand; as the prior, if omitted.
    gain : Gain, optional
        What guesses are worth to the adversary; only exact ones count, if omitted.

    Returns
    -------
    Designed
        The channel, its expected loss, what the adversary reaches, and by how much another channel could be better at the most.
    """
    table = loss_table(loss)
    inputs, outputs = table.shape
    weights = probabilities_of(prior, inputs, "prior")
    believed = weights if belief is None else probabilities_of(belief, inputs, "belief")
    gain = gain or Gain.exact()
    guesses = _guesses(gain, believed)
    reachable = float(guesses.sum(axis=1).max())
    if most < reachable - TOLERANCE:
        raise UsageError(
            f"no channel keeps the adversary below {reachable:.6g}, which a guess without an output reaches",
            where=argument("most"),
        )
    cost = weights[:, None] * table
    found = solved(
        np.concatenate((cost.ravel(), np.zeros(outputs))), _limits(guesses, outputs, max(most, reachable)), _sums(inputs, outputs)
    )
    channel = ChannelMatrix.of(rows_of(found.x[: inputs * outputs].reshape(inputs, outputs)))
    value = float((cost * channel.dense()).sum())
    proved = found.proved + found.undercut * (inputs + max(most, reachable))
    return Designed(channel, value, g_vulnerability(channel, gain, believed), max(value - proved, 0.0))


def _guesses(gain: Gain, believed: Floats) -> Floats:
    """What each guess is worth for each input, times how likely the adversary holds it."""
    table = gain.dense(len(believed))
    if table.shape[1] != len(believed):
        raise UsageError(f"the gain has {table.shape[1]:,} columns for {len(believed):,} inputs", where=argument("gain"))
    return np.asarray(table * believed, np.float64)


def _limits(guesses: Floats, outputs: int, most: float) -> tuple[Any, Floats]:
    sparse = scipy_part("sparse")
    number, inputs = guesses.shape
    eye = sparse.eye_array(outputs)
    gains = sparse.kron(sparse.csr_array(guesses), eye)  # guess by guess, output by output
    worth = sparse.kron(np.ones((number, 1)), -eye)
    total = sparse.csr_array(np.repeat([[0.0, 1.0]], [inputs * outputs, outputs], axis=1))
    return sparse.vstack((sparse.hstack((gains, worth)), total), format="csr"), np.append(np.zeros(number * outputs), most)


def _sums(inputs: int, outputs: int) -> tuple[Any, Floats]:
    sparse = scipy_part("sparse")
    ones = sparse.kron(sparse.eye_array(inputs), np.ones((1, outputs)))
    return sparse.hstack((ones, sparse.csr_array((inputs, outputs))), format="csr"), np.ones(inputs)

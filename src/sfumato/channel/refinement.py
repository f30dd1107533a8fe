"""Whether one channel is never worse than another: whatever the prior and the gain, it gives away no more.

B never gives away more than A if and only if B = A·R for some channel R: whoever has A's output can make B's from it (McIver et al. 2014).
A linear program finds the R that comes nearest to B. If it does not reach B, the prices of its conditions are a gain for which B gives
away more, under a uniform prior. Both answers are checked: the product is compared with B, the two vulnerabilities with each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.channel.gains import Gain, g_vulnerability
from sfumato.channel.linear import Solved, solved
from sfumato.channel.matrix import WHERE, ChannelMatrix, Floats
from sfumato.channel.needs import scipy_part
from sfumato.channel.priors import locked, uniform
from sfumato.errors import UsageError, several
from sfumato.statistics import TOLERANCE


@dataclass(frozen=True, slots=True, eq=False)
class Refinement:
    """Whether a channel is refined by another, which then never gives away more.

    If it is, `through` is the R with A·R = B, up to `residual` in any entry. If it is not, `gain` and `prior` (uniform) are a case where B
    gives away more: `before` and `after` are the g-vulnerabilities of A and B.
    """

    holds: bool
    residual: float
    through: ChannelMatrix | None = None
    gain: Gain | None = None
    prior: Floats | None = None
    before: float | None = None
    after: float | None = None


def refinement(channel: ChannelMatrix, other: ChannelMatrix) -> Refinement:
    """Whether `other` never gives away more than `channel`, with a witness for either answer.

    Parameters
    ----------
    channel : ChannelMatrix
        The one that may give away more.
    other : ChannelMatrix
        The one that may never give away more.

    Returns
    -------
    Refinement
        The answer and its witness.
    """
    if channel.inputs != other.inputs:
        raise UsageError(f"one channel has {several(channel.inputs, 'input')}, the other {other.inputs:,}", where=WHERE)
    found = _nearest(channel, other)
    through = _rows(found.x[: channel.outputs * other.outputs].reshape(channel.outputs, other.outputs))
    residual = float(np.abs((channel.rows @ through - other.rows).toarray()).max())
    if residual <= TOLERANCE:
        return Refinement(True, residual, ChannelMatrix.of(through, channel.output_labels, other.output_labels))
    gain = _gain(found, channel.inputs, other.outputs)
    before, after = (g_vulnerability(each, gain) for each in (channel, other))
    if not after > before:
        raise UsageError("the channels differ too little to tell, within rounding", where=WHERE)
    return Refinement(False, residual, None, gain, uniform(channel.inputs), before, after)


def _nearest(channel: ChannelMatrix, other: ChannelMatrix) -> Solved:
    """The R with the least sum of |B - A·R|: A·R + over - under = B, and the rows of R add up to one."""
    sparse = scipy_part("sparse")
    inputs, middle, outputs = channel.inputs, channel.outputs, other.outputs
    cells = inputs * outputs
    product = sparse.kron(channel.rows, sparse.eye_array(outputs))
    ones = sparse.kron(sparse.eye_array(middle), np.ones((1, outputs)))
    eye = sparse.eye_array(cells)
    conditions = sparse.block_array([[product, eye, -eye], [ones, None, None]], format="csr")
    cost = np.repeat([0.0, 1.0], [middle * outputs, 2 * cells])
    return solved(cost, equal=(conditions, np.concatenate((other.dense().ravel(), np.ones(middle)))))


def _rows(values: Floats) -> Any:
    """Rows that add up to one."""
    rows = np.maximum(values, 0)
    return scipy_part("sparse").csr_array(rows / rows.sum(axis=1, keepdims=True))


def _gain(found: Solved, inputs: int, outputs: int) -> Gain:
    """The prices of the entries of B as a gain between 0 and 1: a guess per output of B. Prices lie between -1 and 1; adding a number to
    all of them adds the same to the vulnerability of every channel."""
    prices = found.equal[: inputs * outputs].reshape(inputs, outputs).T
    return Gain.of(locked((np.clip(prices, -1, 1) + 1) / 2))

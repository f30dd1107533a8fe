"""Gains: what a guess is worth to an adversary, and how much of it a channel gives away.

A gain says for each guess w and each input x what w is worth when x is true. The g-vulnerability is the expected gain of the best guess:
the sum over outputs y of max_w sum over x of g(w, x)·prior(x)·P(y|x).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log2
from typing import Any

import numpy as np

from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.channel.needs import scipy_part
from sfumato.channel.priors import PriorLike, prior_of
from sfumato.channel.vulnerability import best_joint
from sfumato.errors import UsageError, argument, several

_BLOCK = 4_000_000  # cells of a dense block: guesses × outputs


@dataclass(frozen=True, slots=True, eq=False)
class Gain:
    """What guesses are worth. `matrix` has a row per guess and a column per input; None where a guess is a set of `tries` inputs and
    worth 1 if the true one is among them, so that the rows would be too many to write down."""

    name: str
    matrix: Any = None
    tries: int = 1

    @classmethod
    def exact(cls) -> Gain:
        """Only the very input counts: g-vulnerability is vulnerability."""
        return cls("exact")

    @classmethod
    def several_tries(cls, tries: int) -> Gain:
        """The input is among that many guesses."""
        if tries < 1:
            raise UsageError("at least one guess", where=argument("tries"))
        return cls(f"{tries} tries", tries=tries)

    @classmethod
    def within(cls, distances: Any, radius: float) -> Gain:
        """A guess counts if it is no farther from the input than the radius; `distances` has a row per guess and a column per input."""
        return cls(f"within {radius:g}", _sparse((_table(distances, "distances") <= radius).astype(np.float64)))

    @classmethod
    def of(cls, values: Any) -> Gain:
        """Any table of gains: a row per guess, a column per input."""
        return cls("own", _sparse(_table(values, "gain")))

    def dense(self, inputs: int) -> Floats:
        """The whole table; for a gain of few guesses."""
        if self.matrix is not None:
            return np.asarray(self.matrix.toarray(), np.float64)
        if self.tries == 1:
            return np.eye(inputs)
        from itertools import combinations

        sets = np.array(list(combinations(range(inputs), min(self.tries, inputs))))
        table = np.zeros((len(sets), inputs))
        np.put_along_axis(table, sets, 1.0, axis=1)
        return table


def prior_g_vulnerability(channel: ChannelMatrix, gain: Gain, prior: PriorLike = None) -> float:
    """The expected gain of the best guess without an output.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    gain : Gain
        What guesses are worth.
    prior : sequence or mapping of float, optional
        What the adversary believes beforehand; uniform if omitted.

    Returns
    -------
    float
        An expected gain.
    """
    weights = prior_of(channel, prior)
    if gain.matrix is None:
        return float(np.sort(weights)[-gain.tries :].sum())
    return float((_fitting(gain, channel).matrix @ weights).max())


def g_vulnerability(channel: ChannelMatrix, gain: Gain, prior: PriorLike = None) -> float:
    """The expected gain of the best guess after seeing the output.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    gain : Gain
        What guesses are worth.
    prior : sequence or mapping of float, optional
        What the adversary believes beforehand; uniform if omitted.

    Returns
    -------
    float
        An expected gain.
    """
    weights = prior_of(channel, prior)
    if gain.matrix is not None:
        return _best_of_table(channel, _fitting(gain, channel), weights)
    return float(best_joint(channel, weights).sum() if gain.tries == 1 else _largest(channel, weights, gain.tries))


def g_leakage(channel: ChannelMatrix, gain: Gain, prior: PriorLike = None) -> float:
    """Bits: log2 of the factor by which seeing the output raises the expected gain; infinite if nothing was to be gained before.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    gain : Gain
        What guesses are worth.
    prior : sequence or mapping of float, optional
        What the adversary believes beforehand; uniform if omitted.

    Returns
    -------
    float
        Bits.
    """
    before, after = prior_g_vulnerability(channel, gain, prior), g_vulnerability(channel, gain, prior)
    if before < 0:
        raise UsageError(
            "the best guess loses without an output; a ratio of gains needs gains of at least 0", where=argument("gain")
        )
    if before == 0:
        return inf if after > 0 else 0.0
    return max(log2(after / before), 0.0)


def _best_of_table(channel: ChannelMatrix, gain: Gain, weights: Floats) -> float:
    """Block by block of outputs, since guesses × outputs may be many cells."""
    columns, total = channel.columns, 0.0
    weighted = gain.matrix @ scipy_part("sparse").diags_array(weights)
    width = max(_BLOCK // gain.matrix.shape[0], 1)
    for first in range(0, channel.outputs, width):
        # The largest of a sparse column counts the zeros that it does not hold.
        total += float((weighted @ columns[:, first : first + width]).max(axis=0).sum())
    return total


def _largest(channel: ChannelMatrix, weights: Floats, tries: int) -> float:
    """The largest joint probabilities of each output, that many of each, added up."""
    columns = channel.columns
    joint = columns.data * weights[columns.indices]
    output_of = np.repeat(np.arange(channel.outputs), np.diff(columns.indptr))
    order = np.lexsort((-joint, output_of))
    rank = np.arange(len(joint)) - np.repeat(columns.indptr[:-1], np.diff(columns.indptr))
    return float(joint[order][rank < tries].sum())


def _fitting(gain: Gain, channel: ChannelMatrix) -> Gain:
    if gain.matrix.shape[1] != channel.inputs:
        raise UsageError(
            f"the gain has {several(gain.matrix.shape[1], 'column')} for {several(channel.inputs, 'input')}; it has one for each",
            where=argument("gain"),
        )
    return gain


def _table(values: Any, what: str) -> Floats:
    if scipy_part("sparse").issparse(values):
        values = values.toarray()
    try:
        table = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise UsageError("a table of numbers, all rows equally long", where=argument(what)) from None
    if table.ndim != 2 or not table.size or not np.isfinite(table).all():
        raise UsageError("a table of finite numbers, with a row per guess and a column per input", where=argument(what))
    return table


def _sparse(table: Floats) -> Any:
    matrix = scipy_part("sparse").csr_array(table)
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.setflags(write=False)
    return matrix

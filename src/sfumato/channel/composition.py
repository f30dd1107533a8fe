"""Channels made of channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.channel.matrix import WHERE, ChannelMatrix
from sfumato.channel.needs import scipy_part
from sfumato.errors import UsageError, argument, several


def cascade(first: ChannelMatrix, second: ChannelMatrix) -> ChannelMatrix:
    """The outputs of the first are the inputs of the second, and only the second's are seen. It never leaks more than the first.

    Parameters
    ----------
    first : ChannelMatrix
        One channel.
    second : ChannelMatrix
        The other.

    Returns
    -------
    ChannelMatrix
        From the inputs of the first to the outputs of the second.
    """
    if first.outputs != second.inputs:
        raise UsageError(f"{several(first.outputs, 'output')} into {several(second.inputs, 'input')} do not fit", where=WHERE)
    if first.output_labels and second.input_labels and first.output_labels != second.input_labels:
        raise UsageError("the outputs of the first have other names than the inputs of the second", where=WHERE)
    return ChannelMatrix.of(first.rows @ second.rows, first.input_labels, second.output_labels)


def parallel(first: ChannelMatrix, second: ChannelMatrix) -> ChannelMatrix:
    """Two releases of one input, both seen, each made independently of the other: an output is a pair of outputs.

    Parameters
    ----------
    first : ChannelMatrix
        One channel.
    second : ChannelMatrix
        The other.

    Returns
    -------
    ChannelMatrix
        From the inputs to pairs of outputs.
    """
    _same_inputs(first, second)
    rows = scipy_part("sparse").csr_array((_pairs(first, second)), shape=(first.inputs, first.outputs * second.outputs))
    names = [f"{one}, {other}" for one in first.output_labels or () for other in second.output_labels or ()]
    return ChannelMatrix.of(rows, first.input_labels, names or None)


def hidden_choice(first: ChannelMatrix, second: ChannelMatrix, probability: float) -> ChannelMatrix:
    """One of two mechanisms is used, the first with this probability, and nobody is told which. Outputs of one name are one output.

    Parameters
    ----------
    first : ChannelMatrix
        One channel.
    second : ChannelMatrix
        The other.
    probability : float
        How often the first is used.

    Returns
    -------
    ChannelMatrix
        The mixture.
    """
    _same_inputs(first, second)
    share = _probability(probability)
    if first.output_labels is None or second.output_labels is None:
        if first.outputs != second.outputs:
            raise UsageError("without names of the outputs, both channels have as many of them", where=WHERE)
        return ChannelMatrix.of(share * first.rows + (1 - share) * second.rows, first.input_labels, first.output_labels)
    names = tuple(dict.fromkeys((*first.output_labels, *second.output_labels)))
    rows = share * _spread(first, names) + (1 - share) * _spread(second, names)
    return ChannelMatrix.of(rows, first.input_labels, names)


def visible_choice(first: ChannelMatrix, second: ChannelMatrix, probability: float) -> ChannelMatrix:
    """One of two mechanisms is used, the first with this probability, and the output shows which.

    Parameters
    ----------
    first : ChannelMatrix
        One channel.
    second : ChannelMatrix
        The other.
    probability : float
        How often the first is used.

    Returns
    -------
    ChannelMatrix
        The outputs of the first, then those of the second.
    """
    _same_inputs(first, second)
    share = _probability(probability)
    rows = scipy_part("sparse").hstack((share * first.rows, (1 - share) * second.rows))
    return ChannelMatrix.of(rows, first.input_labels)


def _pairs(first: ChannelMatrix, second: ChannelMatrix) -> tuple[Any, tuple[Any, Any]]:
    """The entries of a pair of channels: within each row, every entry of the one with every entry of the other."""
    left, right = first.rows, second.rows
    mine, theirs = np.diff(left.indptr), np.diff(right.indptr)
    each = np.repeat(theirs, mine)  # how many partners each entry of the first has
    one = np.repeat(np.arange(left.nnz), each)
    starts = np.cumsum(each) - each
    other = np.arange(len(one)) - np.repeat(starts, each) + np.repeat(np.repeat(right.indptr[:-1], mine), each)
    places = left.indices[one].astype(np.int64) * second.outputs + right.indices[other]
    return left.data[one] * right.data[other], (first.input_of[one], places)


def _spread(channel: ChannelMatrix, names: tuple[str, ...]) -> Any:
    """The rows over more outputs."""
    place_of = {name: place for place, name in enumerate(names)}
    places = np.array([place_of[name] for name in channel.output_labels or ()])
    rows = channel.rows
    return scipy_part("sparse").csr_array(
        (rows.data, (channel.input_of, places[rows.indices])), shape=(channel.inputs, len(names))
    )


def _same_inputs(first: ChannelMatrix, second: ChannelMatrix) -> None:
    if first.inputs != second.inputs:
        raise UsageError(f"one channel has {several(first.inputs, 'input')}, the other {second.inputs:,}", where=WHERE)
    if first.input_labels and second.input_labels and first.input_labels != second.input_labels:
        raise UsageError("the inputs of the two channels have different names", where=WHERE)


def _probability(value: float) -> float:
    if not 0 <= value <= 1:
        raise UsageError("must lie between 0 and 1", where=argument("probability"))
    return float(value)

"""What an adversary believes about the input before seeing an output: a probability for each input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.errors import UsageError, argument, several, unknown
from sfumato.statistics import TOLERANCE

# None is uniform; a mapping names some inputs and their probabilities, the others have none.
PriorLike = Mapping[str, float] | Iterable[float] | None


def uniform(inputs: int) -> Floats:
    """Every input alike: an adversary who knows nothing.

    Parameters
    ----------
    inputs : int
        How many.

    Returns
    -------
    array of float
        Equal probabilities.
    """
    return locked(np.full(inputs, 1 / inputs))


def prior_of(channel: ChannelMatrix, prior: PriorLike = None) -> Floats:
    """A prior over the inputs of a channel, checked; uniform if none is given. A mapping gives the probabilities of inputs by name.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    prior : sequence or mapping of float, optional
        What the adversary believes beforehand; uniform if omitted.

    Returns
    -------
    array of float
        A probability for each input.
    """
    return probabilities_of(_by_name(channel, prior) if isinstance(prior, Mapping) else prior, channel.inputs)


def probabilities_of(given: Iterable[float] | None, inputs: int, what: str = "prior") -> Floats:
    """A probability for each of some inputs, checked; uniform if none are given. Errors name the argument `what`."""
    if given is None:
        return uniform(inputs)
    values = _numbers(given, what)
    if values.shape != (inputs,):
        count = several(values.size, "probability", "probabilities")
        raise UsageError(f"{count} for {several(inputs, 'input')}; there must be one for each", where=argument(what))
    if not (np.isfinite(values) & (values >= 0)).all():
        raise UsageError("probabilities are numbers of at least 0", where=argument(what))
    if abs(values.sum() - 1) > TOLERANCE:
        raise UsageError(f"the probabilities add up to {values.sum():.12g} and not to 1", where=argument(what))
    return locked(values)


def knowing(channel: ChannelMatrix, possible: Iterable[bool], prior: PriorLike = None) -> Floats:
    """The prior of somebody who knows more: only some inputs are possible, and they are as likely to each other as before.

    Background knowledge of [C] 3.2.1 rules inputs out: a value that a target does not have, the values of others, people with like values.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    possible : sequence of bool
        Which inputs are possible.
    prior : sequence or mapping of float, optional
        What the adversary believes beforehand; uniform if omitted.

    Returns
    -------
    array of float
        A probability for each input.
    """
    kept = np.fromiter(possible, bool)
    if kept.shape != (channel.inputs,):
        raise UsageError(f"says yes or no of {kept.size:,} inputs; there are {channel.inputs:,}", where=argument("possible"))
    weights = np.where(kept, prior_of(channel, prior), 0.0)
    if not weights.sum() > 0:
        raise UsageError("leaves no input that the prior holds for possible", where=argument("possible"))
    return locked(weights / weights.sum())


def _numbers(given: Any, what: str) -> Floats:
    try:
        return np.array(given if isinstance(given, np.ndarray) else list(given), np.float64)
    except (TypeError, ValueError):
        raise UsageError("must be a list of numbers, or numbers by the names of inputs", where=argument(what)) from None


def _by_name(channel: ChannelMatrix, prior: Mapping[str, float]) -> Floats:
    names = channel.input_labels
    if names is None:
        raise UsageError("the inputs have no names; give a list of probabilities", where=argument("prior"))
    place_of = {name: place for place, name in enumerate(names)}
    values = np.zeros(channel.inputs)
    for name, probability in prior.items():
        if name not in place_of:
            raise UsageError(unknown("input", name, names, within="the channel"), where=argument("prior"))
        values[place_of[name]] = probability
    return values


def locked(values: Floats) -> Floats:
    values.setflags(write=False)
    return values

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
    """Every input alike: an adversary who knows nothing."""
    return locked(np.full(inputs, 1 / inputs))


def prior_of(channel: ChannelMatrix, prior: PriorLike = None) -> Floats:
    """A prior over the inputs of a channel, checked; uniform if none is given. A mapping gives the probabilities of inputs by name."""
    if prior is None:
        return uniform(channel.inputs)
    values = _by_name(channel, prior) if isinstance(prior, Mapping) else _numbers(prior)
    if values.shape != (channel.inputs,):
        given = several(values.size, "probability", "probabilities")
        raise UsageError(f"{given} for {several(channel.inputs, 'input')}; a prior has one for each", where=argument("prior"))
    if not (np.isfinite(values) & (values >= 0)).all():
        raise UsageError("a prior has only probabilities of at least 0", where=argument("prior"))
    if abs(values.sum() - 1) > TOLERANCE:
        raise UsageError(f"the prior adds up to {values.sum():.12g} and not to 1", where=argument("prior"))
    return locked(values)


def _numbers(prior: Any) -> Floats:
    try:
        return np.array(prior if isinstance(prior, np.ndarray) else list(prior), np.float64)
    except (TypeError, ValueError):
        raise UsageError("a prior is a list of numbers, or numbers by the names of inputs", where=argument("prior")) from None


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

"""The MAP error against what the adversary knows already, from the prior to certainty.

A hint names an input: with probability t the right one, otherwise one that is drawn from the prior and says nothing. After a hint the
adversary believes in the mixture (1 - t)·prior + t·(the hinted input): the prior itself for t = 0, a single input for t = 1. The error is
the mean over hints. It is that of the hint and the output published together, and is found without writing the hints down: a hint
changes the best guess only for outputs that the hinted input can have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.channel.priors import PriorLike, prior_of
from sfumato.channel.vulnerability import best_joint
from sfumato.errors import UsageError, argument
from sfumato.results import Printed, Rows
from sfumato.upward import above

STEPS = 21
SILENT = "nothing published"


@dataclass(frozen=True, slots=True, eq=False)
class Hinted(Printed):
    """The MAP error of each of `names` for each of `hints`, the probabilities that a hint is right: `errors` has a row per name. The
    last name is that of an adversary who sees no output."""

    hints: tuple[float, ...]
    names: tuple[str, ...]
    errors: Floats

    def table(self) -> Rows:
        """One row per hint, a column per channel."""
        columns = zip(self.hints, *self.errors.tolist(), strict=True)
        return Rows(("hint", *self.names), tuple(columns))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {"hints": list(self.hints), "errors": dict(zip(self.names, self.errors.tolist(), strict=True))}

    def plot(self) -> Any:
        """The errors against the hints: an altair chart. Needs the extra `report`."""
        return above("Hinted.plot")(self)


def error_by_hint(
    channels: Mapping[str, ChannelMatrix] | ChannelMatrix, prior: PriorLike = None, hints: Sequence[float] | None = None
) -> Hinted:
    """The MAP error against the adversary's knowledge, from the prior to certainty.

    Parameters
    ----------
    channels : ChannelMatrix or mapping
        One channel, or several by name, with the same inputs.
    prior : sequence or mapping of float, optional
        What the adversary believes before any hint; uniform if omitted.
    hints : sequence of float, optional
        How likely a hint is the input, from 0 (no knowledge beyond the prior) to 1 (certainty); 21 steps if omitted.

    Returns
    -------
    Hinted
        The errors, and beside them those of somebody who sees no output.
    """
    named = {"published": channels} if isinstance(channels, ChannelMatrix) else dict(channels)
    given = np.linspace(0, 1, STEPS) if hints is None else np.asarray(list(hints), np.float64)
    if not named or len({each.inputs for each in named.values()}) > 1:
        raise UsageError("one channel or more, all with as many inputs", where=argument("channels"))
    if not given.size or not ((given >= 0) & (given <= 1)).all():
        raise UsageError("probabilities between 0 and 1", where=argument("hints"))
    weights = [prior_of(each, prior) for each in named.values()]
    errors = [[_error(each, own, t) for t in given.tolist()] for each, own in zip(named.values(), weights, strict=True)]
    errors.append([_silent(weights[0], t) for t in given.tolist()])
    return Hinted(tuple(given.tolist()), (*named, SILENT), np.asarray(errors, np.float64))


def _error(channel: ChannelMatrix, weights: Floats, hint: float) -> float:
    """One minus: what is guessed without the hint, and for each hinted input what guessing it adds where it is the better guess."""
    best = (1 - hint) * best_joint(channel, weights)
    entries, places = channel.rows.data, channel.rows.indices
    own = ((1 - hint) * weights + hint)[channel.input_of] * entries
    added = channel.added(np.maximum(own - best[places], 0.0))
    return min(max(1 - float(best.sum()) - float(weights @ added), 0.0), 1.0)


def _silent(weights: Floats, hint: float) -> float:
    """The same without an output: the hinted input, or the likeliest one."""
    guessed = np.maximum((1 - hint) * weights + hint, (1 - hint) * weights.max())
    return min(max(1 - float(weights @ guessed), 0.0), 1.0)

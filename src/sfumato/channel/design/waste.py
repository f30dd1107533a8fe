"""What a rule wastes: the utility of its channel beside the best that leaves the adversary no better off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.channel.design.information import best_bits
from sfumato.channel.design.loss import least_loss
from sfumato.channel.design.results import loss_table
from sfumato.channel.gains import Gain, g_vulnerability
from sfumato.channel.information import mutual_information
from sfumato.channel.matrix import ChannelMatrix
from sfumato.channel.priors import PriorLike, prior_of
from sfumato.channel.vulnerability import posterior_vulnerability
from sfumato.errors import UsageError, argument
from sfumato.results import Printed, Rows
from sfumato.upward import above


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what the adversary reaches on its channel, what the channel is worth to the user, and what the best channel would be worth
    on which the adversary reaches no more."""

    rule: str
    adversary: float
    value: float
    best: float

    @property
    def wasted(self) -> float:
        return abs(self.best - self.value)


@dataclass(frozen=True, slots=True)
class Wasted(Printed):
    """Rules side by side. Values are bits of information, or expected losses; `measure` says which."""

    measure: str
    rules: tuple[Rule, ...]

    def plot(self) -> Any:
        """For each rule its value and the best possible: an altair chart. Needs the extra `report`."""
        return above("Wasted.plot")(self)

    def table(self) -> Rows:
        """One row per rule."""
        rows = tuple((each.rule, each.adversary, each.value, each.best, each.wasted) for each in self.rules)
        return Rows(("rule", "adversary", self.measure, "best", "wasted"), rows)


def waste(
    channels: Mapping[str, ChannelMatrix],
    *,
    prior: PriorLike = None,
    belief: PriorLike = None,
    loss: Any = None,
    gain: Gain | None = None,
) -> Wasted:
    """How much utility rules waste.

    Parameters
    ----------
    channels : mapping
        The channel of each rule, such as k-anonymity for several k.
    prior : sequence of float, optional
        What the user believes, and how likely inputs are; uniform if omitted.
    belief : sequence of float, optional
        What the adversary believes; as the prior, if omitted.
    loss : table of numbers, optional
        What each output costs the user for each input. If omitted, utility is the information that the output has about the input.
    gain : Gain, optional
        What guesses are worth to the adversary, with a loss; only exact ones count, if omitted.

    Returns
    -------
    Wasted
        For each rule its value, the best at the same bound on the adversary, and the difference.
    """
    if loss is None and gain is not None:
        raise UsageError(
            "a gain needs a loss: the most informative channel is known for exact guesses only", where=argument("gain")
        )
    measure = "information" if loss is None else "loss"
    return Wasted(measure, tuple(_rule(name, each, prior, belief, loss, gain) for name, each in channels.items()))


def _rule(name: str, channel: ChannelMatrix, prior: PriorLike, belief: PriorLike, loss: Any, gain: Gain | None) -> Rule:
    weights = prior_of(channel, prior)
    believed = weights if belief is None else prior_of(channel, belief)
    if loss is None:
        reached = posterior_vulnerability(channel, believed)
        return Rule(name, reached, mutual_information(channel, weights), best_bits(weights, believed, reached))
    table = loss_table(loss)
    if table.shape != (channel.inputs, channel.outputs):
        raise UsageError(f"has another shape than the channel of {name}", where=argument("loss"))
    reached = g_vulnerability(channel, gain or Gain.exact(), believed)
    value = float(np.sum(weights[:, None] * table * channel.dense()))
    return Rule(name, reached, value, least_loss(table, reached, prior=weights, belief=believed, gain=gain).value)

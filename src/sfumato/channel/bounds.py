"""The bounds of [C] on what a channel gives away, beside the values that they bound, and where each is reached."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.channel.capacity import capacity
from sfumato.channel.information import conditional_entropy, entropy, mutual_information
from sfumato.channel.matrix import ChannelMatrix, Floats
from sfumato.channel.priors import PriorLike, prior_of
from sfumato.channel.vulnerability import map_error, min_capacity, min_entropy_leakage
from sfumato.results import Printed, Rows
from sfumato.statistics import TOLERANCE


@dataclass(frozen=True, slots=True)
class Bound:
    """A value between two bounds. `reached` says which bound it equals within 1e-9: lower, upper, both or neither; `when` says for which
    channels and priors it does."""

    measure: str
    bound: str
    lower: float
    value: float
    upper: float
    when: str

    @property
    def reached(self) -> str:
        at_lower, at_upper = abs(self.value - self.lower) <= TOLERANCE, abs(self.value - self.upper) <= TOLERANCE
        return {(True, True): "both", (True, False): "lower", (False, True): "upper"}.get((at_lower, at_upper), "neither")


@dataclass(frozen=True, slots=True)
class ChannelBounds(Printed):
    """Every bound for one channel and one prior."""

    bounds: tuple[Bound, ...]

    def __getitem__(self, bound: str) -> Bound:
        """A bound by its name."""
        return {each.bound: each for each in self.bounds}[bound]

    def table(self) -> Rows:
        """One row per bound."""
        heads = ("measure", "bound", "lower", "value", "upper", "reached", "when")
        return Rows(heads, tuple(tuple(getattr(each, head) for head in heads) for each in self.bounds))


def bounds(channel: ChannelMatrix, prior: PriorLike = None) -> ChannelBounds:
    """The bounds of [C] 4.1 on the MAP error, and those on both leakages, with the values and where each is reached.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    prior : sequence or mapping of float, optional
        What the adversary believes beforehand; uniform if omitted.

    Returns
    -------
    ChannelBounds
        One entry per bound.
    """
    return ChannelBounds((*error_bounds(channel, prior), *_on_leakage(channel, prior_of(channel, prior))))


def error_bounds(channel: ChannelMatrix, prior: PriorLike = None) -> tuple[Bound, Bound]:
    """The bounds on the MAP error alone, which need no capacity: by the number of outputs, and by the conditional entropy."""
    weights = prior_of(channel, prior)
    error, most = map_error(channel, weights), float(weights.max())
    left = conditional_entropy(channel, weights)
    return (
        Bound(
            "MAP error",
            "outputs",
            max(1 - channel.outputs * most, 0.0),
            error,
            1 - most,
            "lower: each output is certain for an input that no other is likelier than; upper: one guess is best for every output",
        ),
        Bound(
            "MAP error",
            "Santhi-Vardy",
            0.0,
            error,
            1 - 2**-left,
            "upper: after every output the inputs that are left are equally likely, and as many; lower: the output reveals the input",
        ),
    )


def _on_leakage(channel: ChannelMatrix, weights: Floats) -> tuple[Bound, ...]:
    found = capacity(channel)
    return (
        Bound(
            "min-entropy leakage",
            "min-capacity",
            0.0,
            min_entropy_leakage(channel, weights),
            min_capacity(channel),
            "upper: a uniform prior, and others; lower: one guess is best for every output",
        ),
        Bound(
            "Shannon leakage",
            "capacity",
            0.0,
            mutual_information(channel, weights),
            found.at_most,
            "upper: all inputs that occur diverge alike from the outputs, and no input more; lower: all rows that occur are equal",
        ),
        Bound(
            "Shannon leakage",
            "entropy",
            0.0,
            mutual_information(channel, weights),
            entropy(weights),
            "upper: the output reveals the input; lower: all rows that occur are equal",
        ),
    )

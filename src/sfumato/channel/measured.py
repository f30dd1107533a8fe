"""Everything that is measured of a channel for one prior, in one result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.channel.bounds import ChannelBounds, bounds
from sfumato.channel.capacity import Capacity, capacity
from sfumato.channel.information import conditional_entropy, mutual_information
from sfumato.channel.matrix import ChannelMatrix
from sfumato.channel.priors import PriorLike, prior_of
from sfumato.channel.vulnerability import (
    Adversaries,
    WorstPrior,
    adversaries,
    map_error,
    min_capacity,
    min_entropy_leakage,
    posterior_vulnerability,
    prior_vulnerability,
    worst_map_error,
)
from sfumato.results import Printed, Rows


@dataclass(frozen=True, slots=True)
class ChannelMeasures(Printed):
    """The measures by name, leakages in bits; the prior with the largest MAP error, the capacity with its certificate, the four
    adversaries, and the bounds."""

    inputs: int
    outputs: int
    values: dict[str, float]
    worst: WorstPrior
    capacity: Capacity
    adversaries: Adversaries
    bounds: ChannelBounds

    def table(self) -> Rows:
        """One row per measure."""
        return Rows(("measure", "value"), tuple(self.values.items()))

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        errors = self.adversaries
        return {
            "inputs": self.inputs,
            "outputs": self.outputs,
            "measures": {name.replace(" ", "_").replace("-", "_").lower(): value for name, value in self.values.items()},
            "capacity_residual": self.capacity.residual,
            "worst_prior": self.worst.prior.tolist(),
            "adversaries": {"nothing": errors.nothing, "prior": errors.prior, "mechanism": errors.mechanism, "both": errors.both},
            "bounds": [dict(zip(self.bounds.table().heads, row, strict=True)) for row in self.bounds.table().rows],
        }


def measure(channel: ChannelMatrix, prior: PriorLike = None) -> ChannelMeasures:
    """Measure a channel.

    Parameters
    ----------
    channel : ChannelMatrix
        How likely each output is for each input.
    prior : sequence or mapping of float, optional
        What the adversary believes beforehand; uniform if omitted.

    Returns
    -------
    ChannelMeasures
        MAP error, leakages, capacity, adversaries and bounds.
    """
    weights = prior_of(channel, prior)
    worst, most = worst_map_error(channel), capacity(channel)
    values = {
        "MAP error": map_error(channel, weights),
        "largest MAP error": worst.error,
        "prior vulnerability": prior_vulnerability(channel, weights),
        "posterior vulnerability": posterior_vulnerability(channel, weights),
        "min-entropy leakage": min_entropy_leakage(channel, weights),
        "min-capacity": min_capacity(channel),
        "Shannon leakage": mutual_information(channel, weights),
        "conditional entropy": conditional_entropy(channel, weights),
        "capacity": most.value,
    }
    return ChannelMeasures(
        channel.inputs, channel.outputs, values, worst, most, adversaries(channel, weights), bounds(channel, weights)
    )

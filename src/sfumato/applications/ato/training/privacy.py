"""What publishing logins by address, subnet or country tells about who is fraudulent: the privacy losses of Fraudulence per class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import sfumato as sf
from sfumato.applications.ato.training.labelled import Bools

_KEY, _FRAUDULENCE = "Key", "Fraudulence"
_SCHEMA = {
    "attributes": {
        _KEY: {"role": "quasi-identifier", "type": "text", "hierarchy": {"builder": "suppression"}},
        _FRAUDULENCE: {"role": "sensitive", "type": "text"},
    }
}


@dataclass(frozen=True, slots=True)
class Losses:
    """Distribution and entropy loss of Fraudulence over the classes of a level; a login counts as a person."""

    classes: int
    distribution: sf.losses.Summary
    entropy: sf.losses.Summary

    def pair(self, statistic: str) -> tuple[float, float]:
        """The two losses by `max`, `min`, `class_mean` or `people_mean`."""
        return getattr(self.distribution, statistic), getattr(self.entropy, statistic)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        statistics = ("max", "min", "class_mean", "people_mean")
        return {"classes": self.classes} | {statistic: self.pair(statistic) for statistic in statistics}


def privacy_losses(keys: npt.NDArray[np.int64], fraudulent: Bools) -> Losses:
    """The losses of a table of logins, of which a class and the label are published."""
    labels = np.where(fraudulent, "Fraudulent", "Legitimate")
    table = pa.table({_KEY: pa.array(keys).cast(pa.string()), _FRAUDULENCE: labels})
    found = sf.measure(table, _SCHEMA)
    losses = found.attributes[0].losses
    return Losses(found.classes, losses["distribution"], losses["entropy"])

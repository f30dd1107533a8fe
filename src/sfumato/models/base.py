"""What a privacy model is, what it judges, and what it says.

A model reads class statistics and gives a verdict: a value, the direction in which it must lie from a threshold, whether it does,
and a witness class. Real-valued thresholds are compared with a tolerance of 1e-9, counts exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError
from sfumato.frequency import FrequencySet
from sfumato.statistics import ClassStatistics

TOLERANCE = 1e-9
AT_LEAST, AT_MOST = "at_least", "at_most"


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What a model looks at: the kept classes, the statistics of the judged sensitive attribute, and what else is known.

    `population` gives people per class in a larger table, `sample` the size of that table; see the models that use them.
    """

    counts: FrequencySet
    statistics: ClassStatistics | None
    extras: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model says. `witness` is the number of the class that decided, with its size; None for the table as a whole."""

    model: str
    value: float | int | None
    direction: str
    threshold: float | int
    satisfied: bool | None
    witness: int | None = None
    witness_size: int | None = None
    reason: str | None = None
    sensitive: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        told: dict[str, Any] = {
            "model": self.model,
            "value": self.value,
            "direction": self.direction,
            "threshold": self.threshold,
            "satisfied": "not_applicable" if self.satisfied is None else self.satisfied,
            "witness": None if self.witness is None else {"class": self.witness, "size": self.witness_size},
        }
        return told | {name: text for name, text in (("reason", self.reason), ("sensitive", self.sensitive)) if text}


class PrivacyModel(Protocol):
    """A model with its parameters."""

    name: ClassVar[str]
    stops: ClassVar[str]
    monotone: ClassVar[bool]
    needs_sensitive: ClassVar[bool]

    def judge(self, judged: Judged) -> Verdict:
        """Judge a release."""

    def __str__(self) -> str:
        """NAME:PARAMETERS, as on the command line."""


def statistics_of(judged: Judged) -> ClassStatistics:
    """The statistics of the sensitive attribute that a model needs."""
    if judged.statistics is None:
        raise UsageError("this model judges a sensitive attribute; the schema declares none", where="model")
    return judged.statistics


def numeric_statistics_of(model: PrivacyModel, judged: Judged) -> ClassStatistics:
    """The statistics of a sensitive attribute that holds numbers."""
    statistics = statistics_of(judged)
    if statistics.domain.numbers is None:
        raise UsageError(f"{model.name} judges numbers; {statistics.domain.attribute!r} holds none", where="model")
    return statistics


def within(value: float, threshold: float, direction: str) -> bool:
    """Whether a value lies on the right side; counts exactly, other numbers with the tolerance."""
    exact = isinstance(value, int) and isinstance(threshold, int)
    slack = 0 if exact else TOLERANCE
    return value >= threshold - slack if direction == AT_LEAST else value <= threshold + slack


def worst_class(model: PrivacyModel, judged: Judged, values: npt.NDArray[Any], threshold: float | int, direction: str) -> Verdict:
    """The verdict of a model that every class must satisfy: the worst class decides."""
    place = int(values.argmin() if direction == AT_LEAST else values.argmax())
    value = values[place].item()
    told = value if np.isfinite(value) else None
    return Verdict(
        model=str(model),
        value=told,
        direction=direction,
        threshold=threshold,
        satisfied=within(value, threshold, direction),
        witness=place + 1,
        witness_size=int(judged.counts.people[place]),
        reason=None if told is not None else "the value is infinite",
        sensitive=judged.statistics.domain.attribute if model.needs_sensitive and judged.statistics else None,
    )

"""Models of another kind: requirements of a mechanism, not of a file.

Whether a mechanism is differentially private cannot be seen in what it published once. These models read a mechanism as a channel, how
likely each output is for each input, and are asked with `sfumato.channel.judge`. The room of channels is above this one; a model knows
only what it asks of a mechanism.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar, Protocol

from sfumato.models.base import AT_MOST, within
from sfumato.models.parameter import WithParameters


@dataclass(frozen=True, slots=True)
class Found:
    """A value of a mechanism, which may be infinite, and the inputs that show it, by name."""

    value: float
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Beliefs:
    """What adversaries come to believe of one tuple: the largest posterior, and the least ratio of posterior to prior; of which tuples."""

    largest: Found
    least_ratio: Found


class Mechanism(Protocol):
    """What models ask of a mechanism."""

    def log_ratio(self) -> Found:
        """The largest ln P(y|x) / P(y|x') over outputs y and neighbors x, x'."""
        ...

    def drawn_log_ratio(self, failing: float) -> Found:
        """The least bound on ln P(y|x) / P(y|x') over all y that two drawn inputs x, x' keep, but for a share `failing` of the draws."""
        ...

    def beliefs(self, most: float) -> Beliefs:
        """What adversaries believe at the most and at the least, who hold each tuple for at most that likely beforehand, or know it."""
        ...


@dataclass(frozen=True, slots=True)
class MechanismVerdict:
    """The answer of a model about a mechanism. `value` may be infinite; `witness` names the inputs, or the tuple, that decided."""

    model: str
    value: float
    direction: str
    threshold: float
    satisfied: bool
    witness: tuple[str, ...] = ()
    says: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For machines; an infinite value is null, with a reason."""
        finite = isfinite(self.value)
        answer: dict[str, Any] = {
            "model": self.model,
            "value": self.value if finite else None,
            "direction": self.direction,
            "threshold": self.threshold,
            "satisfied": self.satisfied,
            "witness": list(self.witness),
            "says": self.says,
        }
        return answer if finite else answer | {"reason": "the value is infinite"}


class MechanismModel(WithParameters, ABC):
    """A requirement of a mechanism, with its parameters: a frozen dataclass, as a `PrivacyModel` is.

    `stops` lists the attacks that it claims to stop; `needs` says what besides the channel it is judged by."""

    __slots__ = ()

    stops: ClassVar[str]
    needs: ClassVar[str]

    @abstractmethod
    def judge(self, mechanism: Mechanism) -> MechanismVerdict:
        """The verdict."""


def at_most(model: MechanismModel, found: Found, threshold: float, says: str) -> MechanismVerdict:
    """The verdict of an upper bound."""
    satisfied = within(found.value, threshold, AT_MOST)
    return MechanismVerdict(str(model), found.value, AT_MOST, threshold, satisfied, found.inputs, says)

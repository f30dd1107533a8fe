"""What an adversary believes before seeing a release: the prior over a sensitive attribute."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, FrequencySet


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """People per value of a sensitive attribute over a whole table, in the order of its hierarchy; None is the missing value."""

    attribute: str
    values: tuple[str | None, ...]
    people: Counts

    @classmethod
    def of(cls, counts: FrequencySet, attribute: str) -> Prior:
        """The distribution of the whole table, over the values that occur."""
        payload = counts.payloads[attribute]
        people = payload.distribution()
        present = np.flatnonzero(people)
        held = people[present]
        held.setflags(write=False)
        return cls(attribute, tuple(payload.hierarchy.label(0, int(code)) for code in present), held)

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """The probabilities: they sum to one."""
        return np.asarray(self.people / self.people.sum(), np.float64)

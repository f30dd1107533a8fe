"""Risk of re-identification in the terms that regulators use.

The *prosecutor* knows that a target is in the release: 1 / size of the class. The *journalist* does not: 1 / people of the class in a
population, estimated as size times population / sample where only the population's size is known. The *marketer* wants as many as
possible: the expected share of correct matches.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.frequency import Counts, FrequencySet

# A class of fewer people is often called at risk (a risk above 20 %).
THRESHOLD = 5


@dataclass(frozen=True, slots=True)
class Risk:
    """Risks are probabilities; `unique` and `at_risk` are shares of people (alone in their class; in a class of fewer than five)."""

    prosecutor_max: float
    prosecutor_mean: float
    marketer: float
    unique: float
    at_risk: float
    journalist_max: float | None = None
    journalist_mean: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """For machines; what is not known is left out."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def risk(counts: FrequencySet, population_size: int | None = None, population: Counts | None = None) -> Risk:
    """The risks of a release, the journalist's only if the population per class, or its size, is known."""
    sizes = counts.people
    people = int(sizes.sum())
    mean = counts.classes / people
    known = Risk(
        prosecutor_max=1 / int(sizes.min()),
        prosecutor_mean=mean,
        marketer=mean,
        unique=int((sizes == 1).sum()) / people,
        at_risk=int(sizes[sizes < THRESHOLD].sum()) / people,
    )
    if population is not None:
        each = 1 / np.maximum(population, sizes)  # whoever is in the release is in the population
    elif population_size is not None:
        if population_size < people:
            raise UsageError(f"{population_size:,} people cannot hold a release of {people:,}", where=argument("population_size"))
        each = people / population_size / sizes
    else:
        return known
    journalist = {"journalist_max": float(each.max()), "journalist_mean": float(np.dot(each, sizes) / people)}
    return Risk(**{**asdict(known), **journalist})

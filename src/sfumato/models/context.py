"""What a model may know besides the classes of a release: a larger table, who left, and which classes may hold people of a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sfumato.errors import UsageError, argument
from sfumato.frequency import Counts, FrequencySet
from sfumato.vocabulary.group import Group

Mask = npt.NDArray[np.bool_]


class Membership(Protocol):
    """Which labels and which classes may stand for people of a group."""

    def labels(self, name: str, wanted: str, labels: Sequence[str]) -> Mask:
        """Which labels of a QID meet the label that a group names; one entry more for the missing value."""

    def __call__(self, counts: FrequencySet, group: Group) -> Mask:
        """Which classes may hold people of the group."""


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The people of a larger table: per class of the release, those who fit no class (`unmatched`), and all of them (`size`).

    A size of 0 means that nobody counted it. Where people own several rows the size is not the sum of the others.
    """

    people: Counts
    unmatched: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """What a model may know besides the classes.

    `population_size` is for a population of which only the number is known; it wins over the size of a larger table.
    """

    members: Membership | None = None
    population: Population | None = None
    population_size: int | None = None
    suppressed: int = 0

    @property
    def size_of_population(self) -> int | None:
        """The people of the population, however they are known; None if they are not."""
        return self.population_size or (self.population.size if self.population else 0) or None

    @property
    def membership(self) -> Membership:
        """Who is in a group; refuses a context without a schema that defines it."""
        if self.members is None:
            raise UsageError("a model for a group needs the schema that defines the group", where=argument("models"))
        return self.members


@dataclass(frozen=True, slots=True, eq=False)
class LocatedMembership:
    """The membership of a search, which finds the labels of its classes without a frequency set of their codes."""

    context: Context
    classes: Callable[[Group], Mask]

    def labels(self, name: str, wanted: str, labels: Sequence[str]) -> Mask:
        return self.context.membership.labels(name, wanted, labels)

    def __call__(self, counts: FrequencySet, group: Group) -> Mask:
        return self.classes(group)

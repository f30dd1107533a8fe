"""The context of a release: a larger table, the suppressed people, and which classes may have people of a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sfumato.errors import UsageError, argument
from sfumato.frequency import Counts, FrequencySet, Mask
from sfumato.vocabulary.group import Group
from sfumato.vocabulary.kinds import Role
from sfumato.vocabulary.schema import Attribute


class Membership(Protocol):
    """Which labels and which classes may stand for people of a group."""

    def labels(self, name: str, wanted: str, labels: Sequence[str]) -> Mask:
        """Which labels of a QID may stand for the group's label; an additional entry is for the missing value."""

    def __call__(self, counts: FrequencySet, group: Group) -> Mask:
        """Which classes may have people of the group."""

    def attribute(self, name: str) -> Attribute:
        """What the schema declares about a QID."""


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The people of a larger table: those in each class of the release, those in none (`unmatched`), and all of them (`size`).

    A size of 0 means that it was not counted. Where people have several rows the size is not the sum of the others.
    """

    people: Counts
    unmatched: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """What a model may know in addition to the classes.

    `population_size` is for a population of which only the size is known; it takes precedence over the size of a larger table.
    """

    members: Membership | None = None
    population: Population | None = None
    population_size: int | None = None
    suppressed: int = 0

    @property
    def size_of_population(self) -> int | None:
        """The number of people in the population, from either source; None if it is not known."""
        return self.population_size or (self.population.size if self.population else 0) or None

    @property
    def membership(self) -> Membership:
        """The membership of groups; refuses a context without a schema that defines them."""
        if self.members is None:
            raise UsageError("a model for a group needs the schema that defines the group", where=argument("models"))
        return self.members

    def attribute(self, name: str) -> Attribute:
        """What the schema declares about a QID; nothing, where no schema is known."""
        return Attribute(name, Role.QUASI) if self.members is None else self.members.attribute(name)


@dataclass(frozen=True, slots=True, eq=False)
class LocatedMembership:
    """The membership in a search, which knows the labels of its classes without a frequency set of their codes."""

    context: Context
    classes: Callable[[Group], Mask]

    def labels(self, name: str, wanted: str, labels: Sequence[str]) -> Mask:
        return self.context.membership.labels(name, wanted, labels)

    def attribute(self, name: str) -> Attribute:
        return self.context.attribute(name)

    def __call__(self, counts: FrequencySet, group: Group) -> Mask:
        return self.classes(group)

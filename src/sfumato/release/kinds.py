"""Kinds of releases. A kind says what it promises about its file, and how the promise is derived again from the file.

A recoding names its kind, the certificate repeats the name, and everything that differs between kinds is asked here: which classes
the file must hold, in which order they are numbered, which columns keep the type of the source, and what the certificate may claim.
A new mechanism is a new kind: one class, registered below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.frequency import FrequencySet
from sfumato.release.local import local_classes
from sfumato.vocabulary.interval import Interval
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.labels import in_order
from sfumato.vocabulary.recoding import AnyRecoding, LocalRecoding, Recoding
from sfumato.vocabulary.schema import Attribute


class ReleaseKind(ABC):
    """What one kind of release promises."""

    name: ClassVar[str]

    @abstractmethod
    def classes(self, counts: FrequencySet, recoding: Any) -> FrequencySet:
        """The classes that the recoding makes of a counted table, suppressed ones included."""

    @abstractmethod
    def node(self, recoding: Any) -> dict[str, int]:
        """The level of every QID, for the certificate; empty where a QID has labels of several levels."""

    @abstractmethod
    def typed(self, node: Mapping[str, int], attribute: str) -> bool:
        """Whether a column of the file holds values of the attribute's type, not labels."""

    @abstractmethod
    def ordered(self, labels: Sequence[str], attribute: Attribute) -> Sequence[str]:
        """The labels of a column in the order in which classes are numbered."""

    @abstractmethod
    def plausible(self, node: Mapping[str, int], heights: Mapping[str, int]) -> bool:
        """Whether a certificate may claim these levels."""


class FullDomain(ReleaseKind):
    """Every value of a QID is generalized to the same level."""

    name = Recoding.kind

    def classes(self, counts: FrequencySet, recoding: Recoding) -> FrequencySet:
        return counts.roll_up(recoding.node)

    def node(self, recoding: Recoding) -> dict[str, int]:
        return recoding.node.as_dict()

    def typed(self, node: Mapping[str, int], attribute: str) -> bool:
        return node.get(attribute) == 0

    def ordered(self, labels: Sequence[str], attribute: Attribute) -> Sequence[str]:
        """By the level of the hierarchy that lists them all, else numbers and intervals by size, else as they come."""
        hierarchy = attribute.builder.build(attribute.name, attribute.kind or Kind.TEXT, [])
        occurring = set(labels)
        for level in hierarchy.labels:
            if occurring <= set(level):
                return [label for label in level if label in occurring]
        intervals = {label: Interval.parse(label, whole=attribute.kind is Kind.INTEGER) for label in labels}
        if all(intervals.values()):
            return sorted(labels, key=lambda label: (intervals[label].lower, intervals[label].upper))  # type: ignore[union-attr]
        numbers = attribute.kind in (Kind.INTEGER, Kind.DECIMAL) or any(intervals.values())
        return in_order(labels) if numbers else labels

    def plausible(self, node: Mapping[str, int], heights: Mapping[str, int]) -> bool:
        return set(node) == set(heights) and all(0 <= level <= heights[name] for name, level in node.items())


class Local(ReleaseKind):
    """The labels of a record depend on its whole cell."""

    name = LocalRecoding.kind

    def classes(self, counts: FrequencySet, recoding: LocalRecoding) -> FrequencySet:
        return local_classes(counts, recoding)

    def node(self, recoding: LocalRecoding) -> dict[str, int]:
        return {}

    def typed(self, node: Mapping[str, int], attribute: str) -> bool:
        return False

    def ordered(self, labels: Sequence[str], attribute: Attribute) -> Sequence[str]:
        return in_order(labels)

    def plausible(self, node: Mapping[str, int], heights: Mapping[str, int]) -> bool:
        return not node


KINDS: Mapping[str, ReleaseKind] = {kind.name: kind for kind in (FullDomain(), Local())}


@dataclass(frozen=True, slots=True)
class Promise:
    """What a release says about its own file: its kind, the levels, and how many rows stand there as `*` in every QID."""

    kind: ReleaseKind
    node: Mapping[str, int]
    starred: int = 0

    @classmethod
    def of(cls, recoding: AnyRecoding, starred: int = 0) -> Promise:
        """What a recoding promises."""
        kind = KINDS[recoding.kind]
        return cls(kind, kind.node(recoding), starred)

    def typed(self, attribute: str) -> bool:
        """Whether a column holds values of its type; one with starred records holds labels."""
        return not self.starred and self.kind.typed(self.node, attribute)

"""Kinds of releases. A kind says what it promises about its file, and how the promise is derived again from the file.

A recoding names its kind, the certificate repeats the name, and everything that differs between kinds is asked here: which classes
the file must hold, which columns keep the type of the source, and what the certificate may claim.
A new mechanism is a new kind: one class, registered below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sfumato.frequency import FrequencySet
from sfumato.release.local import local_classes
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.recoding import AnyRecoding, LocalRecoding, Recoding, Sanitized


class ReleaseKind(ABC):
    """What one kind of release promises. `retyped`: a column may have another type than its attribute."""

    name: ClassVar[str]
    retyped: ClassVar[bool] = False

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

    def plausible(self, node: Mapping[str, int], heights: Mapping[str, int]) -> bool:
        return not node


class SanitizedTable(ReleaseKind):
    """An operation has changed values: the classes are those of the file, and its certificate states the types of its columns."""

    name = Sanitized.kind
    retyped = True

    def classes(self, counts: FrequencySet, recoding: Sanitized) -> FrequencySet:
        return counts.roll_up(recoding.node)

    def node(self, recoding: Sanitized) -> dict[str, int]:
        return {}

    def typed(self, node: Mapping[str, int], attribute: str) -> bool:
        return True

    def plausible(self, node: Mapping[str, int], heights: Mapping[str, int]) -> bool:
        return not node


KINDS: Mapping[str, ReleaseKind] = {kind.name: kind for kind in (FullDomain(), Local(), SanitizedTable())}


@dataclass(frozen=True, slots=True)
class Promise:
    """What a release says about its own file: its kind, the levels, the QIDs in order, how many rows stand there as `*` in every QID,
    and the types of its columns."""

    kind: ReleaseKind
    node: Mapping[str, int]
    quasi: tuple[str, ...]
    starred: int = 0
    types: Mapping[str, Kind] = field(default_factory=dict)

    @classmethod
    def of(cls, recoding: AnyRecoding, starred: int = 0) -> Promise:
        """What a recoding promises."""
        kind = KINDS[recoding.kind]
        return cls(kind, kind.node(recoding), recoding.attributes, starred)

    def typed(self, attribute: str) -> bool:
        """Whether a column holds values of its type; one with starred records holds labels."""
        return not self.starred and self.kind.typed(self.node, attribute)

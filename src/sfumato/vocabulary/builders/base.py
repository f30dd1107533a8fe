"""The interface of all builders, and the keys that an engine can compute without listing values.

A floor above level 0 exists for attributes with too many values to count (timestamps, long codes). Where a level is a simple
function of the value, the builder describes that function as a `Key` and the engine groups by it; otherwise the engine lists the
distinct values of that column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind


@dataclass(frozen=True, slots=True)
class DateKey:
    """The label of the day, month, quarter, year or decade of a date."""

    unit: str


@dataclass(frozen=True, slots=True)
class PrefixKey:
    """The first `keep` characters, the others masked by `*`."""

    keep: int


Key = DateKey | PrefixKey


class Builder(Protocol):
    """A declared hierarchy."""

    @property
    def kinds(self) -> frozenset[Kind]:
        """The types of attribute it can be used for."""

    def height(self, kind: Kind) -> int:
        """The level of the root."""

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        """The hierarchy over the canonical texts that occur, given in natural order."""

    def declared(self) -> dict[str, Any]:
        """The builder as its TOML table."""


@runtime_checkable
class Keyed(Builder, Protocol):
    """A builder whose levels an engine can compute from the value alone."""

    def key(self, kind: Kind, level: int) -> Key | None:
        """How to compute the label of a level; None at level 0 and at the root."""

    def build_above(self, attribute: str, kind: Kind, floor: int, labels: Sequence[str]) -> Hierarchy:
        """The hierarchy from level `floor` upward over the labels of that level that occur."""

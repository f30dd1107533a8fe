"""Suppression only: a value or `*`. Also the hierarchy of an attribute that declares none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind


@dataclass(frozen=True, slots=True)
class Suppression:
    """Level 0 the value, level 1 the root."""

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset(Kind)

    def height(self, kind: Kind) -> int:
        return 1

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        return Hierarchy.of_columns(attribute, [values])

    def declared(self) -> dict[str, Any]:
        return {"builder": "suppression"}

"""Suggests the role, type and hierarchy of a column from its contents. Each choice has a reason, for the comment in the schema."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sfumato.profiling.column import ColumnProfile
from sfumato.profiling.content import Content
from sfumato.profiling.levels import levels_of
from sfumato.profiling.roles import Known, guess
from sfumato.vocabulary.builders import Builder, Suppression
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute
from sfumato.vocabulary.toml import toml_value

FEW_PAIRS = 0.01  # a column that separates fewer is nearly the same for everybody


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested attribute, the reason for its role, and a description of its hierarchy.

    `alone` are the records with a value of their own; `known` says who else knows such a column; `as_quasi` is the attribute
    that it would be as a quasi-identifier, if it tells people apart.
    """

    attribute: Attribute
    reason: str
    how: str
    distinct: int
    missing: int
    distinction: float
    separation: float
    alone: int = 0
    known: Known = Known.PERHAPS
    as_quasi: Attribute | None = None

    @property
    def why(self) -> str:
        """The comment above the attribute in the schema."""
        numbers = f"{self.distinct:,} distinct, separates {self.separation:.0%} of pairs"
        return f"{self.attribute.role.value}: {self.reason} ({numbers})" + (f"; {self.how}" if self.how else "")

    @property
    def kind(self) -> str:
        return (self.attribute.kind or Kind.TEXT).value

    @property
    def hierarchy(self) -> str | None:
        """The builder of a QID's hierarchy."""
        return str(self.attribute.builder.declared()["builder"]) if self.attribute.role is Role.QUASI else None

    def withheld(self, reason: str) -> Suggestion:
        """The suggestion not to publish the column, for now; the comment keeps its levels for whoever wants it after all."""
        builder = self.as_quasi.builder if self.as_quasi else Suppression()
        how = "" if isinstance(builder, Suppression) else f"as quasi: hierarchy = {toml_value(builder.declared())}"
        attribute = replace(self.attribute, role=Role.IDENTIFIER, builder=Suppression())
        return replace(self, attribute=attribute, reason=f"withheld: {reason}", how=how)

    def with_levels(self, builder: Builder, how: str) -> Suggestion:
        """The suggestion with another hierarchy."""
        attribute = replace(self.attribute, builder=builder)
        return replace(self, attribute=attribute, how=how, as_quasi=attribute if self.as_quasi else None)

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "name": self.attribute.name,
            "role": self.attribute.role.value,
            "type": self.kind,
            "hierarchy": self.hierarchy,
            "distinct": self.distinct,
            "missing": self.missing,
            "alone": self.alone,
            "distinction": self.distinction,
            "separation": self.separation,
            "why": self.why,
        }


def suggest(column: ColumnProfile) -> Suggestion:
    """The role, type and hierarchy that most likely fit a column on its own."""
    guessed = guess(column)
    builder, how = _levels(column, guessed.role)
    attribute = Attribute(column.name, guessed.role, column.type, builder)
    numbers = column.distinct, column.missing, column.distinction, column.separation
    as_quasi = attribute if guessed.role is Role.QUASI else None
    return Suggestion(attribute, guessed.reason, how, *numbers, column.spread.alone, guessed.known, as_quasi)


def _levels(column: ColumnProfile, role: Role) -> tuple[Builder, str]:
    """A QID has levels; those of a sensitive diagnosis say how close two diagnoses are."""
    if role is Role.QUASI or (role is Role.SENSITIVE and column.look.content is Content.ICD10):
        return levels_of(column)
    return Suppression(), ""

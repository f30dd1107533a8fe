"""The most common values, and all others together: `clerk` → `clerk` → `other` → `*`.

The values are declared, most common first. A value that is not listed is one of the others, so rare values need not be named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sfumato.errors import SchemaError
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy
from sfumato.vocabulary.kinds import Kind

OTHER = "other"


@dataclass(frozen=True, slots=True)
class Common:
    """The first `keep[i]` of the `values` stay at level i + 1; strictly descending, at least one."""

    values: tuple[str, ...]
    keep: tuple[int, ...]

    def __post_init__(self) -> None:
        falling = bool(self.keep) and all(a > b for a, b in pairwise(self.keep))
        if not falling or self.keep[-1] < 1 or self.keep[0] > len(self.values):
            raise SchemaError(
                f"'keep' must descend and be between 1 and the {len(self.values)} listed values, as in [8, 3]; it is {list(self.keep)}"
            )
        if len(set(self.values)) < len(self.values):
            raise SchemaError("'values' lists a value twice")

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({Kind.TEXT, Kind.INTEGER})

    def height(self, kind: Kind) -> int:
        return len(self.keep) + 1

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        columns = []
        for keep in self.keep:
            kept = frozenset(self.values[:keep])
            columns.append([value if value in kept else OTHER for value in values])
        return Hierarchy.of_columns(attribute, [values, *columns, [ROOT] * len(values)], by_label=True)

    def declared(self) -> dict[str, Any]:
        return {"builder": "common", "values": list(self.values), "keep": list(self.keep)}

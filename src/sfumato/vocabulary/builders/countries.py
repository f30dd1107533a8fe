"""Countries by region of the world: `DE` → `Western Europe` → `Europe` → `*`. Codes of ISO 3166-1 and names, see `vocabulary.m49`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.errors import HierarchyError, SchemaError, several
from sfumato.vocabulary.hierarchy import ROOT, Hierarchy
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.m49 import regions, subregion_of

LEVELS = ("subregion", "region")


@dataclass(frozen=True, slots=True)
class Countries:
    """The levels between the country and the root, from fine to coarse."""

    levels: tuple[str, ...] = LEVELS

    def __post_init__(self) -> None:
        if not self.levels or list(self.levels) != [level for level in LEVELS if level in self.levels]:
            raise SchemaError(f"'levels' must be some of {', '.join(LEVELS)}, in this order; it is {list(self.levels)}")

    @property
    def kinds(self) -> frozenset[Kind]:
        return frozenset({Kind.TEXT})

    def height(self, kind: Kind) -> int:
        return len(self.levels) + 1

    def build(self, attribute: str, kind: Kind, values: Sequence[str]) -> Hierarchy:
        around = [subregion_of(value) for value in values]
        wrong = around.count(None)
        if wrong:
            raise HierarchyError(
                f"level 0 has {several(wrong, 'value')} that {'is not a country' if wrong == 1 else 'are not countries'} "
                "by name or by code of ISO 3166-1, as in France, FR or FRA",
                where=f"attribute {attribute!r}",
            )
        below = [each for each in around if each is not None]
        columns = {"subregion": below, "region": [regions()[each] for each in below]}
        levels = [columns[level] for level in self.levels]
        return Hierarchy.of_columns(attribute, [values, *levels, [ROOT] * len(values)], by_label=True)

    def declared(self) -> dict[str, Any]:
        return {"builder": "countries", "levels": list(self.levels)}


def ancestors(label: str) -> frozenset[str]:
    """A label and all labels above it."""
    below = label if label in regions() else subregion_of(label)
    return frozenset({label}) if below is None else frozenset({label, below, regions()[below]})

"""A recoding: which label each value is published under, and which records are suppressed. A node is the full-domain case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sfumato.vocabulary.hierarchy import ROOT, Hierarchy
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Suppressed


@dataclass(frozen=True, slots=True, eq=False)
class Recoding:
    """Every QID of `node` at its level; classes in `suppressed` (codes at the node, one per QID) leave or become `*`."""

    node: Node
    hierarchies: Mapping[str, Hierarchy]
    suppressed: frozenset[tuple[int, ...]] = frozenset()
    style: Suppressed = Suppressed.DROP

    @property
    def stars(self) -> bool:
        """Whether some records stay with `*` in every QID."""
        return bool(self.suppressed) and self.style is Suppressed.STAR

    def labels(self, attribute: str) -> tuple[str, ...]:
        """The labels that an attribute is published under, in code order."""
        return self.hierarchies[attribute].at(self.node[attribute])

    def published_labels(self, attribute: str) -> tuple[str, ...]:
        """The labels that may stand in the file: those of the level, and `*` where records are starred."""
        labels = self.labels(attribute)
        return (*labels, ROOT) if self.stars and ROOT not in labels else labels

    def suppressed_labels(self) -> Iterator[tuple[str | None, ...]]:
        """The suppressed classes by their labels; None is the missing value."""
        for codes in sorted(self.suppressed):
            yield tuple(
                self.hierarchies[name].label(level, code)
                for (name, level), code in zip(self.node.as_dict().items(), codes, strict=True)
            )

    def mapping(self) -> Iterator[tuple[str, str, str]]:
        """Attribute, value, label: the recoding as a table for people."""
        for name, level in self.node.as_dict().items():
            hierarchy = self.hierarchies[name]
            codes = hierarchy.ancestors(hierarchy.floor, level)
            for value, code in zip(hierarchy.labels[0], codes, strict=False):
                yield name, value, hierarchy.at(level)[code]

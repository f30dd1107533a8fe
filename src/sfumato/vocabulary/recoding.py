"""A recoding: which label each value is published under, and which records are suppressed.

Both kinds have the same interface: the published attributes, the labels that can occur in the file, and whether a column keeps its
type. A node is the full-domain case, where a value has one label throughout. In a local recoding the label depends on the whole cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.vocabulary.hierarchy import ROOT, Codes, Hierarchy
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Suppressed

DIVIDED = -1


@dataclass(frozen=True, slots=True, eq=False)
class Recoding:
    """Every QID of `node` at its level; classes in `suppressed` (codes at the node, one per QID) are dropped or become `*`.

    `blank`: records that stay as `*` lose their sensitive values, too.
    """

    node: Node
    hierarchies: Mapping[str, Hierarchy]
    suppressed: frozenset[tuple[int, ...]] = frozenset()
    style: Suppressed = Suppressed.DROP
    blank: bool = False
    kind: ClassVar[str] = "full-domain"
    mapped: ClassVar[tuple[str, ...]] = ("attribute", "value", "label")

    @property
    def attributes(self) -> tuple[str, ...]:
        return self.node.attributes

    @property
    def stars(self) -> bool:
        """Whether some records stay with `*` in every QID."""
        return bool(self.suppressed) and self.style is Suppressed.STAR

    def labels(self, attribute: str) -> tuple[str, ...]:
        """The labels that an attribute is published under, in code order."""
        return self.hierarchies[attribute].at(self.node[attribute])

    def published_labels(self, attribute: str) -> tuple[str, ...]:
        """The labels that can occur in the file: those of the level, and `*` where records are starred."""
        labels = self.labels(attribute)
        return (*labels, ROOT) if self.stars and ROOT not in labels else labels

    def keeps_type(self, attribute: str) -> bool:
        """Whether the column has values of the attribute's type, not labels."""
        return self.node[attribute] == 0 and not self.stars

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


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """How the people of divided cells are spread over classes: of those in a cell with a sensitive value, `people` go to a class.

    Ascending by cell, value and class; values are codes of level 0 of the sensitive attribute, all 0 if there is none.
    """

    cells: Codes
    values: Codes
    classes: Codes
    people: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LocalRecoding:
    """Each cell of a table has a class of its own, or is divided among several.

    `cells` are the codes of level 0 of each cell, one column per attribute, in lexicographic order. `class_of` is the class of each,
    -1 where `division` divides the cell by the values of `sensitive`. `classes[c, j]` is the place of a label in `labels` of
    attribute j, one past the last for the missing value. Classes are distinct, in lexicographic order, and not empty.
    """

    attributes: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]
    cells: Codes
    class_of: Codes
    classes: Codes
    labels_of: Mapping[str, tuple[str, ...]]
    division: Division | None = None
    sensitive: str | None = None
    kind: ClassVar[str] = "local"
    stars: ClassVar[bool] = False
    style: ClassVar[Suppressed] = Suppressed.DROP
    suppressed: ClassVar[frozenset[tuple[int, ...]]] = frozenset()

    @property
    def mapped(self) -> tuple[str, ...]:
        """The columns of `mapping`."""
        return (*self.attributes, *(f"{name} label" for name in self.attributes))

    def labels(self, attribute: str) -> tuple[str, ...]:
        """The labels that an attribute is published under, in their order."""
        return self.labels_of[attribute]

    def published_labels(self, attribute: str) -> tuple[str, ...]:
        """The labels that can occur in the file."""
        return self.labels_of[attribute]

    def keeps_type(self, attribute: str) -> bool:
        """Labels are texts, whatever the type of the attribute."""
        return False

    def class_labels(self, number: int) -> tuple[str | None, ...]:
        """The labels of a class, numbered from 0; None is the missing value."""
        labels = (self.labels_of[name] for name in self.attributes)
        return tuple(own[code] if code < len(own) else None for own, code in zip(labels, self.classes[number], strict=True))

    def cell_labels(self, cell: int) -> tuple[str | None, ...]:
        """The values of a cell."""
        hierarchies = (self.hierarchies[name] for name in self.attributes)
        return tuple(own.label(0, int(code)) for own, code in zip(hierarchies, self.cells[cell], strict=True))

    def placed(self) -> tuple[Codes, Codes]:
        """Every pair of a cell and a class that has people of it, by cell."""
        whole = np.flatnonzero(self.class_of != DIVIDED).astype(np.int32)
        cells, classes = whole, self.class_of[whole]
        if self.division is not None:
            cells, classes = np.append(cells, self.division.cells), np.append(classes, self.division.classes)
        pairs = np.unique(np.stack([cells, classes], axis=1), axis=0)
        return pairs[:, 0], pairs[:, 1]

    def mapping(self) -> Iterator[tuple[str | None, ...]]:
        """The values of each cell and its labels; a divided cell has one line per class."""
        for cell, number in zip(*self.placed(), strict=True):
            yield (*self.cell_labels(cell), *self.class_labels(number))


@dataclass(frozen=True, slots=True, eq=False)
class Sanitized(Recoding):
    """A table whose values an operation has changed, as it is. The columns in `labeled` hold labels, not values of the attribute's type."""

    labeled: frozenset[str] = frozenset()
    kind: ClassVar[str] = "sanitized"

    def keeps_type(self, attribute: str) -> bool:
        return attribute not in self.labeled


AnyRecoding = Recoding | LocalRecoding

"""The classes of a release: who is in which, which sensitive values they show, and what is promised about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, added
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """How often each sensitive value stands in each class of a written file, where the file holds more than its people: counterfeits."""

    classes: Codes
    values: tuple[str | None, ...]
    value_of: Codes
    rows: Counts


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Rows by class and sensitive value: values and rows offsets[c]:offsets[c + 1] are those of class c, numbered from 1; 0 is empty."""

    offsets: Counts
    values: Counts
    rows: Counts
    width: int

    @classmethod
    def of(cls, classes: Codes, values: npt.NDArray[np.integer], rows: Counts, count: int, width: int) -> Shown:
        """From entries in any order, repeats allowed."""
        cells, cell_of = np.unique(classes.astype(np.int64) * width + values, return_inverse=True)
        offsets = np.searchsorted(cells // width, np.arange(count + 3)).astype(np.int64)
        return cls(offsets, cells % width, added(rows, cell_of, len(cells)), width)

    def of_classes(self, classes: Codes, among: Counts) -> Floats:
        """The rows of some classes, one column for each of some values."""
        column = np.full(self.width, -1)
        column[among] = np.arange(len(among))
        row, at = self._entries(classes)
        place = column[self.values[at]]
        asked = place >= 0
        found = np.zeros((len(classes), len(among)))
        found[row[asked], place[asked]] = self.rows[at[asked]]
        return found

    def values_of(self, classes: Codes) -> Counts:
        """The values that some classes have, a value for each class that has it."""
        _, at = self._entries(classes)
        return self.values[at]

    def _entries(self, classes: Codes) -> tuple[Counts, Counts]:
        """The entries of some classes: the place of the class in the list, and that of the entry."""
        sizes = np.diff(self.offsets)[classes]
        row = np.repeat(np.arange(len(classes)), sizes)
        starts = np.repeat(self.offsets[classes] - np.cumsum(sizes) + sizes, sizes)
        return row, starts + np.arange(len(row))

    def distribution(self) -> Floats:
        """The shares of the values in the whole file."""
        people = added(self.rows, self.values, self.width)
        return np.asarray(people / max(int(people.sum()), 1), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A release: its name, the class of every row of its table (0: none; one past the last: suppressed), and the number of classes.

    `stated` are the sensitive values of its classes by attribute, where these are not those of the people in them; `models` is what it
    promises, `about` which sensitive attributes each of these is about, where that is known, `beliefs` whether it was judged with stated
    ones, `m` that of an m-invariant release. `starred`: the last class is that of suppressed people who stand in the file all the same.
    """

    name: str
    table: str
    numbers: Codes
    classes: int
    stated: Mapping[str, Stated] | None = None
    models: tuple[str, ...] = ()
    m: int | None = None
    about: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    beliefs: bool = False
    starred: bool = False

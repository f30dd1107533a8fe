"""Subtree recoding: each branch of a hierarchy is generalized as far as it must be, and no further."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.errors import DataSayNo, argument
from sfumato.frequency import packed
from sfumato.models.parameter import whole
from sfumato.operations.base import Judged, Made, Operation, Task, named_columns, require_people
from sfumato.operations.copied import Copy, People, sliced
from sfumato.operations.leaves import Leaves
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Subtree(Operation):
    """Every class has at least k people; labels of one column may be of different levels, and all values of a branch have one label.

    Begins with every QID at its root and divides the branch that gains most, as long as every class keeps k people (Fung, Wang and
    Yu 2005). A branch that cannot be divided once never can be later, so each is tried once.
    """

    k: int = field(metadata=whole(at_least=2, example=5))
    name: ClassVar[str] = "subtree"
    example: ClassVar[str] = "subtree:5"
    judged: ClassVar[Judged] = Judged.CLASSES
    protects: ClassVar[str] = "from being singled out: k people share all published QID values"
    exposes: ClassVar[str] = "sensitive values that all people of a class share"

    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        return named_columns(self.name, columns, quasi, "QID") if columns else tuple(quasi)

    def memory(self, rows: int, columns: int) -> int:
        return rows * (16 * columns + 32)

    def apply(self, copy: Copy, task: Task) -> Made:
        people = People.of(copy)
        require_people(self.name, self.k, people.count)
        leaves = {name: Leaves.of(copy, task, name) for name in task.quasi}
        cut = _Cut([leaves[name] for name in task.quasi], [name in task.columns for name in task.quasi], self.k, people)
        if not cut.feasible():
            raise DataSayNo(
                f"no class has {self.k:,} people, even with {', '.join(task.columns)} as '*'; nothing was published",
                where=argument("columns"),
            )
        cut.divide()
        labeled = [name for place, name in enumerate(task.quasi) if name in task.columns and cut.levels[place].any()]
        arrays = {name: _labels(leaves[name], cut.levels[task.quasi.index(name)]) for name in labeled}
        return Made(copy.changed(sliced(arrays)), frozenset(labeled), facts={"k": self.k})


def _labels(leaves: Leaves, levels: Places) -> pa.Array:
    """A column as labels, given the level of each leaf."""
    import pyarrow as pa

    hierarchy = leaves.hierarchy
    up = [hierarchy.ancestors(0, level) for level in range(hierarchy.height + 1)]
    texts = [hierarchy.label(int(level), int(up[level][leaf])) for leaf, level in enumerate(levels)]
    return pa.array(texts, pa.string()).take(pa.array(leaves.codes))


class _Cut:
    """The level at which each leaf of each QID stands, and the cells of the table with their people: how many, and, where people have
    several rows, which (those of a cell are `_owners[_starts[cell]:_starts[cell + 1]]`)."""

    def __init__(self, leaves: Sequence[Leaves], movable: Sequence[bool], k: int, people: People) -> None:
        self._k, self._movable = k, movable
        self._hierarchies = [each.hierarchy for each in leaves]
        radices = [hierarchy.codes(0) for hierarchy in self._hierarchies]
        keys = packed([each.codes for each in leaves], radices, len(leaves[0].codes))
        _, first, cell_of = np.unique(keys, return_index=True, return_inverse=True)
        self._people = people.per_group(np.arange(len(keys)), cell_of, len(first))
        self._total, self._owners = people.count, None
        if people.owners is not None:
            self._owners = np.unique(cell_of * people.count + people.owners) % people.count
            self._starts = np.cumsum(self._people) - self._people
        self._cells = np.stack([each.codes[first] for each in leaves], axis=1)
        each = zip(self._hierarchies, movable, strict=True)
        self.levels = [np.full(h.codes(0), h.height if moves else 0, np.int64) for h, moves in each]
        self._up = [np.stack([h.ancestors(0, level) for level in range(h.height + 1)]) for h in self._hierarchies]
        self._labels = np.stack([self._label(place) for place in range(len(leaves))], axis=1)

    def _label(self, place: int) -> Places:
        """The label of each cell in one QID: its level and its code there."""
        leaves = self._cells[:, place]
        levels = self.levels[place][leaves]
        return np.asarray(levels * self._hierarchies[place].codes(0) + self._up[place][levels, leaves], np.int64)

    def feasible(self) -> bool:
        return self._large(np.arange(len(self._cells)), self._labels)

    def _large(self, cells: Places, labels: Places) -> bool:
        """Whether all classes of some cells have k people, under these labels."""
        widths = [int(column.max()) + 1 for column in labels.T]
        _, number = np.unique(packed(list(labels.T), widths, len(labels)), return_inverse=True)
        if self._owners is None:
            return bool((np.bincount(number, self._people[cells]) >= self._k).all())
        each = self._people[cells]
        ends = np.cumsum(each)
        owners = self._owners[np.arange(int(ends[-1])) + np.repeat(self._starts[cells] - (ends - each), each)]
        pairs = np.unique(np.repeat(number, each) * self._total + owners)
        return bool((np.bincount(pairs // self._total) >= self._k).all())

    def divide(self) -> None:
        """Divide branches, those first that gain most."""
        queue: list[tuple[float, int, int, int]] = []
        for place, hierarchy in enumerate(self._hierarchies):
            if self._movable[place]:
                self._push(queue, place, hierarchy.height, 0)
        while queue:
            _, place, level, code = heapq.heappop(queue)
            if self._divided(place, level, code):
                inside = self._up[place][level][self._cells[:, place]] == code
                below = np.unique(self._up[place][level - 1][self._cells[inside, place]])
                for child in below.tolist():
                    if level > 1 and child < len(self._hierarchies[place].at(level - 1)):
                        self._push(queue, place, level - 1, child)

    def _push(self, queue: list[tuple[float, int, int, int]], place: int, level: int, code: int) -> None:
        heapq.heappush(queue, (-self._gain(place, level, code), place, level, code))

    def _gain(self, place: int, level: int, code: int) -> float:
        """By how much the loss of the people of a branch falls if it is divided: the values that their labels stand for, as a share."""
        hierarchy, up = self._hierarchies[place], self._up[place]
        inside = up[level][self._cells[:, place]] == code
        children = up[level - 1][self._cells[inside, place]]
        before, after = hierarchy.leaves_under(level)[code], hierarchy.leaves_under(level - 1)[children]
        return float((self._people[inside] * (before - after)).sum() / max(len(hierarchy.labels[0]), 1))

    def _divided(self, place: int, level: int, code: int) -> bool:
        """Divide a branch if all its classes keep k people."""
        up = self._up[place]
        cells = np.flatnonzero(up[level][self._cells[:, place]] == code)
        labels = self._labels[cells].copy()
        labels[:, place] = (level - 1) * self._hierarchies[place].codes(0) + up[level - 1][self._cells[cells, place]]
        if not self._large(cells, labels):
            return False
        self.levels[place][up[level] == code] = level - 1
        self._labels[cells] = labels
        return True

"""Microaggregation: people in groups of at least k, all with the mean or the most frequent value of their group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.models.parameter import whole
from sfumato.operations.base import Judged, Made, Operation, Task, named_columns, require_people
from sfumato.operations.copied import NUMERIC, Coded, Copy, Floats, People, as_numbers, sliced, taken
from sfumato.progress import Progress
from sfumato.vocabulary.schema import Schema

Codes = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
_STEPS = 200  # pairs of groups between two reports of progress


@dataclass(frozen=True, slots=True)
class Microaggregate(Operation):
    """Puts near people into groups of at least k (MDAV) and publishes, for all of a group, the mean of each number and the most frequent
    of every other value.

    Numbers are scaled by their standard deviation, so that all count alike; categories count 1 where they differ. Whole numbers are
    rounded. A missing number is near other missing ones, and is published where most of a group lack it. Somebody with several rows is one
    point, the mean and the most frequent values of these, and all of the rows are in one group. The time grows with the square of the
    people.
    """

    k: int = field(metadata=whole(at_least=2, example=5))
    name: ClassVar[str] = "microaggregate"
    example: ClassVar[str] = "microaggregate:5"
    judged: ClassVar[Judged] = Judged.CLASSES
    protects: ClassVar[str] = "from being singled out, if all QIDs are aggregated: k people share them"
    exposes: ClassVar[str] = "sensitive values that all people of a class share"

    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        return named_columns(self.name, columns, quasi, "QID") if columns else tuple(quasi)

    def memory(self, rows: int, columns: int) -> int:
        return rows * (40 * columns + 48)

    def apply(self, copy: Copy, task: Task) -> Made:
        people = People.of(copy)
        require_people(self.name, self.k, people.count)
        numeric = [name for name in task.columns if task.kind(name) in NUMERIC]
        values = {name: copy.numbers(name) for name in numeric}
        coded = {name: copy.coded(name) for name in task.columns if name not in numeric}
        group_of = _groups_of_people(list(values.values()), list(coded.values()), self.k, people, task.progress)
        arrays = {name: as_numbers(_means(each, group_of), task.kind(name)) for name, each in values.items()}
        arrays |= {name: taken(each.values, _modes(each, group_of)) for name, each in coded.items()}
        promised = {"k": self.k} if set(task.columns) == set(task.quasi) else {}
        facts = {**promised, "groups": int(group_of.max()) + 1}
        return Made(copy.changed(sliced(arrays)), facts=facts)


def _groups_of_people(values: Sequence[Floats], coded: Sequence[Coded], k: int, people: People, progress: Progress) -> Places:
    """The group of each row: that of its person."""
    owners = people.owners
    if owners is None:
        return groups_of(values, coded, k, progress)
    first = np.unique(owners, return_index=True)[1]
    points = [_means(each, owners)[first] for each in values]
    kinds = [Coded(_modes(each, owners)[first].astype(np.int32), each.values) for each in coded]
    return groups_of(points, kinds, k, progress)[owners]


def groups_of(values: Sequence[Floats], coded: Sequence[Coded], k: int, progress: Progress = lambda done, total: None) -> Places:
    """The group of each row, from 0. There are at least k rows."""
    from sfumato.operations.mdav import Left, grouped

    numbers, codes = prepared(values, coded)
    rows = numbers.shape[1]
    group_of, group = np.full(rows, -1, np.int64), 0
    left = Left(np.arange(rows), numbers, codes, np.zeros(rows, bool))
    while len(left.rows):
        left, group = grouped(left, k, group, group_of, _STEPS)
        progress(rows - len(left.rows), rows)
    return group_of


def prepared(values: Sequence[Floats], coded: Sequence[Coded]) -> tuple[Floats, Codes]:
    """Columns of numbers, scaled to mean 0 and variance 1 and the mean where one is missing, and of categories; that a number is missing is
    a category."""
    rows = len(values[0]) if values else len(coded[0].codes)
    numbers = np.zeros((len(values), rows))
    categories = [each.codes for each in coded]
    for place, column in enumerate(values):
        missing = np.isnan(column)
        present = column[~missing]
        deviation = float(present.std()) if len(present) else 0.0
        if deviation > 0:
            numbers[place, ~missing] = (present - present.mean()) / deviation
        if missing.any():
            categories.append(missing.astype(np.int32))
    codes = np.stack(categories) if categories else np.zeros((0, rows), np.int32)
    return numbers, np.ascontiguousarray(codes, np.int32)


def _means(column: Floats, group_of: Places) -> Floats:
    """The mean of each row's group; NaN where more than half of it is missing."""
    missing = np.isnan(column)
    groups = int(group_of.max()) + 1
    sizes, lacking = np.bincount(group_of, minlength=groups), np.bincount(group_of, missing, groups)
    sums = np.bincount(group_of, np.where(missing, 0, column), groups)
    means = np.where(2 * lacking > sizes, np.nan, sums / np.maximum(sizes - lacking, 1))
    return np.asarray(means[group_of], np.float64)


def _modes(coded: Coded, group_of: Places) -> Places:
    """The most frequent code of each row's group; of several the first."""
    keys, counts = np.unique(group_of * coded.width + coded.codes, return_counts=True)
    groups = keys // coded.width
    order = np.lexsort((keys, -counts, groups))
    first = order[np.unique(groups[order], return_index=True)[1]]
    return np.asarray((keys[first] % coded.width)[group_of], np.int64)

"""Anatomization: QIDs and sensitive values in two tables, joined by groups only."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.errors import DataSayNo, SchemaError, UsageError, argument
from sfumato.models.parameter import whole
from sfumato.operations.base import Judged, Made, Operation, Task, require_people
from sfumato.operations.copied import Copy
from sfumato.operations.randomness import Draws
from sfumato.vocabulary.kinds import Kind, Role
from sfumato.vocabulary.schema import Attribute, Schema

if TYPE_CHECKING:
    import pyarrow as pa

GROUP = "group"
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Anatomy(Operation):
    """Puts people into groups in which all sensitive values differ, at least l of them (Xiao and Tao 2006). The file has the QIDs as they
    are and the number of the group; a second table has the sensitive values of each group.

    Whoever finds a person in the file knows the group, and believes each of its values with probability 1/l at most.
    """

    l: int = field(metadata=whole(at_least=2, example=3))  # noqa: E741  the letter of the literature
    name: ClassVar[str] = "anatomy"
    example: ClassVar[str] = "anatomy:3"
    judged: ClassVar[Judged] = Judged.GROUPS
    protects: ClassVar[str] = "sensitive values: each is one of l different ones, equally likely"
    exposes: ClassVar[str] = "who is in the table, and all their QIDs"
    drawn: ClassVar[bool] = True
    by_row: ClassVar[bool] = True

    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        if columns:
            raise UsageError(f"{self.name} separates the sensitive attribute; leave it out", where=argument("columns"))
        if len(schema.sensitive) != 1:
            raise SchemaError(f"{self.name} separates one sensitive attribute; the schema has {len(schema.sensitive)}")
        if any(attribute.name == GROUP for attribute in schema.attributes):
            raise SchemaError(f"{self.name} adds a column {GROUP!r}, and the table has one; rename it")
        return schema.sensitive

    def memory(self, rows: int, columns: int) -> int:
        return 140 * rows

    def apply(self, copy: Copy, task: Task) -> Made:
        import pyarrow as pa

        (sensitive,) = task.columns
        require_people(self.name, self.l, copy.rows)
        values = copy.coded(sensitive)
        group_of = buckets(values.codes, self.l, Draws(task.seed, sensitive).order(copy.rows))
        numbers = pa.array(group_of + 1)

        def change(batch: pa.RecordBatch, start: int) -> pa.RecordBatch:
            kept = batch.drop_columns([sensitive])
            return kept.append_column(GROUP, numbers.slice(start, batch.num_rows))

        facts = {"l": self.l, "groups": int(group_of.max()) + 1}
        groups = pa.table({GROUP: numbers, sensitive: copy.column(sensitive)})
        added = (Attribute(GROUP, Role.PLAIN, Kind.INTEGER),)
        return Made(copy.changed(change), dropped=frozenset({sensitive}), added=added, facts=facts, groups=groups)


def buckets(values: npt.NDArray[np.int32], l: int, order: Places) -> Places:  # noqa: E741
    """The group of each row, from 0: at least l rows each, all with different values; rows are taken in the given order."""
    counts = np.bincount(values)
    if int(counts.max()) * l > len(values):
        raise DataSayNo(
            f"one sensitive value is too frequent: {int(counts.max()):,} of {len(values):,} people have it, and only one in {l:,} may; "
            "nothing was published",
            where=argument("method"),
        )
    rows = order[np.argsort(values[order], kind="stable")]
    ends = np.cumsum(counts)  # the rows of a value are taken from its end
    left = [(-int(count), value) for value, count in enumerate(counts) if count]
    heapq.heapify(left)
    group_of, group, held = np.empty(len(values), np.int64), 0, []
    while len(left) >= l:
        largest = [heapq.heappop(left) for _ in range(l)]
        held.append({value for _, value in largest})
        for count, value in largest:
            group_of[rows[ends[value] + count]] = group
            if count < -1:
                heapq.heappush(left, (count + 1, value))
        group += 1
    for count, value in left:
        _residue(rows[ends[value] + count : ends[value]].tolist(), value, group_of, held)
    return group_of


def _residue(rows: Sequence[int], value: int, group_of: Places, held: list[set[int]]) -> None:
    """Put the last rows, fewer than l and of different values, into groups without their value."""
    for row in rows:
        group = next(number for number, values in enumerate(held) if value not in values)
        held[group].add(value)
        group_of[row] = group

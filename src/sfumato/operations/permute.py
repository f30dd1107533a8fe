"""Permutation: within the classes of a node, sensitive values change places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.errors import NodeError, UsageError, argument, raise_alone
from sfumato.frequency import packed
from sfumato.models.parameter import text
from sfumato.operations.anatomy import GROUP
from sfumato.operations.base import Judged, Made, Operation, Task
from sfumato.operations.copied import Copy, sliced
from sfumato.operations.leaves import Leaves
from sfumato.operations.randomness import Draws
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True)
class Permute(Operation):
    """People whose QIDs are alike at a node form a class; in each class the sensitive values are dealt out anew, all of a person together.

    QIDs are published as they are. Counts over whole classes are exact; whose a value is, is open within the class (Zhang et al. 2007).
    """

    levels: str = field(metadata=text(example="age=2,sex=1"))
    name: ClassVar[str] = "permute"
    example: ClassVar[str] = "permute:age=2,sex=1"
    judged: ClassVar[Judged] = Judged.GROUPS
    protects: ClassVar[str] = "sensitive values, as well as the classes of the node would"
    exposes: ClassVar[str] = "who is in the table, and all their QIDs"
    drawn: ClassVar[bool] = True
    by_row: ClassVar[bool] = True

    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        if columns:
            raise UsageError(f"{self.name} deals out the sensitive attributes; leave it out", where=argument("columns"))
        if not schema.sensitive:
            raise UsageError(f"{self.name} deals out sensitive values, and no attribute is sensitive", where=argument("method"))
        if any(attribute.name == GROUP for attribute in schema.attributes if attribute.name in schema.sensitive):
            raise UsageError(f"{self.name} calls its classes {GROUP!r}; rename the attribute", where=argument("method"))
        self._node(schema, quasi)
        return schema.sensitive

    def _node(self, schema: Schema, quasi: Sequence[str]) -> Node:
        """The node of the levels; every QID needs one."""
        try:
            return Node.of(self.levels, schema, tuple(quasi))
        except NodeError as error:
            raise_alone(NodeError(error.message, where=argument("method")))

    def memory(self, rows: int, columns: int) -> int:
        return rows * (80 + 32 * columns)

    def apply(self, copy: Copy, task: Task) -> Made:
        import pyarrow as pa

        node = self._node(task.schema, task.quasi)
        leaves = {name: Leaves.of(copy, task, name) for name in task.quasi}
        codes = [leaves[name].at(level) for name, level in node.as_dict().items()]
        widths = [leaves[name].hierarchy.codes(level) for name, level in node.as_dict().items()]
        _, class_of = np.unique(packed(codes, widths, copy.rows), return_inverse=True)
        as_they_are = np.argsort(class_of, kind="stable")
        dealt = np.lexsort((Draws(task.seed, "classes").raw(0, copy.rows)[:, 0], class_of))
        source = np.empty(copy.rows, np.int64)
        source[as_they_are] = dealt
        arrays = {name: copy.column(name).take(pa.array(source)) for name in task.columns}
        groups = pa.table({GROUP: pa.array(class_of + 1), **arrays})
        facts = {"node": node.as_dict(), "groups": int(class_of.max()) + 1}
        return Made(copy.changed(sliced(arrays)), facts=facts, groups=groups)

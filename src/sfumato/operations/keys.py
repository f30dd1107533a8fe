"""The keys of a histogram: for one column the labels that rows are counted under, and the label of each row.

A declared key is known from the schema alone: its labels are the same whatever the data are, and the missing value is always one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato.errors import SchemaError
from sfumato.operations.base import Task
from sfumato.operations.copied import Copy, arrow_type
from sfumato.operations.leaves import Leaves
from sfumato.vocabulary.kinds import Kind

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """A column: its labels in order, None last for the missing value where there may be one; and the place of each row's label."""

    name: str
    kind: Kind
    labels: tuple[str | None, ...]
    codes: npt.NDArray[np.int64]

    @property
    def width(self) -> int:
        return len(self.labels)

    def column(self, codes: npt.NDArray[np.int64]) -> pa.Array:
        """The labels of some codes as values of their type."""
        import pyarrow as pa

        return pa.array(list(self.labels), pa.string()).cast(arrow_type(self.kind)).take(pa.array(codes))


def observed_key(copy: Copy, task: Task, name: str, level: int) -> Key:
    """The labels that occur."""
    leaves = Leaves.of(copy, task, name)
    labels: tuple[str | None, ...] = leaves.hierarchy.at(level)
    labels += (None,) if leaves.hierarchy.codes(level) > len(labels) else ()
    return Key(name, Kind.TEXT if level else task.kind(name), labels, leaves.at(level).astype(np.int64))


def declared_key(copy: Copy, task: Task, name: str, level: int) -> Key:
    """The labels that the schema declares; refuses an attribute whose labels come from the data."""
    attribute = task.schema[name]
    declared = attribute.builder.build(name, task.kind(name), [])
    observed = observed_key(copy, task, name, level)
    labels: tuple[str | None, ...] = declared.at(level)
    if not labels:
        raise SchemaError(
            f"level {level} has no declared values, and differential privacy needs them: a histogram over the values that occur shows who "
            "is in it; list them in the schema, give bounds, or take a coarser level",
            where=f"attribute {name!r}",
        )
    labels += (None,) if declared.codes(level) > len(labels) else ()
    place_of = {label: place for place, label in enumerate(labels)}
    places = np.array([place_of.get(label, -1) for label in observed.labels], np.int64)
    codes = places[observed.codes]
    if (codes < 0).any():
        raise SchemaError("the data have values that the schema does not declare", where=f"attribute {name!r}")
    return Key(name, observed.kind, labels, codes)

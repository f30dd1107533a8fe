"""Cell suppression: single QID values are published as `*` until every class has k people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from sfumato.errors import UsageError, argument
from sfumato.models.parameter import whole
from sfumato.operations.base import Judged, Made, Operation, Task, every_quasi, require_people
from sfumato.operations.copied import Coded, Copy, People, canonical_texts, sliced
from sfumato.operations.patterns import Mask, patterns_for
from sfumato.vocabulary.hierarchy import ROOT
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

MOST = 12  # QIDs: every set of them is looked at


@dataclass(frozen=True, slots=True)
class CellSuppression(Operation):
    """Replaces as few QID values as it can by `*`, so that every class of the file has at least k people.

    A suppressed cell is a value of its own: `*` equals `*` and nothing else. So a reader who counts the classes of the file finds k in
    each; where `*` may stand for any value, fewer cells would do. To find the fewest cells is hard (Meyerson and Williams 2004);
    see `patterns` for how near this comes.
    """

    k: int = field(metadata=whole(at_least=2, example=5))
    name: ClassVar[str] = "cell-suppression"
    example: ClassVar[str] = "cell-suppression:5"
    judged: ClassVar[Judged] = Judged.CLASSES
    protects: ClassVar[str] = "from being singled out: k people share all published QID values"
    exposes: ClassVar[str] = "sensitive values that all people of a class share"

    def chosen(self, schema: Schema, quasi: Sequence[str], columns: Sequence[str] | None) -> tuple[str, ...]:
        if len(quasi) > MOST:
            raise UsageError(f"{self.name} takes at most {MOST} QIDs; there are {len(quasi)}", where=argument("quasi"))
        return every_quasi(self.name, quasi, columns)

    def memory(self, rows: int, columns: int) -> int:
        return rows * (48 * columns + 64)

    def apply(self, copy: Copy, task: Task) -> Made:
        people = People.of(copy)
        require_people(self.name, self.k, people.count)
        coded = [copy.coded(name) for name in task.columns]
        starred = patterns_for([each.codes for each in coded], [each.width for each in coded], self.k, people)
        labels = [name for place, name in enumerate(task.columns) if starred[:, place].any()]
        arrays = {name: _starred(coded[place], starred[:, place]) for place, name in enumerate(task.columns) if name in labels}
        facts = {"k": self.k, "cells": int(starred.sum())}
        return Made(copy.changed(sliced(arrays)), frozenset(labels), facts=facts)


def _starred(coded: Coded, starred: Mask) -> pa.Array:
    """A column as texts, `*` where it is suppressed."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pa.array(canonical_texts(coded.values), pa.string()).take(pa.array(coded.codes))
    return pc.if_else(pa.array(starred), ROOT, texts)

"""A column under its hierarchy: the leaf of each row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.operations.base import Task
from sfumato.operations.copied import Copy, canonical_texts
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import natural_order


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """The hierarchy of a column over the values that occur, and the code of each row at level 0."""

    hierarchy: Hierarchy
    codes: npt.NDArray[np.int32]

    @classmethod
    def of(cls, copy: Copy, task: Task, name: str) -> Leaves:
        """A column of the copy."""
        coded, kind = copy.coded(name), task.kind(name)
        texts = canonical_texts(coded.values)
        hierarchy = task.schema[name].builder.build(name, kind, natural_order(kind, {t for t in texts if t is not None}))
        code_of: dict[str | None, int] = {label: code for code, label in enumerate((*hierarchy.labels[0], None))}
        return cls(hierarchy, np.array([code_of[text] for text in texts], np.int32)[coded.codes])

    def at(self, level: int) -> npt.NDArray[np.int32]:
        """The code of each row at a level."""
        return np.asarray(self.hierarchy.ancestors(0, level)[self.codes], np.int32)

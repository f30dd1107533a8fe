"""What is known about nodes: one column per quantity, one entry per node.

`classes`, `smallest` and `people` speak of what is kept, `violating` counts the people in violating classes, `suppressed` those who
leave (all violating ones if they are within the limit, else nobody: then the node is not feasible). A loss by its name is the mean
over people or the total, `NAME.max` its worst class; `value:MODEL` and `satisfied:MODEL` are verdicts. `incurable`: so many people
at least are in violating classes at every node below; `hopeless`: no node below is feasible, by one of the facts that allow to say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION
from sfumato.models import Verdict
from sfumato.models.base import AT_MOST

Column = npt.NDArray[Any]
MAX = ".max"
FOR_PRUNING = ("incurable", "hopeless")


@dataclass(frozen=True, slots=True, eq=False)
class Evaluations:
    """Nodes by their levels, and the columns."""

    levels: npt.NDArray[np.int16]
    columns: Mapping[str, Column]

    def __len__(self) -> int:
        return len(self.levels)

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    @classmethod
    def joined(cls, parts: Sequence[Evaluations]) -> Evaluations:
        """Several, one after the other."""
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0].columns}
        return cls(np.concatenate([part.levels for part in parts]), columns)

    def only(self, chosen: npt.NDArray[Any]) -> Evaluations:
        """Some of the nodes."""
        return Evaluations(self.levels[chosen], {name: column[chosen] for name, column in self.columns.items()})


def told_value(verdict: Verdict) -> float:
    """The value of a verdict as a number; what has none is worse than any or, if that satisfies, better."""
    if verdict.value is not None:
        return float(verdict.value)
    return inf if (verdict.direction == AT_MOST) != (verdict.satisfied is True) else -inf


def wanted_losses(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Class-wise losses and information losses among names of measures."""
    plain = {name.removesuffix(MAX) for name in names}
    return tuple(n for n in LOSSES if n in plain), tuple(n for n in INFORMATION if n in plain)


def every_loss() -> tuple[str, ...]:
    """All measures of a node."""
    return (*LOSSES, *INFORMATION)

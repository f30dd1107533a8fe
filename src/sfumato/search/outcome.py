"""What a search ends with: a node, or the answer that there is none and what would help. Never an empty table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.search.evaluation import ByNode, Evaluations, Fact
from sfumato.search.tracing import Details
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.recoding import LocalRecoding


@dataclass(frozen=True, slots=True)
class Trace:
    """How a search went: nodes of the lattice, nodes truly evaluated, what the algorithm tells besides, if it does, and whether it came
    to its end before the time was up."""

    algorithm: str
    nodes: int
    visited: int
    details: Details | None = None
    complete: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The best node, what is known about it, and the other nodes that the algorithm returns (`all`, the best among them).

    A local recoding stands in the place of a node, which is then the one that withholds everything.
    """

    node: Node
    evaluation: Mapping[str, Any]
    trace: Trace
    all: Evaluations | None = None
    recoding: LocalRecoding | None = None

    @classmethod
    def at(cls, attributes: Sequence[str], evaluations: Evaluations, place: int, trace: Trace, *, more: bool = False) -> Found:
        """The node at a place among evaluated ones."""
        node = Node(tuple(attributes), tuple(evaluations.levels[place].tolist()))
        return cls(node, evaluations.row(place), trace, evaluations if more else None)


@dataclass(frozen=True, slots=True, eq=False)
class NotFound:
    """No node satisfies all models within the suppression limit."""

    trace: Trace


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a search; `best` is the best node so far, if one was found."""

    def __init__(self, best: Found | None) -> None:
        super().__init__()
        self.best = best


class Stopped(KeyboardInterrupt):
    """Ctrl-C while nodes are evaluated; `parts` are what was evaluated until then."""

    def __init__(self, parts: Sequence[ByNode]) -> None:
        super().__init__()
        self.parts = parts


def is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: compiled code that it meets ends with a SystemError caused by it, or by another such."""
    return isinstance(error, KeyboardInterrupt) or (isinstance(error, SystemError) and is_interrupt(error.__cause__))


def best_of(evaluations: Evaluations, loss: str) -> int | None:
    """The place of the feasible node with the least loss; among equal ones the least sum of levels, then the first levels."""
    return least_of(evaluations.named()[loss], np.flatnonzero(evaluations[Fact.FEASIBLE]), evaluations.levels)


def least_of(values: npt.NDArray[np.float64], places: npt.NDArray[np.intp], all_levels: npt.NDArray[np.int16]) -> int | None:
    """The one of some places with the least value; among equal ones the least sum of levels, then the first levels."""
    if not len(places):
        return None
    among = values[places]
    least = places[among <= among.min() + tie(float(among.min()))]
    levels = all_levels[least]
    order = np.lexsort((*levels.T[::-1], levels.sum(axis=1)))
    return int(least[order[0]])


def tie(value: float) -> float:
    """Losses that differ by less are equal: sums of the same numbers in another order."""
    return 1e-12 * max(1.0, abs(value))

"""The frequency sets of many nodes, each rolled up from the nearest one that is still in memory.

The nodes are visited like the readings of a counter whose first digit changes slowest. For every digit we keep the set in which the
digits up to it are raised and the others are not, so most steps start from a set that is already small.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet
from sfumato.vocabulary.node import Node


def rolled_up(counts: FrequencySet, levels: npt.NDArray[np.integer]) -> Iterator[tuple[int, FrequencySet]]:
    """The place of each node and its frequency set, in an order that is fast to compute."""
    order = _order(counts)
    last: tuple[int, ...] = ()
    stack = [counts]  # stack[d]: the first d QIDs of the order at the levels of the last node, the others as counted
    for place in np.lexsort([levels[:, q] for q in reversed(order)]):
        wanted = tuple(int(levels[place, q]) for q in order)
        same = next((d for d, (one, other) in enumerate(zip(wanted, last, strict=False)) if one != other), len(last))
        # The digit that changes can only rise, so the new set can be rolled up from the set before the change.
        start = stack[same + 1] if same < len(last) else stack[same]
        stack = stack[: same + 1]
        for depth in range(same, len(order)):
            start = _raised(start, order[depth], wanted[depth])
            stack.append(start)
            last = wanted
        yield int(place), stack[-1]


def _order(counts: FrequencySet) -> list[int]:
    """The QIDs, slowest first: by the number of classes that remain without the QID."""
    names = counts.node.attributes

    def left(q: int) -> int:
        others = [name for name in names if name != names[q]]
        return len(np.unique(counts.codes[:, [names.index(name) for name in others]], axis=0)) if others else 1

    return sorted(range(len(names)), key=left)


def _raised(counts: FrequencySet, q: int, level: int) -> FrequencySet:
    levels = counts.node.levels
    if levels[q] == level:
        return counts
    return counts.roll_up(Node(counts.node.attributes, (*levels[:q], level, *levels[q + 1 :])))

"""The nodes of a lattice from the coarse ones on: those that release no QID, then those that release one, two, and so on.

For a lattice that is too large to walk, where time or memory ends before the nodes do. What is evaluated first is what a release may look
like, and it costs the least; every subset of the QIDs is done before a larger one begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from sfumato.progress import Progress
from sfumato.search.compiled.evaluator import Evaluator
from sfumato.search.evaluation import Evaluations
from sfumato.search.lattice import Lattice, LevelArray
from sfumato.search.outcome import Stopped, is_interrupt

_AT_ONCE = 64  # nodes between two looks at the clock


def outward(evaluator: Evaluator, lattice: Lattice, most: int, progress: Progress | None) -> Evaluations:
    """What is found out about so many nodes at the most. Stopped, it tells of those until then."""
    parts: list[Evaluations] = []
    done = 0
    try:
        for levels in _subset_by_subset(lattice):
            parts.append(evaluator.evaluate(levels[: most - done]))
            done += len(parts[-1])
            if done >= most:
                break
            if progress:
                progress(done, most)
    except (KeyboardInterrupt, SystemError) as error:
        if not is_interrupt(error):
            raise
        raise Stopped(parts) from None
    return Evaluations.joined(parts)


def _subset_by_subset(lattice: Lattice) -> Iterator[LevelArray]:
    """Every node once, some at a time, all of them releasing the same QIDs."""
    free = [q for q, size in enumerate(lattice.shape) if size > 1]
    for size in range(len(free) + 1):
        for released in combinations(free, size):
            spans = [range(lattice.floors[q], lattice.heights[q]) for q in released]
            waiting = []
            for levels in product(*reversed([reversed(span) for span in spans])):
                waiting.append(levels[::-1])
                if len(waiting) == _AT_ONCE:
                    yield _nodes(lattice, released, waiting)
                    waiting = []
            if waiting:
                yield _nodes(lattice, released, waiting)


def _nodes(lattice: Lattice, released: tuple[int, ...], levels: list[tuple[int, ...]]) -> LevelArray:
    nodes = np.empty((len(levels), len(lattice.shape)), np.int16)
    nodes[:] = lattice.heights
    nodes[:, list(released)] = np.array(levels, np.int16).reshape(len(levels), len(released))
    return nodes

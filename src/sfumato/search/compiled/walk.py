"""A walk over the whole lattice: every node is rolled up once, from the node before it, like the digits of a counter.

The QID that merges the most classes turns slowest, so that most steps are made from small partitions and merge little. The subtrees
under its first turns are tasks for a few threads; what they find is put together by node number, so the number of threads changes
nothing. With a bound on what all levels may add together (`Room`), a turn that goes beyond it ends there: what is above goes further.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic

import numpy as np

from sfumato.progress import Progress
from sfumato.search.compiled.batch import Batches, R
from sfumato.search.compiled.partition import Partition, Roller
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import Stopped, is_interrupt

if TYPE_CHECKING:
    from sfumato.search.compiled.rows import RowTable

_CLASSES_PER_BATCH = 60_000
_TASKS_PER_THREAD = 12
_OFTEN = 0.2  # seconds between two times that somebody is told how far it is


@dataclass(frozen=True, slots=True)
class Room:
    """What the levels of a node may add together: `more[q][step]` is what a step of a QID above its floor adds, never less than the step
    below, and `most` the sum of all that a node may have."""

    more: tuple[tuple[float, ...], ...]
    most: float

    def at(self, levels: Sequence[int], floors: Sequence[int]) -> float:
        """What is left of it at a node."""
        each = zip(self.more, levels, floors, strict=True)
        return self.most - sum(more[level - floor] for more, level, floor in each)


def walked(
    batches: Batches[R],
    base: Partition,
    lattice: Lattice,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
    room: Room | None = None,
) -> R:
    """What is found out about all nodes, or those within a bound, in the order of their numbers."""
    threads = threads or os.cpu_count() or 1
    order = _order(batches.roller, base, lattice)
    depth = _prefix(lattice, order, threads)
    parts: list[R] = []
    done = 0
    crew = _Crew(batches)
    with ThreadPoolExecutor(threads) as pool:
        running: set[Future[list[R]]] = set()

        def settle(*, most: int) -> None:
            """Wait until no more than so many tasks are left."""
            nonlocal running, done
            while len(running) > most:
                ended, running = wait(running, timeout=_OFTEN if progress else None, return_when=FIRST_COMPLETED)
                for task in ended:
                    parts.extend(task.result())
                    done += sum(len(part) for part in task.result())
                if progress:
                    progress(done, lattice.size)

        try:
            for start in _turns(batches.roller, base, _Turning(lattice, room), order[:depth]):
                running.add(pool.submit(_subtree, crew, start, _Turning(lattice, room), order[depth:]))
                settle(most=4 * threads)
            settle(most=0)
        except BaseException as error:
            crew.stopped.set()
            pool.shutdown(cancel_futures=True)
            if is_interrupt(error):
                ended = [task for task in running if task.done() and not task.cancelled() and not task.exception()]
                raise Stopped([*parts, *(part for task in ended for part in task.result())]) from None
            raise
    whole = type(parts[0]).joined(parts)
    return whole.only(np.argsort(lattice.numbers(whole.levels)))


def _order(roller: Roller, base: Partition, lattice: Lattice) -> list[int]:
    """The QIDs from the slowest to the fastest: by the classes that are left when one of them alone is raised to its root."""
    bare, keys = Roller(roller.layout, (), compiled=roller.compiled), replace(base, payloads=(), rows=(), shared=(), beside=None)

    def left(q: int) -> int:
        return bare.roll(keys, (*base.levels[:q], lattice.heights[q], *base.levels[q + 1 :])).classes

    return sorted(range(len(lattice.shape)), key=left)


def _prefix(lattice: Lattice, order: Sequence[int], threads: int) -> int:
    """How many QIDs turn before the tasks begin."""
    tasks = 1
    for depth, q in enumerate(order):
        if tasks >= threads * _TASKS_PER_THREAD:
            return depth
        tasks *= lattice.shape[q]
    return len(order)


@dataclass(frozen=True, slots=True)
class _Turning:
    """Which levels may turn, and how far."""

    lattice: Lattice
    room: Room | None

    def may_rise(self, levels: Sequence[int], q: int) -> bool:
        """Whether a QID may rise by a level."""
        if levels[q] == self.lattice.heights[q]:
            return False
        above = (*levels[:q], levels[q] + 1, *levels[q + 1 :])
        return self.room is None or self.room.at(above, self.lattice.floors) >= 0


def _turns(
    roller: Roller, partition: Partition, turning: _Turning, order: Sequence[int], tables: Sequence[RowTable] = ()
) -> Iterator[Partition]:
    """Every combination of levels of some QIDs, the last one turning fastest."""
    if not order:
        yield partition
        return
    q, rest = order[0], order[1:]
    while True:
        yield from _turns(roller, partition, turning, rest, tables)
        level = partition.levels[q]
        if not turning.may_rise(partition.levels, q):
            return
        partition = roller.roll(partition, (*partition.levels[:q], level + 1, *partition.levels[q + 1 :]), tables)


class _Crew(Generic[R]):
    """What the threads of a walk share: each has tables, which it uses again for its next task, and all are told when to stop."""

    def __init__(self, batches: Batches[R]) -> None:
        self.batches = batches
        self.stopped = threading.Event()
        self._own = threading.local()

    def tables(self) -> list[RowTable]:
        """Those of this thread."""
        if not hasattr(self._own, "tables"):
            self._own.tables = self.batches.tables()
        own: list[RowTable] = self._own.tables
        return own


def _subtree(crew: _Crew[R], start: Partition, turning: _Turning, order: Sequence[int]) -> list[R]:
    """Every class is measured when it is made, and the nodes are evaluated in batches."""
    batches, tables = crew.batches, crew.tables()
    parts: list[R] = []
    waiting, classes = [], 0
    for partition in _turns(batches.roller, batches.measured(start, tables), turning, order, tables):
        if crew.stopped.is_set():
            return parts
        waiting.append(partition)
        classes += partition.classes
        if classes > _CLASSES_PER_BATCH:
            parts.append(batches.evaluate(waiting, tables))
            waiting, classes = [], 0
    return [*parts, batches.evaluate(waiting, tables)] if waiting else parts

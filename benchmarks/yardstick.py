"""A fixed piece of work, some in Python and some in numpy, by which bars are told: machines differ, and so do their neighbors.

On the machine where a bar is told in milliseconds it takes 9.2 of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

MILLISECONDS = 9.2
_KEYS = np.random.default_rng(0).integers(0, 1 << 40, 30_000, dtype=np.uint64)


def work() -> None:
    """The work."""
    small: dict[int, int] = {}
    for n in range(40_000):
        small[n % 977] = small.get(n % 977, 0) + n
    for _ in range(4):
        np.unique(_KEYS >> np.uint64(8), return_inverse=True)


def least(some: Callable[[], object], rounds: int) -> float:
    """The least processor time of some runs, in milliseconds, after one that loads and compiles."""
    some()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        some()
        times.append(time.process_time() - start)
    return min(times) * 1000


def yardsticks(milliseconds: float) -> float:
    """A time in so many times the fixed work."""
    return milliseconds / least(work, 15)

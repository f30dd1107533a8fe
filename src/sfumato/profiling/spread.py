"""How the values of a column are spread: the most common ones, and the quantiles of numbers. Memory does not grow with the values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.vocabulary.kinds import BLANKS

COMMON = 64
SHARED = 5  # a value that fewer people have is not named
KEPT = 1 << 15  # numbers that quantiles are computed from
_MIX = np.uint64(0x9E3779B97F4A7C15)

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(slots=True)
class Spread:
    """Collects distinct values with how often each occurs, batch by batch, each value once.

    Of numbers it keeps those whose hash is small, so that what remains depends on the values and not on their order.
    """

    alone: int = 0  # values that occur once
    most: int = 0  # how often the most common value occurs
    common: list[tuple[int, str]] = field(default_factory=list)  # minus how often, and the value
    _numbers: Floats | None = field(default_factory=lambda: np.empty(0))
    _counts: Counts = field(default_factory=lambda: np.empty(0, np.int64))
    _sums: Counts | None = None  # of the counts, when the numbers are in order
    _share: int = 64  # bits of the hash that may be set

    def add(self, values: pa.Array, counts: Counts) -> None:
        """Further values, none of which came before."""
        if not len(counts):
            return
        self.alone += int((counts == 1).sum())
        self.most = max(self.most, int(counts.max()))
        least = 1 if len(counts) <= COMMON else int(np.partition(counts, -COMMON)[-COMMON])
        places = np.flatnonzero(counts >= max(least, SHARED))
        for place in places[np.argsort(-counts[places], kind="stable")][: 2 * COMMON].tolist():
            self.common.append((-int(counts[place]), str(values[place].as_py())))
        self.common = sorted(self.common)[:COMMON]
        if self._numbers is not None:
            self._add_numbers(values, counts)

    def _add_numbers(self, values: pa.Array, counts: Counts) -> None:
        numbers = numbers_of(values)
        if numbers is None:
            self._numbers = None
            return
        fine = np.isfinite(numbers)
        self._sums = None
        self._numbers = np.concatenate([self._numbers, numbers[fine]]) if self._numbers is not None else None
        self._counts = np.concatenate([self._counts, counts[fine]])
        while self._numbers is not None and len(self._numbers) > KEPT:
            self._share -= 1
            mixed = ((self._numbers + 0.0).view(np.uint64) * _MIX) >> np.uint64(self._share)
            self._numbers, self._counts = self._numbers[mixed == 0], self._counts[mixed == 0]

    def quantiles(self, shares: Sequence[float]) -> list[float]:
        """For each share the least number that so many of the records do not exceed; nothing if the values are no numbers."""
        numbers, below = self._ordered()
        if not len(numbers):
            return []
        places = np.searchsorted(below / below[-1], np.asarray(shares) - 1e-12)
        return [float(numbers[min(place, len(numbers) - 1)]) for place in places]

    def below(self, cuts: Sequence[float]) -> list[float]:
        """The share of records below each number."""
        numbers, below = self._ordered()
        sums = np.concatenate([[0], below])
        return [float(sums[np.searchsorted(numbers, cut)] / sums[-1]) for cut in cuts]

    def _ordered(self) -> tuple[Floats, Counts]:
        if self._numbers is None:
            return np.empty(0), np.empty(0, np.int64)
        if self._sums is None:
            order = np.argsort(self._numbers)
            self._numbers, self._counts = self._numbers[order], self._counts[order]
            self._sums = np.cumsum(self._counts)
        return self._numbers, self._sums


def numbers_of(values: pa.Array) -> Floats | None:
    """The values as numbers; None if one of them is none."""
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = pc.utf8_ltrim(pc.utf8_trim(values, BLANKS), "+")
    elif not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_decimal(values.type)):
        return None
    try:
        return np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy(zero_copy_only=False), np.float64)
    except pa.ArrowInvalid:
        return None

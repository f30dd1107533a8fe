"""Random numbers by place instead of by order: the number for a seed, a purpose and a count is always the same.

The mixer is the finalizer of SplitMix64 (Steele, Lea and Flood 2014), a bijection of 64 bits: different counts have different numbers.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.uint64]
_STEP = np.uint64(0x9E3779B97F4A7C15)


class Chance:
    """The random numbers of one seed and one stream."""

    def __init__(self, seed: int, stream: str) -> None:
        self._name = f"{seed}/{stream}"

    def bits(self, purpose: str, counts: npt.ArrayLike) -> Numbers:
        """64 random bits for each count."""
        digest = hashlib.blake2b(f"{self._name}/{purpose}".encode(), digest_size=8).digest()
        key = np.uint64(int.from_bytes(digest, "little"))
        with np.errstate(over="ignore"):  # numbers are modulo 2^64
            z = np.asarray(counts).astype(np.uint64) * _STEP + key
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    def share(self, purpose: str, counts: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """A number in [0, 1) for each count."""
        return np.asarray((self.bits(purpose, counts) >> np.uint64(11)) * 2.0**-53)

    def below(self, limit: npt.ArrayLike, purpose: str, counts: npt.ArrayLike) -> Whole:
        """A whole number in [0, limit) for each count."""
        return np.asarray(self.share(purpose, counts) * np.asarray(limit), np.int64)

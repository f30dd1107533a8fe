"""Random numbers by the seed and the place of a row, never by how the rows are divided: the same seed gives the same file, whatever the
engine and the batches. The numbers are those of Philox (Salmon et al. 2011), which computes any of them directly."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
BITS = 128  # of a seed that nobody can try out
_PER_ROW = 4


@dataclass(frozen=True, slots=True)
class Draws:
    """The random numbers of one column: up to four per row."""

    seed: int
    column: str

    def raw(self, start: int, rows: int) -> npt.NDArray[np.uint64]:
        """Four numbers of 64 bits for each of some rows, the first of which is `start`."""
        digest = hashlib.sha256(f"{self.seed}\x1f{self.column}".encode()).digest()
        key = np.frombuffer(digest[:16], "<u8")
        generator = np.random.Philox(key=key, counter=np.array([start, 0, 0, 0], np.uint64))
        return generator.random_raw(_PER_ROW * rows).reshape(rows, _PER_ROW)

    def uniform(self, start: int, rows: int) -> Floats:
        """Four numbers in [0, 1) for each row."""
        return np.asarray((self.raw(start, rows) >> np.uint64(11)) * 2.0**-53, np.float64)

    def normal(self, start: int, rows: int) -> Floats:
        """A standard normal number for each row (Box and Muller 1958)."""
        uniform = self.uniform(start, rows)
        return np.asarray(np.sqrt(-2 * np.log1p(-uniform[:, 0])) * np.cos(2 * np.pi * uniform[:, 1]), np.float64)

    def laplace(self, start: int, rows: int) -> Floats:
        """A Laplace number of scale 1 for each row."""
        uniform = self.uniform(start, rows)
        return np.where(uniform[:, 1] < 0.5, -1.0, 1.0) * -np.log1p(-uniform[:, 0])

    def order(self, rows: int) -> npt.NDArray[np.int64]:
        """The rows in a random order."""
        return np.argsort(self.raw(0, rows)[:, 0], kind="stable")

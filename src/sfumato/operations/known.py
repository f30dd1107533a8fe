"""What somebody knows of a table who knows how it was changed: the values of the columns that were, and how often each occurs.

The parameters of a method are public, and with them what they refer to: the deviation of a column, the shares of its values. From these
follow the channels that its values went through. The seed is not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet
from sfumato.operations.copied import Counted, Floats
from sfumato.vocabulary.kinds import Kind

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """The combinations of some columns: the texts of each column and the code of each combination in it, the last code for a missing
    value; and how many rows have each combination."""

    kinds: Mapping[str, Kind]
    texts: Mapping[str, Sequence[str]]
    codes: Mapping[str, Places]
    rows: Places

    @classmethod
    def of(cls, counts: FrequencySet, names: Sequence[str], kinds: Mapping[str, Kind]) -> Self:
        """Some QIDs of a counted table."""
        short = counts.project(names)
        texts = {name: short.hierarchies[place].labels[0] for place, name in enumerate(names)}
        codes = {name: short.codes[:, place].astype(np.int64) for place, name in enumerate(names)}
        return cls(kinds, texts, codes, short.rows)

    @property
    def total(self) -> int:
        """How many rows there are."""
        return int(self.rows.sum())

    def counted(self, name: str) -> Counted:
        """How often each value of a column occurs."""
        import pyarrow as pa

        texts = self.texts[name]
        counts = np.bincount(self.codes[name], self.rows, len(texts) + 1).astype(np.int64)
        return Counted(pa.array(list(texts), pa.string()), counts)

    def shares(self, names: Sequence[str]) -> dict[tuple[str | None, ...], float]:
        """The share of the rows that have each combination of some columns."""
        columns = [np.array([*self.texts[name], None], object)[self.codes[name]] for name in names]
        shares: dict[tuple[str | None, ...], float] = {}
        for *values, rows in zip(*columns, self.rows.tolist(), strict=True):
            shares[tuple(values)] = shares.get(tuple(values), 0.0) + rows / self.total
        return shares

    def covariance(self, names: Sequence[str]) -> Floats:
        """The covariances of numeric columns over the rows that have all of them."""
        numbers = np.stack([np.array([*map(float, self.texts[name]), np.nan])[self.codes[name]] for name in names], axis=1)
        whole = ~np.isnan(numbers).any(axis=1)
        numbers, rows = numbers[whole], self.rows[whole]
        total = max(int(rows.sum()), 1)
        centered = numbers - (rows @ numbers) / total
        return np.asarray((centered * rows[:, None]).T @ centered / total, np.float64)

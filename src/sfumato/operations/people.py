"""Whose the rows of a table are: how many people are among some of them. Without an owner column every row is a person."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.operations.copied import Copy

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """How many people there are, and the number of each row's person, from 0; None if every row is a person of its own."""

    count: int
    owners: Places | None = None

    @classmethod
    def of(cls, copy: Copy) -> People:
        """The people of a copy."""
        owners = copy.owners()
        return cls(copy.rows if owners is None else int(owners.max(initial=-1)) + 1, owners)

    def per_group(self, rows: Places, groups: Places, count: int) -> Places:
        """How many people have rows in each of so many groups, given the group of some rows."""
        if self.owners is None:
            return np.bincount(groups, minlength=count)
        pairs = np.unique(groups * self.count + self.owners[rows])
        return np.bincount(pairs // self.count, minlength=count)

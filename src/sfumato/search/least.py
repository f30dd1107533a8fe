"""The least detail that a level can give up where people have several rows: what bounds a loss before a node is looked at.

The loss of a node is a mean over pairs of a class and a person in it. Which pairs there are depends on all QIDs together: rows of one
person fall into one class or into several, and some classes are left out. But every pair has at least one row of the person with the label
of its class, and whoever does not leave has at least one pair. So no loss is below the least mean over a choice of rows, at least one of
everybody but those who may leave. The choice with the least mean takes, of everybody, the rows below that mean, or else the lowest one
(Dinkelbach 1967).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet, Incidence
from sfumato.search.detail import Detail
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes

_ROUNDING = 1e-12


def least_detail(counts: FrequencySet, minimize: str, limit: int) -> Detail:
    """What every level of every QID gives up at the least, if at most so many people leave. Of a table whose people have several rows."""
    detail, incidence = Detail.of(counts, [minimize]), counts.incidence
    assert incidence is not None  # noqa: S101  a table with owners has one
    if minimize != "loss":  # the others are decided by levels; who leaves loses everything
        return replace(detail, people=len(incidence.owners) + limit)
    rows = _Rows.of(incidence)
    share = detail.share.copy()
    for q, hierarchy in enumerate(counts.hierarchies):
        floor = counts.node.levels[q]
        for level in range(floor, hierarchy.height + 1):
            cover = detail.cover[detail.first[q, level] :][: hierarchy.codes(level)]
            of_cell = cover[hierarchy.ancestors(floor, level)[counts.codes[:, q]]]
            share[q, level] = max(rows.least_mean(of_cell, limit), share[q, level - 1] if level > floor else 0.0)
    return replace(detail, share=share, widest=np.maximum(detail.widest, share), people=len(incidence.owners) + limit)


class _Rows:
    """Pairs of a cell and a person, person by person."""

    def __init__(self, cells: Codes, starts: npt.NDArray[np.intp]) -> None:
        self.cells, self.starts = cells, starts

    @classmethod
    def of(cls, incidence: Incidence) -> _Rows:
        cells = np.repeat(np.arange(len(incidence.offsets) - 1, dtype=np.int32), incidence.sizes())
        order = np.argsort(incidence.owners, kind="stable")
        return cls(cells[order], np.flatnonzero(np.diff(incidence.owners[order], prepend=-1)))

    def least_mean(self, share_of: Floats, limit: int) -> float:
        """The least mean of the shares of some rows, at least one of everybody but so many people."""
        if limit >= len(self.starts) or share_of.min() == share_of.max():
            return float(share_of.min())
        shares = share_of[self.cells]
        lowest = np.minimum.reduceat(shares, self.starts)
        mean = float(shares.mean())
        while True:
            below = shares < mean
            rows, total = np.add.reduceat(below, self.starts, dtype=np.int64), np.add.reduceat(shares * below, self.starts)
            chosen = rows > 0
            others = np.sort(lowest[~chosen])
            others = others[: max(len(others) - limit, 0)]  # the highest of them leave
            count = int(rows.sum()) + len(others)
            least = float(total.sum() + others.sum()) / count if count else float(lowest.min())
            if least >= mean - _ROUNDING:
                return max(least - _ROUNDING, 0.0)
            mean = least

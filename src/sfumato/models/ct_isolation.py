"""(c, t)-isolation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet
from sfumato.models.base import AT_LEAST, TOLERANCE, Judged, Part, PrivacyModel, Verdict, worst_class
from sfumato.models.parameter import number, whole
from sfumato.models.registration import register
from sfumato.statistics import Floats

_CELLS_PER_BLOCK = 100_000  # small enough for the processor's cache


@register
@dataclass(frozen=True, slots=True)
class CTIsolation(PrivacyModel):
    """No class isolates another: the ball around q of radius c |q - p| holds at least t people (Chawla et al. 2005).

    Judged over the representatives of the released cells: the code of each QID divided by the largest code of its level, so that
    values one step apart in the order of the hierarchy are neighbors and every QID spans [0, 1]. The adversary's guesses q are the
    release's own points other than p: a guess at p itself has radius 0, and `k-anonymity:t` covers it. The nearest p is the worst
    for its q, so the value is the least number of people in a ball around a class whose radius is c times the distance of the nearest
    other class; the witness is that other class. A release of one class has all its people in every ball. The time grows with the
    square of the number of classes: two seconds for 12,000.
    Blind to: sensitive values, and small classes as such.
    Not monotone: distances change at a coarser level; codes 0, 2, 3 with 1, 1, 2 people may become 0, 1, 2, and then the ball around 0
    with c = 1.5 has only the people of 0 and 1.
    Example: one QID with codes 0, 1, 10 and 1, 2, 9 people, c = 2: 3 people around 0 and around 1, 12 around 10: value 3.
    """

    name: ClassVar[str] = "ct-isolation"
    stops: ClassVar[str] = "R,P"
    monotone: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False

    c: float = field(metadata=number(at_least=0, example=3))
    t: int = field(metadata=whole(at_least=0, example=5))

    def judge(self, judged: Judged) -> Verdict:
        counts = judged.counts
        if counts.classes < 2:
            return worst_class(self, judged, Part(counts.people, self.t, AT_LEAST))
        around, nearest = _around(_representatives(counts), counts.people, self.c)
        verdict = worst_class(self, judged, Part(around, self.t, AT_LEAST))
        isolated = int(nearest[around.argmin()])
        return replace(verdict, witness=isolated + 1, witness_size=int(counts.people[isolated]))


def _representatives(counts: FrequencySet) -> Floats:
    """One point per class in the unit cube."""
    steps = [max(h.codes(level) - 1, 1) for h, level in zip(counts.hierarchies, counts.node.levels, strict=True)]
    return np.asarray(counts.codes / np.array(steps), np.float64)


def _around(points: Floats, people: npt.NDArray[np.int64], c: float) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each point, the people within c times the distance to the nearest other point, and which point that is."""
    count = len(points)
    around, nearest = np.zeros(count, np.int64), np.zeros(count, np.int64)
    step = max(1, _CELLS_PER_BLOCK // count)
    for start in range(0, count, step):
        rows = np.arange(start, min(start + step, count))
        squares = _squared_distances(points[rows], points)
        squares[rows - start, rows] = np.inf
        nearest[rows] = squares.argmin(axis=1)
        reach = squares.min(axis=1) * c**2 * (1 + TOLERANCE)
        around[rows] = (squares <= reach[:, None]) @ people + people[rows]
    return around, nearest


def _squared_distances(some: Floats, points: Floats) -> Floats:
    """Summed QID by QID: the quicker product formula loses digits for points that are close."""
    squares = np.zeros((len(some), len(points)))
    for place in range(points.shape[1]):
        gap = some[:, place, None] - points[None, :, place]
        np.multiply(gap, gap, out=gap)
        squares += gap
    return squares

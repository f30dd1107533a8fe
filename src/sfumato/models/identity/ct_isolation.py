"""(c, t)-isolation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet
from sfumato.models.base import AT_LEAST, TOLERANCE, Judged, Part, PrivacyModel, Verdict, worst_class
from sfumato.models.context import Context
from sfumato.models.parameter import number, whole
from sfumato.models.registration import register
from sfumato.statistics import Floats
from sfumato.vocabulary.coordinates import coordinates

_CELLS_PER_BLOCK = 100_000  # small enough for the processor's cache


@register
@dataclass(frozen=True, slots=True)
class CTIsolation(PrivacyModel):
    """No class isolates another: the ball around q of radius c |q - p| holds at least t people (Chawla et al. 2005).

    Judged over the representatives of the released cells, every QID scaled to [0, 1] by its labels and the declared schema, so that
    the file shows them: a label of a listed hierarchy is in the middle of the leaves that it covers, a number or an interval at its
    middle between the declared bounds or those of the release, other labels are equally far apart in their order. The adversary's
    guesses q are the release's own points other than p: a guess at p itself has radius 0, and `k-anonymity:t` covers it. The nearest
    p is the worst for its q, so the value is the least number of people in a ball around a class whose radius is c times the distance
    of the nearest other class; the witness is that other class. A release of one class has all its people in every ball. The time
    grows with the square of the number of classes: two seconds for 12,000.
    Blind to: sensitive values, and small classes as such.
    Not monotone: distances change at a coarser level; of places 0, 2, 3 with 1, 1, 2 people the first may become 0.5, in a group with
    an empty one, and then the ball around it with c = 1.5 has only the people of the first two.
    Example: one QID with the numbers 0, 1, 10 and 1, 2, 9 people, c = 2: 3 people around 0 and around 1, 12 around 10: value 3.
    """

    name: ClassVar[str] = "ct-isolation"
    stops: ClassVar[str] = "R,P"
    monotone: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = False
    compared: ClassVar[str | None] = "t"

    c: float = field(metadata=number(at_least=0, example=3))
    t: int = field(metadata=whole(at_least=0, example=5))

    def judge(self, judged: Judged) -> Verdict:
        counts = judged.counts
        if counts.classes < 2:
            return worst_class(self, judged, Part(counts.people, self.t, AT_LEAST))
        around, nearest = _around(_representatives(counts, judged.context), counts.people, self.c)
        verdict = worst_class(self, judged, Part(around, self.t, AT_LEAST))
        isolated = int(nearest[around.argmin()])
        return replace(verdict, witness=isolated + 1, witness_size=int(counts.people[isolated]))


def _representatives(counts: FrequencySet, context: Context) -> Floats:
    """One point per class in the unit cube."""
    points = np.empty((counts.classes, len(counts.hierarchies)))
    for place, (name, level) in enumerate(counts.node.as_dict().items()):
        released, label_of = np.unique(counts.codes[:, place], return_inverse=True)
        labels = [counts.hierarchies[place].label(level, int(code)) for code in released]
        points[:, place] = coordinates(context.attribute(name), labels)[label_of]
    return points


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

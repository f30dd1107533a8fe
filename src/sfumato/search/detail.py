"""How much detail each level of each QID gives up: what the information losses of a node are made of.

Without suppression `loss`, `precision` and `nonuniform-entropy` depend on the levels alone, so they are known for all nodes at
once; a suppressed person loses everything, so with suppression these numbers are lower bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, FrequencySet, added
from sfumato.losses.information import bits, covered
from sfumato.statistics import Floats

BY_LEVELS = ("loss", "precision", "nonuniform-entropy")


@dataclass(frozen=True, slots=True, eq=False)
class Detail:
    """Per QID and level: `share` of the leaves that a person's label covers (mean over people), `height` share, `bits` lost.

    `widest` is the largest share that a label covers; first[q, l] is where `cover` holds the share of each code of level l of QID q.
    """

    people: int
    floors: tuple[int, ...]
    share: Floats
    widest: Floats
    height: Floats
    bits: Floats
    first: Counts
    cover: Floats

    @classmethod
    def of(cls, counts: FrequencySet, wanted: Sequence[str]) -> Detail:
        """From the count of a lattice, for the losses that are wanted."""
        tall = max(hierarchy.height for hierarchy in counts.hierarchies) + 1
        shape = (len(counts.hierarchies), tall)
        share, widest, height, lost = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
        first, parts, end = np.zeros(shape, np.int64), [], 0
        for q, hierarchy in enumerate(counts.hierarchies):
            floor = counts.node.levels[q]
            people = added(counts.people, counts.codes[:, q], hierarchy.codes(floor))
            for level in range(floor, hierarchy.height + 1):
                each = covered(hierarchy, level)
                share[q, level] = float(np.dot(each[hierarchy.ancestors(floor, level)], people)) / int(people.sum())
                widest[q, level] = each.max()
                height[q, level] = level / hierarchy.height
                lost[q, level] = bits(people, hierarchy, level) if "nonuniform-entropy" in wanted else 0.0
                first[q, level], end = end, end + len(each)
                parts.append(each)
        most = sum(lost[q, hierarchy.height] for q, hierarchy in enumerate(counts.hierarchies))
        scaled = lost / most if most > 0 else lost
        return cls(int(counts.people.sum()), counts.node.levels, share, widest, height, scaled, first, np.concatenate(parts))

    def at(self, levels: npt.NDArray[np.integer], wanted: Sequence[str]) -> dict[str, Floats]:
        """The losses that levels alone decide, of nodes given by their levels, when nobody is suppressed."""
        places = np.arange(levels.shape[1])
        losses = {}
        if "loss" in wanted:
            losses["loss"] = self.combined(self.share[places, levels])
        if "precision" in wanted:
            losses["precision"] = self.height[places, levels].mean(axis=1)
        if "nonuniform-entropy" in wanted:
            losses["nonuniform-entropy"] = self.bits[places, levels].sum(axis=1)
        return losses

    def bound(self, levels: npt.NDArray[np.integer], loss: str, suppressed: Floats) -> Floats:
        """A lower bound on such a loss of nodes where at least so many people are suppressed.

        Of a person who leaves, at most the share that the widest label covers was lost already.
        """
        share = suppressed / self.people
        if loss == "loss":
            places = np.arange(levels.shape[1])
            more = share[:, None] * (1 - self.widest[places, levels])
            return self.combined(self.share[places, levels] + more)
        return np.asarray(self.at(levels, [loss])[loss] * (1 - share) + share, np.float64)

    @staticmethod
    def combined(shares: Floats) -> Floats:
        """Iyengar's loss from the share of every QID: (prod (v_j + 1))^(1/n) - 1."""
        return np.asarray(np.prod(shares + 1, axis=1) ** (1 / shares.shape[1]) - 1, np.float64)

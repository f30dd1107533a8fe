"""How much detail each level of each QID gives up: what the information losses of a node are made of.

Without suppression `loss`, `precision` and `nonuniform-entropy` depend on the levels alone, so they are known for all nodes at
once; a suppressed person loses everything, so with suppression these numbers are lower bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.frequency import Counts, FrequencySet, added
from sfumato.losses.information import bits, covered_by
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Codes, Hierarchy

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
            everybody = int(people.sum())
            for level, (codes, each) in enumerate(_covers(hierarchy, floor), floor):
                share[q, level] = float(np.dot(each[codes], people)) / everybody
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

    def terms(self, loss: str) -> Floats:
        """What each level of each QID adds to such a loss, or, for Iyengar's, to the logarithm of 1 and the loss."""
        if loss == "nonuniform-entropy":
            return self.bits
        return (np.log1p(self.share) if loss == "loss" else self.height) / len(self.share)

    @staticmethod
    def added_up(loss: str, value: float) -> float:
        """What the terms of a node with this loss add up to."""
        return math.log1p(value) if loss == "loss" else value

    @staticmethod
    def combined(shares: Floats) -> Floats:
        """Iyengar's loss from the share of every QID: (prod (v_j + 1))^(1/n) - 1."""
        return np.asarray(np.prod(shares + 1, axis=1) ** (1 / shares.shape[1]) - 1, np.float64)


def _covers(hierarchy: Hierarchy, floor: int) -> Iterator[tuple[Codes, Floats]]:
    """Level by level: the code of every code of the floor, and the share of the leaves that each code covers; see `covered`."""
    codes, leaves = hierarchy.ancestors(floor, floor), hierarchy.leaves_under(floor)
    for level in range(floor, hierarchy.height):
        yield codes, covered_by(leaves)
        parents = hierarchy.parents[level - hierarchy.floor]
        codes, leaves = parents[codes], added(leaves, parents, hierarchy.codes(level + 1))
    yield codes, np.ones(1)

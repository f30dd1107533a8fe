"""Information losses: how much detail a recoding costs, whatever the sensitive values are.

`loss` follows Iyengar with the aggregation of ARX, so that scores are comparable: per QID the mean over people of
(share - 1/|D|) / (1 - 1/|D|), share = leaves covered / |D|; over n QIDs (prod (v_j + 1))^(1/n) - 1. A suppressed person counts 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.errors import NodeError, argument
from sfumato.frequency import Counts, FrequencySet, added
from sfumato.statistics import Floats
from sfumato.vocabulary.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, eq=False)
class Recoded:
    """The classes of a node, and everybody at level 0, or at the floor that the table was counted at, including the suppressed people
    (`leaves`)."""

    kept: FrequencySet
    leaves: FrequencySet
    suppressed: int = 0

    def __post_init__(self) -> None:
        if any(hierarchy.floor and hierarchy.leaves is None for hierarchy in (*self.kept.hierarchies, *self.leaves.hierarchies)):
            raise NodeError("information losses need a count at level 0, without a floor", where=argument("node"))

    @property
    def people(self) -> int:
        return int(self.kept.people.sum()) + self.suppressed


def covered(hierarchy: Hierarchy, level: int) -> Floats:
    """The share of the leaves that each code of a level covers, scaled to 0 for one leaf and 1 for all; 0 for the missing value."""
    return np.ones(1) if level == hierarchy.height else covered_by(hierarchy.leaves_under(level))


def covered_by(leaves: Counts) -> Floats:
    """The same for codes that so many leaves stand under."""
    return np.asarray(np.maximum(leaves - 1, 0) / max(int(leaves.sum()) - 1, 1))


def iyengar(recoded: Recoded) -> float:
    """The loss named `loss`."""
    kept = recoded.kept
    levels = enumerate(zip(kept.hierarchies, kept.node.levels, strict=True))
    shares = [covered(hierarchy, level)[kept.codes[:, place]] for place, (hierarchy, level) in levels]
    return iyengar_of(shares, kept.people, recoded.suppressed)


def iyengar_of(shares: Sequence[Floats], people: Counts, suppressed: int = 0) -> float:
    """`loss` of classes whose labels cover these shares of the leaves, one list per QID; also for local recodings."""
    product, everybody = 1.0, int(people.sum()) + suppressed
    for each in shares:
        product *= (float(np.dot(each, people)) + suppressed) / everybody + 1
    return float(product ** (1 / len(shares)) - 1)


def precision(recoded: Recoded) -> float:
    """The mean share of its height by which a QID is generalized (one minus Sweeney's precision)."""
    kept = recoded.kept
    raised = np.mean([level / hierarchy.height for hierarchy, level in zip(kept.hierarchies, kept.node.levels, strict=True)])
    share = int(kept.people.sum()) / recoded.people
    return float(raised * share + (1 - share))


def discernibility(recoded: Recoded) -> float:
    """The sum over people of the size of their class; a suppressed person counts with everybody (Bayardo and Agrawal 2005)."""
    sizes = [int(size) for size in recoded.kept.people]
    return float(sum(size * size for size in sizes) + recoded.suppressed * recoded.people)


def class_size(recoded: Recoded) -> float:
    """The mean size of the classes (LeFevre, DeWitt and Ramakrishnan 2006, before division by k)."""
    return float(recoded.kept.people.sum() / recoded.kept.classes)


def nonuniform_entropy(recoded: Recoded) -> float:
    """The share of the QIDs' information that is lost: bits to guess each value from its label, over the bits from `*`.

    After Gionis and Tassa 2009, each QID by itself.
    """
    if "nonuniform-entropy" not in known_of(recoded.leaves):
        raise NodeError("nonuniform-entropy needs a count at level 0, without a floor", where=argument("node"))
    lost, most = 0.0, 0.0
    for place, (hierarchy, level) in enumerate(zip(recoded.kept.hierarchies, recoded.kept.node.levels, strict=True)):
        people = added(recoded.leaves.people, recoded.leaves.codes[:, place], hierarchy.codes(0))
        lost += bits(people, hierarchy, level)
        most += bits(people, hierarchy, hierarchy.height)
    share = int(recoded.kept.people.sum()) / recoded.people
    return (lost / most) * share + (1 - share) if most > 0 else 1 - share


def bits(people: Counts, hierarchy: Hierarchy, level: int) -> float:
    """The sum over people of -log2(count of the value / count of its label)."""
    labels = hierarchy.ancestors(0, level)
    above = added(people, labels, hierarchy.codes(level))[labels]
    present = people > 0
    return float(abs(-(people[present] * np.log2(people[present] / above[present])).sum()))


def known_of(counts: FrequencySet) -> tuple[str, ...]:
    """The information losses that a count tells. Below a floor nobody has counted how often each value occurs."""
    return tuple(name for name in INFORMATION if name != "nonuniform-entropy" or not any(counts.node.levels))


INFORMATION = {
    "loss": iyengar,
    "precision": precision,
    "discernibility": discernibility,
    "class-size": class_size,
    "nonuniform-entropy": nonuniform_entropy,
}

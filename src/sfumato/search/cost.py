"""How long work on a lattice takes, about, before it begins; and the warning that it takes long. The one place of such estimates.

What a node costs follows from its classes, of which it has no more than its labels combine to, and no more than there are at the floor.
The constants are seconds on one core of one machine: an estimate is right within a factor of two or three.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from math import ceil

import numpy as np

from sfumato.errors import LongSearchWarning, argument
from sfumato.frequency import FrequencySet
from sfumato.search.lattice import Lattice
from sfumato.statistics import Floats

LONG = 60  # seconds from which a search is announced
# Seconds of a node, and in it of a class, of each loss of a class, and of a pair of a class and an owner.
_A_NODE, _A_CLASS, _A_LOSS, _AN_OWNER = 3e-5, 1.2e-8, 5e-9, 4e-8
# Seconds of a subset of QIDs that is projected and measured by itself, of a class, of a sensitive value in it, and of a pair.
_A_SUBSET, _A_CLASS_ALONE, _A_VALUE, _A_PAIR = 2e-4, 1.5e-7, 1.2e-8, 4e-8
_WIDE, _FEW = 256, 8  # from so many values on, `statistics` looks only at those of each class, which are about so few
_SAMPLE = 4096  # nodes whose classes are guessed


def seconds_for_nodes(counts: FrequencySet, nodes: int, losses: int) -> float:
    """How long it takes to evaluate so many nodes of a lattice, with so many losses for each."""
    owners = 0 if counts.incidence is None else len(counts.incidence.owners)
    a_node = _A_NODE + _AN_OWNER * owners + (_A_CLASS + _A_LOSS * losses) * _mean_classes(counts)
    return min(nodes, Lattice.of(counts).size) * a_node


def _mean_classes(counts: FrequencySet) -> float:
    """How many classes a node has at the most, on average over some nodes of the lattice."""
    lattice, chance = Lattice.of(counts), np.random.default_rng(0)
    classes = np.ones(_SAMPLE)
    for hierarchy, floor, height in zip(counts.hierarchies, lattice.floors, lattice.heights, strict=True):
        labels = np.array([hierarchy.codes(level) for level in range(floor, height + 1)], np.float64)
        classes = np.minimum(classes * labels[chance.integers(0, len(labels), _SAMPLE)], counts.classes)
    return float(classes.mean())


def seconds_for_subsets(counts: FrequencySet, attributes: int) -> float:
    """How long it takes to measure every subset of the QIDs for so many sensitive attributes, each QID as it is or withheld.

    Pairs with owners hardly become fewer.
    """
    classes = np.ones(1)
    for labels in labels_of(counts):
        classes = np.concatenate((classes, np.minimum(classes * labels, counts.classes)))
    values = max((len(np.unique(payload.values)) for payload in counts.payloads.values()), default=1)
    pairs = 0 if counts.incidence is None else len(counts.incidence.owners)
    return attributes * _measured_alone(classes, values, pairs)


def _measured_alone(classes: Floats, values: int, pairs: int) -> float:
    a_class = _A_CLASS_ALONE + _A_VALUE * (values if values < _WIDE else _FEW)
    return len(classes) * (_A_SUBSET + _A_PAIR * pairs) + float(classes.sum()) * a_class


def labels_of(counts: FrequencySet) -> Sequence[int]:
    """How many labels of each QID occur."""
    return [len(np.unique(column)) for column in counts.codes.T]


def minutes(seconds: float) -> str:
    """A duration in words.

    >>> minutes(61), minutes(4000 * 60)
    ('about 2 minutes', 'about 4,000 minutes')
    """
    count = ceil(seconds / 60)
    return f"about {count:,} minute{'s' * (count != 1)}"


def announce(counts: FrequencySet, nodes: int, losses: int, *, known: bool) -> None:
    """Warn of a search that is not limited in time if it takes long. `known`: exactly so many nodes are evaluated; else it depends on the
    data, and so many are to be expected."""
    nodes = min(nodes, Lattice.of(counts).size)
    seconds = seconds_for_nodes(counts, nodes, losses)
    if seconds > LONG:
        what = f"{minutes(seconds)} for {nodes:,} nodes" if known else f"{minutes(seconds)} if {nodes:,} nodes are evaluated"
        warnings.warn(LongSearchWarning(f"{what}; {argument('time_limit')} ends it earlier with the best so far"), stacklevel=2)

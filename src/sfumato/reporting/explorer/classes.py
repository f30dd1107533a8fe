"""What the explorer tells of the classes of a node: the worst ones that are large enough, and of the others how many there are.

The rule for labels (a class of fewer than `few` people has a number only) is kept here, before anything is written: neither labels nor
sensitive values of a small class leave this file. Sensitive values that few people of the whole table hold are counted together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sfumato.frequency import FrequencySet
from sfumato.losses import LOSSES
from sfumato.naming import FEW
from sfumato.progress import Progress
from sfumato.reporting.explorer.walk import rolled_up
from sfumato.reporting.hiding import KEY, MISSING
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Problem
from sfumato.statistics import ClassStatistics
from sfumato.vocabulary.node import Node

MOST = 8


@dataclass(frozen=True, slots=True)
class Told:
    """A class that is large enough: its number, people, loss, codes at the levels of its node, and people per value."""

    number: int
    people: int
    loss: float
    codes: tuple[int, ...]
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Small:
    """The classes that are too small to be told of: how many, and of the worst its number, people and loss."""

    classes: int
    number: int = 0
    people: int = 0
    loss: float = 0.0


@dataclass(frozen=True, slots=True)
class OfNode:
    """The worst classes of a node that are large enough, worst first, the small ones, and whether others were suppressed."""

    node: Node
    told: tuple[Told, ...]
    small: Small
    left: bool = False


@dataclass(frozen=True, slots=True)
class Values:
    """The sensitive values by name with their shares in the prior; those that few hold are the last, without a name (`rare` of them)."""

    names: tuple[str, ...]
    prior: tuple[float, ...]
    rare: int


def values_of(problem: Problem, sensitive: str) -> Values:
    """The values to name."""
    prior = problem.priors[sensitive]
    common = prior.people >= FEW
    names = tuple(MISSING if label is None else label for label, many in zip(prior.values, common, strict=True) if many)
    shares = prior.shares
    rest = (float(shares[~common].sum()),) if not common.all() else ()
    return Values(names, (*shares[common].tolist(), *rest), int((~common).sum()))


def classes_of(
    problem: Problem,
    sensitive: str,
    levels: npt.NDArray[np.integer],
    classes: npt.NDArray[np.integer],
    few: int,
    progress: Progress | None,
) -> list[OfNode]:
    """The classes of nodes; `classes` is how many each keeps: with owners a class may go and nobody leaves."""
    found: dict[int, OfNode] = {}
    common = problem.priors[sensitive].people >= FEW
    for place, counts in rolled_up(problem.counts, levels):
        left = bool(classes[place] < counts.classes)
        kept = _kept(problem, counts) if left else counts
        statistics = problem.statistics(kept)[sensitive]
        found[place] = replace(_of_node(kept, statistics, common, few), left=left)
        if progress and len(found) % 50 == 0:
            progress(len(found), len(levels))
    return [found[place] for place in range(len(levels))]


def _kept(problem: Problem, counts: FrequencySet) -> FrequencySet:
    """Without the classes that leave. The models see the node's own classes, so these may stand in the place of the table's."""
    gone = PlainEvaluator(replace(problem, counts=counts), ()).leaving(counts.node.levels)
    stays = np.ones(counts.classes, bool)
    stays[np.array(gone, np.intp) - 1] = False
    return counts.keep(stays)


def _of_node(counts: FrequencySet, statistics: ClassStatistics, common: npt.NDArray[np.bool_], few: int) -> OfNode:
    losses = LOSSES[KEY].of(statistics)
    worst = np.lexsort((np.arange(counts.classes), -losses))
    large = counts.people[worst] >= few
    told = tuple(_told(counts, statistics, losses, common, int(place)) for place in worst[large][:MOST])
    hidden = worst[~large]
    small = Small(0)
    if len(hidden):
        first = int(hidden[0])
        small = Small(len(hidden), first + 1, int(counts.people[first]), float(losses[first]))
    return OfNode(counts.node, told, small)


def _told(
    counts: FrequencySet, statistics: ClassStatistics, losses: npt.NDArray[np.float64], common: npt.NDArray[np.bool_], place: int
) -> Told:
    cells = slice(int(statistics.offsets[place]), int(statistics.offsets[place + 1]))
    held = np.zeros(statistics.domain.size, np.int64)
    np.add.at(held, statistics.values[cells], statistics.people[cells])
    rest = () if common.all() else (int(held[~common].sum()),)
    return Told(
        number=place + 1,
        people=int(counts.people[place]),
        loss=float(losses[place]),
        codes=tuple(counts.codes[place].tolist()),
        values=(*held[common].tolist(), *rest),
    )


def labels_of(counts: FrequencySet, found: list[OfNode]) -> dict[tuple[int, int], dict[int, str]]:
    """Per QID and level the labels of the classes that are told of, by their code; nobody else's."""
    used: dict[tuple[int, int], set[int]] = {}
    for q, level, code in _codes(found):
        used.setdefault((q, level), set()).add(code)
    return {
        (q, level): {code: _label(counts, q, level, code) for code in sorted(codes)} for (q, level), codes in sorted(used.items())
    }


def _codes(found: list[OfNode]) -> Iterator[tuple[int, int, int]]:
    for each in found:
        for told in each.told:
            for q, (level, code) in enumerate(zip(each.node.levels, told.codes, strict=True)):
                yield q, level, code


def _label(counts: FrequencySet, q: int, level: int, code: int) -> str:
    label = counts.hierarchies[q].label(level, code)
    return MISSING if label is None else label

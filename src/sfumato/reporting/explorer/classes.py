"""The classes of a node that the explorer shows: the worst of the large classes, and how many small ones there are.

Small groups are protected here, before anything is written: neither labels nor sensitive values of a class with fewer than `few` people
leave this module. Sensitive values that few people of the whole table have are counted together.
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
class ShownClass:
    """A class that is large enough to show: number, people, loss, codes at the levels of its node, and people per value."""

    number: int
    people: int
    loss: float
    codes: tuple[int, ...]
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HiddenClasses:
    """The classes that are too small to show: how many there are, and number, people and loss of the worst."""

    classes: int
    number: int = 0
    people: int = 0
    loss: float = 0.0


@dataclass(frozen=True, slots=True)
class NodeClasses:
    """The classes of a node: the worst large ones, worst first; the small ones; and whether any class was suppressed."""

    node: Node
    shown: tuple[ShownClass, ...]
    hidden: HiddenClasses
    suppresses: bool = False


@dataclass(frozen=True, slots=True)
class ValueNames:
    """The sensitive values that may be named, and the shares of the prior. The last share is that of the `rare` unnamed values."""

    names: tuple[str, ...]
    prior: tuple[float, ...]
    rare: int


def values_of(problem: Problem, sensitive: str) -> ValueNames:
    """The values to name."""
    prior = problem.priors[sensitive]
    common = prior.people >= FEW
    names = tuple(MISSING if label is None else label for label, many in zip(prior.values, common, strict=True) if many)
    shares = prior.shares
    rest = (float(shares[~common].sum()),) if not common.all() else ()
    return ValueNames(names, (*shares[common].tolist(), *rest), int((~common).sum()))


def classes_by_node(
    problem: Problem,
    sensitive: str,
    levels: npt.NDArray[np.integer],
    classes: npt.NDArray[np.integer],
    few: int,
    progress: Progress | None,
) -> list[NodeClasses]:
    """The classes of each node. `classes` is how many each keeps: with owners, suppressing a class may remove nobody."""
    nodes: dict[int, NodeClasses] = {}
    common = problem.priors[sensitive].people >= FEW
    for place, counts in rolled_up(problem.counts, levels):
        suppresses = bool(classes[place] < counts.classes)
        kept = _kept(problem, counts) if suppresses else counts
        statistics = problem.statistics(kept)[sensitive]
        nodes[place] = replace(_node_classes(kept, statistics, common, few), suppresses=suppresses)
        if progress and len(nodes) % 50 == 0:
            progress(len(nodes), len(levels))
    return [nodes[place] for place in range(len(levels))]


def _kept(problem: Problem, counts: FrequencySet) -> FrequencySet:
    """Without the suppressed classes. Models judge the classes of the node, so these may replace the counts of the table."""
    suppressed = PlainEvaluator(replace(problem, counts=counts), ()).leaving(counts.node.levels)
    kept = np.ones(counts.classes, bool)
    kept[np.array(suppressed, np.intp) - 1] = False
    return counts.keep(kept)


def _node_classes(counts: FrequencySet, statistics: ClassStatistics, common: npt.NDArray[np.bool_], few: int) -> NodeClasses:
    losses = LOSSES[KEY].of(statistics)
    worst = np.lexsort((np.arange(counts.classes), -losses))
    large = counts.people[worst] >= few
    shown = tuple(_shown_class(counts, statistics, losses, common, int(place)) for place in worst[large][:MOST])
    small = worst[~large]
    hidden = HiddenClasses(0)
    if len(small):
        first = int(small[0])
        hidden = HiddenClasses(len(small), first + 1, int(counts.people[first]), float(losses[first]))
    return NodeClasses(counts.node, shown, hidden)


def _shown_class(
    counts: FrequencySet, statistics: ClassStatistics, losses: npt.NDArray[np.float64], common: npt.NDArray[np.bool_], place: int
) -> ShownClass:
    cells = slice(int(statistics.offsets[place]), int(statistics.offsets[place + 1]))
    people = np.zeros(statistics.domain.size, np.int64)
    np.add.at(people, statistics.values[cells], statistics.people[cells])
    rest = () if common.all() else (int(people[~common].sum()),)
    return ShownClass(
        number=place + 1,
        people=int(counts.people[place]),
        loss=float(losses[place]),
        codes=tuple(counts.codes[place].tolist()),
        values=(*people[common].tolist(), *rest),
    )


def labels_of(counts: FrequencySet, nodes: list[NodeClasses]) -> dict[tuple[int, int], dict[int, str]]:
    """The labels of the shown classes, and no others, by QID and level, then by code."""
    used: dict[tuple[int, int], set[int]] = {}
    for q, level, code in _codes(nodes):
        used.setdefault((q, level), set()).add(code)
    return {
        (q, level): {code: _label(counts, q, level, code) for code in sorted(codes)} for (q, level), codes in sorted(used.items())
    }


def _codes(nodes: list[NodeClasses]) -> Iterator[tuple[int, int, int]]:
    for each in nodes:
        for shown in each.shown:
            for q, (level, code) in enumerate(zip(each.node.levels, shown.codes, strict=True)):
                yield q, level, code


def _label(counts: FrequencySet, q: int, level: int, code: int) -> str:
    label = counts.hierarchies[q].label(level, code)
    return MISSING if label is None else label

"""Incognito: all minimal nodes, found subset of QIDs by subset (LeFevre, DeWitt and Ramakrishnan 2005).

Phase i looks at subsets of i QIDs, the others withheld. A subset's node can only satisfy the models if all its projections to i - 1
QIDs do, so candidates are joined from the survivors of the phase before, as a-priori joins frequent sets. Within a phase the search
goes up breadth-first: what is above a node that satisfies satisfies too, unseen. Only for criteria for which this is true.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from sfumato.errors import UsageError
from sfumato.progress import Progress
from sfumato.search.compiled.evaluator import Evaluator, evaluator_of
from sfumato.search.evaluation import Fact
from sfumato.search.lattice import Lattice, require_enumerable
from sfumato.search.outcome import Found, NotFound, Trace, best_of
from sfumato.search.problem import Problem
from sfumato.search.tracing import Phase, Phases

Subset = tuple[int, ...]
Survivors = dict[Subset, set[tuple[int, ...]]]


def incognito(problem: Problem, minimize: str, *, progress: Progress | None = None) -> Found | NotFound:
    """Every minimal node that satisfies the models; the best of them by a loss comes first."""
    require_monotone(problem)
    lattice = Lattice.of(problem.counts)
    require_enumerable(lattice)
    evaluator = evaluator_of(problem, [minimize], lattice.size // 4)
    judged = _Judged(evaluator, lattice)
    phases: list[Phase] = []
    survivors: Survivors = {}
    count = len(lattice.attributes)
    for size in range(1, count + 1):
        candidates = _joined(survivors, size, lattice)
        survivors = {}
        for subset, nodes in candidates.items():
            survivors[subset] = _satisfying(subset, nodes, judged)
            if progress:
                progress(size - 1, count)
        visited = len(judged.known) - sum(phase.visited for phase in phases)
        phases.append(Phase(size, _total(candidates), _total(survivors), visited))
        if progress:
            progress(size, count)
    nodes = survivors.get(tuple(range(count)), set())
    trace = Trace("incognito", lattice.size, len(judged.known), Phases(tuple(phases)))
    minimal = [node for node in sorted(nodes) if not any(below in nodes for below in lattice.predecessors(node))]
    if not minimal:
        return NotFound(trace)
    evaluations = evaluator.evaluate(np.array(minimal, np.int16))
    best = best_of(evaluations, minimize)
    assert best is not None  # noqa: S101  each of them satisfies the models
    return Found.at(lattice.attributes, evaluations, best, trace, more=True)


def _total(nodes: Survivors) -> int:
    return sum(map(len, nodes.values()))


def require_monotone(problem: Problem) -> None:
    """Refuse criteria for which a node above a satisfying one may violate them."""
    for model in problem.models:
        if not problem.prunes(model):
            owners = " where people have several rows" if model.monotone and problem.counts.basis == "owner" else ""
            message = f"{model} is not monotone{owners}, so a part of the QIDs tells nothing about all of them; use optimal"
            raise UsageError(message, where="incognito")
        if problem.limit and not _hereditary(problem, str(model)):
            raise UsageError(
                f"with suppression {model} is not monotone (class size and distinct values are); use optimal", where="incognito"
            )


def _hereditary(problem: Problem, model: str) -> bool:
    """Whether everybody who violates a model at a node violates it at every node below."""
    from sfumato.models import Judged

    problem = problem.narrowed_to([])
    statistics = problem.statistics(problem.counts)
    context = problem.context_of(problem.counts)
    for asked, sensitive in problem.asked():
        if str(asked) == model:
            parts = asked.parts(Judged(problem.counts, statistics.get(sensitive or ""), context))
            if not parts or not all(part.hereditary for part in parts):
                return False
    return True


def _joined(survivors: Survivors, size: int, lattice: Lattice) -> Survivors:
    """Candidates of a phase: two survivors that share all but their last QID, every projection of which survived."""
    candidates: Survivors = {}
    for subset in combinations(range(len(lattice.attributes)), size):
        one, other = survivors.get(subset[:-1], set()), survivors.get((*subset[:-2], subset[-1]), set())
        if size == 1:
            span = range(lattice.floors[subset[0]], lattice.heights[subset[0]] + 1)
            candidates[subset] = {(level,) for level in span}
            continue
        last: dict[tuple[int, ...], list[int]] = {}
        for node in other:
            last.setdefault(node[:-1], []).append(node[-1])
        joined = {(*node, level) for node in one for level in last.get(node[:-1], ())}
        candidates[subset] = {node for node in joined if _all_projections(node, subset, survivors)}
    return candidates


def _all_projections(node: tuple[int, ...], subset: Subset, survivors: Survivors) -> bool:
    return all(
        (*node[:place], *node[place + 1 :]) in survivors.get((*subset[:place], *subset[place + 1 :]), set())
        for place in range(len(subset) - 2)  # the last two projections are those that were joined
    )


class _Judged:
    """Which nodes of a subset satisfy the models; a node with QIDs at their roots is one of a smaller subset, and known."""

    def __init__(self, evaluator: Evaluator, lattice: Lattice) -> None:
        self.evaluator, self.lattice = evaluator, lattice
        self.known: dict[tuple[int, ...], bool] = {}

    def look_at(self, subset: Subset, nodes: list[tuple[int, ...]]) -> list[bool]:
        """Evaluate the nodes that are not known yet."""
        whole = [self._whole(subset, node) for node in nodes]
        new = [node for node in whole if node not in self.known]
        if new:
            evaluations = self.evaluator.evaluate(np.array(new, np.int16))
            self.known.update(zip(new, evaluations[Fact.FEASIBLE].tolist(), strict=True))
        return [self.known[node] for node in whole]

    def _whole(self, subset: Subset, node: tuple[int, ...]) -> tuple[int, ...]:
        levels = list(self.lattice.heights)
        for place, level in zip(subset, node, strict=True):
            levels[place] = level
        return tuple(levels)


def _satisfying(subset: Subset, nodes: set[tuple[int, ...]], judged: _Judged) -> set[tuple[int, ...]]:
    """Breadth-first from the bottom: a node is looked at unless it lies above one that satisfies."""
    satisfying: set[tuple[int, ...]] = set()
    for rank in _ranks(nodes):
        unseen = [node for node in rank if not _known(node, satisfying)]
        satisfying.update(set(rank) - set(unseen))
        satisfying.update(node for node, holds in zip(unseen, judged.look_at(subset, unseen), strict=True) if holds)
    return satisfying


def _known(node: tuple[int, ...], satisfying: set[tuple[int, ...]]) -> bool:
    """Whether a node directly below satisfies."""
    return any((*node[:place], level - 1, *node[place + 1 :]) in satisfying for place, level in enumerate(node))


def _ranks(nodes: set[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    """The nodes by the sum of their levels, the least general first."""
    by_sum: dict[int, list[tuple[int, ...]]] = {}
    for node in sorted(nodes):
        by_sum.setdefault(sum(node), []).append(node)
    for total in sorted(by_sum):
        yield by_sum[total]

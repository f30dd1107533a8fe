"""Exploring a problem: every node of its lattice, evaluated into a policy space."""

from __future__ import annotations

from dataclasses import replace

from sfumato.errors import UsageError, argument
from sfumato.losses.distances import fitting_distance
from sfumato.progress import Progress
from sfumato.search.compiled.evaluator import QuickEvaluator, evaluator_of
from sfumato.search.evaluation import FOR_PRUNING, Evaluations, every_loss
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem
from sfumato.search.space.policies import About, PolicySpace

MOST_NODES = 1_000_000
_UNITS = {"": 1, "b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3, "kib": 1024, "mib": 1024**2, "gib": 1024**3}


def explored(
    problem: Problem, prior: str, *, memory: str | None = None, threads: int | None = None, progress: Progress | None = None
) -> PolicySpace:
    """The space of a problem, within a memory limit and on so many threads."""
    lattice = Lattice.of(problem.counts)
    require_small(problem, lattice, memory)
    evaluations = _evaluated(problem, lattice, threads, progress)
    columns = {key: column for key, column in evaluations.columns.items() if key not in FOR_PRUNING}
    return PolicySpace(lattice, replace(evaluations, columns=columns), about(problem, prior))


def about(problem: Problem, prior: str, *, complete: bool = True) -> About:
    """What a space was explored from."""
    counts = problem.counts
    distances = {fitting_distance(each.domain) for each in problem.statistics(counts).values()}
    return About(
        people=problem.people,
        rows=counts.total_rows,
        basis=counts.basis,
        sensitive=tuple(problem.sensitive),
        distance=distances.pop() if len(distances) == 1 else "",
        models=tuple(map(str, problem.models)),
        limit=problem.limit,
        prior=prior,
        complete=complete,
    )


def require_small(problem: Problem, lattice: Lattice, memory: str | None) -> None:
    """Refuse a lattice that is too large to enumerate, or for the memory."""
    if lattice.size > MOST_NODES:
        raise UsageError(
            f"the lattice has {lattice.size:,} nodes, more than the {MOST_NODES:,} that are enumerated; "
            f"anonymize with {argument('algorithm')} evolutionary searches it, or release fewer QIDs with {argument('quasi')}",
            where="explore",
        )
    columns = 2 * len(every_loss()) + 2 * len(problem.models) + len(lattice.shape) + 8
    cells = problem.counts.classes + sum(len(payload.values) for payload in problem.counts.payloads.values())
    needed = lattice.size * columns * 16 + cells * 40 * (len(lattice.shape) + 30)
    if memory is not None and needed > _bytes(memory):
        raise UsageError(
            f"{lattice.size:,} nodes of {cells:,} cells need about {needed / 1e6:,.0f} MB; {argument('memory')} allows {memory}",
            where=argument("memory"),
        )


def _bytes(text: str) -> float:
    """A memory limit as the engine writes it; the engine has refused what it cannot read."""
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    unit = text[len(number) :].strip().lower()
    return float(number) * _UNITS[unit] if unit in _UNITS else float("inf")


def _evaluated(problem: Problem, lattice: Lattice, threads: int | None, progress: Progress | None) -> Evaluations:
    evaluator = evaluator_of(problem, every_loss(), lattice.size, pruning=False)
    if isinstance(evaluator, QuickEvaluator) and evaluator.roller.compiled:
        from sfumato.search.compiled.walk import walked

        return walked(evaluator.batches, evaluator.base, lattice, threads=threads, progress=progress)
    levels, parts = lattice.levels(), []
    step = max(1, lattice.size // 100)
    for start in range(0, lattice.size, step):
        parts.append(evaluator.evaluate(levels[start : start + step]))
        if progress:
            progress(min(start + step, lattice.size), lattice.size)
    return Evaluations.joined(parts)

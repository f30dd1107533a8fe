"""Exploring a problem: every node of its lattice, evaluated into a policy space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.errors import TooManyNodes, UsageError, argument, raise_alone
from sfumato.losses.distances import fitting_distance
from sfumato.progress import Progress
from sfumato.search.compiled.evaluator import QuickEvaluator, evaluator_of
from sfumato.search.cost import announce
from sfumato.search.deadline import Deadline, too_short
from sfumato.search.evaluation import FOR_PRUNING, Evaluations, every_loss
from sfumato.search.lattice import Lattice
from sfumato.search.outcome import Stopped
from sfumato.search.problem import Problem
from sfumato.search.space.outward import outward
from sfumato.search.space.policies import About, PolicySpace

MOST_NODES = 1_000_000
FEWER = f"release fewer QIDs, raise the floor ({argument('floor')})"
_SEARCH = f"let anonymize with {argument('algorithm')} evolutionary search it"
OTHERWISE = f"give it {argument('time_limit')} for the coarse nodes alone, or {_SEARCH}"
_UNITS = {"": 1, "b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3, "kib": 1024, "mib": 1024**2, "gib": 1024**3}


def explored(
    problem: Problem,
    prior: str,
    *,
    memory: str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
    wanted: Sequence[str] | None = None,
    announced: bool = False,
) -> PolicySpace:
    """The space of a problem, within a memory limit and on so many threads; when the time is up, what was evaluated until then.

    `wanted`: the losses to measure, all by default; nothing is carried from node to node that neither they nor a model asks for. With a
    time limit a lattice may be larger than can be enumerated: it is evaluated from its coarse nodes on, and the space is never complete.
    `announced`: that it takes long was said before, if it does.
    """
    lattice = Lattice.of(problem.counts)
    losses = every_loss() if wanted is None else wanted
    if time_limit is None:
        require_few(lattice)
    most = _within(problem, lattice, memory, limited=time_limit is not None)
    if time_limit is None and not announced:
        announce(problem.counts, lattice.size, len(losses), known=True)
    deadline = Deadline(time_limit, progress) if time_limit is not None else None
    try:
        evaluations = _evaluated(problem, losses, lattice, most, threads, deadline or progress)
        complete = len(evaluations) == lattice.size
    except Stopped as stopped:
        if deadline is None or not deadline.over:
            raise
        parts = [part for part in stopped.parts if isinstance(part, Evaluations)]
        if not parts:
            raise_alone(too_short())
        evaluations, complete = Evaluations.joined(parts), False
    if not complete:
        evaluations = evaluations.only(lattice.in_order(evaluations.levels))
    columns = {key: column for key, column in evaluations.columns.items() if key not in FOR_PRUNING}
    return PolicySpace(lattice, replace(evaluations, columns=columns), about(problem, prior, complete=complete))


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


def require_few(lattice: Lattice, otherwise: str = OTHERWISE) -> None:
    """Refuse a lattice that is too large to enumerate, and say what does `otherwise` answer the question."""
    if lattice.size > MOST_NODES:
        raise TooManyNodes(
            f"the lattice has {lattice.size:,} nodes, more than the {MOST_NODES:,} that are enumerated; {FEWER}, {otherwise}",
            where=argument("quasi"),
        )


def _within(problem: Problem, lattice: Lattice, memory: str | None, *, limited: bool) -> int:
    """How many nodes can be held in memory, all of them as a rule; refuses fewer, unless the time is `limited` and ends it anyway."""
    columns = 2 * len(every_loss()) + 2 * len(problem.models) + len(lattice.shape) + 8
    cells = problem.counts.classes + sum(len(payload.values) for payload in problem.counts.payloads.values())
    a_node, base = columns * 16, cells * 40 * (len(lattice.shape) + 30)
    nodes = min(lattice.size, MOST_NODES)
    if memory is None or (needed := nodes * a_node + base) <= _bytes(memory):
        return nodes
    some = int(_bytes(memory) - base) // a_node
    if limited and some > 0:
        return some
    raise UsageError(
        f"{nodes:,} nodes of {cells:,} cells need about {needed / 1e6:,.0f} MB; {argument('memory')} allows {memory}",
        where=argument("memory"),
    )


def _bytes(text: str) -> float:
    """A memory limit as the engine writes it; the engine has refused what it cannot read."""
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    unit = text[len(number) :].strip().lower()
    return float(number) * _UNITS[unit] if unit in _UNITS else float("inf")


def _evaluated(
    problem: Problem, wanted: Sequence[str], lattice: Lattice, most: int, threads: int | None, progress: Progress | None
) -> Evaluations:
    """All nodes in the order of their numbers; or so many of them, the coarse ones first."""
    evaluator = evaluator_of(problem, wanted, most, pruning=False)
    if most < lattice.size:
        return outward(evaluator, lattice, most, progress)
    if isinstance(evaluator, QuickEvaluator) and evaluator.roller.compiled:
        from sfumato.search.compiled.walk import walked

        return walked(evaluator.batches, evaluator.base, lattice, threads=threads, progress=progress)
    levels, parts = lattice.levels(), []
    step = max(1, lattice.size // 100)
    try:
        for start in range(0, lattice.size, step):
            parts.append(evaluator.evaluate(levels[start : start + step]))
            if progress:
                progress(min(start + step, lattice.size), lattice.size)
    except KeyboardInterrupt:
        raise Stopped(parts) from None
    return Evaluations.joined(parts)

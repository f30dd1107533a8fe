"""The whole policy space of a table: every node with all its losses and the verdicts of the models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from sfumato.errors import OutputError, UsageError
from sfumato.losses.distances import fitting_distance
from sfumato.question.priors import Stated
from sfumato.question.question import Asked, Models, Share, problem_of
from sfumato.release.targets import require_free
from sfumato.release.whole import written_whole
from sfumato.search.compiled.evaluator import QuickEvaluator, evaluator_of
from sfumato.search.evaluation import FOR_PRUNING, Evaluations, every_loss
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Loops, Problem
from sfumato.search.space import About, PolicySpace
from sfumato.table import Table
from sfumato.vocabulary.schema import Schema

MOST_NODES = 1_000_000
Progress = Callable[[int, int], None]
_UNITS = {"": 1, "b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3, "kib": 1024, "mib": 1024**2, "gib": 1024**3}


def explore(
    source: Any,
    schema: Schema | str | PathLike[str] | None = None,
    *,
    models: Models = (),
    suppress: Share = 0.0,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    prior: Stated | None = None,
    population: Any = None,
    population_size: int | None = None,
    output: str | PathLike[str] | None = None,
    force: bool = False,
    threads: int | None = None,
    memory_limit: str | None = None,
    loops: Loops = Loops.COMPILED,
    progress: Progress | None = None,
) -> PolicySpace:
    """Evaluate every node of the lattice of a table.

    `models` add their values and verdicts; with `suppress`, violating classes leave where they are within the limit, and losses are
    those of what is kept. With `output` the space is also written, as Parquet.
    """
    if output is not None:
        if Path(output).suffix != ".parquet":
            raise OutputError("a policy space is a Parquet file; the name must end in .parquet", where=str(output))
        require_free(Path(output), force)
    asked = Asked(models, suppress, quasi, sensitive, prior, population, population_size, memory_limit, loops)
    with opened(source, schema, memory_limit) as table:
        problem, told = problem_of(table, asked)
    space = explored(problem, told, threads=threads, memory_limit=memory_limit, progress=progress)
    if output is not None:
        import pyarrow.parquet as pq

        with written_whole(Path(output), force) as hidden:
            pq.write_table(space.to_arrow(), hidden)
    return space


def explored(
    problem: Problem, prior: str, *, threads: int | None = None, memory_limit: str | None = None, progress: Progress | None = None
) -> PolicySpace:
    """The space of a problem."""
    lattice = Lattice.of(problem.counts)
    require_small(problem, lattice, memory_limit)
    found = _evaluated(problem, lattice, threads, progress)
    columns = {key: column for key, column in found.columns.items() if key not in FOR_PRUNING}
    return PolicySpace(lattice, replace(found, columns=columns), about(problem, prior))


def about(problem: Problem, prior: str, *, complete: bool = True) -> About:
    """What a space is told to come from."""
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


def opened(source: Any, schema: Any, memory_limit: str | None) -> AbstractContextManager[Table]:
    """A table, or anything that `Table.open` takes."""
    if isinstance(source, Table):
        return nullcontext(source)
    if schema is None:
        raise UsageError("a source needs a schema; 'sfumato profile' suggests one", where="schema")
    return Table.open(source, schema, memory_limit=memory_limit)


def require_small(problem: Problem, lattice: Lattice, memory_limit: str | None) -> None:
    """Refuse a lattice that is too large to enumerate, or for the memory."""
    if lattice.size > MOST_NODES:
        raise UsageError(
            f"the lattice has {lattice.size:,} nodes, more than the {MOST_NODES:,} that are enumerated; "
            "anonymize --algorithm evolutionary searches it, or --quasi publishes fewer QIDs",
            where="explore",
        )
    columns = 2 * len(every_loss()) + 2 * len(problem.models) + len(lattice.shape) + 8
    cells = problem.counts.classes + sum(len(payload.values) for payload in problem.counts.payloads.values())
    needed = lattice.size * columns * 16 + cells * 40 * (len(lattice.shape) + 30)
    if memory_limit is not None and needed > _bytes(memory_limit):
        raise UsageError(
            f"{lattice.size:,} nodes of {cells:,} cells need about {needed / 1e6:,.0f} MB; --memory allows {memory_limit}",
            where="memory",
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
    levels, found = lattice.levels(), []
    step = max(1, lattice.size // 100)
    for start in range(0, lattice.size, step):
        found.append(evaluator.evaluate(levels[start : start + step]))
        if progress:
            progress(min(start + step, lattice.size), lattice.size)
    return Evaluations.joined(found)

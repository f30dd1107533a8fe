"""The curse of dimensionality: what happens to classes, losses and feasible nodes as more QIDs are published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from sfumato.errors import UsageError
from sfumato.question.question import Asked, Models, Share, problem_of
from sfumato.results import Printed, Rows
from sfumato.search.lattice import Lattice
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Loops, Problem
from sfumato.verbs.explore import Progress, explored, opened
from sfumato.vocabulary.schema import Schema


@dataclass(frozen=True, slots=True)
class Step:
    """The first `qids` QIDs: the table as it is (classes, people who are alone in theirs, losses), and its feasible nodes.

    The losses are None where the table has no sensitive attribute.
    """

    qids: int
    added: str
    classes: int
    unique: float
    distribution: float | None
    utility_distribution: float | None
    nodes: int
    feasible: int

    @property
    def feasible_share(self) -> float:
        return self.feasible / self.nodes


@dataclass(frozen=True, slots=True)
class Dimensions(Printed):
    """One step per number of QIDs, in the order of the schema."""

    models: tuple[str, ...]
    people: int
    steps: tuple[Step, ...]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        steps = [{**asdict(step), "feasible_share": step.feasible_share} for step in self.steps]
        return {"models": list(self.models), "people": self.people, "steps": steps}

    def table(self) -> Rows:
        """One row per number of QIDs."""
        heads = ("QIDs", "added", "classes", "unique", "distribution", "utility-distribution", "nodes", "feasible", "share")
        rows = [
            (s.qids, s.added, s.classes, s.unique, s.distribution, s.utility_distribution, s.nodes, s.feasible, s.feasible_share)
            for s in self.steps
        ]
        return Rows(heads, tuple(rows))


def dimensions(
    source: Any,
    schema: Schema | str | PathLike[str] | None = None,
    *,
    models: Models = ("k-anonymity:5",),
    suppress: Share = 0.0,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    memory_limit: str | None = None,
    loops: Loops = Loops.COMPILED,
    progress: Progress | None = None,
) -> Dimensions:
    """Explore the first QID, the first two, and so on."""
    with opened(source, schema, memory_limit) as table:
        problem, told = problem_of(table, Asked(models, suppress, quasi, sensitive, memory_limit=memory_limit, loops=loops))
    names = problem.counts.node.attributes
    if len(names) < 2:
        raise UsageError("there is one QID; the figure needs several", where="quasi")
    steps = []
    for count in range(1, len(names) + 1):
        part = replace(problem, counts=problem.counts.project(names[:count]))
        steps.append(_step(part, names[count - 1], told, memory_limit))
        if progress:
            progress(count, len(names))
    return Dimensions(tuple(map(str, problem.models)), problem.people, tuple(steps))


def _step(problem: Problem, added: str, prior: str, memory_limit: str | None) -> Step:
    space = explored(problem, prior, memory_limit=memory_limit)
    counts = problem.counts
    as_is = PlainEvaluator(replace(problem, models=(), limit=0), ["distribution", "utility-distribution"])
    losses = as_is.evaluate(Lattice.of(counts).levels()[:1]).row(0)
    return Step(
        qids=len(counts.node.attributes),
        added=added,
        classes=counts.classes,
        unique=float(np.count_nonzero(counts.people == 1) / problem.people),
        distribution=float(losses["distribution"]) if problem.sensitive else None,
        utility_distribution=float(losses["utility-distribution"]) if problem.sensitive else None,
        nodes=Lattice.of(counts).size,
        feasible=len(space.feasible()),
    )

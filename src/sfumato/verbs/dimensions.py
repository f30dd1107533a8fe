"""The curse of dimensionality: what happens to classes, losses and feasible nodes as more QIDs are published."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.options import divided
from sfumato.progress import Progress
from sfumato.question import Question, problem_of
from sfumato.question.question import QUESTION_OPTIONS, QuestionOptions
from sfumato.search.cost import announce
from sfumato.search.deadline import require_seconds, too_short
from sfumato.search.lattice import Lattice
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Problem
from sfumato.search.space.dimensions import Dimensions, Step
from sfumato.search.space.exploring import MOST_NODES, explored, require_few
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, Source, SourceOptions, opened


class DimensionsOptions(SourceOptions, QuestionOptions, total=False):
    """What `dimensions` takes besides."""


def dimensions(
    data: Any,
    schema: SchemaLike | None = None,
    *,
    time_limit: float | None = None,
    progress: Progress | None = None,
    **options: Unpack[DimensionsOptions],
) -> Dimensions:
    """Explore the first QID, the first two, and so on: in the order of `quasi`, or of the schema.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    time_limit : float, optional
        The seconds after which no further QID is added; nor is one then that makes the lattice too large to enumerate.
    progress : callable, optional
        Called with the steps done and all steps.
    **options
        The fields of `Source` and `Question`; without a model, it is 5-anonymity.

    Returns
    -------
    Dimensions
        One step per number of QIDs.
    """
    require_seconds(time_limit)
    source, asked = divided(options, SOURCE_OPTIONS, QUESTION_OPTIONS)
    question = Question(**{**asked, "models": asked.get("models") or "k-anonymity:5"})
    with opened(data, schema, source) as table:
        problem, prior = problem_of(table, question, before=_require_few if time_limit is None else None)
    names = question.quasi or problem.counts.node.attributes
    if len(names) < 2:
        raise UsageError("there is one QID; the figure needs several", where=argument("quasi"))
    if time_limit is None:
        announce(problem.counts, Lattice.of(problem.counts).size, 0, known=True)
    steps: list[Step] = []
    ends = None if time_limit is None else time.monotonic() + time_limit
    for count in range(1, len(names) + 1):
        part = problem.project(names[:count])
        step = _step(part, names[count - 1], prior, table.source, ends)
        if step is None:
            break
        steps.append(step)
        if progress:
            progress(count, len(names))
    if not steps:
        raise too_short()
    return Dimensions(tuple(map(str, problem.models)), problem.people, tuple(steps), len(steps) == len(names))


def _require_few(lattice: Lattice) -> None:
    """The last step is the largest: if it is refused, then at once."""
    require_few(lattice, f"or give it {argument('time_limit')}: then it ends with as many QIDs as can be looked at")


def _step(problem: Problem, added: str, prior: str, source: Source, ends: float | None) -> Step | None:
    """What is known of some QIDs; None if the time is up before, or is limited and could not be enough. Only the models are asked of every
    node."""
    left = None if ends is None else ends - time.monotonic()
    if left is not None and (left <= 0 or Lattice.of(problem.counts).size > MOST_NODES):
        return None
    space = explored(problem, prior, memory=source.memory, threads=source.threads, time_limit=left, wanted=(), announced=True)
    if not space.about.complete:
        return None
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

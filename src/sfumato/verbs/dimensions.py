"""The curse of dimensionality: what happens to classes, losses and feasible nodes as more QIDs are published."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.options import divided
from sfumato.progress import Progress
from sfumato.question import Question, problem_of
from sfumato.question.question import QUESTION_OPTIONS, QuestionOptions
from sfumato.search.lattice import Lattice
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Problem
from sfumato.search.space.dimensions import Dimensions, Step
from sfumato.search.space.exploring import explored
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, Source, SourceOptions, opened


class DimensionsOptions(SourceOptions, QuestionOptions, total=False):
    """What `dimensions` takes besides."""


def dimensions(
    data: Any, schema: SchemaLike | None = None, *, progress: Progress | None = None, **options: Unpack[DimensionsOptions]
) -> Dimensions:
    """Explore the first QID, the first two, and so on: in the order of `quasi`, or of the schema.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    progress : callable, optional
        Called with the steps done and all steps.
    **options
        The fields of `Source` and `Question`; without a model, it is 5-anonymity.

    Returns
    -------
    Dimensions
        One step per number of QIDs.
    """
    source, asked = divided(options, SOURCE_OPTIONS, QUESTION_OPTIONS)
    question = Question(**{**asked, "models": asked.get("models") or "k-anonymity:5"})
    with opened(data, schema, source) as table:
        problem, prior = problem_of(table, question)
    names = question.quasi or problem.counts.node.attributes
    if len(names) < 2:
        raise UsageError("there is one QID; the figure needs several", where=argument("quasi"))
    steps = []
    for count in range(1, len(names) + 1):
        part = problem.project(names[:count])
        steps.append(_step(part, names[count - 1], prior, table.source))
        if progress:
            progress(count, len(names))
    return Dimensions(tuple(map(str, problem.models)), problem.people, tuple(steps))


def _step(problem: Problem, added: str, prior: str, source: Source) -> Step:
    space = explored(problem, prior, memory=source.memory, threads=source.threads)
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

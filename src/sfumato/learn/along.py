"""The λ-(ε,α) table along the Pareto front: from the release that discloses least to the one that keeps most."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from sfumato.commit.call import one_call
from sfumato.errors import DataSayNo, UsageError, argument
from sfumato.learn.results import UtilityLosses
from sfumato.learn.training import Places
from sfumato.learn.utility import PLAN_OPTIONS, LearnOptions, Running, learned_by, plan_of
from sfumato.options import divided
from sfumato.progress import Progress
from sfumato.question import Question
from sfumato.question.question import QUESTION_OPTIONS, QuestionOptions
from sfumato.search.space import PolicySpace
from sfumato.search.space.knee import front_of_two
from sfumato.search.space.trade_off import X, Y
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, opened
from sfumato.verbs.explore import explore
from sfumato.vocabulary.node import Node


class AlongOptions(LearnOptions, QuestionOptions, total=False):
    """What is searched starts somewhere, too."""


@one_call()
def along_pareto(
    original: Any,
    most: int = 10,
    *,
    target: str,
    schema: SchemaLike | None = None,
    pareto: Sequence[str] = (X, Y),
    jobs: int = 1,
    results: str | PathLike[str] | None = None,
    progress: Progress | None = None,
    **options: Unpack[AlongOptions],
) -> UtilityLosses:
    """The utility losses of nodes along a Pareto front, beside their privacy losses.

    Parameters
    ----------
    original : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    most : int
        At most so many nodes: both ends of the front, and others evenly between them.
    target : str
        The column to predict.
    schema : Schema, path or dict, optional
        What each column is.
    pareto : list of str
        The two losses of the front: `NAME` is the mean over people or the total, `NAME.max` the worst class.
    jobs : int
        How many models are trained at once.
    results : path, optional
        A folder in which the result of every release is kept: a run that was stopped goes on from there.
    progress : callable, optional
        Called with the models trained and all models.
    **options
        As those of `utility_loss`. The nodes of the front satisfy `models`.

    Returns
    -------
    UtilityLosses
        One result per node, by rising disclosure.
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise UsageError("a whole number of 1 or more", where=argument("most"))
    if len(pareto) != 2:
        raise UsageError("a front is of two losses, as in distribution.max,utility-distribution", where=argument("pareto"))
    source, asked, planned = divided(options, SOURCE_OPTIONS, QUESTION_OPTIONS, PLAN_OPTIONS)
    plan, running = plan_of(target, planned), Running(jobs, None if results is None else Path(results), progress)
    with opened(original, schema, source) as table:
        space = explore(table, **asked)
        nodes = front_nodes(space, pareto, most, target)
        return learned_by(table, nodes, Question(**asked), plan, running)


def front_nodes(space: PolicySpace, losses: Sequence[str], most: int, target: str) -> list[Node]:
    """At most so many nodes of a front by the first loss: its ends, and others evenly between them. All leave the target as it is."""
    part = space.feasible()
    if not len(part):
        raise DataSayNo("no node satisfies the models; 'sfumato anonymize' says which bounds would work")
    whole = _that_keep(part, target)
    levels = part.evaluations.levels[whole]
    values = np.stack([part[loss] for loss in losses], axis=1).astype(np.float64)[whole]
    front = front_of_two(values, levels)
    front = front[
        np.append(True, (np.diff(values[front], axis=0) != 0).any(axis=1))
    ]  # of nodes with equal losses the least general
    chosen = np.unique(np.linspace(0, len(front) - 1, min(most, len(front))).round().astype(int))
    return [part.lattice.node(levels[front[place]].tolist()) for place in chosen]


def _that_keep(space: PolicySpace, target: str) -> Places:
    """The places of the nodes that do not generalize the target, if it is a QID."""
    names = space.lattice.attributes
    levels = space.evaluations.levels
    places = np.arange(len(levels)) if target not in names else np.flatnonzero(levels[:, names.index(target)] == 0)
    if not len(places):
        raise DataSayNo(f"every node that satisfies the models generalizes the target {target!r}")
    return places

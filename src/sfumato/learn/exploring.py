"""Learned nodes as a trade-off: the loss of a model as one more axis of the explorer page, beside all other losses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from sfumato.errors import UsageError, argument
from sfumato.learn.results import UtilityLosses
from sfumato.options import divided
from sfumato.question import Question, problem_of
from sfumato.question.question import QUESTION_OPTIONS, QuestionOptions
from sfumato.search.evaluation import Measure
from sfumato.search.space import PolicySpace
from sfumato.search.space.exploring import explored
from sfumato.search.space.trade_off import Answers, TradeOff, X, trade_off_of
from sfumato.search.space.within import Bounds
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened

LEARNING = "learning"


class ExploringOptions(SourceOptions, QuestionOptions, total=False):
    """What `learned_trade_off` takes besides."""


def learned_trade_off(
    original: Any, learned: UtilityLosses, schema: SchemaLike | None = None, **options: Unpack[ExploringOptions]
) -> TradeOff:
    """The nodes that were learned from, by what they disclose and by what they cost a model; every other loss is an axis, too.

    Parameters
    ----------
    original : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    learned : UtilityLosses
        What was learned from nodes of the table.
    schema : Schema, path or dict, optional
        What each column is.
    **options
        The fields of `Source` and `Question`, as they were given for learning.

    Returns
    -------
    TradeOff
        The nodes with the loss `learning`.
    """
    source, asked = divided(options, SOURCE_OPTIONS, QUESTION_OPTIONS)
    question = Question(**asked)
    with opened(original, schema, source) as table:
        if len(question.judged(table.schema)) != 1:
            raise UsageError("the explorer is about one sensitive attribute; name it", where=argument("sensitive"))
        problem, prior = problem_of(table, question)
    space = explored(problem, prior, memory=table.source.memory, threads=table.source.threads)
    return trade_off_of(problem, _with_learning(space, learned), Bounds(), (X, LEARNING), Answers())


def _with_learning(space: PolicySpace, learned: UtilityLosses) -> PolicySpace:
    """The learned nodes of a space, with the loss of the model."""
    if any(each.node is None for each in learned.releases):
        raise UsageError("only nodes are on the page; a published file has no place in the lattice", where=argument("page"))
    losses = {tuple((each.node or {}).values()): each.loss.value for each in learned.releases}
    levels = [tuple(each) for each in space.evaluations.levels.tolist()]
    places = np.array([place for place, each in enumerate(levels) if each in losses], np.intp)
    if len(places) < len(losses):
        raise UsageError("some of the nodes are not in the space that was explored", where=argument("page"))
    part = space.evaluations.only(places)
    column = np.array([losses[levels[place]] for place in places])
    return replace(space, evaluations=replace(part, columns={**part.columns, Measure(LEARNING): column}))

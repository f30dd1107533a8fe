"""Weigh privacy against utility: every node of a table by two losses, within bounds on four."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from sfumato.errors import UsageError, argument, unknown
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION
from sfumato.options import divided
from sfumato.progress import Progress
from sfumato.question import Question, problem_of
from sfumato.question.question import QUESTION_OPTIONS, QuestionOptions
from sfumato.search.deadline import require_seconds
from sfumato.search.evaluation import MAX
from sfumato.search.space.exploring import explored, require_few
from sfumato.search.space.trade_off import Answers, TradeOff, X, Y, trade_off_of
from sfumato.search.space.within import BOUND_OPTIONS, BoundOptions, Bounds
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened
from sfumato.vocabulary.schema import Schema

Watch = Callable[[str, Any], None]


class TradeOffOptions(SourceOptions, QuestionOptions, BoundOptions, total=False):
    """What `trade_off` takes besides."""


def trade_off(
    data: Any,
    schema: SchemaLike | None = None,
    *,
    x: str = X,
    y: str = Y,
    time_limit: float | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
    **options: Unpack[TradeOffOptions],
) -> TradeOff:
    """Explore a table and look at its nodes by two losses, within bounds on four.

    The models decide with `suppress` what is kept of each node; the bounds then say which nodes count.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    x, y : str
        Two losses, both minimized: `NAME` is the mean over people or the total, `NAME.max` the worst class.
    time_limit : float, optional
        The seconds after which the nodes evaluated so far are all there is.
    progress : callable, optional
        Called with the nodes done and all nodes.
    watch : callable, optional
        Called with the name of each step.
    **options
        The fields of `Source`, `Question` and `Bounds`.

    Returns
    -------
    TradeOff
        The nodes, those within the bounds, the front and its knee.
    """
    require_seconds(time_limit)
    source, asked, limits = divided(options, SOURCE_OPTIONS, QUESTION_OPTIONS, BOUND_OPTIONS)
    question, bounds = Question(**asked), Bounds(**limits)
    for where, name in (("x", x), ("y", y)):
        _require_loss(name, where)
    with opened(data, schema, source) as table:
        _require_one(table.schema, question)
        problem, prior = problem_of(table, question, before=require_few if time_limit is None else None)
    if watch and bounds.given:
        watch("weighing", None)
    answers = Answers.of(problem.priors[next(iter(problem.sensitive))], bounds)
    space = explored(
        problem, prior, memory=table.source.memory, threads=table.source.threads, progress=progress, time_limit=time_limit
    )
    return trade_off_of(problem, space, bounds, (x, y), answers)


def _require_one(schema: Schema, question: Question) -> None:
    """A trade-off is about one sensitive attribute: a prior, and what each class reveals beyond it."""
    if len(question.judged(schema)) != 1:
        have = ", ".join(schema.sensitive) or "none"
        raise UsageError(f"a trade-off is about one sensitive attribute; name it (have: {have})", where=argument("sensitive"))


def _require_loss(name: str, where: str) -> None:
    if name not in INFORMATION and name.removesuffix(MAX) not in LOSSES:
        known = (*(each + end for each in LOSSES for end in ("", MAX)), *INFORMATION)
        raise UsageError(unknown("loss", name, known, within="a policy space"), where=argument(where))

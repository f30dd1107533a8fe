"""The whole policy space of a table: every node with all its losses and the verdicts of the models."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from sfumato.commit.call import one_call
from sfumato.commit.places import require_free
from sfumato.commit.writing import written_whole
from sfumato.errors import OutputError
from sfumato.options import divided
from sfumato.progress import Progress
from sfumato.question import Question, problem_of
from sfumato.question.question import QUESTION_OPTIONS, QuestionOptions
from sfumato.search.deadline import require_seconds
from sfumato.search.space import PolicySpace
from sfumato.search.space.exploring import explored, require_few
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened


class ExploreOptions(SourceOptions, QuestionOptions, total=False):
    """What `explore` takes besides."""


@one_call()
def explore(
    data: Any,
    schema: SchemaLike | None = None,
    *,
    output: str | PathLike[str] | None = None,
    force: bool = False,
    time_limit: float | None = None,
    progress: Progress | None = None,
    **options: Unpack[ExploreOptions],
) -> PolicySpace:
    """Evaluate every node of the lattice of a table.

    The models of the question add their values and verdicts. With `suppress`, violating classes leave where they are within the limit,
    and losses are those of what is kept.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    output : path, optional
        A Parquet file to write the space to.
    force : bool
        Replace what exists.
    time_limit : float, optional
        The seconds after which the nodes evaluated so far are all there is.
    progress : callable, optional
        Called with the nodes done and all nodes.
    **options
        The fields of `Source` and `Question`.

    Returns
    -------
    PolicySpace
        The nodes with all their losses and verdicts.
    """
    require_seconds(time_limit)
    source, asked = divided(options, SOURCE_OPTIONS, QUESTION_OPTIONS)
    question = Question(**asked)
    if output is not None:
        if Path(output).suffix != ".parquet":
            raise OutputError("a policy space is a Parquet file; the name must end in .parquet", where=str(output))
        require_free(Path(output), force)
    with opened(data, schema, source) as table:
        problem, prior = problem_of(table, question, before=require_few if time_limit is None else None)
    space = explored(
        problem, prior, memory=table.source.memory, threads=table.source.threads, progress=progress, time_limit=time_limit
    )
    if output is not None:
        import pyarrow.parquet as pq

        with written_whole(Path(output), force) as hidden:
            pq.write_table(space.to_arrow(), hidden)
    return space

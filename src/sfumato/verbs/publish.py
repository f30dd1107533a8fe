"""Publish a table at a node, or as a policy says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from sfumato.commit.call import one_call
from sfumato.errors import UsageError, argument
from sfumato.options import divided
from sfumato.policy import Policy
from sfumato.question import problem_of
from sfumato.release import Output, Release, carry_out
from sfumato.release.output import OUTPUT_OPTIONS, OutputOptions
from sfumato.release.publishing import Watch
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened
from sfumato.vocabulary.node import Levels


class PublishOptions(SourceOptions, OutputOptions, total=False):
    """What `publish` takes besides."""


@one_call()
def publish(
    data: Any,
    schema: SchemaLike | None = None,
    *,
    node: Levels | None = None,
    quasi: Sequence[str] | str | None = None,
    suppress: Sequence[int] = (),
    policy: Policy | None = None,
    watch: Watch = lambda step, engine: None,
    **options: Unpack[PublishOptions],
) -> Release:
    """Publish a table: its QIDs generalized, identifiers, owner and the other QIDs withheld, rows shuffled.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    schema : Schema, path or dict, optional
        What each column is; not needed if the source or the table has one.
    node : dict, list or str, optional
        A level for each QID.
    quasi : str or list of str, optional
        The QIDs to publish; all by default.
    suppress : list of int
        The numbers of classes to leave out.
    policy : Policy, optional
        Says all of this instead. Its models are judged on the written file, and nothing is published unless all are satisfied.
    watch : callable, optional
        Called with the name of each step and the engine that works on it.
    **options
        The fields of `Source` and `Output`.

    Returns
    -------
    Release
        The published table and its certificate.
    """
    source, where = divided(options, SOURCE_OPTIONS, OUTPUT_OPTIONS)
    output = Output(**where)
    if (node is None) == (policy is None):
        raise UsageError("give a node or a policy: one of them", where="publish")
    for name, value in (("quasi", quasi), ("suppress", suppress)):
        if policy is not None and value:
            raise UsageError("the policy says it; leave it out", where=argument(name))
    with opened(data, schema, source) as table:
        output.require(table)
        if policy is None:
            watch("counting", table.engine)
            chosen = [quasi] if isinstance(quasi, str) else quasi
            policy = Policy.at_node(table, node or (), chosen, suppress=suppress, detailed=output.mapping is not None)
        problem = problem_of(table, replace(policy.question, quasi=policy.quasi))[0] if policy.models else None
        return carry_out(table, policy, None if problem is None else replace(problem, limit=policy.limit), output, watch)

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

    `node` gives a level for each QID; `quasi` names the QIDs to publish (all by default), `suppress` the numbers of classes to leave out.
    Or `policy` says it all; its models are judged on the written file, and nothing is published unless all are satisfied. The other
    arguments are the fields of `Source` and `Output`.
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

"""Publish a table at a node, or as a policy says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from sfumato.commit.call import one_call
from sfumato.errors import DataSayNo, UsageError, argument
from sfumato.models import Verdict
from sfumato.models.base import AT_LEAST
from sfumato.options import divided
from sfumato.policy import Policy
from sfumato.question import Question, problem_of
from sfumato.question.question import QUESTION_OPTIONS, names_of
from sfumato.release import Output, Release, carry_out
from sfumato.release.output import OUTPUT_OPTIONS, OutputOptions
from sfumato.release.publishing import Watch
from sfumato.search.evaluation import Fact
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Problem
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened
from sfumato.verbs.together import Asked, judge_of, wanted_of
from sfumato.vocabulary.node import Levels, Node


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
    question: Question | None = None,
    together: Asked = None,
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
    question : Question, optional
        What must hold at the node: classes that violate it are left out, within its share of people. Nothing is published if it does
        not hold.
    together : str or list of str
        Models that this release must keep together with the earlier ones in the ledger that were made under the same schema, and
        `promised` for what each of them promises. Nothing is published if releases break one together, or cannot be judged. Without
        it, where `ledger` names one, they are judged by what each promises, and what cannot be judged is a `TogetherWarning`. `none`:
        nothing is judged.
    watch : callable, optional
        Called with the name of each step and the engine that works on it.
    **options
        The fields of `Source` and `Output`.

    Returns
    -------
    Release
        The published table and its certificate.
    """
    _require_no_questions(options, suppress)
    source, where = divided(options, SOURCE_OPTIONS, OUTPUT_OPTIONS)
    output, together = Output(**where), wanted_of(together)
    if (node is None) == (policy is None):
        raise UsageError("give a node or a policy: one of them", where="publish")
    for name, value in (("quasi", quasi), ("suppress", suppress), ("question", question)):
        if policy is not None and value:
            raise UsageError("the policy says it; leave it out", where=argument(name))
    if question is not None and suppress:
        raise UsageError("the question decides which classes are left out; name none", where=argument("suppress"))
    with opened(data, schema, source) as table:
        output.require(table)
        if question is not None:
            return _judged(table, node or (), _of(question, quasi), output, watch, together)
        if policy is None:
            watch("counting", table.engine)
            chosen = [quasi] if isinstance(quasi, str) else quasi
            policy = Policy.at_node(table, node or (), chosen, suppress=suppress, detailed=output.mapping is not None)
        problem = problem_of(table, replace(policy.question, quasi=policy.quasi), searching=False)[0] if policy.models else None
        problem = None if problem is None else replace(problem, limit=policy.limit)
        return carry_out(table, policy, problem, output, watch, judge=judge_of(table, policy, output, together, watch))


def _require_no_questions(options: Mapping[str, Any], suppress: object) -> None:
    """Refuse what `anonymize` takes by name and `publish` only within a question; so does a share of people to suppress."""
    share = isinstance(suppress, str | float)
    for name in [*options, *(["suppress"] if share else [])]:
        if name in QUESTION_OPTIONS:
            raise UsageError(f"it is a field of the question: question=sf.Question({name}=…)", where=argument(name))


def _of(question: Question, quasi: Sequence[str] | str | None) -> Question:
    """The question about the QIDs that are published."""
    chosen = names_of(quasi, "quasi") or question.quasi
    return Question(**{name: getattr(question, name) for name in QUESTION_OPTIONS} | {"quasi": chosen})


def _judged(table: Table, levels: Levels, question: Question, output: Output, watch: Watch, together: Asked) -> Release:
    """A node that was chosen, if the question allows it."""
    watch("counting", table.engine)
    problem, _ = problem_of(table, question, publishing=True, searching=False)
    node = Node.of(levels, table.schema, problem.counts.node.attributes)
    leaving = _leaving(problem, node)
    policy = Policy.at_node(table, node, suppress=leaving, detailed=output.mapping is not None)
    digest = table.digest() if output.path else None
    policy = replace(policy, question=question, limit=problem.limit, table=digest)
    return carry_out(table, policy, problem, output, watch, judge=judge_of(table, policy, output, together, watch))


def _leaving(problem: Problem, node: Node) -> list[int]:
    """The classes that are left out at a node; refuses a node that the models do not allow."""
    evaluator = PlainEvaluator(problem, [])
    found = evaluator.evaluate(np.array([node.levels], np.int16))
    if not found[Fact.FEASIBLE][0]:
        kept = problem.counts.roll_up(node)
        failed = "; ".join(map(_said, (each for each in problem.judge(kept, 0) if each.satisfied is not True)))
        people, limit = int(found[Fact.VIOLATING][0]), problem.limit
        beyond = f"; {people:,} people would have to be left out, and at most {limit:,} may be" if people > limit > 0 else ""
        raise DataSayNo(f"{node.brief()} is not allowed: {failed}{beyond}; nothing was published", where=argument("node"))
    return evaluator.leaving(node.levels) if problem.limit else []


def _said(verdict: Verdict) -> str:
    """A verdict that says no."""
    if verdict.value is None:
        return f"{verdict.model} ({verdict.reason})"
    sign = "at least" if verdict.direction == AT_LEAST else "at most"
    return f"{verdict.model} (it is {verdict.value:.6g}, and must be {sign} {verdict.threshold:.6g})"

"""From a question and a table to a problem: the table counted, and everything that decides about its nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType

from sfumato.beliefs import Prior
from sfumato.errors import UsageError, argument, unknown
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION, known_of
from sfumato.models import Context
from sfumato.models.protected import Members, require_groups
from sfumato.question.floors import floor_of
from sfumato.question.population import PopulationOf
from sfumato.question.priors import Stated, stated_beliefs
from sfumato.question.question import Question
from sfumato.question.spelling import warn_of_spellings
from sfumato.search.evaluation import MAX
from sfumato.search.lattice import Lattice
from sfumato.search.problem import Problem
from sfumato.statements import Statement
from sfumato.table import Table
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Schema

ORIGINAL = "the original table"

DEFAULT_LOSS = "loss"


def problem_of(
    table: Table,
    question: Question,
    *,
    publishing: bool = False,
    searching: bool = True,
    before: Callable[[Lattice], None] | None = None,
) -> tuple[Problem, str]:
    """The problem, and what the prior is called. `publishing`: count at once what the release will need, every sensitive attribute.
    `searching`: start at the floor of the question; for a node that was chosen already it is counted from level 0. `before`: gets the
    lattice before anything is counted, to refuse one that is too large."""
    members, judged = Members(table.schema), question.judged(table.schema)
    columns = tuple(dict.fromkeys((*judged, *_columns(table, question))))
    counted = tuple(dict.fromkeys((*table.schema.sensitive, *columns))) if publishing else columns
    floor = floor_of(table, question, counted) if searching else None
    if before and floor:
        before(Lattice.above(table.schema, floor))
    counts = table.with_leaves(table.count(question.quasi, floor=floor.as_dict() if floor else None, sensitive=counted))
    counts = replace(counts, payloads=MappingProxyType({name: counts.payloads[name] for name in columns}))
    require_groups(question.models, members, counts)
    warn_of_spellings(counts, judged)
    statements, source = _beliefs(question.prior, table.schema)
    population = _population(table, question, counts.node)
    problem = Problem(
        counts=counts,
        sensitive={name: table.schema[name] for name in judged},
        priors={name: Prior.of(counts, name) for name in judged},
        models=question.models,
        limit=question.limit(counts.total_people),
        statements=statements,
        context=Context(members=members, population_size=question.population_size),
        population=population,
        beside=population.beside(counts) if population else None,
        loops=table.source.loops,
        kinds={name: table.schema[name].kind or Kind.TEXT for name in counts.node.attributes},
    )
    _require_judgeable(problem)
    return problem, source


def _columns(table: Table, question: Question) -> Sequence[str]:
    """The columns that models count besides the sensitive attributes."""
    names = [name for model in question.models for name in model.columns]
    for name in names:
        if name not in table.columns:
            raise UsageError(unknown("column", name, table.columns, within="the data"), where=argument("models"))
    return names


def _beliefs(prior: Stated | None, schema: Schema) -> tuple[dict[str, Sequence[Statement]], str]:
    """Stated beliefs that hold at every node, and what the prior is called."""
    if prior is None:
        return {}, ORIGINAL
    statements, name = stated_beliefs(prior, schema)
    if any(statement.when for each in statements.values() for statement in each):
        raise UsageError(
            "beliefs about groups (when = …) name labels that most nodes do not show; state beliefs about everybody, "
            "or measure a node with them",
            where=argument("prior"),
        )
    return dict(statements), f"{name} over {ORIGINAL}"


def _population(table: Table, question: Question, floor: Node) -> PopulationOf | None:
    if question.population is None:
        return None
    return PopulationOf.counted(table.source.beside(question.population), table.declared, floor.attributes, floor.as_dict())


def _require_judgeable(problem: Problem) -> None:
    """Refuse a model that lacks what it would judge: nothing could be promised."""
    top = problem.counts.roll_up(Node(problem.counts.node.attributes, tuple(h.height for h in problem.counts.hierarchies)))
    for verdict in problem.judge(top, 0):
        if verdict.satisfied is None:
            raise UsageError(f"{verdict.model} cannot be judged here: {verdict.reason}", where=argument("models"))


def loss_to_minimize(minimize: str | None, problem: Problem) -> str:
    """The loss to minimize: by default `loss`, whatever the models are."""
    if minimize is None:
        return DEFAULT_LOSS
    if minimize not in INFORMATION and minimize.removesuffix(MAX) not in LOSSES:
        raise UsageError(unknown("loss", minimize, (*LOSSES, *INFORMATION), within="the register"), where=argument("minimize"))
    if minimize in INFORMATION and minimize not in known_of(problem.counts):
        message = f"{minimize!r} is measured from level 0, and the search starts at {problem.counts.node}; minimize another loss"
        raise UsageError(message, where=argument("minimize"))
    if minimize not in INFORMATION and not problem.sensitive:
        raise UsageError(f"{minimize!r} measures a sensitive attribute; there is none here", where=argument("minimize"))
    return minimize

"""What `explore` and `anonymize` share: from a table, models and a suppression limit to a problem to search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from sfumato.beliefs import Prior
from sfumato.errors import UsageError, unknown
from sfumato.losses import LOSSES
from sfumato.losses.information import INFORMATION
from sfumato.models import Judged, PrivacyModel, Verdict, model_of
from sfumato.models.personalized_privacy import PersonalizedPrivacy
from sfumato.models.protected import Members, require_groups
from sfumato.question.population import people_of, population_counts
from sfumato.question.priors import Stated, stated_beliefs
from sfumato.search.evaluation import MAX
from sfumato.search.problem import Loops, Population, Problem
from sfumato.table import Table
from sfumato.vocabulary.kinds import Kind
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Schema

Models = Sequence[str | PrivacyModel] | str | PrivacyModel
Share = str | float


@dataclass(frozen=True, slots=True)
class Asked:
    """What to search for: models, who may be suppressed, which QIDs and sensitive attributes, what the adversary knows."""

    models: Models = ()
    suppress: Share = 0.0
    quasi: Sequence[str] | None = None
    sensitive: Sequence[str] | None = None
    prior: Stated | None = None
    population: Any = None
    population_size: int | None = None
    memory_limit: str | None = None
    loops: Loops = Loops.COMPILED


def problem_of(table: Table, asked: Asked) -> tuple[Problem, str]:
    """The problem, and what the prior is called."""
    models, members = models_of(asked.models), Members(table.schema)
    chosen = choose_sensitive(table.schema, asked.sensitive)
    guards = [model.guard for model in models if isinstance(model, PersonalizedPrivacy)]
    for guard in guards:
        if guard not in table.columns:
            raise UsageError(unknown("column", guard, table.columns, within="the data"), where="model")
    counts = table.count(asked.quasi, sensitive=(*chosen, *(guard for guard in guards if guard not in chosen)))
    require_groups(models, members, counts)
    statements, told = stated_beliefs(asked.prior, table.schema) if asked.prior is not None else ({}, "")
    if any(statement.when for each in statements.values() for statement in each):
        raise UsageError(
            "beliefs about groups (when = …) speak of labels that most nodes do not show; state beliefs about everybody, "
            "or measure a node with them",
            where="prior",
        )
    problem = Problem(
        counts=counts,
        sensitive={name: table.schema[name] for name in chosen},
        priors={name: Prior.of(counts, name) for name in chosen},
        models=models,
        limit=limit_of(asked.suppress, counts.total_people),
        statements=statements,
        extras={"members": members, **({"population_size": asked.population_size} if asked.population_size else {})},
        population=_population(table, asked, counts.node),
        kinds={name: table.schema[name].kind or Kind.TEXT for name in counts.node.attributes},
        loops=asked.loops,
    )
    require_judgeable(problem)
    return problem, f"{told} over the original table" if told else "the original table"


def models_of(models: Models) -> tuple[PrivacyModel, ...]:
    """Models from what a person writes; one that is named twice counts once."""
    given = [models] if isinstance(models, str | PrivacyModel) else models
    found = [model_of(model) if isinstance(model, str) else model for model in given]
    return tuple({str(model): model for model in found}.values())


def limit_of(share: Share, people: int) -> int:
    """The most people who may be suppressed: a share of 5% or 0.05, rounded down."""
    text = str(share).strip()
    try:
        number = Decimal(text.removesuffix("%").strip()) / (100 if text.endswith("%") else 1)
    except InvalidOperation:
        number = Decimal(-1)
    if not (number.is_finite() and 0 <= number <= 1):
        raise UsageError(f"suppression is a share between 0 and 1, as 5% or 0.05; it is {text!r}", where="suppress")
    if text == "1":
        raise UsageError("a bare 1 could be 1% or all of them; write 1% or 100%", where="suppress")
    return int(number * people)


def loss_to_minimize(minimize: str | None, problem: Problem) -> str:
    """The loss to minimize: by default the distribution utility loss where a model speaks of the sensitive attribute, else `loss`."""
    if minimize is None:
        return "utility-distribution" if any(model.needs_sensitive for model in problem.models) else "loss"
    if minimize not in INFORMATION and minimize.removesuffix(MAX) not in LOSSES:
        raise UsageError(unknown("loss", minimize, (*LOSSES, *INFORMATION), within="the register"), where="minimize")
    if minimize not in INFORMATION and not problem.sensitive:
        raise UsageError(f"{minimize!r} speaks of a sensitive attribute; there is none here", where="minimize")
    return minimize


def require_judgeable(problem: Problem) -> None:
    """Refuse a model that lacks what it would judge: nothing could be promised."""
    top = problem.counts.roll_up(Node(problem.counts.node.attributes, tuple(h.height for h in problem.counts.hierarchies)))
    for verdict in verdicts_of(problem, top.keep(top.people > 0), 0):
        if verdict.satisfied is None:
            raise UsageError(f"{verdict.model} cannot be judged here: {verdict.reason}", where="model")


def verdicts_of(problem: Problem, kept: Any, suppressed: int) -> list[Verdict]:
    """What every model says of the classes of a release."""
    statistics = problem.narrowed_to(()).statistics(kept)
    beside = problem.population(kept) if problem.population else {}
    extras = {**beside, **problem.extras, "suppressed": suppressed}
    return [model.judge(Judged(kept, statistics.get(name or ""), extras)) for model, name in problem.asked()]


def _population(table: Table, asked: Asked, floor: Node) -> Population | None:
    if asked.population is None:
        return None
    leaves = population_counts(asked.population, table.declared, floor.attributes, asked.memory_limit)
    return lambda counts: people_of(leaves, counts.node.levels, counts)


def choose_sensitive(schema: Schema, names: Sequence[str] | None) -> tuple[str, ...]:
    """The sensitive attributes to judge: all, or those named."""
    names = [names] if isinstance(names, str) else names
    for name in names or ():
        if name not in schema.sensitive:
            raise UsageError(
                f"{name!r} is no sensitive attribute here; choose among {', '.join(schema.sensitive) or 'none'}",
                where="sensitive",
            )
    return schema.sensitive if names is None else tuple(names)

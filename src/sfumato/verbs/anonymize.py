"""Find the release that satisfies the models at the least loss, and publish it; or say why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Unpack

from sfumato.assessment.assess import losses_of
from sfumato.assessment.removal import Removed
from sfumato.commit.call import one_call
from sfumato.commit.places import require_free
from sfumato.errors import DataSayNo, NotVerified, UsageError, argument
from sfumato.losses import Summary
from sfumato.losses.information import INFORMATION, Recoded, known_of
from sfumato.models import KAnonymity, Verdict, models_of
from sfumato.options import divided
from sfumato.policy import Policy
from sfumato.progress import Progress
from sfumato.question.problem import loss_to_minimize, problem_of
from sfumato.question.question import QUESTION_OPTIONS, Question, QuestionOptions
from sfumato.recipe import Recipe
from sfumato.release import Output, Release, carry_out
from sfumato.release.certificate import PriorOf
from sfumato.release.output import OUTPUT_OPTIONS, OutputOptions
from sfumato.release.publishing import Watch
from sfumato.results import Printed, Rows
from sfumato.search.algorithms.search import SEARCH_OPTIONS, Search, SearchOptions
from sfumato.search.outcome import Found, NotFound, Trace
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Problem
from sfumato.search.tracing import RECOMMENDED, Guided
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened, source_of
from sfumato.verbs.advice import Advice, advising
from sfumato.verbs.clock import Clock
from sfumato.verbs.describe import describe
from sfumato.verbs.together import Asked, judge_of, wanted_of
from sfumato.vocabulary.node import Node

if TYPE_CHECKING:
    from sfumato.search.algorithms.explain import Explanation


# What `quasi` and `sensitive` name where there is no schema: the roles of columns.
ROLES = ("quasi", "sensitive")


class AnonymizeOptions(SourceOptions, QuestionOptions, SearchOptions, OutputOptions, total=False):
    """What `anonymize` takes besides."""


@dataclass(frozen=True, slots=True, eq=False)
class Anonymized(Printed):
    """A release that satisfies the models, published."""

    release: Release
    minimize: str
    verdicts: tuple[Verdict, ...]
    losses: Mapping[str, Mapping[str, Summary]]
    information: Mapping[str, float]
    removed: Removed
    trace: Trace
    seconds: Mapping[str, float]
    prior: str
    outcome: Found | None = None
    advice: Advice | None = None

    @property
    def status(self) -> str:
        return "found"

    @property
    def frame(self) -> Any:
        """The released table as the kind of table that was given: a pandas frame, a polars frame, or an Arrow table (for files, too)."""
        return self.release.frame

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        certificate = self.release.certificate
        first = next(iter(self.losses.values()), {})
        record: dict[str, Any] = {"status": self.status, "minimize": self.minimize, "node": dict(certificate.node)}
        record |= {name: getattr(certificate, name) for name in ("classes", "smallest_class", "people", "rows", "basis")}
        record |= {"suppressed": self.removed.as_dict() | dict(certificate.suppressed)}
        record["models"] = [verdict.as_dict() for verdict in self.verdicts]
        totals = {name: {"total": value} for name, value in self.information.items()}
        record["losses"] = {**{name: asdict(summary) for name, summary in first.items()}, **totals}
        if len(self.losses) > 1:
            record["sensitive"] = [
                {"attribute": name, "losses": {loss: asdict(summary) for loss, summary in each.items()}}
                for name, each in self.losses.items()
            ]
        search = _search(self.trace, self.seconds["search"]) | (self.trace.details.as_dict() if self.trace.details else {})
        search |= {"floor": self.floor} if self.floor else {}
        record |= {"search": search, "count_seconds": self.seconds["count"], "write_seconds": self.seconds["write"]}
        record |= {"minimal": [node.as_dict() for node in self.minimal]} if self.minimal else {}
        record |= {"advice": self.advice.as_dict()} if self.advice else {}
        return record | {"audience": self.audience, "prior": self.prior, "tolerance": certificate.tolerance}

    @property
    def floor(self) -> dict[str, int] | None:
        """The levels below which nothing was searched; None if the search started at level 0."""
        search = self.release.certificate.search
        return dict(search["floor"]) if search is not None and "floor" in search else None

    @property
    def audience(self) -> str:
        """Who may see these numbers: `owner` where they would disclose the suppressed people to others."""
        return "owner" if self.release.certificate.prior.of == PriorOf.WITHHELD.value else "public"

    @property
    def minimal(self) -> list[Node]:
        """All minimal nodes, where the algorithm finds them."""
        if self.outcome is None or self.outcome.all is None:
            return []
        return [Node(self.outcome.node.attributes, tuple(row)) for row in self.outcome.all.levels.tolist()]

    @property
    def loss(self) -> float | None:
        """What the release has of the loss that was minimized; None where the search did not measure it."""
        return None if self.outcome is None else float(self.outcome.evaluation[self.minimize])

    def plot(self) -> Any:
        """How many people are in classes of which size: an altair chart. Needs the extra `report`."""
        return self.release.plot()

    def table(self) -> Rows:
        """One row per loss."""
        rows: list[tuple[Any, ...]] = [
            (name, attribute, each.max, each.people_mean)
            for attribute, losses in self.losses.items()
            for name, each in losses.items()
        ]
        rows += [(name, None, None, value) for name, value in self.information.items()]
        return Rows(("loss", "sensitive", "max", "people mean or total"), tuple(rows))


@dataclass(frozen=True, slots=True, eq=False)
class Infeasible(Printed):
    """No release satisfies all models within the suppression limit; what would help."""

    models: tuple[str, ...]
    people: int
    limit: int
    trace: Trace
    explanation: Explanation | None
    seconds: Mapping[str, float]
    floor: Node

    @property
    def status(self) -> str:
        return "infeasible"

    @property
    def frame(self) -> NoReturn:
        """There is none: raises `DataSayNo`."""
        raise DataSayNo("no release satisfies the models; print the result to see what would", where="frame")

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        why = self.explanation
        nearest = [{**asdict(each), "node": each.node.as_dict() if each.node else None} for each in (why.nearest if why else ())]
        fewest = why.suppression if why else None
        return {
            "status": self.status,
            "asked": list(self.models),
            "people": self.people,
            "limit": self.limit,
            "nearest": nearest,
            "suppression": fewest and {"people": fewest[0], "share": fewest[0] / self.people, "node": fewest[1].as_dict()},
            "search": _search(self.trace, self.seconds["search"])
            | ({"floor": self.floor.as_dict()} if any(self.floor.levels) else {}),
            "count_seconds": self.seconds["count"],
        }

    def table(self) -> Rows:
        """One row per bound."""
        why = self.explanation.nearest if self.explanation else ()
        signs = {"at_least": "≥", "at_most": "≤"}
        rows = [(e.model, signs[e.direction], e.threshold, e.alone, e.rounded(), e.node.brief() if e.node else "") for e in why]
        return Rows(("bound", "", "threshold", "nodes that keep it", "nearest that works", "at levels"), tuple(rows))


def _search(trace: Trace, seconds: float) -> dict[str, Any]:
    end = {} if trace.complete else {"complete": False}
    return {"algorithm": trace.algorithm, "nodes": trace.nodes, "visited": trace.visited, "seconds": seconds, **end}


@one_call()
def anonymize(
    data: Any = None,
    schema: SchemaLike | None = None,
    *,
    k: int | None = None,
    recipe: str | PathLike[str] | None = None,
    advise: bool = False,
    together: Asked = None,
    progress: Progress | None = None,
    watch: Watch = lambda step, engine: None,
    **options: Unpack[AnonymizeOptions],
) -> Anonymized | Infeasible:
    """Find the node (or, with Mondrian, the local recoding) that satisfies the models at the least loss, and publish it.

    Every model is judged again on the written file.

    Parameters
    ----------
    data : path, pandas or polars frame, Arrow table, Source, Table
        The table. Without it, the release of a recipe is made again.
    schema : Schema, path or dict, optional
        What each column is. Without it, name the columns with `quasi`, `sensitive` or both: `Schema.of` describes the table.
    k : int, optional
        Short for the model `k-anonymity:K`, together with `models`.
    recipe : path, optional
        A file that records everything; without `data` it is read (`output` and `force` may say where the release goes).
    advise : bool
        Also look for a small suppression that would save much; the result names it.
    together : str or list of str
        As for `publish`: what the release must keep together with earlier ones. A ledger that the recipe names counts as named.
    progress : callable, optional
        Called with the nodes done and all nodes.
    watch : callable, optional
        Called with the name of each step and the engine that works on it.
    **options
        The fields of `Source` (how the data is read), `Question` (what must hold), `Search` (how to look for it) and `Output` (where
        it goes; without `output` the release stays in memory).

    Returns
    -------
    Anonymized or Infeasible
        The release, with what it gives away and costs; or what would help. `frame` is the released table.
    """
    source, asked, how, where = divided(options, SOURCE_OPTIONS, QUESTION_OPTIONS, SEARCH_OPTIONS, OUTPUT_OPTIONS)
    together = wanted_of(together)
    if k is not None:
        asked["models"] = (KAnonymity(k), *models_of(asked.get("models", ())))
    if data is None:
        return _again(recipe, {"schema": schema, **source, **asked, **how}, where, progress, watch, together)
    work = _Work(Question(**asked), Search(**how), Output(**where), progress, watch, together, advise=advise)
    work.question.require_models()
    if recipe is not None:
        if work.search.time_limit is not None:
            raise UsageError(
                "a search that ends by the clock cannot be repeated; leave it or the recipe out", where=argument("time_limit")
            )
        require_free(Path(recipe), work.output.force)
        work.output.require_apart(Path(recipe))
    if schema is None and any(asked.get(name) for name in ROLES) and _undescribed(data):
        schema = describe(data, **{name: asked.get(name) for name in ROLES}, **source)
        # Every attribute that the schema calls sensitive is judged, also one that was not named.
        work = replace(work, question=Question(**{name: value for name, value in asked.items() if name not in ROLES}))
    with opened(data, schema, source) as table:
        if recipe is not None:
            Recipe.require(table, work.question, work.search, work.output)
        result = work.run(table)
        if recipe is not None and isinstance(result, Anonymized):
            question = replace(work.question, floor=result.floor or work.question.floor)
            Recipe.of(table, question, work.search, work.output, result.release).write(Path(recipe), force=work.output.force)
    return result


def _undescribed(data: Any) -> bool:
    return not isinstance(data, Table) and source_of(data).schema is None


def _again(
    recipe: str | PathLike[str] | None,
    other: dict[str, Any],
    where: dict[str, Any],
    progress: Progress | None,
    watch: Watch,
    together: Asked,
) -> Anonymized | Infeasible:
    """The release of a recipe, made again; only where it goes may change."""
    if recipe is None:
        raise UsageError("name a table to anonymize, or a recipe to repeat", where="anonymize")
    how = {name: other.pop(name) for name in ("memory", "threads", "temp", "loops") if name in other}
    for name, value in other.items():
        if value is not None:
            raise UsageError(f"the recipe says it; leave {argument(name)} out, or name the table", where=argument(name))
    known = Recipe.read(recipe)
    work = _Work(known.question, known.search, replace(known.output, **where), progress, watch, together)
    with replace(known.source, **how).open() as table:
        known.require_same(table)
        return work.run(table, known.result)


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    """One run: what is asked, how it is searched for, where it goes, and who watches."""

    question: Question
    search: Search
    output: Output
    progress: Progress | None
    watch: Watch
    together: Asked = None
    advise: bool = False

    def run(self, table: Table, expected: Mapping[str, Any] | None = None) -> Anonymized | Infeasible:
        """Count, search, publish. `expected` is the result of the release that is made again."""
        self.output.require(table)
        clock = Clock()
        self.watch("counting", table.engine)
        problem, prior = problem_of(table, self.question, publishing=True, before=self.search.look_at)
        loss = loss_to_minimize(self.search.minimize, problem)
        clock.lap("count")
        self.watch("searching", None)
        outcome = self.search.run(problem, loss, self.output.seed, self.progress)
        clock.lap("search")
        if isinstance(outcome, NotFound):
            return self._infeasible(problem, outcome.trace, clock)
        if expected is not None:
            _require_expected(outcome, expected)
        policy = _policy(table, problem, outcome, loss, self.output, self.question)
        wanted = self.advise and self.search.algorithm == "optimal" and self.search.toward is None and outcome.trace.complete
        beside = advising(problem, loss, outcome, clock.seconds["search"]) if wanted else nullcontext(lambda: None)
        with beside as advice:
            judge = judge_of(table, policy, self.output, self.together, self.watch)
            release = carry_out(table, policy, problem, self.output, self.watch, judge=judge)
            clock.lap("write")
            result = _anonymized(problem, release, outcome, loss, clock, prior)
            if wanted:
                self.watch("looking for what a small suppression would save", None)
            return replace(result, advice=advice())

    def _infeasible(self, problem: Problem, trace: Trace, clock: Clock) -> Infeasible:
        """The answer that there is none; what would work is looked for in the time that the search has left."""
        from sfumato.search.algorithms.explain import explain

        self.watch("looking for what would work", None)
        seconds, limit, models = MappingProxyType(clock.seconds), self.search.time_limit, tuple(map(str, problem.models))
        why = explain(problem, progress=self.progress, time_limit=None if limit is None else limit - seconds["search"])
        return Infeasible(models, problem.people, problem.limit, trace, why, seconds, problem.counts.node)


def _require_expected(outcome: Found, expected: Mapping[str, Any]) -> None:
    """Refuse another recoding than the one that a recipe records."""
    local = outcome.recoding
    same = outcome.node.as_dict() == expected["node"] if local is None else len(local.classes) == expected["classes"]
    if not same:
        raise NotVerified("the search finds another recoding than the recipe records; nothing was published", where="recipe")


def _policy(table: Table, problem: Problem, outcome: Found, loss: str, output: Output, question: Question) -> Policy:
    """What the search came out with."""
    floor = problem.counts.node
    if outcome.recoding is not None:
        policy = Policy.local(table, outcome.recoding)
    else:
        leaving = PlainEvaluator(problem, []).leaving(outcome.node.levels) if problem.limit else ()
        policy = Policy.at_node(table, outcome.node, suppress=leaving, detailed=output.mapping is not None, floor=floor)
    trace = outcome.trace
    search = {
        "algorithm": trace.algorithm,
        "minimize": loss,
        "nodes": trace.nodes,
        "visited": trace.visited,
        "limit": problem.limit,
        **({"toward": RECOMMENDED} if isinstance(trace.details, Guided) else {}),
        **({} if trace.complete else {"complete": False}),
        **({"floor": floor.as_dict()} if any(floor.levels) else {}),
    }
    digest = table.digest() if output.path else None
    return replace(policy, question=question, limit=problem.limit, table=digest, search=search)


def _anonymized(problem: Problem, release: Release, outcome: Found, loss: str, clock: Clock, prior: str) -> Anonymized:
    kept, suppressed = release.classes, int(release.certificate.suppressed["people"])
    statistics = problem.statistics(kept)
    if outcome.recoding is None:
        # The release was counted no finer than its node; information losses start from the values themselves.
        leaves = problem.counts
        recoded = Recoded(replace(kept, hierarchies=leaves.hierarchies), leaves, suppressed)
        information = {name: INFORMATION[name](recoded) for name in known_of(leaves)}
    else:
        information = {"loss": float(outcome.evaluation["loss"])}
    losses = {name: MappingProxyType(losses_of(kept, each, suppressed)) for name, each in statistics.items()}
    return Anonymized(
        release=release,
        minimize=loss,
        verdicts=release.verdicts,
        losses=MappingProxyType(losses),
        information=MappingProxyType(information),
        removed=Removed.of(problem.priors, kept, suppressed, problem.people),
        trace=outcome.trace,
        seconds=MappingProxyType(clock.seconds),
        prior=prior,
        outcome=outcome if outcome.recoding is None else None,
    )

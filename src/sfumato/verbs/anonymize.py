"""Find the release that satisfies the models at the least loss, and publish it; or say why there is none."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil, floor, isfinite, log10
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sfumato.assessment.assess import Seen, losses
from sfumato.beliefs import Prior
from sfumato.errors import UsageError, unknown
from sfumato.frequency import FrequencySet
from sfumato.losses import Summary
from sfumato.losses.information import INFORMATION, Recoded
from sfumato.models import Verdict
from sfumato.naming import named
from sfumato.question.priors import Stated
from sfumato.question.question import Asked, Models, Share, loss_to_minimize, problem_of, verdicts_of
from sfumato.release import Release, publish
from sfumato.release.publishing import check_places
from sfumato.results import Printed, Rows
from sfumato.search.algorithms.by_name import ALGORITHMS, GUIDES, Algorithm, Options, require_fitting
from sfumato.search.outcome import Found, NotFound, Trace
from sfumato.search.plain import PlainEvaluator
from sfumato.search.problem import Loops, Problem
from sfumato.search.tracing import RECOMMENDED, Guided
from sfumato.table import Table
from sfumato.verbs.explore import opened
from sfumato.vocabulary.node import Node
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    from sfumato.search.algorithms.explain import Explanation, Nearest

Progress = Callable[[int, int], None]
Watch = Callable[[str, Any], None]


@dataclass(frozen=True, slots=True)
class Gone:
    """Who was suppressed, and how their going changes a sensitive attribute: the distance between before and after, value by value."""

    people: int
    share: float
    change: Mapping[str, float]
    shares: Mapping[str, tuple[tuple[Mapping[str, Any], float, float], ...]]

    def as_dict(self) -> dict[str, Any]:
        """For machines; a value that few people hold is not named."""
        rows = {
            name: [{**value, "before": before, "after": after} for value, before, after in each]
            for name, each in self.shares.items()
        }
        return {"people": self.people, "share": self.share, "change": dict(self.change), "distribution": rows}


@dataclass(frozen=True, slots=True, eq=False)
class Anonymized(Printed):
    """A release that was found and published."""

    release: Release
    minimize: str
    verdicts: tuple[Verdict, ...]
    losses: Mapping[str, Mapping[str, Summary]]
    information: Mapping[str, float]
    gone: Gone
    trace: Trace
    seconds: Mapping[str, float]
    prior: str
    found: Found | None = None

    @property
    def status(self) -> str:
        return "found"

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        certificate = self.release.certificate
        first = next(iter(self.losses.values()), {})
        told: dict[str, Any] = {"status": self.status, "minimize": self.minimize, "node": dict(certificate.node)}
        told |= {name: getattr(certificate, name) for name in ("classes", "smallest_class", "people", "rows", "basis")}
        told |= {"suppressed": self.gone.as_dict() | dict(certificate.suppressed)}
        told["models"] = [verdict.as_dict() for verdict in self.verdicts]
        totals = {name: {"total": value} for name, value in self.information.items()}
        told["losses"] = {**{name: asdict(summary) for name, summary in first.items()}, **totals}
        if len(self.losses) > 1:
            told["sensitive"] = [
                {"attribute": name, "losses": {loss: asdict(summary) for loss, summary in each.items()}}
                for name, each in self.losses.items()
            ]
        told |= {"search": self._search(), "count_seconds": self.seconds["count"], "write_seconds": self.seconds["write"]}
        told |= {"minimal": [node.as_dict() for node in self.minimal]} if self.minimal else {}
        return told | {"prior": self.prior, "tolerance": certificate.tolerance}

    @property
    def minimal(self) -> list[Node]:
        """All minimal nodes, where the algorithm finds them."""
        if self.found is None or self.found.all is None:
            return []
        return [Node(self.found.node.attributes, tuple(row)) for row in self.found.all.levels.tolist()]

    @property
    def loss(self) -> float | None:
        """What the release has of the loss that was minimized; None where the search did not measure it."""
        return None if self.found is None else float(self.found.evaluation[self.minimize])

    def _search(self) -> dict[str, Any]:
        trace = self.trace
        told = {"algorithm": trace.algorithm, "nodes": trace.nodes, "visited": trace.visited, "seconds": self.seconds["search"]}
        return told | (trace.details.as_dict() if trace.details else {})

    def table(self) -> Rows:
        """One row per loss."""
        rows: list[tuple[Any, ...]] = [
            (name, attribute, each.max, each.people_mean)
            for attribute, found in self.losses.items()
            for name, each in found.items()
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

    @property
    def status(self) -> str:
        return "infeasible"

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        trace, why = self.trace, self.explanation
        told: dict[str, Any] = {"status": self.status, "asked": list(self.models), "people": self.people, "limit": self.limit}
        told["nearest"] = [
            {**asdict(each), "node": each.node.as_dict() if each.node else None} for each in (why.nearest if why else ())
        ]
        fewest = why.suppression if why else None
        told["suppression"] = fewest and {"people": fewest[0], "share": fewest[0] / self.people, "node": fewest[1].as_dict()}
        search = {"algorithm": trace.algorithm, "nodes": trace.nodes, "visited": trace.visited, "seconds": self.seconds["search"]}
        return told | {"search": search, "count_seconds": self.seconds["count"]}

    def table(self) -> Rows:
        """One row per bound."""
        why = self.explanation.nearest if self.explanation else ()
        signs = {"at_least": "≥", "at_most": "≤"}
        rows = [(e.model, signs[e.direction], e.threshold, e.alone, _rounded(e), _levels(e.node)) for e in why]
        return Rows(("bound", "", "threshold", "nodes that keep it", "nearest that works", "at levels"), tuple(rows))


def _rounded(nearest: Nearest) -> float | int | None:
    """A threshold with four digits, rounded to the side that works."""
    value = nearest.nearest
    if not isinstance(value, float) or value == 0 or not isfinite(value):
        return value
    digits = 10.0 ** (3 - floor(log10(abs(value))))
    return (ceil(value * digits) if nearest.direction == "at_most" else floor(value * digits)) / digits


def _levels(node: Node | None) -> str:
    return "" if node is None else "[" + ",".join(map(str, node.levels)) + "]"


def anonymize(
    source: Any,
    schema: Schema | str | PathLike[str] | None = None,
    *,
    models: Models,
    suppress: Share = 0.0,
    minimize: str | None = None,
    algorithm: str = "optimal",
    toward: str | None = None,
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    prior: Stated | None = None,
    population: Any = None,
    population_size: int | None = None,
    output: str | PathLike[str] | None = None,
    seed: int = 0,
    ledger: str | PathLike[str] | None = None,
    force: bool = False,
    mapping: str | PathLike[str] | None = None,
    memory_limit: str | None = None,
    loops: Loops = Loops.COMPILED,
    options: Options | None = None,
    progress: Progress | None = None,
    watch: Watch = lambda step, engine: None,
) -> Anonymized | Infeasible:
    """Find the node (or, with Mondrian, the local recoding) that satisfies the models at the least loss, and publish it.

    Every model is judged again on the written file. Without `output` the release is kept in memory. `options` are those of the
    algorithm; `progress` is told how far a search is. `toward="recommended"` looks for the node whose classes come nearest to the
    recommended distribution instead.
    """
    search = _search_of(algorithm, toward)
    require_fitting(algorithm, minimize, options or Options())
    asked = Asked(models, suppress, quasi, sensitive, prior, population, population_size, memory_limit, loops)
    with opened(source, schema, memory_limit) as table:
        check_places(table, output, ledger, mapping, force)
        started = time.perf_counter()
        watch("counting", table.engine)
        problem, told = problem_of(table, asked)
        if not problem.models:
            raise UsageError("name at least one model to satisfy, as in k-anonymity:5", where="model")
        loss = loss_to_minimize(minimize, problem)
        counted = time.perf_counter()
        watch("searching", None)
        found = search(problem, loss, (options or Options()).seeded(seed), progress)
        searched = time.perf_counter()
        seconds = {"count": counted - started, "search": searched - counted}
        if isinstance(found, NotFound):
            return _infeasible(problem, found.trace, seconds, watch)
        places = {
            "output": output,
            "seed": seed,
            "ledger": ledger,
            "force": force,
            "mapping": mapping,
            "memory_limit": memory_limit,
        }
        release, verdicts = _published(table, problem, found, loss, {**places, "watch": watch})
        seconds |= {"write": time.perf_counter() - searched}
    return _anonymized(problem, release, verdicts, found, loss, seconds, told)


def _search_of(algorithm: str, toward: str | None) -> Algorithm:
    """The way to search."""
    if algorithm not in ALGORITHMS:
        raise UsageError(unknown("algorithm", algorithm, ALGORITHMS, within="this version"), where="algorithm")
    if toward is None:
        return ALGORITHMS[algorithm]
    if toward not in GUIDES:
        raise UsageError(unknown("guide", toward, GUIDES, within="this version"), where="toward")
    if algorithm != "optimal":
        raise UsageError("guidance is a way to search of its own; leave --algorithm out", where="toward")
    return GUIDES[toward]


def _published(
    table: Table, problem: Problem, found: Found, loss: str, places: Mapping[str, Any]
) -> tuple[Release, tuple[Verdict, ...]]:
    """Publish what was found; the models judge what was read back from the file."""
    verdicts: list[Verdict] = []

    def judge(kept: FrequencySet, suppressed: int) -> Sequence[Verdict]:
        verdicts.extend(verdicts_of(problem, kept, suppressed))
        return verdicts

    trace = found.trace
    search = {
        "algorithm": trace.algorithm,
        "minimize": loss,
        "nodes": trace.nodes,
        "visited": trace.visited,
        "limit": problem.limit,
        **({"toward": RECOMMENDED} if isinstance(trace.details, Guided) else {}),
    }
    if found.recoding is not None:
        release = publish(table, recoding=found.recoding, judge=judge, search=search, **places)
    else:
        leaving = PlainEvaluator(problem, []).leaving(found.node.levels) if problem.limit else ()
        names = problem.counts.node.attributes
        release = publish(table, node=found.node.levels, quasi=names, suppress=leaving, judge=judge, search=search, **places)
    return release, tuple(verdicts)


def _anonymized(
    problem: Problem,
    release: Release,
    verdicts: tuple[Verdict, ...],
    found: Found,
    loss: str,
    seconds: Mapping[str, float],
    prior: str,
) -> Anonymized:
    kept, gone = release.classes, int(release.certificate.suppressed["people"])
    seen = Seen(kept, problem.statistics(kept), gone)
    if found.recoding is None:
        # The release was counted no finer than its node; information losses start from the values themselves.
        leaves = problem.counts
        recoded = Recoded(replace(kept, hierarchies=leaves.hierarchies), leaves, gone)
        information = {name: of(recoded) for name, of in INFORMATION.items()}
    else:
        information = {"loss": float(found.evaluation["loss"])}
    return Anonymized(
        release=release,
        minimize=loss,
        verdicts=verdicts,
        losses=MappingProxyType({name: MappingProxyType(losses(seen, name)) for name in problem.sensitive}),
        information=MappingProxyType(information),
        gone=_gone(problem, kept, gone),
        trace=found.trace,
        seconds=MappingProxyType(dict(seconds)),
        prior=prior,
        found=found if found.recoding is None else None,
    )


def _gone(problem: Problem, kept: FrequencySet, gone: int) -> Gone:
    """How the going of suppressed people changes each sensitive distribution; values held by few are not named."""
    change, shares = {}, {}
    for name in problem.sensitive if gone else ():
        before, after = problem.priors[name], Prior.of(kept, name)
        later = dict(zip(after.values, after.shares.tolist(), strict=True))
        told = zip(named(before), before.shares.tolist(), (later.get(value, 0.0) for value in before.values), strict=True)
        shares[name] = tuple(told)
        change[name] = float(sum((b - a) ** 2 for _, b, a in shares[name]) ** 0.5)
    return Gone(gone, gone / problem.people, MappingProxyType(change), MappingProxyType(shares))


def _infeasible(problem: Problem, trace: Trace, seconds: Mapping[str, float], watch: Watch) -> Infeasible:
    from sfumato.search.algorithms.explain import explain

    watch("looking for what would work", None)
    models = tuple(map(str, problem.models))
    return Infeasible(models, problem.people, problem.limit, trace, explain(problem), MappingProxyType(dict(seconds)))

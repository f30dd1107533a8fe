"""How well count queries are answered from a release: the relative error of each, and its quantiles over a workload."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from sfumato.assessment.published import released as release_in
from sfumato.errors import UsageError, argument
from sfumato.frequency import FrequencySet
from sfumato.learn.answering import Reader, reader_of
from sfumato.learn.given import is_node, node_of
from sfumato.learn.queries import Domain, Query, random_queries, read_queries
from sfumato.naming import FEW
from sfumato.options import divided
from sfumato.question import Question
from sfumato.question.question import JUDGING_OPTIONS, JudgingOptions
from sfumato.release import Release
from sfumato.release.release import reading_of
from sfumato.results import Printed, Rows
from sfumato.table import Table
from sfumato.table.source import SOURCE_OPTIONS, SchemaLike, SourceOptions, opened
from sfumato.verbs.measure import kept_classes
from sfumato.vocabulary.hierarchy import Hierarchy
from sfumato.vocabulary.kinds import Kind, Role

QUANTILES = (0.25, 0.5, 0.75, 0.95, 1.0)
MOST = 1_000_000
_BOUND = 1000  # errors are relative to one row in so many at least: one row more or less says nothing about an answer of one


class QueryOptions(SourceOptions, JudgingOptions, total=False):
    """What `query_errors` takes besides."""


@dataclass(frozen=True, slots=True)
class QueryErrors:
    """One release: what it answers to each query, and how far that is from the truth, relative to it."""

    name: str
    answers: tuple[float, ...]
    errors: tuple[float, ...]

    @property
    def mean(self) -> float:
        return float(np.mean(self.errors))

    def quantiles(self) -> dict[str, float]:
        """The errors that so many of the queries do not exceed."""
        return {f"{share:.0%}": float(value) for share, value in zip(QUANTILES, np.quantile(self.errors, QUANTILES), strict=True)}


@dataclass(frozen=True, slots=True)
class Workload(Printed):
    """Queries, what is true of the original, and the errors of every release. `own`: the queries come from a file."""

    queries: tuple[Query, ...]
    truth: tuple[float, ...]
    releases: tuple[QueryErrors, ...]
    seed: int | None
    own: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For machines. How many people an own query finds is told if nobody, or enough of them to be told of."""
        record: dict[str, Any] = {"queries": len(self.queries), "seed": self.seed, "releases": []}
        for each in self.releases:
            found: dict[str, Any] = {"release": each.name, "mean": each.mean, "quantiles": each.quantiles()}
            if self.own:
                found["answers"] = [dict(zip(("query", "truth", "answer", "error"), row, strict=True)) for row in self.rows(each)]
            record["releases"].append(found)
        return record

    def rows(self, release: QueryErrors) -> list[tuple[str, int | None, float, float]]:
        """Each query with the truth, the answer of a release and its error."""
        truth = [None if 0 < true < FEW else int(true) for true in self.truth]
        names = [query.name for query in self.queries]
        return list(zip(names, truth, release.answers, release.errors, strict=True))

    def table(self) -> Rows:
        """One row per release: the mean and the quantiles of the relative error."""
        heads = ("release", "queries", "mean error", *(f"{share:.0%}" for share in QUANTILES))
        rows = ((each.name, len(self.queries), each.mean, *each.quantiles().values()) for each in self.releases)
        return Rows(heads, tuple(rows))

    def answers(self, release: QueryErrors) -> Rows:
        """One row per query."""
        return Rows(("query", "truth", "answer", "relative error"), tuple(self.rows(release)))


def query_errors(
    original: Any,
    releases: Iterable[Any],
    *,
    schema: SchemaLike | None = None,
    count: int = 1000,
    seed: int = 0,
    queries: str | PathLike[str] | None = None,
    **options: Unpack[QueryOptions],
) -> Workload:
    """How far answers to count queries are off that are taken from a release, not from the original.

    Parameters
    ----------
    original : path, pandas or polars frame, Arrow table, Source, Table
        The table.
    releases : list
        Nodes, releases and published files.
    schema : Schema, path or dict, optional
        What each column is.
    count : int
        How many random queries.
    seed : int
        Their seed.
    queries : path, optional
        A TOML file with queries of your own, in the place of random ones.
    **options
        The fields of `Source` and `Question`: `models` and `suppress` say who leaves at a node.

    Returns
    -------
    Workload
        The relative errors of every release. An error is relative to the true count, or to a thousandth of the rows if that is more.
    """
    source, asked = divided(options, SOURCE_OPTIONS, JUDGING_OPTIONS)
    question, given = Question(**asked), list(releases)
    for name, value, least in (("count", count, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
            raise UsageError(f"a whole number from {least} to {MOST:,}", where=argument(name))
    if not given:
        raise UsageError("name at least one release: a node, or a published file", where="queries")
    with opened(original, schema, source) as table:
        beside = table.schema.names(Role.SENSITIVE) + table.schema.names(Role.PLAIN)
        whole = table.count(question.quasi, sensitive=beside)
        domains, hierarchies = _domains(table, whole)
        asking = random_queries(domains, count, seed) if queries is None else read_queries(Path(queries), domains)
        named = [("the original", whole), *(_released(each, whole, table, question) for each in given)]
    reader, *readers = [reader_of(name, counts, domains, hierarchies) for name, counts in named]
    truth = [reader.answer(query) for query in asking]
    bound = max(1.0, whole.total_rows / _BOUND)
    each = tuple(_errors(one, asking, truth, bound) for one in readers)
    return Workload(tuple(asking), tuple(truth), each, seed if queries is None else None, queries is not None)


def _errors(reader: Reader, queries: Sequence[Query], truth: Sequence[float], bound: float) -> QueryErrors:
    answers = [reader.answer(query) for query in queries]
    errors = (abs(answer - true) / max(true, bound) for answer, true in zip(answers, truth, strict=True))
    return QueryErrors(reader.name, tuple(answers), tuple(errors))


def _domains(table: Table, whole: FrequencySet) -> tuple[list[Domain], dict[str, Hierarchy]]:
    """The columns that queries may name, and what their labels mean."""
    hierarchies = {name: whole.hierarchy(name) for name in whole.node.attributes}
    hierarchies |= {name: payload.hierarchy for name, payload in whole.payloads.items()}
    quasi = set(whole.node.attributes)
    each = hierarchies.items()
    return [Domain(name, _kind(table, name), known.labels[0], name in quasi) for name, known in each], hierarchies


def _kind(table: Table, name: str) -> Kind:
    return table.schema[name].kind or table.engine.kinds.get(name, Kind.TEXT)


def _released(given: Any, whole: FrequencySet, table: Table, question: Question) -> tuple[str, FrequencySet]:
    """The name and the counts of a release: those of a node, or of a file as it stands."""
    given = release_in(given)
    if not isinstance(given, Release) and is_node(given):
        node = node_of(given, table, question.quasi)
        counts = whole.roll_up(node)
        return node.brief(), counts.keep(kept_classes(table, counts, node.as_dict(), question))
    settings = table.source.beside(None)
    plain = [name for name in table.schema.names(Role.PLAIN) if not isinstance(given, Release) or name in given.reading.columns]
    reading = reading_of(given, table.declared, settings, counted=_counted(given, table, plain))
    return reading.name, reading.counts


def _counted(given: Any, table: Table, plain: Sequence[str]) -> list[str]:
    """The plain columns that a file has."""
    if isinstance(given, Release):
        return list(plain)
    engine = table.source.beside(given).open_engine(table.schema)
    try:
        return [name for name in plain if name in engine.kinds]
    finally:
        engine.close()

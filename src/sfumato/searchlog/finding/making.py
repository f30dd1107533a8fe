"""`searchlog find`: how many queries are rare and identify somebody, by kind. The queries themselves are in a file for the owner only."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.commit.call import one_call
from sfumato.commit.places import unwritable
from sfumato.commit.transaction import Transaction
from sfumato.errors import UsageError, argument
from sfumato.inputs import text as text_of
from sfumato.inputs.files import MB
from sfumato.results import Rows
from sfumato.searchlog.files import read_rows, require_suffix, write_rows
from sfumato.searchlog.finding.kinds import KINDS, RETURNING, SELF, kinds_of, named
from sfumato.searchlog.generating.making import PLANTED
from sfumato.searchlog.known import people_table
from sfumato.searchlog.log import Watch, one_row, opened_log, table_of
from sfumato.searchlog.spelling import normalized
from sfumato.table.queries import Queries

BANDS = ((1, 1), (2, 4), (5, 9), (10, 99), (100, None))
FINDINGS = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in ("UserId", "Query", "Kinds")),
        *(pa.field(name, pa.int64(), nullable=False) for name in ("People", "Rows")),
    ]
)
_INCIDENCE = (
    "SELECT Query, UserId, count(*) AS Rows, CASE WHEN max(Time) >= min(Time) + INTERVAL '86400' SECOND THEN 1 ELSE 0 END AS Days "
    "FROM log GROUP BY Query, UserId"
)
_BY_QUERY = "SELECT Query, count(*) AS People, CAST(sum(Rows) AS BIGINT) AS Rows, max(Days) AS Days FROM incidence GROUP BY Query"


@dataclass(frozen=True, slots=True)
class Kind:
    """How many different queries are of a kind, and how many people have searched one and in how many rows."""

    kind: str
    queries: int
    people: int
    rows: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found in a log: counts, no query. `bands` are (from, to, queries, rows) by the number of people of a query; `unique_people`
    have a query that nobody else has; `several_kinds` are people with findings of two kinds or more. `scores` are (kind, planted, rare,
    of a kind) where the truth is known."""

    rows: int
    people: int
    queries: int
    threshold: int
    rare: int
    rare_rows: int
    unique_people: int
    several_kinds: int
    bands: tuple[tuple[int, int | None, int, int], ...]
    kinds: tuple[Kind, ...]
    scores: tuple[tuple[str, int, int, int], ...]
    file: Path | None

    def table(self) -> Rows:
        """One row per kind."""
        return Rows(
            ("kind", "queries", "people", "rows"), tuple((each.kind, each.queries, each.people, each.rows) for each in self.kinds)
        )

    def as_dict(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in ("rows", "people", "queries", "threshold", "rare", "rare_rows")}
        kinds = [{"kind": each.kind, "queries": each.queries, "people": each.people, "rows": each.rows} for each in self.kinds]
        bands = [dict(zip(("from", "to", "queries", "rows"), each, strict=True)) for each in self.bands]
        scores = [dict(zip(("kind", "planted", "rare", "of_a_kind"), each, strict=True)) for each in self.scores]
        more = {"unique_people": self.unique_people, "several_kinds": self.several_kinds, "bands": bands, "kinds": kinds}
        return {**plain, **more, "scores": scores, "file": None if self.file is None else str(self.file)}


def find(
    log: Any,
    output: str | PathLike[str] | None = None,
    *,
    threshold: int = 10,
    names: str | PathLike[str] | None = None,
    people: str | PathLike[str] | None = None,
    known: Sequence[str] = ("LastName",),
    truth: str | PathLike[str] | None = None,
    force: bool = False,
    watch: Watch | None = None,
    **options: Any,
) -> Findings:
    """Find the queries by which somebody can be recognized.

    Parameters
    ----------
    log : path, frame or Arrow table
        The log; also a folder that `generate` has written.
    output : path, optional
        A Parquet file of the findings, for the owner alone: it names people and queries.
    threshold : int
        A query with fewer people is rare.
    names : path, optional
        A file of names, one a line.
    people : path, optional
        A Parquet file with `UserId` and what is known of people, to find searches for themselves.
    known : list of str
        The columns of `people` that are looked for.
    truth : path, optional
        The planted queries of `generate`, to score what was found; it decides nothing.
    force : bool
        Replace what is there.
    watch : function, optional
        Called with each step and the engine.
    **options
        Those of a `Source`: `engine`, `memory`, `threads`, `temp`, `master`, `conf`.
    """
    if threshold < 2:
        raise UsageError("with a threshold below 2 no query is rare; 10 is usual", where=argument("threshold"))
    step, file = watch or (lambda name, engine: None), None if output is None else Path(output)
    if file is not None:
        require_suffix(file, ".parquet")
    listed, planted = _names(names), None if truth is None else _planted(Path(truth))
    with one_call(), opened_log(log, options) as queries:
        step("counting people per query", queries.engine)
        queries.keep("incidence", _INCIDENCE)
        queries.keep("by_query", _BY_QUERY)
        step("looking at rare queries", queries.engine)
        queries.add("kinds", _classified(queries, threshold, listed))
        own = _own(queries, people, known)
        returning = f"CASE WHEN by_query.People = 1 AND by_query.Days = 1 THEN {1 << KINDS.index(RETURNING)} ELSE 0 END"
        queries.keep(
            "findings",
            f"SELECT incidence.UserId AS UserId, incidence.Query AS Query, by_query.People AS People, incidence.Rows AS Rows, "
            f"CAST(coalesce(kinds.Bits, 0) + {returning} + {own} AS INT) AS Bits FROM incidence JOIN by_query "
            f"ON incidence.Query = by_query.Query LEFT JOIN kinds ON incidence.Query = kinds.Query "
            f"{'LEFT JOIN people ON incidence.UserId = people.UserId' if people else ''} WHERE by_query.People < {threshold}",
        )
        if file is not None:
            _write(queries, file, force)
        return _found(queries, threshold, planted, file)


def _names(path: str | PathLike[str] | None) -> Collection[str]:
    if path is None:
        return ()
    lines = text_of(Path(path), 64 * MB).splitlines()
    return {each for each in normalized(pa.array(lines, pa.string())).to_pylist() if each}


def _classified(queries: Queries, threshold: int, names: Collection[str]) -> pa.Table:
    """The rare queries that look like something, with their kinds."""
    texts, bits = [], []
    for batch in queries.batches(f"SELECT Query FROM by_query WHERE People < {threshold}"):
        found = kinds_of(batch.column("Query"), names)
        texts.append(batch.column("Query").cast(pa.string()).take(pa.array(np.flatnonzero(found))))
        bits.append(found[found > 0])
    whole = pa.chunked_array(texts, pa.string())
    return pa.table({"Query": whole, "Bits": pa.array(np.concatenate([np.zeros(0, np.int32), *bits]), pa.int32())})


def _own(queries: Queries, people: str | PathLike[str] | None, known: Sequence[str]) -> str:
    """The bit of a search for oneself, in SQL."""
    if people is None:
        return "0"
    queries.add("people", people_table(Path(people), known))
    query = "concat(' ', incidence.Query, ' ')"
    tests = (f"replace({query}, concat(' ', people.known{place}, ' '), '') <> {query}" for place in range(len(known)))
    return f"CASE WHEN {' OR '.join(tests)} THEN {1 << KINDS.index(SELF)} ELSE 0 END"


def _write(queries: Queries, file: Path, force: bool) -> None:
    """The findings that are of a kind, with the names of their kinds."""

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in queries.batches("SELECT * FROM findings WHERE Bits > 0 ORDER BY UserId, Query"):
            kinds = pa.array([" ".join(named(bits)) for bits in batch.column("Bits").to_pylist()], pa.string())
            columns = [batch.column(name) for name in ("UserId", "Query")]
            counts = [batch.column(name).cast(pa.int64()) for name in ("People", "Rows")]
            yield pa.record_batch([*(each.cast(pa.string()) for each in columns), kinds, *counts], schema=FINDINGS)

    try:
        with Transaction(force=force) as transaction:
            write_rows(transaction.stage(file, private=True), FINDINGS, batches())
            transaction.commit()
    except OSError as error:
        raise unwritable(file, error) from None


def _found(queries: Queries, threshold: int, planted: pa.Table | None, file: Path | None) -> Findings:
    whole = one_row(queries, "SELECT CAST(sum(Rows) AS BIGINT) AS n, count(DISTINCT UserId) AS people FROM incidence")
    count = one_row(queries, "SELECT count(*) AS n FROM by_query")["n"]
    rare = one_row(
        queries, f"SELECT count(*) AS n, CAST(coalesce(sum(Rows), 0) AS BIGINT) AS m FROM by_query WHERE People < {threshold}"
    )
    unique = one_row(queries, "SELECT count(DISTINCT UserId) AS n FROM findings WHERE People = 1")["n"]
    kinds = tuple(_kind(queries, place, kind) for place, kind in enumerate(KINDS))
    shown = tuple(each for each in kinds if each.queries)
    several = _several(queries)
    bands = tuple(_band(queries, low, high) for low, high in BANDS)
    scores = () if planted is None else _scores(queries, planted)
    counts = whole["n"], whole["people"], count, threshold, rare["n"], rare["m"], unique, several
    return Findings(*counts, bands, shown, scores, file)


def _has(place: int) -> str:
    """Whether a finding is of a kind; engines write bits in ways of their own."""
    return f"CAST(floor(Bits / {1 << place}.0) AS INT) % 2 = 1"


def _kind(queries: Queries, place: int, kind: str) -> Kind:
    row = one_row(
        queries,
        "SELECT count(DISTINCT Query) AS q, count(DISTINCT UserId) AS p, CAST(coalesce(sum(Rows), 0) AS BIGINT) AS r "
        f"FROM findings WHERE {_has(place)}",
    )
    return Kind(kind, row["q"], row["p"], row["r"])


def _several(queries: Queries) -> int:
    """People with findings of two kinds, not counting that they came back to one."""
    kinds = (f"max(CASE WHEN {_has(place)} THEN 1 ELSE 0 END)" for place, kind in enumerate(KINDS) if kind != RETURNING)
    each = f"SELECT UserId, {' + '.join(kinds)} AS n FROM findings WHERE Bits > 0 GROUP BY UserId"
    return int(one_row(queries, f"SELECT count(*) AS n FROM ({each}) AS each_one WHERE n >= 2")["n"])


def _band(queries: Queries, low: int, high: int | None) -> tuple[int, int | None, int, int]:
    within = f"People >= {low}" + ("" if high is None else f" AND People <= {high}")
    row = one_row(queries, f"SELECT count(*) AS n, CAST(coalesce(sum(Rows), 0) AS BIGINT) AS m FROM by_query WHERE {within}")
    return low, high, row["n"], row["m"]


def _planted(truth: Path) -> pa.Table:
    """What `generate` has planted, from its file or folder."""
    return read_rows(truth / "planted.parquet" if truth.is_dir() else truth, PLANTED, "sfumato searchlog generate")


def _scores(queries: Queries, planted: pa.Table) -> tuple[tuple[str, int, int, int], ...]:
    """Of the planted queries of each kind: how many are rare, and how many of these look like something."""
    queries.add("planted", planted)
    counted = (
        "SELECT Kind, count(*) AS n, count(findings.Query) AS rare, count(CASE WHEN findings.Bits > 0 THEN 1 END) AS m FROM planted "
        "LEFT JOIN findings ON planted.UserId = findings.UserId AND planted.Query = findings.Query GROUP BY Kind ORDER BY Kind"
    )
    return tuple((row["Kind"], row["n"], row["rare"], row["m"]) for row in table_of(queries, counted).to_pylist())

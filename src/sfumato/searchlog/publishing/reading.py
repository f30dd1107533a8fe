"""A published log as it is read, and everything that is counted in it. The publisher and whoever verifies count in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.searchlog.files import read_rows
from sfumato.searchlog.log import one_row
from sfumato.searchlog.publishing import sql
from sfumato.searchlog.publishing.limits import Periods
from sfumato.table.queries import Queries

RELEASED = pa.schema(
    [
        pa.field("Id", pa.int64(), nullable=False),
        pa.field("Period", pa.int32(), nullable=False),
        pa.field("Query", pa.string(), nullable=False),
        pa.field("Time", pa.timestamp("us"), nullable=False),
        pa.field("Rank", pa.int32()),
        pa.field("URL", pa.string()),
    ]
)
COUNTS = pa.schema([RELEASED.field("Period"), RELEASED.field("Query"), pa.field("People", pa.int64(), nullable=False)])
OWNERS = pa.schema([RELEASED.field("Id"), pa.field("UserId", pa.string(), nullable=False)])
_MAKER = "sfumato searchlog publish"


def read_release(path: Path) -> pa.Table:
    """The rows of a published log."""
    return read_rows(path, RELEASED, _MAKER)


def read_counts(path: Path) -> pa.Table:
    """The counts of a private release."""
    return read_rows(path, COUNTS, _MAKER)


@contextmanager
def opened_release(release: pa.Table, options: Mapping[str, Any], owners: Path | None = None) -> Iterator[Queries]:
    """The rows of a published log as the table `released` of plain SQL, with `owners` beside it if these are known."""
    with Queries(release, "released", **options) as queries:
        if owners is not None:
            queries.add("owners", read_rows(owners, OWNERS, f"{_MAKER} --owners"))
        yield queries


def counted(queries: Queries, times: str, periods: Periods) -> dict[str, int]:
    """What anybody can count in a published log. It keeps the rows as numbers, in the table `coded`."""
    for column, name in (("Query", "query_numbers"), ("URL", "url_numbers")):
        different = f"SELECT {column} FROM released WHERE {column} IS NOT NULL GROUP BY {column}"
        queries.keep(name, f"SELECT {column}, row_number() OVER (ORDER BY {column}) AS Number FROM ({different}) AS each_one")
    queries.keep(
        "coded",
        "SELECT Id, Period, query_numbers.Number AS Query, url_numbers.Number AS URL, Rank, "
        f"CASE WHEN Time <> date_trunc('{times}', Time) THEN 1 ELSE 0 END AS Finer, "
        f"CASE WHEN {sql.in_its_period(times, periods)} THEN 0 ELSE 1 END AS Misplaced FROM released "
        "JOIN query_numbers ON released.Query = query_numbers.Query LEFT JOIN url_numbers ON released.URL = url_numbers.URL",
    )
    row = one_row(
        queries,
        "SELECT count(*) AS rows_in, count(URL) AS clicks, count(DISTINCT Query) AS queries, count(DISTINCT URL) AS urls, "
        "count(CASE WHEN Rank IS NOT NULL AND URL IS NULL THEN 1 END) AS ranks_alone, "
        "CAST(coalesce(sum(Finer), 0) AS BIGINT) AS finer_times, CAST(coalesce(sum(Misplaced), 0) AS BIGINT) AS outside_their_period "
        "FROM coded",
    )
    of_ids = one_row(
        queries,
        "SELECT count(*) AS ids, max(n) AS most, count(CASE WHEN low < high THEN 1 END) AS spread FROM "
        "(SELECT Id, count(*) AS n, min(Period) AS low, max(Period) AS high FROM coded GROUP BY Id) AS each_one",
    )
    found = {"rows": row.pop("rows_in"), "ids": of_ids["ids"], **row, "most_rows_of_an_id": of_ids["most"] or 0}
    found["ids_in_several_periods"] = of_ids["spread"]
    for column in ("Query", "URL"):
        found[f"least_ids_of_a_{_word(column)}"] = _least(queries, "coded", column, "Id")
    return {name: int(value) for name, value in found.items()}


def foreign_owners(queries: Queries) -> int:
    """How many owners are of an id that the release does not have, or that has an owner already; after what anybody can count."""
    ids = "(SELECT Id FROM coded GROUP BY Id) AS known"
    row = one_row(
        queries, f"SELECT count(*) AS n, count(DISTINCT known.Id) AS ids FROM owners LEFT JOIN {ids} ON owners.Id = known.Id"
    )
    return int(row["n"] - row["ids"])


def counted_people(queries: Queries) -> dict[str, int]:
    """What the owner can count, after what anybody can: the same with people in the place of ids."""
    queries.keep(
        "persons",
        "SELECT UserId, row_number() OVER (ORDER BY UserId) AS Person FROM (SELECT UserId FROM owners GROUP BY UserId) AS each_one",
    )
    numbered = "(SELECT Id AS Own, Person FROM owners JOIN persons ON owners.UserId = persons.UserId) AS owned"
    queries.keep("owned", f"SELECT Person, Period, Query, URL FROM coded JOIN {numbered} ON coded.Id = owned.Own")
    row = one_row(queries, "SELECT count(*) AS n, count(DISTINCT Person) AS people FROM owned")
    most = one_row(
        queries, "SELECT max(n) AS n FROM (SELECT Person, Period, count(*) AS n FROM owned GROUP BY Person, Period) AS each_one"
    )
    found = {"owned_rows": row["n"], "people": row["people"], "most_rows_of_a_person": most["n"] or 0}
    for column in ("Query", "URL"):
        found[f"least_people_of_a_{_word(column)}"] = _least(queries, "owned", column, "Person")
    return {name: int(value) for name, value in found.items()}


def _word(column: str) -> str:
    return column.lower()


def _least(queries: Queries, source: str, column: str, who: str) -> int:
    """The fewest ids or people that a query or URL has in a period; 0 if there is none."""
    pairs = f"SELECT Period, {column}, {who} FROM {source} WHERE {column} IS NOT NULL GROUP BY Period, {column}, {who}"
    each = f"SELECT count(*) AS n FROM ({pairs}) AS pairs GROUP BY Period, {column}"
    return int(one_row(queries, f"SELECT min(n) AS n FROM ({each}) AS each_one")["n"] or 0)


def counted_counts(table: pa.Table) -> dict[str, int]:
    """What anybody can count in a private release."""
    counts = table.column("People")
    pairs = table.select(["Period", "Query"]).group_by(["Period", "Query"]).aggregate([])
    return {
        "rows": table.num_rows,
        "queries": pc.count_distinct(table.column("Query")).as_py(),
        "least_count": pc.min(counts).as_py() or 0,
        "repeated": table.num_rows - pairs.num_rows,
        "last_period": pc.max(table.column("Period")).as_py() or 0,
    }

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
def opened_release(path: Path, options: Mapping[str, Any], owners: Path | None = None) -> Iterator[Queries]:
    """A published log as the table `released` of plain SQL, with `owners` beside it if these are known."""
    with Queries(read_release(path), "released", **options) as queries:
        if owners is not None:
            queries.add("owners", read_rows(owners, OWNERS, f"{_MAKER} --owners"))
        yield queries


def counted(queries: Queries, times: str) -> dict[str, int]:
    """What anybody can count in a published log."""
    row = one_row(
        queries,
        "SELECT count(*) AS rows_in, count(URL) AS clicks, count(DISTINCT Id) AS ids, count(DISTINCT Query) AS queries, "
        "count(DISTINCT URL) AS urls, count(CASE WHEN Rank IS NOT NULL AND URL IS NULL THEN 1 END) AS ranks_alone, "
        f"count(CASE WHEN Time <> date_trunc('{times}', Time) THEN 1 END) AS finer_times FROM released",
    )
    most = one_row(queries, "SELECT max(n) AS n FROM (SELECT Id, count(*) AS n FROM released GROUP BY Id) AS each_one")
    spread = one_row(
        queries, "SELECT count(*) AS n FROM (SELECT Id FROM released GROUP BY Id HAVING min(Period) < max(Period)) AS each_one"
    )
    found = {"rows": row.pop("rows_in"), **row, "most_rows_of_an_id": most["n"] or 0, "ids_in_several_periods": spread["n"]}
    for column in ("Query", "URL"):
        found[f"least_ids_of_a_{_word(column)}"] = _least(queries, "released", column, "Id")
    return {name: int(value) for name, value in found.items()}


def counted_people(queries: Queries) -> dict[str, int]:
    """What the owner can count: the same with people in the place of ids."""
    owned = "(SELECT owners.UserId AS UserId, Period, Query, URL FROM released JOIN owners ON released.Id = owners.Id) AS owned"
    row = one_row(queries, f"SELECT count(*) AS n, count(DISTINCT UserId) AS people FROM {owned}")
    most = one_row(
        queries, f"SELECT max(n) AS n FROM (SELECT UserId, Period, count(*) AS n FROM {owned} GROUP BY UserId, Period) AS each_one"
    )
    found = {"owned_rows": row["n"], "people": row["people"], "most_rows_of_a_person": most["n"] or 0}
    for column in ("Query", "URL"):
        found[f"least_people_of_a_{_word(column)}"] = _least(queries, owned, column, "UserId")
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

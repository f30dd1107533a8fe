"""The order of a release: rows shuffled by a seeded hash of what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sfumato.engines.duckdb.sql import SQL, in_part

_LISTED = 512


def counted(rows: str, columns: Sequence[str], *, owner: bool = False) -> str:
    """Rows with these columns: equal ones once with their count `k` or, if there are owners, each with its owner's number `o` and its
    number `n` among equal rows. To count is quicker than to number."""
    listed = ", ".join(columns)
    if owner:
        return f"SELECT {listed}, o, {SQL.number_among(columns, owner=True)} - 1 AS n FROM ({rows})"
    return f"SELECT {listed}, count(*) AS k FROM ({rows}) GROUP BY ALL"


def shuffled(
    counted: str,
    columns: Sequence[str],
    seed: int,
    *,
    owner: bool = False,
    binary: Iterable[str] = (),
    part: tuple[int, int] = (0, 1),
) -> str:
    """Counted rows with their number `n` among equal rows and, if there are owners, their owner's number `o`, in an order that reveals
    nothing about the source; the first or another part of so many, which follow each other.

    The number of a row is in its hash, so that equal rows are not adjacent. Counted rows are written out one by one, some hundreds at a
    time, since the engine holds the numbers of many classes at once.
    """
    listed = ", ".join(columns)
    order = SQL.shuffled_by([*columns, "n"], seed, binary)
    where = f"WHERE {in_part(order, *part)}"
    if owner:
        return f"SELECT {listed}, n, o FROM ({counted}) {where} ORDER BY {order}"
    begun = f"SELECT {listed}, k, unnest(range(0, k, {_LISTED})) AS b FROM ({counted})"
    each = f"SELECT {listed}, unnest(range(b, least(b + {_LISTED}, k))) AS n FROM ({begun})"
    return f"SELECT {listed}, n FROM ({each}) {where} ORDER BY {order}"

"""How the rows of a published file are arranged, on every engine; and what none of them is.

The order of a release says nothing, and must not: an id that is a large number, or a row in another place than that of its time and text,
could tell something of whom it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.errors import several
from sfumato.searchlog.spelling import normalized


def misplaced(table: pa.Table) -> Iterator[str]:
    """What is wrong with the order of published rows, their ids, queries or ranks. Rows are in the order of ids, 1 to n, then of the coarse
    time, the query, the URL (none comes first) and the rank; texts in that of their bytes."""
    if not table.num_rows:
        return
    ids = table.column("Id")
    steps = pc.subtract(ids[1:], ids[:-1])
    first, in_order = ids[0].as_py(), pc.all(pc.greater_equal(steps, 0), min_count=0).as_py()
    if first != 1 or not in_order or pc.any(pc.greater(steps, 1), min_count=0).as_py():
        yield "the ids are not the numbers from 1, in order"
        return
    columns = [ids, table.column("Time"), table.column("Query"), _filled(table, "URL", ""), _filled(table, "Rank", 0)]
    if count := _backward(columns):
        yield f"{several(count, 'row is', 'rows are')} before what the time, the query, the URL or the rank puts first"
    if count := _odd(table.column("Query")):
        yield f"{several(count, 'query is', 'queries are')} not as queries are compared"
    if (pc.min(table.column("Rank")).as_py() or 1) < 1:
        yield "a rank is below 1"


def misplaced_counts(table: pa.Table) -> Iterator[str]:
    """The same of noisy counts: in the order of periods, from 1, and in each the largest first; equal ones in that of the queries."""
    if not table.num_rows:
        return
    if pc.min(table.column("Period")).as_py() < 1:
        yield "a count is of a period before the first"
    if count := _backward([table.column("Period"), pc.negate(table.column("People")), table.column("Query")]):
        yield f"{several(count, 'count is', 'counts are')} before what the period, the number or the query puts first"
    if count := _odd(table.column("Query")):
        yield f"{several(count, 'query is', 'queries are')} not as queries are compared"


def _filled(table: pa.Table, name: str, value: Any) -> Any:
    return pc.fill_null(table.column(name), value)


def _backward(columns: Sequence[Any]) -> int:
    """How many rows are less than the one before them, by the first column in which these two differ."""
    less: Any = pa.scalar(False)
    for column in reversed(columns):
        one, next_one = column[:-1], column[1:]
        less = pc.or_(pc.less(next_one, one), pc.and_(pc.equal(next_one, one), less))
    return int(pc.sum(less).as_py() or 0)


def _odd(queries: Any) -> int:
    """How many different queries are not normalized."""
    different = pc.unique(queries)
    return int(pc.sum(pc.not_equal(normalized(different), different)).as_py() or 0)

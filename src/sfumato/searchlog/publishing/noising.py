"""Counts of people per query, and the noise on them."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pyarrow as pa

from sfumato.errors import UsageError, argument
from sfumato.operations.laplace import noisy
from sfumato.searchlog.log import table_of
from sfumato.searchlog.publishing import sql
from sfumato.searchlog.publishing.limits import Limits
from sfumato.searchlog.publishing.private import Privacy
from sfumato.searchlog.publishing.reading import COUNTS
from sfumato.table.queries import Queries

_PAIR = "UserId, Period, Query"


def require_noise() -> None:
    """Say in one line that the extra is not installed, before the work."""
    try:
        import_module("opendp")
    except ImportError:
        raise UsageError("needs the extra 'dp': pip install 'sfumato[dp]'", where=argument("private")) from None


def people_of_queries(queries: Queries, limits: Limits, secret: str) -> pa.Table:
    """How many people each query has in each period, of those with enough; every person counts for a declared number of queries."""
    assert limits.per_person is not None  # noqa: S101  a private release declares it
    source = f"SELECT {_PAIR} FROM ({sql.inside(limits.periods)}) AS within GROUP BY {_PAIR}"
    queries.keep("different", source)
    queries.keep("heavy", sql.heavy("SELECT UserId, Period FROM different", limits.per_person))
    queries.keep("bounded", sql.bounded(f"SELECT {_PAIR} FROM different", limits.per_person, secret, _PAIR, "Query"))
    table = table_of(queries, f"{sql.common('bounded', 'Query', limits.threshold)} ORDER BY Period, Query")
    return table.select(COUNTS.names).cast(COUNTS) if table.num_rows else COUNTS.empty_table()


def noisy_counts(counts: pa.Table, privacy: Privacy) -> pa.Table:
    """The counts with noise that are beyond the threshold, the largest of a period first."""
    if not counts.num_rows:
        return counts
    people = np.asarray(counts.column("People").to_numpy(), np.int64)
    changed = noisy(people, privacy.scale, privacy.changes, privacy.epsilon)
    shown = changed >= privacy.least
    table = counts.filter(pa.array(shown)).set_column(2, COUNTS.field("People"), pa.array(changed[shown]))
    return table.sort_by([("Period", "ascending"), ("People", "descending"), ("Query", "ascending")]).combine_chunks()

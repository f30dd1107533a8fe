"""A search log: one row per query, or per click on one of its results. The columns are those of the lecture's table.

Whoever reads a log opens it here. What SQL would silently misread is refused: a log without people, queries that are not normalized, ranks
without a click. Rows may be in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.commit.call import one_call
from sfumato.errors import DataError, several
from sfumato.searchlog.spelling import normalized, not_plain, shown, trimmed
from sfumato.table.queries import Queries

Watch = Callable[[str, Any], None]  # is called with each step and the engine
FILE = "log.parquet"  # in a folder that `generate` has written
LOG = pa.schema(
    [
        pa.field("UserId", pa.string(), nullable=False),
        pa.field("Query", pa.string(), nullable=False),
        pa.field("Time", pa.timestamp("us"), nullable=False),
        pa.field("Rank", pa.int32()),
        pa.field("URL", pa.string()),
    ]
)
_KINDS = {"UserId": "text", "Query": "text", "Time": "timestamp", "Rank": "integer", "URL": "text"}
_EXACT = 2**53  # beyond it, decimals are not every whole number
_IMPORT = "'sfumato searchlog import' makes one"
_WRONG = {
    "a row without a person": "UserId IS NULL OR UserId = ''",
    "a row without a query": "Query IS NULL OR Query = ''",
    "a row without a time": "Time IS NULL",
    # Engines may differ in what a small letter is, and not in whether a small one is small.
    "a query that is not normalized (case, blanks)": "lower(Query) <> Query OR trim(Query) <> Query OR Query LIKE '%  %'",
    "a rank without a URL, or a rank that is none": "Rank < 1 OR Rank > 2147483647 OR (Rank IS NOT NULL AND URL IS NULL)",
}
# What SQL cannot compare is compared here, each text once.
_SPELLINGS = {
    "UserId": {
        "a person with blanks around or signs that nobody sees": trimmed,
        "a person in another Unicode form than the compatible one (NFKC)": shown,
    },
    "Query": {"a query that is not normalized (form, signs that nobody sees)": normalized},
}


def file_of(log: Any) -> Any:
    """The log in a folder of `generate`; anything else as it is."""
    if isinstance(log, str | PathLike) and (Path(log) / FILE).is_file():
        return str(Path(log) / FILE)
    return log


def _with_whole_ranks(log: Any) -> Any:
    """A frame of pandas writes whole numbers with gaps as decimals; with any other decimal it stays as it is, and is refused."""
    if not type(log).__module__.startswith("pandas") or "Rank" not in log:
        return log
    ranks = log["Rank"]
    if getattr(getattr(ranks, "dtype", None), "kind", None) != "f":  # a name that is there twice has no type
        return log
    whole = ranks.isna() | ((ranks.abs() < _EXACT) & (ranks % 1 == 0))
    return log.assign(Rank=ranks.astype("Int64")) if whole.all() else log


@contextmanager
def opened_log(log: Any, options: Mapping[str, Any]) -> Iterator[Queries]:
    """The rows of a log, as the table `log` of plain SQL."""
    with one_call(), Queries(_with_whole_ranks(file_of(log)), "log", **options) as queries:
        _require_columns(queries)
        _require_sound(queries)
        yield queries


def _require_columns(queries: Queries) -> None:
    kinds = {name: str(kind.value) for name, kind in queries.columns.items()}
    missing = [name for name in _KINDS if name not in kinds]
    if missing:
        names = ", ".join(map(repr, missing))
        raise DataError(f"no search log: no column {names}; {_IMPORT}", where=queries.source.name)
    for name, expected in _KINDS.items():
        if kinds[name] != expected:
            raise DataError(f"is of type {kinds[name]}, not {expected}; {_IMPORT}", where=f"column {name!r}")


def _require_sound(queries: Queries) -> None:
    counts = ", ".join(f"count(CASE WHEN {test} THEN 1 END) AS n{place}" for place, test in enumerate(_WRONG.values()))
    row = one_row(queries, f"SELECT count(*) AS n, {counts} FROM log")
    if not row["n"]:
        raise DataError("an empty log; is it the right file?", where=queries.source.name)
    for place, wrong in enumerate(_WRONG):
        if row[f"n{place}"]:
            raise _unsound(queries, wrong, several(row[f"n{place}"], "row"))
    for name, rules in _SPELLINGS.items():
        _require_spelled(queries, name, rules)


def _require_spelled(queries: Queries, name: str, rules: Mapping[str, Callable[[Any], Any]]) -> None:
    """Refuse a column with texts that are not as each rule makes them."""
    counts: Counter[str] = Counter()
    for batch in queries.batches(f"SELECT {name} FROM log GROUP BY {name}"):
        odd = not_plain(batch.column(name).cast(pa.string()))
        counts.update({wrong: pc.sum(pc.not_equal(right(odd), odd)).as_py() or 0 for wrong, right in rules.items()})
    for wrong in rules:
        if counts[wrong]:
            raise _unsound(queries, wrong, several(counts[wrong], "spelling"))


def _unsound(queries: Queries, wrong: str, count: str) -> DataError:
    return DataError(f"{wrong}: {count}; 'sfumato searchlog import' sets such rows right or aside", where=queries.source.name)


def one_row(queries: Queries, query: str) -> dict[str, Any]:
    """The only row of a query."""
    return next(row for batch in queries.batches(query) for row in batch.to_pylist())


def table_of(queries: Queries, query: str) -> pa.Table:
    """All rows of a query, which has few."""
    batches = [batch for batch in queries.batches(query) if batch.num_rows]
    if batches:
        return pa.Table.from_batches(batches)
    return pa.table({})

"""From the columns of a log as it comes to those of the table, a batch at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.searchlog.importing.times import Times, as_text
from sfumato.searchlog.log import LOG
from sfumato.searchlog.spelling import normalized, person

_NOTHING = "-"  # what some logs have in the place of a query that is not in them
REASONS = ("no user", "no query", "no time, or a malformed one")
USUAL = Times()


@dataclass(frozen=True, slots=True, eq=False)
class Cleaned:
    """Rows of the table, and for each row of the log the reason why it is none: its place in `REASONS`, or -1. `unranked` are rows whose
    rank was left out."""

    rows: pa.RecordBatch
    reasons: npt.NDArray[np.int64]
    unranked: int


def cleaned(batch: pa.RecordBatch, mapping: Mapping[str, str], times: Times = USUAL) -> Cleaned:
    """The rows of a batch."""
    columns = {field: as_text(batch.column(name), name) for field, name in mapping.items() if field != "time"}
    count, nothing = batch.num_rows, pa.nulls(batch.num_rows, pa.string())
    user, query = _some(person(columns["user"])), _some(normalized(columns["query"]))
    query = pc.if_else(pc.equal(query, _NOTHING), pa.scalar(None, pa.string()), query)
    time = times.read(batch.column(mapping["time"]), mapping["time"])
    url = _some(pc.utf8_trim_whitespace(columns.get("url", nothing)))
    rank, unranked = _ranks(columns.get("rank", nothing), url)
    reasons = np.full(count, -1, np.int64)
    for place, column in reversed(list(enumerate((user, query, time)))):
        reasons[np.asarray(pc.is_null(column))] = place
    table = pa.record_batch([_array(each) for each in (user, query, time, rank, url)], schema=_OPEN)
    lost = np.asarray(unranked.to_numpy(zero_copy_only=False), bool) & (reasons < 0)
    return Cleaned(table.filter(pa.array(reasons < 0)), reasons, int(lost.sum()))


_OPEN = pa.schema([field.with_nullable(True) for field in LOG])


def _array(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _some(texts: Any) -> Any:
    """Texts; null for those with nothing in them."""
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)


def moments(column: Any, name: str = "time") -> Any:
    """Times in whole seconds, as logs usually write them; null for what is none."""
    return USUAL.read(column, name)


def _ranks(texts: Any, url: Any) -> tuple[Any, Any]:
    """Ranks from 1, of rows with a click; and which were none."""
    text = _some(pc.utf8_trim_whitespace(texts))
    whole = pc.replace_substring_regex(text, r"[.]0+$", "")
    sound = pc.and_(pc.match_substring_regex(whole, "^[1-9][0-9]{0,8}$"), pc.is_valid(url))
    rank = pc.if_else(sound, whole, pa.scalar(None, pa.string())).cast(pa.int32())
    return rank, pc.and_(pc.is_valid(text), pc.is_null(rank))

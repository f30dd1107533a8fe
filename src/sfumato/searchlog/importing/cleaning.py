"""From the columns of a log as it comes to those of the table, a batch at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.errors import DataError, raise_alone
from sfumato.searchlog.log import LOG
from sfumato.searchlog.spelling import normalized, shown

_ISO = r"^(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[ T](?P<minute>[0-9]{2}:[0-9]{2})(?P<second>:[0-9]{2})?(?:[.,][0-9]+)?Z?$"
_COUNT = "^[0-9]{9,10}$"  # seconds since 1970
_NOTHING = "-"  # what some logs have in the place of a query that is not in them
REASONS = ("no user", "no query", "no time, or a malformed one")


@dataclass(frozen=True, slots=True, eq=False)
class Cleaned:
    """Rows of the table, and for each row of the log the reason why it is none: its place in `REASONS`, or -1. `unranked` are rows whose
    rank was left out."""

    rows: pa.RecordBatch
    reasons: npt.NDArray[np.int64]
    unranked: int


def cleaned(batch: pa.RecordBatch, mapping: Mapping[str, str]) -> Cleaned:
    """The rows of a batch."""
    columns = {field: _text(batch.column(name), name) for field, name in mapping.items() if field != "time"}
    count, nothing = batch.num_rows, pa.nulls(batch.num_rows, pa.string())
    user, query = _some(_person(columns["user"])), _some(normalized(columns["query"]))
    query = pc.if_else(pc.equal(query, _NOTHING), pa.scalar(None, pa.string()), query)
    time = moments(batch.column(mapping["time"]), mapping["time"])
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


def _text(column: Any, name: str) -> Any:
    if pa.types.is_string(column.type):
        return column
    if pa.types.is_floating(column.type):
        return _digits(column)
    try:
        return column.cast(pa.string())
    except pa.ArrowException:  # lists, or bytes that are no UTF-8; its message may quote them
        raise_alone(DataError(f"a column of type {column.type} is no text; write it as text", where=f"column {name!r}"))


def _digits(column: Any) -> Any:
    """Numbers that a frame keeps as floats because some are missing: whole ones without a point or an exponent, and null for none."""
    column = column.cast(pa.float64())
    nothing = pa.scalar(None, pa.float64())
    sound = pc.if_else(pc.is_finite(column), column, nothing)
    whole = pc.and_(pc.equal(pc.floor(sound), sound), pc.less(pc.abs(sound), 2.0**63))
    return pc.coalesce(pc.if_else(whole, sound, nothing).cast(pa.int64()).cast(pa.string()), sound.cast(pa.string()))


def _person(texts: Any) -> Any:
    """Who it is: 17, `17.0` of a frame with gaps and 17 with a sign that nobody sees are one person, and count once."""
    return pc.replace_substring_regex(shown(texts), r"^([0-9]+)[.]0+$", r"\1")


def _some(texts: Any) -> Any:
    """Texts; null for those with nothing in them."""
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)


def moments(column: Any, name: str = "time") -> Any:
    """Times in whole seconds; null for what is none. `2008-01-05 08:10`, with seconds or `T` or `Z`, or seconds since 1970; a date that
    could be read in two ways is read in none."""
    if pa.types.is_timestamp(column.type):
        return pc.floor_temporal(column, unit="second").cast(pa.timestamp("us"))
    text = pc.utf8_trim_whitespace(_text(column, name))
    parts = pc.extract_regex(text, _ISO)
    day, minute, second = (pc.struct_field(parts, name) for name in ("day", "minute", "second"))
    whole = pc.binary_join_element_wise(day, " ", minute, pc.if_else(pc.equal(second, ""), ":00", second), "")
    read = pc.strptime(whole, format="%Y-%m-%d %H:%M:%S", unit="us", error_is_null=True)
    same = pc.equal(pc.day(read), pc.utf8_slice_codeunits(day, 8, 10).cast(pa.int64()))  # there is no 30 February
    counted = pc.if_else(pc.match_substring_regex(text, _COUNT), text, pa.scalar(None, pa.string())).cast(pa.int64())
    since = pc.multiply(counted, 1_000_000).cast(pa.timestamp("us"))
    return pc.coalesce(pc.if_else(same, read, pa.scalar(None, pa.timestamp("us"))), since)


def _ranks(texts: Any, url: Any) -> tuple[Any, Any]:
    """Ranks from 1, of rows with a click; and which were none."""
    text = _some(pc.utf8_trim_whitespace(texts))
    whole = pc.replace_substring_regex(text, r"[.]0+$", "")
    sound = pc.and_(pc.match_substring_regex(whole, "^[1-9][0-9]{0,8}$"), pc.is_valid(url))
    rank = pc.if_else(sound, whole, pa.scalar(None, pa.string())).cast(pa.int32())
    return rank, pc.and_(pc.is_valid(text), pc.is_null(rank))

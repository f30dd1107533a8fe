"""The released table in the library of the source: pandas, polars or Arrow.

A label is no value of the source, so the source's type is never put on it. A column of values gets its type back only if the type takes
every value unchanged: cast back to the type of the file, the column must be what stands in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sfumato.engines.sources import index_names
from sfumato.results import library

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


def as_given(released: pa.Table, origin: Any, values: Collection[str]) -> Any:
    """A released table as the kind of table that its source is; an Arrow table where that was a file."""
    if _made_by("pandas", origin):
        return as_pandas(released, origin, values)
    return as_polars(released, origin, values) if _made_by("polars", origin) else released


def as_pandas(released: pa.Table, origin: Any, values: Collection[str]) -> pd.DataFrame:
    """A pandas frame. `values` are the columns that hold values of the source, not labels; a named index that was published is the index
    again."""
    types = _types_of_pandas(origin) if _made_by("pandas", origin) else {}
    frame = released.to_pandas(types_mapper=_whole_numbers())
    for name in frame.columns:
        frame[name] = _pandas_column(frame[name], types.get(name) if name in values else None, released[name])
    index = [name for name in index_names(origin) if name in frame.columns]
    return frame.set_index(index) if index else frame


def as_polars(released: pa.Table, origin: Any, values: Collection[str]) -> pl.DataFrame:
    """A polars frame. `values` are the columns that hold values of the source, not labels."""
    polars = library("polars", "to_polars")
    types: Mapping[str, Any] = origin.collect_schema() if _made_by("polars", origin) else {}
    wanted = {name: dtype for name, dtype in types.items() if name in values}
    columns = [_polars_column(column, wanted.get(column.name), released[column.name]) for column in polars.DataFrame(released)]
    frame: pl.DataFrame = polars.DataFrame(columns)
    return frame


def _made_by(name: str, table: Any) -> bool:
    return type(table).__module__.partition(".")[0] == name


def _types_of_pandas(origin: pd.DataFrame) -> dict[str, Any]:
    """The type of every column and of every named level of the index."""
    levels = {str(name): origin.index.get_level_values(name).dtype for name in origin.index.names if name is not None}
    return {str(name): dtype for name, dtype in origin.dtypes.items()} | levels


def _whole_numbers() -> Any:
    """Whole numbers stay whole where some are missing."""
    pandas = library("pandas", "to_pandas")
    sizes = (8, 16, 32, 64)
    signed = {getattr(pa, f"int{size}")(): getattr(pandas, f"Int{size}Dtype")() for size in sizes}
    return (signed | {getattr(pa, f"uint{size}")(): getattr(pandas, f"UInt{size}Dtype")() for size in sizes}).get


def _pandas_column(column: pd.Series, wanted: Any, stored: pa.ChunkedArray) -> pd.Series:
    """A column in the type of its source where it fits, else in the plain one of what it holds."""
    plain = str(column.dtype).lower()
    if wanted is None and plain.startswith(("int", "uint")) and not column.hasnans:
        return column.astype(plain)
    if wanted is None:
        return column
    cast = _unchanged(column, lambda: _pandas_cast(column, wanted), lambda c: pa.array(c, from_pandas=True), stored)
    return cast if cast is not column else _pandas_column(column, None, stored)


def _pandas_cast(column: pd.Series, wanted: Any) -> pd.Series:
    if getattr(wanted, "tz", None) is not None and str(column.dtype).startswith("datetime64["):
        moments = column.dt.tz_localize("UTC") if column.dt.tz is None else column  # a release states moments in UTC
        return moments.dt.tz_convert(wanted.tz).astype(wanted)
    return column.astype(wanted)


def _polars_column(column: pl.Series, wanted: Any, stored: pa.ChunkedArray) -> pl.Series:
    if wanted is None:
        return column
    cast: pl.Series = _unchanged(column, lambda: _polars_cast(column, wanted), lambda c: c.to_arrow(), stored)
    return cast


def _polars_cast(column: pl.Series, wanted: Any) -> pl.Series:
    zone = getattr(wanted, "time_zone", None)
    if zone and getattr(column.dtype, "time_zone", "") is None:
        return column.dt.replace_time_zone("UTC").dt.convert_time_zone(zone).cast(wanted)
    return column.cast(wanted)


def _unchanged(column: Any, cast: Callable[[], Any], to_arrow: Callable[[Any], Any], stored: pa.ChunkedArray) -> Any:
    """The column cast, if that changes nothing; else as it is. What a library cannot cast it says in errors of many kinds."""
    try:
        changed = cast()
        arrow = to_arrow(changed)
        back = arrow if isinstance(arrow, pa.ChunkedArray) else pa.chunked_array([arrow])
        same = back.cast(stored.type).equals(stored)
    except Exception:
        return column
    return changed if same else column

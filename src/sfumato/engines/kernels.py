"""The few functions of Arrow that every count needs, called by name. `pyarrow.compute` documents some three hundred when it is loaded,
which takes longer than a small search; here it is loaded by those who need another one."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

try:
    from pyarrow._compute import CastOptions, SetLookupOptions, call_function
except ImportError:  # where another version keeps them
    from pyarrow.compute import CastOptions, SetLookupOptions, call_function


def index_in(values: pa.Array | pa.ChunkedArray, among: pa.Array) -> Any:
    """The place of each value among others; none for a value that is not among them."""
    return call_function("index_in", [values], SetLookupOptions(value_set=among, skip_nulls=False))


def unique(values: pa.Array | pa.ChunkedArray) -> Any:
    """The distinct values, in the order in which they first occur."""
    return call_function("unique", [values])


def drop_null(values: pa.Array | pa.ChunkedArray) -> Any:
    """The values that are not missing."""
    return call_function("drop_null", [values])


def value_counts(values: pa.Array | pa.ChunkedArray) -> Any:
    """The distinct values and how often each occurs."""
    return call_function("value_counts", [values])


def cast(values: pa.Array | pa.ChunkedArray, wanted: pa.DataType) -> Any:
    """The values as another type; refuses what that cannot hold."""
    return call_function("cast", [values], CastOptions.safe(wanted))

"""Numbers and labels to and from Arrow without pyarrow's own converters: those load pandas, if it is installed, at every start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.engines.kernels import cast


def to_numpy(column: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """The numbers of a column without missing values."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return np.from_dlpack(array)


def to_arrow(codes: npt.NDArray[np.int32]) -> pa.Array:
    """Codes as an Arrow array."""
    return pa.Array.from_buffers(pa.int32(), len(codes), [None, pa.py_buffer(np.ascontiguousarray(codes, np.int32))])


def texts(labels: Sequence[str | None]) -> pa.Array:
    """Labels as an Arrow array of texts; None is a missing value."""
    parts = [b"" if label is None else label.encode() for label in labels]
    offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    present = np.packbits(np.array([label is not None for label in labels], bool), bitorder="little")
    buffers = [pa.py_buffer(present), pa.py_buffer(offsets), pa.py_buffer(b"".join(parts))]
    return cast(pa.Array.from_buffers(pa.large_string(), len(labels), buffers), pa.string())


def plain_array(column: pa.Array) -> pa.Array:
    """A column whose types that are none of ours are text."""
    if pa.types.is_dictionary(column.type):
        return cast(column, column.type.value_type)
    odd = pa.types.is_nested(column.type) or pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)
    return pa.array([None if v is None else str(v) for v in column.to_pylist()], pa.string()) if odd else column

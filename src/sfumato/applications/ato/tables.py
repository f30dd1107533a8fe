"""Reading the tables that the steps hand to each other: features, reputation, truth. Each must have its columns, without gaps."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sfumato.applications.ato.events import FEATURES, LEVELS, TRUTH
from sfumato.errors import DataError, UsageError, argument, raise_alone, unknown
from sfumato.inputs import opened

REPUTATION = pa.schema([("Key", pa.string()), ("Reputation", pa.string())])
_WORDS = ("Bad", "Good")
# What the keys of a level look like. A country is a code, unless somebody has made the events in another way than ours.
KEYS = {"ip": r"^[0-9a-f]*[.:][0-9a-f.:]*$", "subnet": r"^[0-9a-f.:]+/(24|64)$", "country": r"^[^0-9:/]*$"}


def read_features(path: str | PathLike[str], level: str) -> pa.Table:
    """The features of a level.

    Parameters
    ----------
    path : path
        Their file, or the folder that `features` has written.
    level : str
        `ip`, `subnet` or `country`.
    """
    if level not in LEVELS:
        raise UsageError(unknown("level", level, LEVELS, within="this version"), where=argument("level"))
    table = _read(_within(path, f"features-{level}.parquet"), FEATURES, "Key", "sfumato ato features")
    if not pc.all(pc.match_substring_regex(table.column("Key"), KEYS[level]), min_count=0).as_py():
        raise DataError(
            f"not the features of level {level!r}: a key is of another kind; name features-{level}.parquet", where=str(path)
        )
    if any(pc.min(table.column(name)).as_py() < 0 for name in FEATURES.names[1:] if len(table)):
        raise DataError("a count below 0; 'sfumato ato features' makes such a table", where=str(path))
    return table


def read_all_features(folder: str | PathLike[str]) -> dict[str, pa.Table]:
    """The features of every level."""
    if not Path(folder).is_dir():
        raise DataError("no such folder; 'sfumato ato features' makes one", where=str(folder))
    return {level: read_features(folder, level) for level in LEVELS}


def read_reputation(path: str | PathLike[str]) -> pa.Table:
    """The reputation of every address."""
    table = _read(_within(path, "reputation.parquet"), REPUTATION, "Key", "sfumato ato reputation")
    if not pc.all(pc.is_in(table.column("Reputation"), value_set=pa.array(_WORDS))).as_py():
        raise DataError(f"a reputation is {' or '.join(_WORDS)}, and something else is in it", where=str(path))
    return table


def read_truth(path: str | PathLike[str]) -> pa.Table:
    """What is known of the fraudulent logins. Only scores may ask for it.

    Parameters
    ----------
    path : path
        Its file, or the folder `truth` that `generate` has written.
    """
    return _read(_within(path, "truth.parquet"), TRUTH, "Id", "sfumato ato generate", gaps=("Campaign",))


def _read(path: Path, schema: pa.Schema, key: str, maker: str, *, gaps: Sequence[str] = ()) -> pa.Table:
    """A table of some types in which a key is once: what is joined to it would be doubled otherwise."""
    table = read_parquet(path, schema.names, maker, gaps=gaps).select(schema.names)
    for place, field in enumerate(schema):
        try:
            table = table.set_column(place, field.name, table.column(place).cast(field.type))
        except pa.ArrowException:  # its message quotes values
            raise_alone(DataError(f"column {field.name!r} is of another type than '{maker}' gives it", where=str(path)))
    if pc.count_distinct(table.column(key)).as_py() < len(table):
        raise DataError(f"a value of column {key!r} is in several rows, and must be in one", where=str(path))
    return table


def read_parquet(path: Path, names: Sequence[str], maker: str, *, gaps: Sequence[str] = ()) -> pa.Table:
    """Some columns of a Parquet file; refuses one that lacks them, or has a gap where none may be."""
    with opened(path) as file:
        try:
            found = pq.ParquetFile(file)
            lacking = [name for name in names if found.schema_arrow.names.count(name) != 1]
            table = None if lacking else found.read(columns=list(names))
        except (pa.ArrowException, OSError):
            raise_alone(DataError("not a Parquet file, or a damaged one", where=str(path)))
    if table is None:
        raise DataError(f"lacks the columns {', '.join(lacking)}; '{maker}' makes such a table", where=str(path))
    holed = [name for name in names if name not in gaps and table.column(name).null_count]
    if holed:
        raise DataError(f"a missing value in column {holed[0]!r}; '{maker}' makes such a table", where=str(path))
    return table


def places_in(keys: pa.ChunkedArray, some: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Where each of some keys is among the keys; -1 for one that is not."""
    found = pc.index_in(some, value_set=keys.combine_chunks())
    return np.asarray(pc.fill_null(found, -1).to_numpy(), np.int64)


def are_in(some: pa.ChunkedArray, keys: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Which of some keys are among the keys."""
    return np.asarray(pc.is_in(some, value_set=keys.combine_chunks()).to_numpy(), bool)


def _within(path: str | PathLike[str], name: str) -> Path:
    """The file of a folder, or the file itself."""
    place = Path(path)
    return place / name if place.is_dir() else place

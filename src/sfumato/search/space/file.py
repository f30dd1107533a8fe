"""A policy space as a table and as a Parquet file. It holds aggregates of nodes: no value of a record."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import DataError, raise_alone
from sfumato.search.evaluation import Criterion, Evaluations, Fact
from sfumato.search.lattice import Lattice
from sfumato.search.space.policies import About, PolicySpace

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = 1
_KEY = b"sfumato"
_LEVEL = "level:"


def to_arrow(space: PolicySpace) -> pa.Table:
    """One row per node: a column `level:QID` per QID, then what is known; what it was explored from stands in the metadata."""
    import pyarrow as pa

    levels = {_LEVEL + name: column for name, column in zip(space.lattice.attributes, space.evaluations.levels.T, strict=True)}
    columns = {**levels, **space.evaluations.named()}
    table = pa.table({name: pa.array(np.ascontiguousarray(column)) for name, column in columns.items()})
    metadata = {"schema_version": VERSION, "lattice": asdict(space.lattice), "about": asdict(space.about)}
    return table.replace_schema_metadata({_KEY: json.dumps(metadata).encode()})


def of_arrow(table: pa.Table, where: str = "the table") -> PolicySpace:
    """A space from its table."""
    try:
        metadata: dict[str, Any] = json.loads((table.schema.metadata or {})[_KEY])
        lattice = Lattice(**{name: tuple(value) for name, value in metadata["lattice"].items()})
        about: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in metadata["about"].items()
        }
        arrays = {name: table[name].to_numpy() for name in table.column_names}
        levels = np.stack([arrays.pop(_LEVEL + name) for name in lattice.attributes], axis=1).astype(np.int16)
        known = About(**about)
        judged = [Criterion(model, name) for model in known.models for name in (None, *known.sensitive)]
        evaluations = Evaluations.of_named(levels, arrays, judged)
        metadata = metadata if {Fact.CLASSES, Fact.SMALLEST, Fact.FEASIBLE} <= evaluations.columns.keys() else {}
    except (KeyError, ValueError, TypeError, AttributeError):
        metadata = {}
    if metadata.get("schema_version") != VERSION:
        raise DataError("not a policy space of this version of sfumato; 'sfumato explore' writes one", where=where)
    return PolicySpace(lattice, evaluations, known)


def read(path: Path) -> PolicySpace:
    """A space from its file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return of_arrow(pq.read_table(path), str(path))
    except FileNotFoundError:
        raise_alone(DataError("no such file", where=str(path)))
    except (pa.ArrowException, OSError):
        raise_alone(DataError("not a policy space; 'sfumato explore' writes one", where=str(path)))

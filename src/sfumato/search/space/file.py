"""A policy space as a table and as a Parquet file. It holds aggregates of nodes: no value of a record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
from msgspec import Meta

from sfumato.errors import DataError, UsageError, raise_alone
from sfumato.inputs.files import opened
from sfumato.inputs.shape import Misshapen, require_nothing_more, shaped
from sfumato.models import models_of
from sfumato.search.evaluation import Array, Criterion, Evaluations, Fact, Judgments, Measure, every_loss
from sfumato.search.lattice import MOST_NODES, Lattice, LevelArray
from sfumato.search.space.policies import About, PolicySpace
from sfumato.vocabulary.hierarchy import MOST_LEVELS

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = 1
_KEY = b"sfumato"
_LEVEL = "level:"
_IT = "space"


@dataclass(frozen=True, slots=True)
class Described:
    """What stands in the metadata of the file."""

    schema_version: Annotated[int, Meta(ge=VERSION, le=VERSION)]
    lattice: Lattice
    about: About


def to_arrow(space: PolicySpace) -> pa.Table:
    """One row per node: a column `level:QID` per QID, then what is known; what it was explored from stands in the metadata."""
    import pyarrow as pa

    levels = {_LEVEL + name: column for name, column in zip(space.lattice.attributes, space.evaluations.levels.T, strict=True)}
    columns = {**levels, **space.evaluations.named()}
    table = pa.table({name: pa.array(np.ascontiguousarray(column)) for name, column in columns.items()})
    metadata = asdict(Described(VERSION, space.lattice, space.about))
    return table.replace_schema_metadata({_KEY: json.dumps(metadata).encode()})


def of_arrow(table: pa.Table, where: str = "the table") -> PolicySpace:
    """A space from its table."""
    try:
        return _space(table, _described(table.schema.metadata))
    except Misshapen as wrong:
        raise_alone(_refused(wrong, where))


def read(path: Path) -> PolicySpace:
    """A space from its file; how much there is to read is known before it is read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with opened(path) as file:
        try:
            parquet = pq.ParquetFile(file)
            described = _described(parquet.schema_arrow.metadata)
            _require_rows(parquet.metadata.num_rows, described.lattice)
            return of_arrow(parquet.read(), str(path))
        except Misshapen as wrong:
            raise_alone(_refused(wrong, str(path)))
        except (pa.ArrowException, OSError, ValueError, KeyError, MemoryError, OverflowError):
            raise_alone(DataError("not a policy space; 'sfumato explore' writes one", where=str(path)))


def _refused(wrong: Misshapen, where: str) -> DataError:
    return DataError(f"not a policy space of this version of sfumato: {wrong}; 'sfumato explore' writes one", where=where)


def _described(metadata: Mapping[bytes, bytes] | None) -> Described:
    """What a space was explored from, by the metadata of its table."""
    try:
        record = json.loads((metadata or {})[_KEY])
    except (KeyError, ValueError, RecursionError):
        raise Misshapen("it does not say what it was explored from") from None
    described = shaped(record, Described, _IT)
    require_nothing_more(record, asdict(described), _IT)
    _require_lattice(described.lattice)
    _require_about(described.about)
    return described


def _require_rows(rows: int, lattice: Lattice) -> None:
    if rows > lattice.size:
        raise Misshapen("it has more rows than its lattice has nodes")
    if rows > MOST_NODES:
        raise Misshapen(f"it has more rows than the {MOST_NODES:,} nodes that are enumerated")


def _require_lattice(lattice: Lattice) -> None:
    where = f"(at {_IT}.lattice)"
    if not lattice.attributes or len(set(lattice.attributes)) < len(lattice.attributes):
        raise Misshapen(f"attributes must be names, each once {where}")
    if len({len(lattice.attributes), len(lattice.floors), len(lattice.heights)}) > 1:
        raise Misshapen(f"floors and heights must have a level for each attribute {where}")
    pairs = zip(lattice.floors, lattice.heights, strict=True)
    if not all(0 <= floor <= height <= MOST_LEVELS + 1 for floor, height in pairs):
        raise Misshapen(f"floors must be between 0 and the heights {where}")


def _require_about(about: About) -> None:
    if min(about.people, about.rows, about.limit) < 0 or about.basis not in ("row", "owner"):
        raise Misshapen(f"people, rows and limit must be counts, and basis row or owner (at {_IT}.about)")
    try:
        models_of(about.models)
    except UsageError as wrong:
        raise_alone(Misshapen(f"models must be models of this version (at {_IT}.about.models): {wrong.message}"))


def _space(table: pa.Table, described: Described) -> PolicySpace:
    about, lattice = described.about, described.lattice
    names = table.column_names
    if len(set(names)) < len(names) or any(column.null_count for column in table.columns):
        raise Misshapen("a column stands twice, or has no value somewhere")
    arrays = {name: np.asarray(table[name].to_numpy()) for name in names}
    levels = _levels({name: arrays.pop(_LEVEL + name, None) for name in lattice.attributes}, lattice)
    judged = [Criterion(model, name) for model in about.models for name in (None, *about.sensitive)]
    try:
        evaluations = Evaluations.of_named(levels, arrays, judged)
    except KeyError:
        raise Misshapen("a value of a model without the column that says whether it is satisfied") from None
    _require_columns(evaluations, about)
    return PolicySpace(lattice, evaluations, about)


def _levels(columns: Mapping[str, Array | None], lattice: Lattice) -> LevelArray:
    """The levels of the nodes: all of them in order, or some, each once."""
    for name, column in columns.items():
        if column is None or column.dtype.kind not in "iu":
            raise Misshapen(f"the column '{_LEVEL}{name}' must hold whole numbers")
    wide = np.stack([np.asarray(column, np.int64) for column in columns.values()], axis=1)
    if ((wide < np.array(lattice.floors)) | (wide > np.array(lattice.heights))).any():
        raise Misshapen("a node has a level that the lattice does not have")
    levels = wide.astype(np.int16)
    ordered = levels[lattice.in_order(levels)]
    whole = len(levels) == lattice.size
    if (whole and (ordered != levels).any()) or (ordered[1:] == ordered[:-1]).all(axis=1).any():
        raise Misshapen("a node stands twice, or not in its place")
    return levels


def _require_columns(evaluations: Evaluations, about: About) -> None:
    """Every column is known and of its type."""
    for needed in (Fact.CLASSES, Fact.SMALLEST, Fact.PEOPLE, Fact.SUPPRESSED, Fact.FEASIBLE):
        if needed not in evaluations.columns:
            raise Misshapen(f"the column '{needed}' is missing")
    for key, column in evaluations.columns.items():
        if isinstance(key, Measure) and (key.loss not in every_loss() or key.sensitive not in (None, *about.sensitive)):
            raise Misshapen(f"no column {str(key)!r} is known")
        truth = key in (Fact.FEASIBLE, Fact.HOPELESS)
        _require_type(str(key), column, "f" if isinstance(key, Measure) else "b" if truth else "iu")
        if isinstance(key, Fact) and not truth and len(column) and column.min() < 0:
            raise Misshapen(f"the column '{key}' must hold counts")
    for criterion, judgments in evaluations.verdicts.items():
        _require_judgments(criterion, judgments)


def _require_judgments(criterion: Criterion, judgments: Judgments) -> None:
    for name, column, kind in zip(criterion.names, (judgments.value, judgments.satisfied), ("f", "b"), strict=True):
        _require_type(name, column, kind)


def _require_type(name: str, column: Array, kinds: str) -> None:
    wanted = {"f": "numbers", "b": "true or false", "iu": "whole numbers"}[kinds]
    if column.dtype.kind not in kinds:
        raise Misshapen(f"the column {name!r} must hold {wanted}")
    if kinds == "f" and np.isnan(column).any():
        raise Misshapen(f"the column {name!r} holds what is no number")

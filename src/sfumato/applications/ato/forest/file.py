"""A model as a file: Parquet, one row per node of a tree, and a header in its metadata; never a pickle.

Read as any file that somebody else may have written: the header must have its shape, the columns their types, the digest must be that
of header and columns, and every index must lead to a node. Anything else is refused in one line.
"""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Meta

from sfumato._version import __version__
from sfumato.applications.ato.events import LEVELS
from sfumato.applications.ato.forest.model import FEATURES, Model, Settings
from sfumato.applications.ato.forest.trees import MOST_NODES, MOST_TREES, Forest
from sfumato.commit.writing import written_whole
from sfumato.errors import DataError, raise_alone
from sfumato.inputs import opened
from sfumato.inputs.shape import Count, Digest, Positive, one_of, require_nothing_more, shaped
from sfumato.signing.canonical import canonical, parsed

KIND = "sfumato account-takeover model"
VERSION = 1
_KEY = b"sfumato"
_LARGEST = 2**31
_COLUMNS: dict[str, np.dtype[Any]] = {
    "tree": np.dtype("<i4"),
    "feature": np.dtype("<i2"),
    "threshold": np.dtype("<f8"),
    "left": np.dtype("<i4"),
    "right": np.dtype("<i4"),
    "share": np.dtype("<f8"),
}
_Share = Annotated[float, Meta(ge=0, le=1)]


class _Settings(TypedDict):
    trees: Positive
    depth: Positive
    leaf: Positive


class _Header(TypedDict):
    """What the metadata of a model file says; `digest` is over the rest of it and the columns."""

    kind: Annotated[str, one_of(KIND)]
    version: Positive
    made_with: str
    level: Annotated[str, one_of(*LEVELS)]
    features: list[str]
    settings: _Settings
    online: bool
    seed: Count
    rows: Positive
    fraudulent: _Share | int
    importances: list[_Share | int]
    trees: Positive
    nodes: Positive
    digest: Digest


def write_model(model: Model, path: Path, *, force: bool = False) -> str:
    """Write a model; returns its digest."""
    with written_whole(path, force) as hidden:
        return store(model, hidden)


def store(model: Model, path: Path) -> str:
    """Write a model to a place that somebody else takes care of; returns its digest."""
    columns, header = _columns(model.forest), _header(model)
    header["digest"] = _digest(header, columns)
    schema = pa.schema([(name, pa.from_numpy_dtype(kind)) for name, kind in _COLUMNS.items()])
    table = pa.table(columns, schema=schema.with_metadata({_KEY: canonical(header).encode()}))
    pq.write_table(table, path, compression="zstd")
    return str(header["digest"])


def read_model(file: str | PathLike[str]) -> Model:
    """Read a model; refuses a file that is none, was damaged, or has an index that leads nowhere.

    Parameters
    ----------
    file : path
        One that `train` has written.
    """
    path = Path(file)
    header, columns = _read(path)
    try:
        forest = Forest.checked(
            features=len(header["features"]),
            offsets=np.concatenate([[0], np.bincount(columns["tree"], minlength=header["trees"]).cumsum()]),
            **{name: columns[name] for name in ("feature", "threshold", "left", "right", "share")},
        )
    except ValueError as error:  # ours: it names no value
        raise_alone(_refused(path, str(error)))
    settings = Settings(**header["settings"])
    if forest.depth > settings.depth:
        raise _refused(path, "a tree is deeper than its settings say")
    return Model(
        header["level"],
        forest,
        settings,
        header["seed"],
        header["rows"],
        float(header["fraudulent"]),
        tuple(map(float, header["importances"])),
        online=header["online"],
    )


def _read(path: Path) -> tuple[_Header, dict[str, Any]]:
    """Header and columns that fit each other."""
    with opened(path) as file:
        try:
            parquet = pq.ParquetFile(file)
            metadata = (parquet.schema_arrow.metadata or {}).get(_KEY)
            if metadata is None or _rows(parquet.metadata) > MOST_NODES or file.seek(0, 2) > _LARGEST:
                raise_alone(_refused(path, "a Parquet file, but not one that 'sfumato ato train' has written"))
            header = _shaped(path, metadata)
            _require_columns(path, parquet.schema_arrow)
            table = parquet.read()
        except (pa.ArrowException, OSError):
            raise_alone(_refused(path, "not a Parquet file, or a damaged one"))
    return header, _fitting(path, header, table)


def _rows(metadata: pq.FileMetaData) -> int:
    """How many rows would be read: those of the groups. What the file says of all of them may be anything."""
    return sum(metadata.row_group(place).num_rows for place in range(metadata.num_row_groups))


def _shaped(path: Path, metadata: bytes) -> _Header:
    try:
        document = parsed(metadata.decode())
        header = shaped(document, _Header, "model")
        require_nothing_more(document, header, "model")
    except ValueError as error:
        raise_alone(_refused(path, str(error)))
    if header["version"] != VERSION:
        raise _refused(path, f"version {header['version']} of the format, and this sfumato reads version {VERSION}")
    if tuple(header["features"]) != FEATURES or len(header["importances"]) != len(FEATURES):
        raise _refused(path, f"its features are not {', '.join(FEATURES)}")
    if header["trees"] != header["settings"]["trees"] or header["trees"] > MOST_TREES:
        raise _refused(path, f"its trees are not as many as its settings say, or more than {MOST_TREES:,}")
    return header


def _require_columns(path: Path, schema: pa.Schema) -> None:
    """Refuse other columns before any is read: theirs could be of any size."""
    if schema.names != list(_COLUMNS) or any(
        schema.field(name).type != pa.from_numpy_dtype(kind) for name, kind in _COLUMNS.items()
    ):
        raise _refused(path, f"its columns are not {', '.join(_COLUMNS)}, each of its type")


def _fitting(path: Path, header: _Header, table: pa.Table) -> dict[str, Any]:
    """The columns, if they are without gaps and those that the digest was made of."""
    if any(column.null_count for column in table.columns):
        raise _refused(path, "a number is missing")
    columns = {name: table.column(name).to_numpy() for name in _COLUMNS}
    if _digest(header, columns) != header["digest"]:
        raise _refused(path, "its content is not the one that its digest was made of: it was damaged or changed")
    tree = columns["tree"]
    ordered = len(tree) == header["nodes"] and tree[0] == 0 and (tree[1:] >= tree[:-1]).all() and tree[-1] == header["trees"] - 1
    if not ordered:
        raise _refused(path, "its trees do not follow each other")
    return columns


def _columns(forest: Forest) -> dict[str, Any]:
    tree = np.repeat(np.arange(forest.trees), np.diff(forest.offsets))
    arrays = {name: getattr(forest, name) for name in _COLUMNS if name != "tree"}
    return {name: np.asarray(array, _COLUMNS[name]) for name, array in ({"tree": tree} | arrays).items()}


def _header(model: Model) -> dict[str, Any]:
    settings = {"trees": model.settings.trees, "depth": model.settings.depth, "leaf": model.settings.leaf}
    size = {"trees": model.forest.trees, "nodes": len(model.forest.feature)}
    made = {"kind": KIND, "version": VERSION, "made_with": __version__, "level": model.level, "features": list(model.features)}
    trained = {
        "online": model.online,
        "seed": model.seed,
        "rows": model.rows,
        "fraudulent": model.fraudulent,
        "importances": list(model.importances),
    }
    return made | {"settings": settings} | trained | size


def _digest(header: Any, columns: dict[str, Any]) -> str:
    """SHA-256 of the canonical header without its digest, and of the columns as little-endian numbers."""
    rest = {name: value for name, value in header.items() if name != "digest"}
    found = hashlib.sha256(canonical(rest).encode())
    for name, kind in _COLUMNS.items():
        found.update(np.ascontiguousarray(columns[name], kind).tobytes())
    return found.hexdigest()


def _refused(path: Path, what: str) -> DataError:
    return DataError(f"no usable model: {what}; train it again with 'sfumato ato train'", where=str(path))

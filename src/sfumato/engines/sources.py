"""Where rows come from: CSV and Parquet files, folders and globs, tables in memory.

A path that exists is that file and nothing else; only one that does not exist is a pattern. Every source says how many rows it has, so
that an engine that reads fewer is found out.
"""

from __future__ import annotations

import glob
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from sfumato.engines.base import Settings
from sfumato.engines.copies.copied import Copied
from sfumato.engines.copies.files import copied_file
from sfumato.engines.copies.postgres import copied_postgres
from sfumato.engines.csvfile import CsvFile, csv_file, require_distinct
from sfumato.engines.versions import require_no_versions
from sfumato.errors import DataError, raise_alone
from sfumato.inputs.address import is_address
from sfumato.vocabulary.dialect import AS_FOUND, Dialect

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class ParquetFiles:
    """Parquet files of one table and the rows that their own metadata count. The column names come from the engine. Folders `key=value`
    below `root`, the folder that was given, are columns; a single file has no root and no such columns."""

    files: tuple[Path, ...]
    rows: int
    root: Path | None = None

    @property
    def dialect(self) -> Dialect:
        return AS_FOUND

    @property
    def partitions(self) -> tuple[str, ...]:
        """The keys by which the files are partitioned: those that all of them have."""
        if self.root is None:
            return ()
        keys = {tuple(part.partition("=")[0] for part in self.below(file) if "=" in part) for file in self.files}
        return next(iter(keys)) if len(keys) == 1 else ()

    def below(self, file: Path) -> tuple[str, ...]:
        """The folders between the root and a file."""
        return file.relative_to(self.root).parts[:-1] if self.root else ()


@dataclass(frozen=True, slots=True)
class Memory:
    """An Arrow table."""

    table: pa.Table

    @property
    def files(self) -> tuple[Path, ...]:
        return ()

    @property
    def rows(self) -> int:
        return int(self.table.num_rows)

    @property
    def dialect(self) -> Dialect:
        return AS_FOUND


_ZIP = b"PK\x03\x04"
_PACKED = {b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf": "7-Zip", _ZIP: "ZIP"}
Source = CsvFile | ParquetFiles | Memory | Copied


def find_source(source: Any, settings: Settings, expected: Iterable[str] | None, folder: Path) -> Source:
    """The source for a path, a glob, a folder or a table in memory; the expected names help to detect the delimiter of CSV, and the folder
    is for copies of what an engine cannot read itself."""
    if is_address(source):
        return copied_postgres(source, settings.password, settings.dialect, folder)
    if isinstance(source, str | Path):
        return _of_path(str(source), settings, tuple(expected or ()), folder)
    return in_memory(source)


def _of_path(text: str, settings: Settings, expected: tuple[str, ...], folder: Path) -> Source:
    path = Path(text)
    if text and path.is_dir():
        return _parquet(list(_parts(path)) or _no_file("no Parquet file in this folder", text), path)
    if not text or not (path.exists() or path.is_symlink()):
        return _matches(text, settings, expected, folder)
    return _of_file(path, settings, expected, folder)


def _of_file(path: Path, settings: Settings, expected: tuple[str, ...], folder: Path) -> Source:
    if require_file(path).st_size == 0:
        raise DataError("the file is empty", where=str(path))
    head = _head(path)
    for mark, packed in _PACKED.items():
        if head.startswith(mark) and (mark != _ZIP or path.suffix.lower() == ".zip"):
            raise DataError(f"packed with {packed}; unpack it, or pack it with gzip", where=str(path))
    if copy := copied_file(path, head, settings, folder):
        return copy
    return _parquet([path]) if _is_parquet(path) else csv_file(path, settings, expected, folder)


def _matches(text: str, settings: Settings, expected: tuple[str, ...], folder: Path) -> Source:
    """The files that a pattern stands for."""
    files = sorted(map(Path, glob.glob(text, recursive=True)))  # noqa: PTH207  absolute patterns too
    if not files:
        _no_file("no such file; a CSV or Parquet file, a folder or a glob of Parquet files would work", text)
    for file in files:
        require_file(file)
    if len(files) == 1 and not _is_parquet(files[0]):
        return _of_file(files[0], settings, expected, folder)
    if not all(map(_is_parquet, files)):
        raise DataError("several files match and not all are Parquet; give one CSV file at a time", where=text)
    parts = Path(text).parts
    fixed = next((place for place, part in enumerate(parts) if glob.has_magic(part)), len(parts) - 1)
    return _parquet(files, Path(*parts[:fixed]))


def _no_file(message: str, where: str) -> NoReturn:
    raise DataError(message, where=where)


def require_file(path: Path) -> os.stat_result:
    """What the system says of a file that can be read more than once: no pipe, socket or device, which may never end."""
    try:
        about = path.stat()
    except OSError as error:
        raise_alone(DataError(f"cannot be read: {error.strerror}", where=str(path)))
    if not stat.S_ISREG(about.st_mode):
        raise DataError("not a file that can be read twice; write it to a file first", where=str(path))
    return about


def _parts(folder: Path) -> Iterator[Path]:
    """The files of the table in a folder, in order: names that begin with `.` or `_` are reserved for other purposes."""

    def refuse(error: OSError) -> None:
        raise_alone(DataError(f"cannot be read: {error.strerror}", where=str(error.filename)))

    found = []
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        found += [Path(place, name) for name in names if name.endswith(".parquet") and not name.startswith((".", "_"))]
    for file in sorted(found):
        require_file(file)
        yield file


def _is_parquet(path: Path) -> bool:
    return _head(path).startswith(b"PAR1") or path.suffix == ".parquet"


def _head(path: Path) -> bytes:
    """The first bytes of a file, which show what it is."""
    try:
        with path.open("rb") as file:
            return file.read(16)
    except OSError as error:
        raise_alone(DataError(f"cannot be read: {error.strerror}", where=str(path)))


def _parquet(files: Sequence[Path], root: Path | None = None) -> ParquetFiles:
    """Parquet files with the rows that they say they have; refuses repeated names, which an engine would rename, and files that differ in
    their columns, which it would convert or leave out."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if root is not None:
        require_no_versions(root, files)
    rows, first = 0, None
    for file in files:
        try:
            with file.open("rb") as opened:  # pyarrow takes some names for addresses
                about = pq.read_metadata(opened)
            schema = about.schema.to_arrow_schema()
        except (pa.ArrowException, OSError):
            raise_alone(DataError("not a Parquet file, or a damaged one", where=str(file)))
        if first is None:
            first = schema
            require_distinct(schema.names, str(file))
        _require_alike(schema, first, file)
        rows += about.num_rows
    return ParquetFiles(tuple(files), rows, root)


def _require_alike(schema: pa.Schema, first: pa.Schema, file: Path) -> None:
    """Refuse a part with other columns, or other types, than the first part has. A column without any value has no type of its own."""
    import pyarrow as pa

    if other := sorted(set(schema.names) ^ set(first.names)):
        raise DataError(f"the files of the table do not have the same columns: {other[0]!r} is not in all", where=str(file))
    for name in first.names:
        kinds = {_plain_type(schema.field(name).type), _plain_type(first.field(name).type)} - {pa.null()}
        if len(kinds) > 1:
            raise DataError(
                f"column {name!r} has another type here than in the first file of the table; write all of them with one type",
                where=str(file),
            )


def _plain_type(kind: pa.DataType) -> pa.DataType:
    """A type as far as values can differ in it: how texts are stored makes no difference."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if pa.types.is_large_string(kind) else kind


def in_memory(source: Any) -> Memory:
    """A pandas or polars frame, or any object that converts to Arrow."""
    import pyarrow as pa

    if type(source).__module__.startswith("pandas") and hasattr(source, "columns"):
        return _of_pandas(source)
    if hasattr(source, "collect") and type(source).__module__.startswith("polars"):
        source = _collected(source)
    try:
        table = source if isinstance(source, pa.Table) else pa.table(source)
    except (TypeError, ValueError, OverflowError, pa.ArrowException):
        raise_alone(
            DataError(
                f"cannot open an object of type {type(source).__name__}; a path, a pandas or polars frame or an Arrow table would work"
            )
        )
    require_distinct(table.column_names, "the table")
    return Memory(table)


def _collected(frame: Any) -> Any:
    import polars as pl

    try:
        return frame.collect()
    except pl.exceptions.PolarsError:
        raise_alone(DataError("the lazy frame cannot be collected; its own collect() says why"))


def index_names(source: Any) -> tuple[str, ...]:
    """The named index levels of a pandas frame: columns like any other. An unnamed index only numbers the rows."""
    index = getattr(source, "index", None) if type(source).__module__.startswith("pandas") else None
    return tuple(str(name) for name in index.names if name is not None) if index is not None else ()


def _of_pandas(frame: Any) -> Memory:
    import pyarrow as pa

    named = index_names(frame)
    require_distinct([*named, *map(str, frame.columns)], "the frame")
    try:
        table = pa.Table.from_pandas(frame.reset_index() if named else frame, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        mixed = next((repr(str(name)) for name in frame.columns if not _converts(frame[name])), "")
        raise_alone(DataError(f"column {mixed} of the frame mixes types; convert it to one, for instance with astype(str)"))
    return Memory(table.replace_schema_metadata(None))


def _converts(column: Any) -> bool:
    import pyarrow as pa

    try:
        pa.Array.from_pandas(column)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def digest_of(source: Source) -> str:
    """SHA-256 of a file's bytes, of the digests of several in order of their names, or of a table in memory; of a workbook also which of
    its sheets is the table."""
    if isinstance(source, Memory):
        digest = hashlib.sha256(str(source.table.schema).encode())
        for batch in source.table.combine_chunks().to_batches():
            digest.update(batch.serialize())
        return digest.hexdigest()
    digests = []
    for file in source.digested if isinstance(source, Copied) else source.files:
        try:
            with file.open("rb") as opened:
                digests.append(hashlib.file_digest(opened, "sha256").hexdigest())
        except OSError as error:
            raise_alone(DataError(f"cannot be read: {error.strerror}", where=str(file)))
    if source.dialect.sheet is not None:
        digests.append(source.dialect.sheet)
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()

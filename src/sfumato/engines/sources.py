"""Where rows come from: CSV and Parquet files, folders and globs, tables in memory.

Headers are read here, not by the engine: engines rename repeated columns silently.
"""

from __future__ import annotations

import codecs
import csv
import glob
import gzip
import hashlib
import io
import itertools
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from sfumato.engines.base import Settings
from sfumato.errors import DataError, UsageError, argument, raise_alone

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITERS = (",", ";", "\t", "|", ":", "^", "~", "\x01")
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file, gzipped or not, with its header read."""

    path: Path
    delimiter: str
    columns: tuple[str, ...]
    gzipped: bool

    def digest(self) -> str:
        return _digest_files([self.path])


@dataclass(frozen=True, slots=True)
class ParquetFiles:
    """Parquet files of one table; the column names come from the engine, hive partitions included."""

    files: tuple[Path, ...]

    def digest(self) -> str:
        return _digest_files(self.files)


@dataclass(frozen=True, slots=True)
class Memory:
    """An Arrow table."""

    table: pa.Table

    def digest(self) -> str:
        digest = hashlib.sha256(str(self.table.schema).encode())
        for batch in self.table.combine_chunks().to_batches():
            digest.update(batch.serialize())
        return digest.hexdigest()


Source = CsvFile | ParquetFiles | Memory


def find_source(source: Any, settings: Settings, expected: Iterable[str] | None) -> Source:
    """The source for a path, a glob, a folder or a table in memory; the expected names help to detect the delimiter of CSV."""
    if isinstance(source, str | Path):
        return _of_path(str(source), settings, tuple(expected or ()))
    return in_memory(source)


def _of_path(text: str, settings: Settings, expected: tuple[str, ...]) -> Source:
    path = Path(text)
    if path.is_dir() and text:
        files = sorted(file for file in path.rglob("*.parquet") if _is_part(file, path))
        if not files:
            raise DataError("no Parquet file in this folder", where=text)
        return ParquetFiles(tuple(files))
    if not text or not path.exists():
        files = sorted(map(Path, glob.glob(text, recursive=True)))  # noqa: PTH207  absolute patterns too
        if not files:
            raise DataError("no such file; a CSV or Parquet file, a folder or a glob of Parquet files would work", where=text)
        if len(files) > 1 or _is_parquet(files[0]):
            return _all_parquet(files, text)
        path = files[0]
    if not path.is_file():
        raise DataError("not a file that can be read twice; write it to a file first", where=text)
    if path.stat().st_size == 0:
        raise DataError("the file is empty", where=text)
    return ParquetFiles((path,)) if _is_parquet(path) else _csv(path, settings, expected)


def _is_part(file: Path, folder: Path) -> bool:
    """Whether a file belongs to the table of a folder: names that begin with `.` or `_` are reserved for other purposes."""
    return file.is_file() and not any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PAR1" or path.suffix == ".parquet"
    except OSError as error:
        raise_alone(DataError(f"cannot be read: {error.strerror}", where=str(path)))


def _all_parquet(files: Sequence[Path], text: str) -> ParquetFiles:
    if not all(map(_is_parquet, files)):
        raise DataError("several files match and not all are Parquet; give one CSV file at a time", where=text)
    return ParquetFiles(tuple(files))


def _csv(path: Path, settings: Settings, expected: tuple[str, ...]) -> CsvFile:
    head, gzipped = _head(path)
    delimiter = settings.delimiter
    if delimiter is not None and len(delimiter) != 1:
        raise UsageError("a delimiter is one character", where=argument("delimiter"))
    delimiter = delimiter or _delimiter(head, expected, settings.likely_delimiter)
    columns = _records(head, delimiter)[0]
    require_distinct(columns, str(path))
    _require_no_trailing(path, gzipped, delimiter, len(columns))
    return CsvFile(path, delimiter, tuple(columns), gzipped)


def _require_no_trailing(path: Path, gzipped: bool, delimiter: str, width: int) -> None:
    """Refuse rows with an additional empty field at their end: some engines would drop it. Rows with quotes are left to the engine."""
    ending = delimiter.encode()
    with gzip.open(path, "rb") if gzipped else path.open("rb") as file:
        if not _any_line_ends_with(file, ending):
            return
        file.seek(0)
        for number, line in enumerate(file, start=1):
            if line.rstrip(b"\r\n").endswith(ending) and b'"' not in line and line.count(ending) >= width:
                raise DataError(
                    f"the row has {line.count(ending) + 1} columns where the header has {width}", where=f"{path}, line {number}"
                )


def _any_line_ends_with(file: IO[bytes] | gzip.GzipFile, ending: bytes) -> bool:
    """A quick scan of the bytes: most files have no such line."""
    before = b""
    while chunk := file.read(_CHUNK):
        text = before + chunk
        if ending + b"\n" in text or ending + b"\r" in text:
            return True
        before = chunk[-8:]
    return before.endswith(ending)


def _head(path: Path) -> tuple[str, bool]:
    """The first lines as text, and whether the file is gzipped. The whole file must be UTF-8: engines check only what they use."""
    try:
        with path.open("rb") as file:
            gzipped = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if gzipped else path.open("rb") as opened:
            text = _read_through(opened, str(path))
    except (OSError, EOFError, zlib.error) as error:
        raise_alone(DataError(f"cannot be read: {getattr(error, 'strerror', None) or 'damaged gzip file'}", where=str(path)))
    if not text.strip():
        raise DataError("the file is empty", where=str(path))
    return text, gzipped


def _read_through(file: IO[bytes] | gzip.GzipFile, where: str) -> str:
    """Read a whole file, chunk by chunk, and return its first lines."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    head, lines = "", 0
    while True:
        chunk = file.read(_CHUNK)
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            line = lines + error.object.count(b"\n", 0, error.start) + 1
            raise_alone(DataError("not UTF-8; convert it first, for instance with iconv", where=f"{where}, line {line}"))
        if not chunk:
            return head.removeprefix("\ufeff")
        head = head or text
        lines += text.count("\n")


def _records(text: str, delimiter: str) -> list[list[str]]:
    """The first two records; `text` is short, so a long cell in it does no harm."""
    limit = csv.field_size_limit(len(text))  # it is everybody's in this process, so it is put back
    try:
        return list(itertools.islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 2))
    except csv.Error:
        return [[]]
    finally:
        csv.field_size_limit(limit)


def _delimiter(head: str, expected: tuple[str, ...], likely: str | None) -> str:
    """The delimiter with the most expected names in the header; among equals, one that also fits the first row, then the most columns."""

    def fit(delimiter: str) -> tuple[int, bool, int]:
        header, *rows = _records(head, delimiter)
        return len(set(header).intersection(expected)), all(len(row) == len(header) for row in rows), len(header)

    return max((*([likely] if likely else []), *DELIMITERS), key=fit)


def require_distinct(columns: Sequence[str], where: str) -> None:
    """Refuse repeated and empty column names. Names that differ only in case would be one column in SQL."""
    empty = [place for place, name in enumerate(columns, start=1) if not name.strip()]
    if empty:
        raise DataError(f"column {empty[0]} has no name in the header", where=where)
    counts = Counter(name.casefold() for name in columns)
    repeated = [name for name in columns if counts[name.casefold()] > 1]
    if repeated:
        same = "the name" if len(set(repeated)) == 1 else "names that differ only in case:"
        raise DataError(
            f"{len(repeated)} columns have {same} {', '.join(map(repr, dict.fromkeys(repeated)))}; rename all but one",
            where=where,
        )


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
        raise_alone(DataError("a column of the frame mixes types; convert it to one, for instance with astype(str)"))
    return Memory(table.replace_schema_metadata(None))


def _digest_files(files: Sequence[Path]) -> str:
    """SHA-256 of a file's bytes, or of the digests of several in order of their names."""
    digests = []
    for file in files:
        with file.open("rb") as opened:
            digests.append(hashlib.file_digest(opened, "sha256").hexdigest())
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()

"""From what a user names to rows that Spark reads.

Parquet files are read by the executors, where they lie. Whatever else a table may be (CSV, a workbook, a database, a table in memory)
is read on the driver, by the embedded engine, and copied to Parquet first: a second reader of CSV would disagree with the first one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import unquote
from uuid import uuid4

import pyarrow as pa

from sfumato.engines.base import Engine, Settings, open_engine
from sfumato.engines.copies.copied import write_copy
from sfumato.engines.csvfile import require_distinct
from sfumato.engines.register import DEFAULT_ENGINE
from sfumato.engines.relational.columns import Columns
from sfumato.engines.relational.written import read_as
from sfumato.engines.sources import ParquetFiles, Source
from sfumato.engines.spark.sql import SQL
from sfumato.errors import DataError, UsageError, raise_alone
from sfumato.vocabulary.dialect import Written
from sfumato.vocabulary.schema import Schema

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FILE, ROW = "file", "row"  # where a row stands in Parquet files
PLACE = (f"_metadata.file_name AS {FILE}", f"_metadata.row_index AS {ROW}")
_TYPES = {
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INT",
    pa.int64(): "BIGINT",
    pa.uint8(): "SMALLINT",
    pa.uint16(): "INT",
    pa.uint32(): "BIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.string(): "STRING",
    pa.large_string(): "STRING",
    pa.string_view(): "STRING",
    pa.bool_(): "BOOLEAN",
    pa.date32(): "DATE",
}
_NULL, _ODD = "null", "odd"
# Moments in nanoseconds are read as numbers; microseconds is what Spark has.
_NANOS = {
    "nanos": "timestampadd(MICROSECOND, {} div 1000, TIMESTAMP_NTZ'1970-01-01 00:00:00')",
    "nanos with a zone": "timestamp_micros({} div 1000)",
}


class Reader(Engine, Protocol):
    """The embedded engine, which reads on the driver."""

    source: Source


@dataclass(frozen=True, slots=True)
class Opened:
    """The rows as a frame with columns c0, c1, …, the same with the place of each row (a frame of Spark's own has none), the columns,
    those of a type that Spark does not have, those of moments that may be finer than Spark's (whether one is, stands in f0, f1, …),
    how many rows there must be, and the view through which another session's frame is read: all sessions of a Spark see it."""

    frame: DataFrame
    placed: DataFrame
    columns: Columns
    odd: frozenset[str]
    fine: frozenset[str]
    rows: int
    view: str | None = None


def reader_of(source: Any, schema: Schema | None, settings: Settings) -> Reader:
    """A source opened on the driver."""
    return cast("Reader", open_engine(DEFAULT_ENGINE, source, schema, settings))


def opened(session: SparkSession, reader: Reader, written: Mapping[str, Written], folder: Path) -> Opened:
    """What a reader has opened, as rows for the executors; the folder is for copies."""
    names, source = list(reader.kinds), reader.source
    if isinstance(source, ParquetFiles):
        kinds = _kinds_in(source.files[0])
        kinds |= {name: SQL.types[reader.kinds[name]] for name in names if name not in kinds}  # those in the names of folders
        files, root = source.files, source.root if source.partitions else None
    else:
        written = {}  # the copy has canonical texts
        copy = folder / "source.parquet"
        kinds, files, root = _copied(reader, names, copy), (copy,), None
    frame = _frame(session, files, root, names, kinds)
    selected = _selected(names, kinds, written, _columns(names, source))
    chosen, placed = frame.selectExpr(*selected), frame.selectExpr(*selected, *PLACE)
    types = ["void" if kinds[name] == _NULL else kind for name, kind in zip(names, _types(chosen), strict=False)]
    odd = frozenset(name for name, kind in kinds.items() if kind == _ODD)
    fine = frozenset(name for name, kind in kinds.items() if kind in _NANOS)
    return Opened(chosen, placed, Columns.of(SQL, list(zip(names, types, strict=True))), odd, fine, source.rows)


def delta_frame(session: SparkSession, folder: Path) -> DataFrame:
    """A Delta table, which Spark reads if it has the package for it."""
    try:
        return session.read.format("delta").load(f"file://{folder.absolute()}")
    except Exception as error:
        if "DATA_SOURCE_NOT_FOUND" not in str(error):
            raise
        message = "a table of Delta, and Spark does not have the package that reads it; the guide to Spark has the settings"
        raise_alone(UsageError(message, where=str(folder)))


def opened_frame(session: SparkSession, frame: DataFrame, written: Mapping[str, Written]) -> Opened:
    """A frame of Spark's own."""
    if frame.isStreaming:
        raise DataError("a stream, which has no end; write it to a table, and publish that", where="the frame")
    require_distinct(frame.columns, "the frame")
    places = frame.toDF(*(f"c{place}" for place in range(len(frame.columns)))).selectExpr(*_by_letter(_types(frame)))
    view = f"sfumato_{uuid4().hex}"  # other programs on the same server have views, too
    places.createOrReplaceGlobalTempView(view)
    own = session.table(f"global_temp.{view}")
    columns = Columns.of(SQL, list(zip(frame.columns, _types(own), strict=True)))
    odd = frozenset(name for name, physical in columns.physical.items() if SQL.kind_of(physical) is None and physical != "void")
    kinds = {name: _ODD if name in odd else "STRING" if columns.is_text(name) else "" for name in frame.columns}
    chosen = own.selectExpr(*_selected(frame.columns, kinds, written, columns.places))
    described = list(zip(frame.columns, _types(chosen), strict=True))
    return Opened(chosen, chosen, Columns.of(SQL, described), odd, frozenset(), own.count(), view)


def _by_letter(types: Sequence[str]) -> list[str]:
    """The columns c0, c1, … with texts that are equal only if all their letters are: a collation may take others for equal."""
    collated = {place for place, physical in enumerate(types) if physical.startswith("string collate ")}
    return [f"collate(c{place}, 'UTF8_BINARY') AS c{place}" if place in collated else f"c{place}" for place in range(len(types))]


def _types(frame: DataFrame) -> list[str]:
    return [physical for _, physical in frame.dtypes]


def _kinds_in(file: Path) -> dict[str, str]:
    """The types of a Parquet file's columns, as Spark has them."""
    import pyarrow.parquet as pq

    with file.open("rb") as opened:
        about = pq.read_metadata(opened)
    old = {about.schema.column(i).path for i in range(len(about.schema)) if about.schema.column(i).physical_type == "INT96"}
    return {field.name: "TIMESTAMP" if field.name in old else _kind_of(field.type) for field in about.schema.to_arrow_schema()}


def _kind_of(type_: pa.DataType) -> str:
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    if pa.types.is_decimal128(type_):
        return f"DECIMAL({type_.precision}, {type_.scale})"
    if pa.types.is_timestamp(type_) and type_.unit == "ns":
        return "nanos" if type_.tz is None else "nanos with a zone"
    if pa.types.is_timestamp(type_):
        return "TIMESTAMP_NTZ" if type_.tz is None else "TIMESTAMP_LTZ"
    return _NULL if pa.types.is_null(type_) else _TYPES.get(type_, _ODD)


def _copied(reader: Reader, names: Sequence[str], copy: Path) -> dict[str, str]:
    """Write the rows of a reader to a file; returns the types of its columns. Those that Spark does not have are left out."""
    batches = reader.rows(names)
    first = next(batches, None)
    if first is None:
        first = pa.RecordBatch.from_pylist([], pa.schema([(name, pa.string()) for name in names]))
    kinds = {field.name: _kind_of(field.type) for field in first.schema}
    kept = [name for name in names if kinds[name] not in (_ODD, _NULL)]
    schema = pa.schema([first.schema.field(name) for name in kept])

    write_copy(copy, schema, (batch.select(kept) for batch in chain([first], batches)), None, str(copy))
    return kinds


def _frame(
    session: SparkSession, files: Sequence[Path], root: Path | None, names: Sequence[str], kinds: Mapping[str, str]
) -> DataFrame:
    """Parquet files as a frame; names are no patterns here."""
    read = {name: "BIGINT" if kinds[name] in _NANOS else kinds[name] for name in names if kinds[name] not in (_NULL, _ODD)}
    reader = session.read.schema(", ".join(f"{SQL.identifier(name)} {kind}" for name, kind in read.items()))
    reader = reader.option("__globPaths__", "false")
    if root is not None:
        reader = reader.option("basePath", f"file://{root.absolute()}")
    return reader.parquet(*(f"file://{file.absolute()}" for file in files))


def _columns(names: Sequence[str], source: Source) -> list[str]:
    """The columns, those in the names of folders in the letters that were meant: Spark takes every byte of `%C3%A4` for a letter."""
    columns = {name: SQL.identifier(name) for name in names}
    if isinstance(source, ParquetFiles):
        for key in set(source.partitions) & set(names):
            texts = {
                text
                for file in source.files
                for part in source.below(file)
                for text in [part.removeprefix(f"{key}=")]
                if text != part
            }
            meant = {taken: right for taken, right in map(_as_taken, sorted(texts)) if taken != right}
            cases = " ".join(f"WHEN {SQL.literal(taken)} THEN {SQL.literal(right)}" for taken, right in meant.items())
            columns[key] = f"CASE {columns[key]} {cases} ELSE {columns[key]} END" if cases else columns[key]
    return list(columns.values())


def _as_taken(text: str) -> tuple[str, str]:
    """What Spark takes the value in the name of a folder for, and what it is.

    >>> _as_taken("K%C3%B6ln%20S%C3%BCd"), _as_taken("Bonn")
    (('KÃ¶ln SÃ¼d', 'Köln Süd'), ('Bonn', 'Bonn'))
    """
    return re.sub("%([0-9a-fA-F]{2})", lambda byte: chr(int(byte[1], 16)), text), unquote(text)


def _selected(
    names: Sequence[str], kinds: Mapping[str, str], written: Mapping[str, Written], columns: Sequence[str] = ()
) -> list[str]:
    """The columns under the names of their places, read as they are written; `columns` are what they are called until then. Behind them,
    for each column of nanoseconds, whether a moment is finer than a microsecond."""
    chosen, fine = [], []
    for place, name in enumerate(names):
        column, kind = columns[place] if columns else SQL.identifier(name), kinds[name]
        if kind in _NANOS:
            value = _NANOS[kind].format(column)
            fine.append(f"{column} % 1000 <> 0 AS f{place}")
        elif kind in (_NULL, _ODD):
            value = f"CAST(NULL AS {'INT' if kind == _NULL else 'STRING'})"
        else:
            value = _read(column, name, written) if kind == "STRING" else column
        chosen.append(f"{value} AS c{place}")
    return chosen + fine


def _read(column: str, name: str, written: Mapping[str, Written]) -> str:
    return read_as(SQL, column, written[name]) if name in written else column

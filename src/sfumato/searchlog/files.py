"""Files of rows: Parquet whose bytes depend on the rows alone, and CSV in which no text is taken for a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import DataError, UsageError, argument, raise_alone
from sfumato.inputs import opened
from sfumato.vocabulary.formulas import escaped, unescaped

_ROWS = 1 << 17  # in a row group


def require_suffix(path: Path, *endings: str) -> None:
    """Refuse a name that does not say what is written."""
    if path.suffix not in endings:
        raise UsageError(f"name a file that ends in {' or '.join(endings)}", where=argument("output"))


def write_rows(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Write rows in groups of one size, or as CSV if the name says so; returns how many there are."""
    if path.suffix == ".csv":
        return _write_csv(path, schema, batches)
    rows = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for group in _grouped(schema, batches):
            writer.write_table(group, row_group_size=_ROWS)
            rows += group.num_rows
    return rows


def _grouped(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    waiting = schema.empty_table()
    for batch in batches:
        waiting = pa.concat_tables([waiting, pa.table([batch.column(name) for name in schema.names], schema.names).cast(schema)])
        while waiting.num_rows >= _ROWS:
            yield waiting.slice(0, _ROWS).combine_chunks()
            waiting = waiting.slice(_ROWS)
    if waiting.num_rows:
        yield waiting.combine_chunks()


def _write_csv(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    with path.open("w", encoding="utf-8", newline="") as file:
        return _render(file, schema, batches)


class _Written(Protocol):
    """What takes the parts of a text."""

    def write(self, text: str, /) -> object: ...


def _render(file: _Written, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    rows = 0
    writer = csv.writer(file, lineterminator="\n")
    # The other leaves a lone carriage return bare.
    quoting = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerow(schema.names)
    for batch in batches:
        columns = [batch.column(name).cast(schema.field(name).type).to_pylist() for name in schema.names]
        for row in zip(*columns, strict=True):
            cells = ["" if each is None else escaped(each) if isinstance(each, str) else each for each in row]
            (quoting if any("\r" in each for each in cells if isinstance(each, str)) else writer).writerow(cells)
        rows += batch.num_rows
    return rows


class _Compared:
    """Takes a text, and notes whether a file is the same."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self.same = file, True

    def write(self, text: str) -> None:
        raw = text.encode()
        self.same = self.same and self._file.read(len(raw)) == raw


def is_rendered(path: Path, table: pa.Table) -> bool:
    """Whether a CSV file is what would be written of these rows, to the byte."""
    with opened(path) as file:
        compared = _Compared(file)
        _render(compared, table.schema, table.to_batches())
        return compared.same and not file.read(1)


def read_rows(path: Path, schema: pa.Schema, maker: str) -> pa.Table:
    """The rows of such a file, which must have these columns in this order."""
    with opened(path) as file:
        try:
            table = _read_csv(file, schema) if path.suffix == ".csv" else pq.read_table(file)
            if table.column_names == schema.names:
                return table.cast(schema)
        except (pa.ArrowException, OSError, ValueError):  # their messages quote values
            raise_alone(DataError(f"cannot be read; '{maker}' writes such a file", where=str(path)))
    raise DataError(f"has other columns than {', '.join(schema.names)}; '{maker}' writes such a file", where=str(path))


def _read_csv(file: BinaryIO, schema: pa.Schema) -> pa.Table:
    from pyarrow import csv as arrow

    texts = {name for name in schema.names if pa.types.is_string(schema.field(name).type)}
    types = dict(zip(schema.names, schema.types, strict=True))
    convert = arrow.ConvertOptions(
        column_types=types, strings_can_be_null=True, null_values=[""]
    )  # somebody may search for "null"
    table = arrow.read_csv(file, parse_options=arrow.ParseOptions(newlines_in_values=True), convert_options=convert)
    columns: list[Any] = [_plain(table.column(name)) if name in texts else table.column(name) for name in table.column_names]
    return pa.table(columns, table.column_names)


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """Texts as they were; only those with a mark are looked at one by one."""
    import pyarrow.compute as pc

    if not pc.any(pc.starts_with(column, "'"), min_count=0).as_py():
        return column
    return pa.array([None if each is None else unescaped(each) for each in column.to_pylist()], pa.string())

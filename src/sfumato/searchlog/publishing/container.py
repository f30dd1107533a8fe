"""Whether a published file has anything in it besides its rows: what a certificate promises about them says nothing of what is beside them.

CSV is rendered again, and must be the same to the byte. The bytes of a Parquet file depend on who wrote it, so it is looked through: notes
beside the schema, bytes that are in no column, texts that a column lists and no row has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sfumato.searchlog.files import is_rendered

_MAGIC, _LENGTH = 4, 4  # at both ends; and the length of the footer, before the last
_SCHEMA = b"ARROW:schema"
_WRITER = re.compile(r"parquet-cpp-arrow version [0-9.]+(-SNAPSHOT)?")


def besides(path: Path, table: pa.Table) -> Iterator[str]:
    """What a file has in it that is none of its rows."""
    if path.suffix == ".csv":
        if not is_rendered(path, table):
            yield "the file is not written as releases are, to the byte"
        return
    with pq.ParquetFile(path, read_dictionary=_texts(table.schema)) as file:
        about = file.metadata
        if not _WRITER.fullmatch(about.created_by) or set(about.metadata or ()) - {_SCHEMA} or _has_notes(file.schema_arrow):
            yield "notes are beside the rows"
        if not _is_filled(about, path.stat().st_size):
            yield "bytes of the file are in no column"
        if any(_has_unused(file, number) for number in range(about.num_row_groups)):
            yield "texts are listed that no row has"


def _texts(schema: pa.Schema) -> list[str]:
    return [field.name for field in schema if pa.types.is_string(field.type)]


def _has_notes(schema: pa.Schema) -> bool:
    return bool(schema.metadata) or any(set(field.metadata or ()) - {b"PARQUET:field_id"} for field in schema)


def _is_filled(about: pq.FileMetaData, size: int) -> bool:
    """Whether the columns follow each other from the first byte to the footer, without a gap."""
    place = _MAGIC
    for group in range(about.num_row_groups):
        for number in range(about.num_columns):
            column = about.row_group(group).column(number)
            first = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
            if first != place:
                return False
            place += column.total_compressed_size
    return bool(place + about.serialized_size + _LENGTH + _MAGIC == size)


def _has_unused(file: pq.ParquetFile, number: int) -> bool:
    """Whether a column of a group of rows lists a text that none of them has. A list that became too long goes on as plain texts."""
    columns = [name for name in file.schema_arrow.names if pa.types.is_dictionary(file.schema_arrow.field(name).type)]
    for column in file.read_row_group(number, columns=columns).columns:
        listed = pa.chunked_array([chunk.dictionary for chunk in column.chunks], pa.string())
        if len(pc.unique(listed)) > len(pc.unique(column.cast(pa.string()).drop_null())):
            return True
    return False

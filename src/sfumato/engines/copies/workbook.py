"""Workbooks: one sheet of an .xlsx, .xls, .xlsb or .ods file. Its first row names the columns; rows without any cell are no records."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.engines.base import Settings
from sfumato.engines.copies.copied import BATCH, Copied, array_of, chosen, needs, type_of, write_copy
from sfumato.engines.csvfile import named_columns
from sfumato.engines.memory import megabytes, within
from sfumato.errors import DataError, argument, raise_alone
from sfumato.vocabulary.dialect import Dialect

_DAMAGED = "not a workbook (.xlsx, .ods), or a damaged one"
_COPIES = 4  # of what it unpacks to: all cells are held in memory
SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")


def is_workbook(path: Path, head: bytes) -> bool:
    return path.suffix.lower() in SUFFIXES or head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0"))


def copied_sheet(path: Path, settings: Settings, folder: Path) -> Copied:
    """A copy of the sheet that is named, or of the only one with data in it."""
    _require_room(path, settings.memory_limit)
    dialect = settings.dialect
    name, rows = _sheet(path, dialect.sheet)
    width = max(map(len, rows), default=0)
    cells = [[None if cell == "" else cell for cell in row] + [None] * (width - len(row)) for row in rows]
    while width and all(row[width - 1] is None for row in cells):
        width -= 1
    header = dialect.header is not False
    where = f"{path}, sheet {name!r}"
    if header:
        names = named_columns([_name(cell) for cell in cells[0][:width]], where, certain=dialect.header is not None)
    else:
        names = [f"column_{place}" for place in range(1, width + 1)]
    records = [row for row in cells[header:] if any(cell is not None for cell in row)]
    copy = folder / "copy.parquet"
    return Copied(
        copy, _written(names, records, copy, where), where, Dialect(header=None if header else False, sheet=name), (path,)
    )


def _written(names: list[str], records: list[list[Any]], copy: Path, where: str) -> int:
    types = [type_of(row[place] for row in records) for place in range(len(names))]
    schema = pa.schema([(name, pa.string() if kind == pa.null() else kind) for name, kind in zip(names, types, strict=True)])

    def batch(rows: list[list[Any]]) -> pa.RecordBatch:
        arrays = [array_of((row[place] for row in rows), kind) for place, kind in enumerate(schema.types)]
        return pa.record_batch(arrays, schema=schema)

    try:
        batches = (batch(records[begin : begin + BATCH]) for begin in range(0, len(records), BATCH))
        return write_copy(copy, schema, batches, len(records), where)
    except (pa.ArrowException, OverflowError):
        raise_alone(DataError("a cell cannot be read, such as a date before the year 1", where=where))


def _require_room(path: Path, memory: str | None) -> None:
    """Refuse a workbook that unpacks to more than there is room for. It is unpacked once, piece by piece: what it says may not be true."""
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as book:
            unpacked = sum(each.file_size for each in book.infolist())
            if not within(need := _COPIES * unpacked, memory):
                raise DataError(
                    f"unpacks to {megabytes(unpacked)} and needs about {megabytes(need)} of memory; raise {argument('memory')}, or save "
                    "it as CSV",
                    where=str(path),
                )
            wrong = book.testzip()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError):
        wrong = path.name
    if wrong is not None:
        raise DataError(_DAMAGED, where=str(path))


def _name(cell: Any) -> str:
    return "" if cell is None else str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _sheet(path: Path, wanted: str | None) -> tuple[str, list[list[Any]]]:
    """The name of the sheet and its rows, without empty ones at the beginning."""
    try:
        import python_calamine as calamine
    except ImportError:
        needs("excel", "python-calamine", str(path))
    try:
        with calamine.CalamineWorkbook.from_path(str(path)) as book:
            if wanted is not None:
                name = chosen(book.sheet_names, wanted, "sheet", "sheet", path.name)
                rows = book.get_sheet_by_name(name).to_python()
            else:
                found = {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}
                name = chosen([name for name, rows in found.items() if rows], None, "sheet", "sheet", str(path))
                rows = found[name]
    except calamine.PasswordError:
        raise_alone(DataError("the workbook is protected by a password; save a copy without one", where=str(path)))
    except (calamine.CalamineError, calamine.ZipError, calamine.XmlError, OSError):
        raise_alone(DataError(_DAMAGED, where=str(path)))
    if not rows:
        raise DataError("the sheet is empty", where=f"{path}, sheet {name!r}")
    return name, rows

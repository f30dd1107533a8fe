"""Files of SPSS (.sav), Stata (.dta) and SAS (.sas7bdat). What a package defines as missing is missing; where every value of a column has a
label, the labels are the values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.engines.copies.copied import BATCH, Copied, array_of, common_type, is_nan, needs, type_of, write_copy
from sfumato.engines.csvfile import require_distinct
from sfumato.errors import DataError, raise_alone
from sfumato.vocabulary.dialect import Dialect

SUFFIXES = {".sav": "read_sav", ".zsav": "read_sav", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat"}
Chunk = Mapping[str, Sequence[Any]]
Labels = Mapping[str, Mapping[Any, str]]


@dataclass(frozen=True, slots=True)
class _Column:
    """The type of a column, and its labels if all of its values have one."""

    kind: pa.DataType
    labels: Mapping[Any, str] | None

    def array(self, values: Sequence[Any]) -> pa.Array:
        plain = (_plain(value) for value in values)
        if self.labels is not None:
            return array_of((None if value is None else self.labels[value] for value in plain), self.kind)
        return array_of(plain, self.kind)


def copied_statistics(path: Path, dialect: Dialect, folder: Path) -> Copied:
    """A copy of the table in such a file. It is read twice: a column's type is that of all its values."""
    chunks, names, labels, expected = _opened(path, dialect.encoding)
    require_distinct(names, str(path))
    columns = _columns(chunks, names, labels)
    schema = pa.schema([(name, columns[name].kind) for name in names])
    batches = (pa.record_batch([columns[name].array(chunk[name]) for name in names], schema=schema) for chunk in chunks())
    copy = folder / "copy.parquet"
    rows = write_copy(copy, schema, batches, expected, str(path))
    return Copied(copy, rows, str(path), Dialect(encoding=dialect.encoding), (path,))


def _opened(path: Path, encoding: str | None) -> tuple[Callable[[], Iterator[Chunk]], list[str], Labels, int | None]:
    """The rows in chunks, as often as wanted; the names, the labels, and the number of rows if the file says it."""
    try:
        import pyreadstat
    except ImportError:
        needs("statistics", "pyreadstat", str(path))
    read = getattr(pyreadstat, SUFFIXES[path.suffix.lower()])
    options = {"output_format": "dict", **({"encoding": encoding} if encoding else {})}

    def part(**more: Any) -> tuple[Chunk, Any]:
        try:
            chunk, about = read(str(path), **options, **more)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError, OverflowError, UnicodeError):
            raise_alone(
                DataError(
                    "cannot be read: not a file of that package, damaged, or with dates after the year 9999", where=str(path)
                )
            )
        return chunk, about

    def chunks() -> Iterator[Chunk]:
        begin, rows = 0, BATCH
        while rows == BATCH:
            chunk, _ = part(row_offset=begin, row_limit=BATCH)
            rows = len(next(iter(chunk.values()), ()))
            begin += rows
            if rows:
                yield chunk

    _, about = part(metadataonly=True)
    number = about.number_rows if about.number_rows is not None and about.number_rows >= 0 else None
    return chunks, list(about.column_names), about.variable_value_labels, number


def _columns(chunks: Callable[[], Iterator[Chunk]], names: Sequence[str], labels: Labels) -> dict[str, _Column]:
    kinds: dict[str, set[pa.DataType]] = {name: set() for name in names}
    labelled = {name for name in names if labels.get(name)}
    for chunk in chunks():
        for name in names:
            values = [_plain(value) for value in chunk[name]]
            kinds[name].add(type_of(values))
            if name in labelled and any(value is not None and value not in labels[name] for value in values):
                labelled.remove(name)
    return {
        name: _Column(pa.string(), labels[name]) if name in labelled else _Column(common_type(kinds[name]), None)
        for name in names
    }


def _plain(value: Any) -> Any:
    """A value as one of Python's own; None where it is missing."""
    item = value.item() if hasattr(value, "item") else value
    return None if item is None or item == "" or is_nan(item) else item

"""CSV files: the header, the delimiter, and one pass over all bytes that counts the records before an engine reads them.

Headers are read here, not by the engine: engines rename repeated columns silently.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from sfumato.engines.base import Settings
from sfumato.engines.memory import megabytes, need_for_record, within
from sfumato.engines.records import NotUtf8, RecordCounter, Records
from sfumato.engines.transcoding import UTF_8, WESTERN, copied, marked, named, require_not_unicode, states_delimiter
from sfumato.errors import DataError, argument, raise_alone
from sfumato.inputs.cells import cells_up_to
from sfumato.vocabulary.dialect import Dialect

DELIMITERS = (",", ";", "\t", "|", ":", "^", "~", "\x01")
_CHUNK = 96 << 10  # larger arrays would be mapped into memory anew for every block, which takes longer than to look at them
_HEAD = 1 << 20
_LOOKED_AT = 50  # lines below the first one
_LONGEST_HEAD = 64 << 20
_BOM = b"\xef\xbb\xbf"
_VALUE = re.compile(r"[+-]?[0-9][0-9., ']*|[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}([ T][0-9:.]+)?")


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file, gzipped or not, with its header read and its records counted. `copy` is a copy of it in plain UTF-8, where an engine
    could not read the file itself."""

    path: Path
    delimiter: str
    columns: tuple[str, ...]
    gzipped: bool
    records: Records
    header: bool = True
    encoding: str = UTF_8
    copy: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.path,)

    @property
    def readable(self) -> Path:
        """The file that an engine reads."""
        return self.copy or self.path

    @property
    def rows(self) -> int:
        return self.records.rows

    @property
    def dialect(self) -> Dialect:
        return Dialect(
            None if self.encoding == UTF_8 else self.encoding,
            None if self.delimiter == "," else self.delimiter,
            None if self.header else False,
        )


def csv_file(path: Path, settings: Settings, expected: Iterable[str], folder: Path) -> CsvFile:
    """A CSV file, looked at from its first to its last byte; the folder is for a copy of it."""
    try:
        with path.open("rb") as file:
            gzipped = file.read(2) == b"\x1f\x8b"
        return _of_any_encoding(path, gzipped, settings, tuple(expected), folder)
    except (OSError, EOFError, zlib.error) as error:
        raise_alone(DataError(f"cannot be read: {getattr(error, 'strerror', None) or 'damaged gzip file'}", where=str(path)))


def _of_any_encoding(path: Path, gzipped: bool, settings: Settings, expected: tuple[str, ...], folder: Path) -> CsvFile:
    with _opened(path, gzipped) as file:
        head = file.read(_HEAD)
    encoding = named(settings.dialect.encoding) or marked(head)
    require_not_unicode(head, encoding, str(path))
    copy = folder / "copy.csv"
    try:
        if encoding in (None, UTF_8) and not states_delimiter(head):
            return _of_utf_8(path, gzipped, settings, expected)
        stated = _copied(path, gzipped, copy, encoding or UTF_8)
    except NotUtf8 as error:
        if encoding is not None:
            raise_alone(DataError(f"not UTF-8; name its encoding with {argument('encoding')}", where=str(error)))
        encoding = WESTERN
        stated = _copied(path, gzipped, copy, None)
    settings = replace(settings, dialect=settings.dialect.over(Dialect(delimiter=stated)))
    return replace(_of_utf_8(copy, False, settings, expected, str(path)), path=path, encoding=encoding or UTF_8, copy=copy)


def _copied(path: Path, gzipped: bool, copy: Path, encoding: str | None) -> str | None:
    with _opened(path, gzipped) as file:
        return copied(file, copy, encoding, str(path))


def _of_utf_8(path: Path, gzipped: bool, settings: Settings, expected: tuple[str, ...], where: str | None = None) -> CsvFile:
    where, header = where or str(path), settings.dialect.header is not False
    with _opened(path, gzipped) as file:
        head, delimiter, columns = _header(file, where, settings, expected)
        records = _records(file, head, RecordCounter(delimiter, len(columns), where, header=header))
    _require_readable(where, records, columns if header else (), settings, marked=head.startswith(_BOM))
    return CsvFile(path, delimiter, tuple(columns), gzipped, records, header)


def _opened(path: Path, gzipped: bool) -> IO[bytes] | gzip.GzipFile:
    return gzip.open(path, "rb") if gzipped else path.open("rb")


def _header(
    file: IO[bytes] | gzip.GzipFile, where: str, settings: Settings, expected: tuple[str, ...]
) -> tuple[bytes, str, list[str]]:
    """The first bytes, the delimiter and the names of the columns. More is read until the header has ended."""
    head, whole = b"", False
    while not whole:
        more = file.read(max(len(head), _HEAD))
        head += more
        text = head.removeprefix(_BOM).decode(errors="replace")
        delimiter = settings.dialect.delimiter or _delimiter(text, expected, settings.likely_delimiter)
        columns, *others = _rows(text, delimiter, 2)
        whole = bool(others) or not more
        if not whole and len(head) >= _LONGEST_HEAD:
            raise DataError(f"the header is longer than {megabytes(_LONGEST_HEAD)}; is a quote not closed?", where=where)
    if not text.strip():
        raise DataError("the file is empty", where=where)
    if settings.dialect.header is False:
        return head, delimiter, [f"column_{place}" for place in range(1, len(columns) + 1)]
    if not columns:
        raise DataError("the first line is blank; the names of the columns belong there", where=where)
    _require_no_title(text, columns, where)
    return head, delimiter, named_columns(columns, where, certain=settings.dialect.header is True)


def _require_no_title(text: str, columns: Sequence[str], where: str) -> None:
    """Refuse a first line that is not divided while the lines below it are, all in the same way."""
    for delimiter in DELIMITERS if len(columns) == 1 else ():
        _, *below = _rows(text, delimiter, _LOOKED_AT)
        fields = {len(row) for row in below[:-1] if row}  # the last one may be cut
        if len(below) > 2 and len(fields) == 1 and (many := fields.pop()) > 1:
            raise DataError(
                f"the first line seems to be a title: below it there are {many} fields, divided by {delimiter!r}; remove the lines above "
                "the header",
                where=where,
            )


def _records(file: IO[bytes] | gzip.GzipFile, head: bytes, counter: RecordCounter) -> Records:
    """Count the records of a file whose first bytes have been read."""
    for begin in range(len(_BOM) if head.startswith(_BOM) else 0, len(head), _CHUNK):
        counter.feed(head[begin : begin + _CHUNK])
    while chunk := file.read(_CHUNK):
        counter.feed(chunk)
    return counter.finish()


def _require_readable(where: str, records: Records, columns: Sequence[str], settings: Settings, *, marked: bool) -> None:
    """Refuse what the engine would misread (`marked` files begin with a byte order mark), and records too long for the memory limit."""
    same = "\r\n" if records.line_end == "\r\n" and not marked else ""  # the engine takes the first line break for a line end
    broken = any({"\r", "\n"} & set(name.replace(same, "")) for name in columns)
    if broken and (marked or records.line_end == "\r\n"):
        raise DataError("a name in the header has a line break, which the engine would misread; rename the column", where=where)
    need = need_for_record(records.longest)
    if not within(need, settings.memory_limit):
        raise DataError(
            f"a record of {megabytes(records.longest)} needs about {megabytes(need)} of memory; "
            f"raise {argument('memory')}, or is a quote not closed?",
            where=where,
        )


def _rows(text: str, delimiter: str, count: int) -> list[list[str]]:
    """The first records; `text` is short, so a long cell in it does no harm."""
    try:
        with cells_up_to(len(text) + 1):
            return list(itertools.islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), count)) or [[]]
    except csv.Error:
        return [[]]


def _delimiter(head: str, expected: tuple[str, ...], likely: str | None) -> str:
    """The delimiter with the most expected names in the header; among equals, one that also fits the first row, then the most columns.
    One that divides nothing fits every row, which says nothing."""

    def fit(delimiter: str) -> tuple[int, bool, int]:
        header, *rows = _rows(head, delimiter, 2)
        fits = len(header) > 1 and all(len(row) == len(header) for row in rows)
        return len(set(header).intersection(expected)), fits, len(header)

    return max((*([likely] if likely else []), *DELIMITERS), key=fit)


def is_value(name: str) -> bool:
    """Whether a name is more likely a value of a record: a number or a date."""
    return _VALUE.fullmatch(name.strip()) is not None


def named_columns(columns: Sequence[str], where: str, *, certain: bool) -> list[str]:
    """The names in a first line. A column without a name is called by its place, as `column_3`; a line where most have none is no header,
    and a name that may be a value is not shown."""
    blank = {place for place, name in enumerate(columns) if not name.strip()}
    if 2 * len(blank) > len(columns):
        raise DataError(
            "most columns have no name in the first line; is it a title? Remove what is above the header", where=where
        )
    names = [f"column_{place + 1}" if place in blank else name for place, name in enumerate(columns)]
    require_names(names, where, certain=certain)
    return names


def require_names(columns: Sequence[str], where: str, *, certain: bool) -> None:
    """Refuse repeated and empty names in a first line. One that may be a record is not shown."""
    distinct = all(name.strip() for name in columns) and len({name.casefold() for name in columns}) == len(columns)
    if not distinct and not certain and any(map(is_value, columns)):
        raise DataError(
            f"the first line seems to be a record, not the names of columns; with {argument('header', 'False')} they are called "
            "column_1, column_2, …",
            where=where,
        )
    require_distinct(columns, where)


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

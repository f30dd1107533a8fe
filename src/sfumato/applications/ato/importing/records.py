"""The records of a log, one after the other and never all in memory: a line of JSON each, the elements of one list, the pages of an API,
or the rows of an export as CSV."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import msgspec

from sfumato.applications.ato.importing.exports import is_export, rows_of
from sfumato.applications.ato.importing.packing import unpacked
from sfumato.applications.ato.importing.rows import NO_RECORD, TOO_LONG, Aside
from sfumato.errors import DataError, UsageError, raise_alone

LONGEST = 16 << 20  # bytes of a record
_BLOCK = 1 << 20
_BLANK = b"\xef\xbb\xbf \t\r\n"
_GAP = re.compile(r"[\s,\[\]\ufeff]*")
_LISTS = ("value", "records")  # of a page of the Graph API, and of a diagnostic setting
_decode = msgspec.json.Decoder().decode
_next_value = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Record:
    """A record, and where it stands: the `number` of its line, element or row (`unit`). `value` says why, if it is no JSON object."""

    file: str
    unit: str
    number: int
    text: bytes
    value: dict[str, Any] | Aside


def files_of(logs: Sequence[Path]) -> list[Path]:
    """The files, with those in folders; refuses names that lead nowhere."""
    found: list[Path] = []
    for path in logs:
        if path.is_dir():
            found += sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
        elif path.is_file():
            found.append(path)
        else:
            raise UsageError("no such file", where=str(path))
    if not found:
        raise UsageError("no file in it", where=str(logs[0]) if logs else "logs")
    return found


def records(path: Path) -> Iterator[Record]:
    """The records of a file, whose first line decides how they are written."""
    with unpacked(path) as file:
        head, ended, _ = file.peek().lstrip(_BLANK).partition(b"\n")
        if head.startswith(b"["):
            yield from _values(path, file)
        elif head.startswith(b"{"):
            spread = bool(ended) and head.rstrip().endswith((b"{", b"[", b","))  # an object over several lines
            yield from _values(path, file) if spread else _lines(path, file)
        elif is_export(head):
            yield from (Record(path.name, "row", number, text, value) for number, text, value in rows_of(path, file, LONGEST))
        else:
            yield from _lines(path, file)


def _lines(path: Path, file: IO[bytes]) -> Iterator[Record]:
    number = 0
    while line := file.readline(LONGEST):
        number += 1
        text, whole = line.strip(_BLANK), line.endswith(b"\n") or len(line) < LONGEST
        if not whole:
            _skip_line(file)
        if text:
            yield from _pages(Record(path.name, "line", number, text, _object(text) if whole else TOO_LONG))


def _skip_line(file: IO[bytes]) -> None:
    while (rest := file.readline(LONGEST)) and not rest.endswith(b"\n"):
        pass


def _values(path: Path, file: IO[bytes]) -> Iterator[Record]:
    """JSON values one after the other, in a list or not. Where one cannot be read, nothing tells where the next begins."""
    with io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="") as text:
        for number, (written, value) in enumerate(_each_value(path, text), start=1):
            yield from _pages(Record(path.name, "element", number, written, value if isinstance(value, dict) else NO_RECORD))


def _each_value(path: Path, text: IO[str]) -> Iterator[tuple[bytes, Any]]:
    buffer, at, number, depth = "", 0, 0, 0
    while True:
        gap = _GAP.match(buffer, at)
        assert gap is not None  # noqa: S101  it may be empty
        depth, at = depth + gap[0].count("[") - gap[0].count("]"), gap.end()
        value, end = _value(buffer, at)
        if end < 0:
            more = text.read(max(_BLOCK, len(buffer) - at))
            if not more and at == len(buffer) and depth == 0:
                return
            if not more or len(buffer) - at > LONGEST:
                raise_alone(DataError(f"element {number + 1:,} of its list cannot be read; is the file whole?", where=str(path)))
            buffer, at = buffer[at:] + more, 0
            continue
        yield buffer[at:end].encode(), value
        number, at = number + 1, end


def _value(buffer: str, at: int) -> tuple[Any, int]:
    """The value that begins at a place, and where it ends; -1 where it is not whole, as far as that can be known."""
    try:
        value, end = _next_value(buffer, at)
    except (ValueError, RecursionError):
        return None, -1
    return (value, end) if end < len(buffer) or isinstance(value, dict) else (None, -1)


def _pages(record: Record) -> Iterator[Record]:
    """The records of a page, `{"value": [...]}`; anything else is one record."""
    value = record.value
    listed = None if isinstance(value, Aside) else next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    if listed is None:
        yield record
        return
    for each in listed:
        text = json.dumps(each, ensure_ascii=False).encode(errors="replace")
        yield Record(record.file, record.unit, record.number, text, each if isinstance(each, dict) else NO_RECORD)


def _object(text: bytes) -> dict[str, Any] | Aside:
    try:
        value = _decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return NO_RECORD
    return value if isinstance(value, dict) else NO_RECORD

"""Texts as engines read them: unpacked, in UTF-8, and with a record in each line that is one.

A table that is no text, and a text that has no columns for a search, is read as it is. A text in which nothing can be misread, too; any
other is copied. CSV readers take quotation marks for more than what people typed, and refuse a whole file for one line that was cut.
"""

from __future__ import annotations

import re
import shutil
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.engines.records import NotUtf8
from sfumato.engines.transcoding import UTF_8, copied, marked, named, require_not_unicode, states_delimiter
from sfumato.errors import DataError, argument, raise_alone
from sfumato.searchlog.importing.blocks import CHUNK, Evidence, blocks_of, plain_records
from sfumato.searchlog.importing.cells import written
from sfumato.searchlog.importing.layout import Layout, layout_of
from sfumato.searchlog.importing.mending import Mending, Reject
from sfumato.searchlog.importing.packed import GZIP, name_within, packing_of, unpacked
from sfumato.vocabulary.dialect import Dialect

_TABLES = (b"PAR1", b"PK\x03\x04", b"SQLite", b"\xd0\xcf\x11\xe0")
_TAB = b"\t"
_JSON = re.compile(rb"\s*(\{\s*[\"}]|\[\s*[\[{])")


@dataclass(frozen=True, slots=True, eq=False)
class Readable:
    """A file that an engine can read, and how it is to be read where that is known. `records` are in it, if that was counted; `removed` are
    the places, among all records, of those that were set aside before."""

    path: Path
    options: Mapping[str, Any]
    records: int | None = None
    removed: npt.NDArray[np.int64] | None = None

    def place(self, record: int) -> int:
        """The place among all records of one in this file, from 1."""
        if self.removed is None:
            return record
        before = self.removed - np.arange(1, len(self.removed) + 1)  # how many records of the file stand before each
        return record + int(np.searchsorted(before, record, side="left"))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A file, what was asked for, a folder for copies, and whether marks are taken for typed where nothing says otherwise."""

    path: Path
    folder: Path
    mapping: Mapping[str, str]
    dialect: Dialect
    typed: bool
    reject: Reject


def readable(path: Path, folder: Path, mapping: Mapping[str, str], dialect: Dialect, reject: Reject, *, typed: bool) -> Readable:
    """The file, or a copy of it in a folder that will be made. `reject` is called with what cannot be read."""
    if not path.is_file():
        return Readable(path, {})
    asked = _Asked(path, folder, mapping, dialect, typed, reject)
    packing = packing_of(path)
    with unpacked(path) as file:
        head = file.read(CHUNK)
    encoding = named(dialect.encoding) or marked(head)
    found = None
    if not head.startswith(_TABLES):
        require_not_unicode(head, encoding, str(path))
        found = _in_utf_8(asked, encoding, stated=states_delimiter(head))
    if found is None and packing not in (None, GZIP):
        found = Readable(_unpacked(asked), {})
    return found or Readable(path, {})


def _in_utf_8(asked: _Asked, encoding: str | None, *, stated: bool) -> Readable | None:
    """The file, or a copy in UTF-8 of one that is written otherwise, or whose first line is none of the table."""
    try:
        if encoding in (None, UTF_8) and not stated:
            return _of_text(asked, asked.path, None)
        return _recoded(asked, encoding or UTF_8)
    except NotUtf8 as error:
        if encoding is not None:
            raise_alone(DataError(f"not UTF-8; name its encoding with {argument('encoding')}", where=str(error)))
    return _recoded(asked, None)


def _recoded(asked: _Asked, encoding: str | None) -> Readable | None:
    copy = _place(asked, "utf-8")
    with unpacked(asked.path) as file:
        stated = copied(file, copy, encoding, str(asked.path))
    return _of_text(asked, copy, stated)


def _of_text(asked: _Asked, source: Path, stated: str | None) -> Readable | None:
    """A text in UTF-8, mended if there is anything to mend; None if it has no columns for a search. Refuses JSON."""
    with unpacked(source) as file:
        head = file.read(CHUNK).removeprefix(BOM_UTF8)
    lines = head if b"\n" in head else head.replace(b"\r", b"\n")
    layout = layout_of(lines, asked.path, asked.mapping, asked.dialect, stated)
    if layout is None and _JSON.match(head):
        raise DataError("is JSON; write a table, one search per line, as CSV for example", where=str(asked.path))
    if layout is None or len(layout.header) == CHUNK:
        return None
    options, evidence = {"delimiter": layout.delimiter.decode(), "encoding": None}, Evidence(layout)
    records = _counted(source, layout, evidence, str(asked.path))
    if records is not None and packing_of(source) in (None, GZIP):
        return Readable(source, options, records)
    typed = evidence.typed > evidence.around or (asked.typed and evidence.typed == evidence.around)
    return replace(_mended(asked, source, layout, typed=typed and layout.delimiter == _TAB), options=options)


def _counted(source: Path, layout: Layout, evidence: Evidence, where: str) -> int | None:
    """How many records a text has, if all of it can be read as it is. Where tabs divide it, marks may have been typed."""
    records, ends, plain = 0, set(), True
    with unpacked(source) as file:
        for place, block in enumerate(blocks_of(file, where)):
            body = block[len(layout.header) :] if place == 0 else block
            if layout.delimiter == _TAB:
                evidence.look_at(body)
            count = plain_records(body, layout, quoted=layout.delimiter != _TAB) if plain and body else 0
            plain = plain and count is not None
            records += count or 0
            ends.add(b"\r" in block)
    return records if plain and len(ends) == 1 else None


def _mended(asked: _Asked, source: Path, layout: Layout, *, typed: bool) -> Readable:
    copy = _place(asked, "mended")
    with unpacked(source) as file, copy.open("wb") as target:
        mending = Mending(_below(layout, blocks_of(file, str(asked.path))), layout, asked.reject, typed=typed)
        if asked.dialect.header is not False:
            target.write(written(layout.names, layout.delimiter))
        target.writelines(mending.pieces())
    return Readable(copy, {}, mending.records, np.array(mending.removed, np.int64))


def _below(layout: Layout, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks of a text without its header."""
    first = next(blocks)[len(layout.header) :]
    yield from [first] if first else []
    yield from blocks


def _unpacked(asked: _Asked) -> Path:
    copy = _place(asked, "unpacked")
    with unpacked(asked.path) as file, copy.open("wb") as target:
        shutil.copyfileobj(file, target, CHUNK)
    return copy


def _place(asked: _Asked, what: str) -> Path:
    """Where a copy goes: it is called as the file, for messages."""
    folder = asked.folder / what
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name_within(asked.path)

"""A text in blocks of whole lines, and which of these every reader takes apart in the same way.

Nearly all blocks of nearly all logs are such; they are looked at as a whole. Only what is left over is looked at line by line.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import IO

import numpy as np
import numpy.typing as npt

from sfumato.engines.records import NotUtf8
from sfumato.errors import DataError
from sfumato.searchlog.importing.cells import MARK, cells_of
from sfumato.searchlog.importing.layout import Layout, lines_of

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.intp]
CHUNK = 1 << 20
_LF, _CR = 10, 13
_LONGEST = 64 << 20  # no line of a log is longer


def blocks_of(file: IO[bytes], where: str) -> Iterator[bytes]:
    """Whole lines that end with a line feed, or with one after a carriage return. Refuses what is not UTF-8."""
    rest, place = b"", 1
    alone = None  # whether carriage returns end lines without a line feed
    while chunk := file.read(CHUNK):
        if alone is None:
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
            alone = b"\n" not in chunk and b"\r" in chunk
        text = rest + (chunk.replace(b"\r", b"\n") if alone else chunk)
        cut = text.rfind(b"\n") + 1
        rest = text[cut:]
        if len(rest) > _LONGEST:
            raise DataError(f"a line of more than {_LONGEST >> 20} MB; is it a log?", where=f"{where}, line {place}")
        if cut:
            yield _in_utf_8(text[:cut], where, place)
            place += text.count(b"\n", 0, cut)
    if rest:
        yield _in_utf_8(rest, where, place)


def _in_utf_8(block: bytes, where: str, place: int) -> bytes:
    if not block.isascii():
        try:
            block.decode()
        except UnicodeDecodeError as error:
            raise NotUtf8(f"{where}, line {place + block.count(10, 0, error.start)}") from None
    return block


def plain_records(block: bytes, layout: Layout, *, quoted: bool) -> int | None:
    """How many records a block has, if each of its lines is one for every reader; None otherwise. If it is `quoted`, marks around a cell
    are not part of it."""
    returns, marked = block.count(b"\r"), MARK in block
    if b"\0" in block or (marked and not quoted) or (returns and not returns == block.count(b"\r\n") == block.count(b"\n")):
        return None
    if len(layout.delimiter) > 1:
        lines = list(lines_of(block))
        return len(lines) if not marked and all(line.count(layout.delimiter) == layout.width - 1 for line in lines) else None
    signs = np.frombuffer(block if block.endswith(b"\n") else block + b"\n", np.uint8)
    ends, delimiters = np.flatnonzero(signs == _LF), np.flatnonzero(signs == layout.delimiter[0])
    if marked:
        marks = np.flatnonzero(signs == MARK[0])
        if not _around_cells(signs, marks, layout.delimiter[0]) or np.any(np.searchsorted(marks, ends) % 2):
            return None
        delimiters = delimiters[np.searchsorted(marks, delimiters) % 2 == 0]
    if len(delimiters) != len(ends) * (layout.width - 1):
        return None
    rows = delimiters.reshape(len(ends), layout.width - 1)
    alike = bool(np.all(rows[:, -1] < ends) and np.all(rows[1:, 0] > ends[:-1]))
    return len(ends) if alike else None


def _around_cells(signs: Bytes, marks: Places, delimiter: int) -> bool:
    """Whether every second mark opens a cell where one begins, and every other one closes it where one ends; two together are one in it.
    None stands after a blank, where readers differ."""
    if len(marks) % 2:
        return False
    before, after = signs[np.maximum(marks[::2] - 1, 0)], signs[marks[1::2] + 1]
    begins = (before == delimiter) | (before == _LF) | (before == MARK[0]) | (marks[::2] == 0)
    ends = (after == delimiter) | (after == _LF) | (after == _CR) | (after == MARK[0])
    return bool(np.all(begins) and np.all(ends))


class Evidence:
    """Whether the marks in a text are put around cells, or are part of what people typed: counted in its first lines that have some."""

    enough = 50_000

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.looked_at = self.around = self.typed = 0

    def look_at(self, block: bytes) -> None:
        """Count the lines of a block with marks."""
        if self.looked_at >= self.enough or MARK not in block:
            return
        lines = list(lines_of(block))
        for line, below in zip(lines, [*lines[1:], b""], strict=True):
            if MARK in line:
                self.looked_at += 1
                found = self._of(line, below)
                self.around += found > 0
                self.typed += found < 0

    def _of(self, line: bytes, below: bytes) -> int:
        """1: marks are around cells; -1: they were typed; 0: it may be either."""
        layout = self._layout
        cells, literal = cells_of(line, layout.delimiter), layout.fits(line.split(layout.delimiter))
        if cells.open:
            return -1 if literal and (not below or layout.fits(below.split(layout.delimiter))) else 1
        fits = layout.fits(cells.values)
        if fits != literal:
            return 1 if fits else -1
        return -1 if cells.stray else int(cells.doubled)

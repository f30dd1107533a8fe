"""A copy of a text that every reader takes apart as it was meant: marks that somebody typed are doubled, missing cells are there.

A mark that opens a cell may belong to what somebody typed, and another one hundreds of lines below would close it: all lines between them
would be one cell. A line that is a search by itself is never part of a cell. What cannot be known is set aside, line by line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from sfumato.searchlog.importing.blocks import plain_records
from sfumato.searchlog.importing.cells import MARK, Cells, cells_of, closing_mark, written
from sfumato.searchlog.importing.layout import Layout, lines_of

OTHER = "not a line of this layout"
TOO_MANY = "a line with more cells than the header has names"
NOT_CLOSED = "lines that a quotation mark may make one cell; one in a text is written twice, in a cell in quotation marks"
_LONGEST = 1 << 20  # no cell is longer

Reject = Callable[[int, str, bytes], None]  # the number of a line, the reason, the line


class Mending:
    """Writes such a copy. Then `records` says how many are in it, and `removed` which of all records were set aside, from 1."""

    def __init__(self, blocks: Iterator[bytes], layout: Layout, reject: Reject, *, typed: bool) -> None:
        self._blocks, self._layout, self._reject = blocks, layout, reject
        self._typed = typed  # whether marks around a cell are part of it
        self._line = layout.header.count(b"\n")
        self._waiting: deque[bytes] = deque()
        self.records = 0
        self.removed: list[int] = []

    def pieces(self) -> Iterator[bytes]:
        """The text of the copy."""
        for block in self._blocks:
            records = plain_records(block, self._layout, quoted=not self._typed)
            if records is None:
                self._waiting.extend(lines_of(block))
                while self._waiting:
                    yield self._plain() or self._next()
            else:
                self.records += records
                self._line += records
                yield block.replace(b"\r\n", b"\n") if block.endswith(b"\n") else block + b"\n"

    def _plain(self) -> bytes | None:
        """The next line, if every reader takes it for a record: most are."""
        line, layout = self._waiting[0], self._layout
        if MARK in line or b"\r" in line or b"\0" in line or line.count(layout.delimiter) != layout.width - 1:
            return None
        self._waiting.popleft()
        self._line += 1
        self.records += 1
        return line + b"\n"

    def _next(self) -> bytes:
        line, layout = self._waiting.popleft(), self._layout
        self._line += 1
        if not line:
            return b""  # no record
        if b"\0" in line:
            return self._without([line], OTHER)
        literal = line.split(layout.delimiter)
        if MARK not in line or (self._typed and layout.fits(literal)):
            return self._with(literal, [line])
        cells = cells_of(line, layout.delimiter)
        if cells.open:
            return self._of_lines(line, literal)
        better = layout.fits(literal) and not layout.fits(cells.values)
        return self._with(literal if better else cells.values, [line])

    def _of_lines(self, line: bytes, literal: Sequence[bytes]) -> bytes:
        """The record that begins with a line in which a mark opens a cell, and none closes it."""
        whole = self._layout.fits(literal)
        count, cells = self._closed(line, whole=whole)
        if not count:
            return self._with(literal, [line]) if whole else self._without([line], NOT_CLOSED)
        lines = [line, *(self._waiting.popleft() for _ in range(count))]
        self._line += count
        if cells is None or self._divided(cells.values):
            return self._without(lines, NOT_CLOSED)
        return self._with(cells.values, lines)

    def _closed(self, line: bytes, *, whole: bool) -> tuple[int, Cells | None]:
        """How many lines below it the last cell of a line has, and the cells with these; None if it may be otherwise. No lines if a search
        comes before the mark that closes it, or there is no such mark. A line that is a search as a `whole` is not continued by another
        one."""
        lines, size, layout = [line], len(line), self._layout
        while (below := self._below(len(lines) - 1)) is not None and size <= _LONGEST:
            lines.append(below)
            size += len(below)
            search = self._is_search(below)
            cells = cells_of(b"\n".join(lines), layout.delimiter) if closing_mark(below) >= 0 else None
            if cells is not None and (cells.torn or not cells.open or len(cells.values) > layout.width):
                sure = not (search or cells.torn or cells.open)
                return (len(lines) - 1, cells if sure else None) if sure or not whole else (0, None)
            if search:
                break
        return 0, None

    def _divided(self, values: Sequence[bytes]) -> bool:
        """Whether a cell that is read has several lines and a delimiter, as whole records have."""
        read = (values[place] for place in self._layout.fields.values() if place < len(values))
        return any(b"\n" in value and self._layout.delimiter in value for value in read)

    def _below(self, place: int) -> bytes | None:
        while len(self._waiting) <= place:
            block = next(self._blocks, None)
            if block is None:
                return None
            self._waiting.extend(lines_of(block))
        return self._waiting[place]

    def _is_search(self, line: bytes) -> bool:
        literal = line.split(self._layout.delimiter)
        if self._layout.fits(literal) or MARK not in line:
            return self._layout.fits(literal)
        cells = cells_of(line, self._layout.delimiter)
        return not cells.open and self._layout.fits(cells.values)

    def _with(self, values: Sequence[bytes], lines: Sequence[bytes]) -> bytes:
        whole = self._layout.whole(values)
        if whole is None:
            return self._without(lines, TOO_MANY)
        self.records += 1
        return written(whole, self._layout.delimiter)

    def _without(self, lines: Sequence[bytes], reason: str) -> bytes:
        for place, line in enumerate(lines, start=self._line - len(lines) + 1):
            self.removed.append(self.records + len(self.removed) + 1)
            self._reject(place, reason, line)
        return b""

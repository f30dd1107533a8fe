"""The records of a CSV file, counted from its bytes without the engine: whatever the engine reads is compared with this.

A record ends with a line end outside quotes. A quote opens a quoted field only where a field begins (blanks may stand before it), and
two quotes within one are a quote (RFC 4180). Line ends are LF, CRLF or CR, and a file has one kind of them. A blank line is a missing
value in a file of one column, and nothing in any other.

The file is looked at block by block, with operations on whole blocks. Blocks end after a line end, unless a line is very long.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sfumato.errors import DataError, raise_alone

Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.intp]

_LONG = 1 << 20  # a line that is longer is looked at in pieces
_LF, _CR, _QUOTE, _BLANK = 10, 13, 34, 32


class NotUtf8(Exception):
    """Where a file is not UTF-8. No error for users: it may be text in another encoding."""


@dataclass(frozen=True, slots=True)
class Records:
    """What a CSV file holds: its rows (below the header, if it has one), its line end (LF if it has none), and the bytes of the longest
    record (those that are shorter than a block may be taken for as long as one)."""

    rows: int
    line_end: str
    longest: int


@dataclass(frozen=True, slots=True, eq=False)
class _Marks:
    """Where a block has line feeds, carriage returns, and (the last byte of) delimiters."""

    feeds: Mask
    returns: Mask
    delimiters: Mask

    @classmethod
    def of(cls, block: bytes, array: Bytes, delimiter: int) -> _Marks:
        feeds = array == _LF
        return cls(feeds, array == _CR if b"\r" in block else np.zeros_like(feeds, shape=0), array == delimiter)

    def count(self, sign: bytes) -> int:
        return int(np.count_nonzero(self.returns if sign == b"\r" else self.feeds))

    def pairs(self) -> int:
        """How many carriage returns are followed by a line feed."""
        return int(np.count_nonzero(self.returns[:-1] & self.feeds[1:])) if len(self.returns) else 0

    def unusual(self) -> bool:
        """Whether the block may hold a blank line, a line that does not end, or one with a delimiter at its end."""
        ends = self.feeds | self.returns if len(self.returns) else self.feeds
        if ends[0] or not ends[-1] or self.trailing():
            return True
        if not len(self.returns):
            return bool(np.any(ends[1:] & ends[:-1]))
        return bool(np.any(self.feeds[:-1] & ends[1:]) or np.any(self.returns[:-1] & self.returns[1:]))

    def trailing(self) -> bool:
        """Whether a delimiter is followed by a line end."""
        before = self.delimiters[:-1]
        return bool(np.any(before & self.feeds[1:])) or (bool(len(self.returns)) and bool(np.any(before & self.returns[1:])))


class RecordCounter:
    """Counts while a file is read: `feed` it with all bytes in order, then `finish`."""

    def __init__(self, delimiter: str, width: int, where: str, *, header: bool = True) -> None:
        self._delimiter = delimiter.encode()
        self._width = width
        self._where = where
        self._header = header
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._rest = b""  # bytes after the last line end
        self._quoted = False
        self._fresh = True  # whether a quote here would open a field: only blanks lie between here and the field's beginning
        self._closed = False  # whether the byte before closed a quoted field: another quote would continue it
        self._lines = 0
        self._found = 0  # records, blank ones included
        self._blank = 0
        self._open = 0  # bytes of the record that has begun, and the delimiters in it
        self._delimiters = 0
        self._longest = 0
        self._trailing = False  # whether the last byte is a delimiter's
        self._line_end: str | None = None

    def feed(self, chunk: bytes) -> None:
        """Look at the next bytes."""
        text = self._rest + chunk if self._rest else chunk
        cut = text.rfind(b"\n") + 1 or text.rfind(b"\r", 0, len(text) - 1) + 1
        if not cut and len(text) > _LONG:
            cut = len(text) - 1
            while cut and (text[cut] & 0xC0 == 0x80 or text[cut - 1] == _CR):  # neither a character nor a line end is cut apart
                cut -= 1
        self._rest = text[cut:]
        if cut:
            self._block(text[:cut])

    def finish(self) -> Records:
        """What was found in all."""
        if self._rest:
            self._block(self._rest)
        self._utf8(b"", final=True)
        if self._quoted:
            raise DataError("a quote is not closed", where=f"{self._where}, after line {self._lines}")
        if self._open:  # a last record without a line end
            if self._trailing:
                self._require_width(self._delimiters, f"{self._where}, line {self._lines + 1}")
            self._found += 1
        found = self._found if self._width == 1 else self._found - self._blank
        return Records(max(found - self._header, 0), self._line_end or "\n", max(self._longest, self._open))

    def _block(self, block: bytes) -> None:
        self._utf8(block)
        if (place := block.find(b"\0")) >= 0:
            raise DataError("the line holds a NUL byte, which is no text; remove it", where=self._line(block, place))
        array = np.frombuffer(block, np.uint8)
        marks = _Marks.of(block, array, self._delimiter[-1])
        plain = not self._quoted and b'"' not in block
        if plain and not self._open and not marks.unusual():
            self._count_lines(block, marks)
        else:
            self._count_closely(block, array, marks, np.zeros(0, np.intp) if plain else self._quotes(block, array))
        self._lines += marks.count(self._counted)
        self._trailing = block.endswith(self._delimiter)

    def _utf8(self, block: bytes, *, final: bool = False) -> None:
        """Engines check only what they use."""
        if block.isascii() and not final and not self._decoder.getstate()[0]:
            return
        try:
            self._decoder.decode(block, final=final)
        except UnicodeDecodeError as error:
            where = self._line(error.object, error.start)
            raise_alone(NotUtf8(where))

    def _count_lines(self, block: bytes, marks: _Marks) -> None:
        """Count a block without quotes, of whole lines that are not blank: a look at where lines end would take longer."""
        self._meet(marks.count(b"\n"), marks.count(b"\r"), marks.pairs())
        self._found += marks.count(self._counted)
        self._longest = max(self._longest, len(block))
        self._fresh, self._closed = True, False

    def _quotes(self, block: bytes, array: Bytes) -> Places:
        """The quotes that open or close: all of them, if each that would open one by its number stands where it may."""
        quotes = np.flatnonzero(array == _QUOTE)
        opening = quotes[int(self._quoted) :: 2]
        if len(opening) and opening[0] == 0:
            regular = self._fresh or self._closed
            opening = opening[1:]
        else:
            regular = True
        before = array[opening - 1]
        fine = (before == _LF) | (before == _CR) | (before == _QUOTE)
        if regular and bool(np.all(fine | self._delimiters_at(array, opening - len(self._delimiter)))):
            return quotes
        return np.array(self._opening_and_closing(block, quotes), np.intp)

    def _delimiters_at(self, array: Bytes, places: Places) -> Mask:
        """Whether the delimiter stands at each place."""
        fits = places >= 0
        inside = np.where(fits, places, 0)
        for offset, byte in enumerate(self._delimiter):
            fits &= array[np.minimum(inside + offset, len(array) - 1)] == byte
        return fits

    def _opening_and_closing(self, block: bytes, quotes: Places) -> list[int]:
        """The same quote by quote, for blocks in which some quotes stand within a text."""
        found: list[int] = []
        quoted, closed = self._quoted, 0 if self._closed else -1
        for place in quotes.tolist():
            if quoted:
                quoted, closed = False, place + 1
            elif place == closed or self._begins(block, place):
                quoted = True
            else:
                continue
            found.append(place)
        return found

    def _begins(self, block: bytes, place: int) -> bool:
        """Whether a field begins here, blanks aside."""
        while place and block[place - 1] == _BLANK and self._delimiter != b" ":
            place -= 1
        if place == 0:
            return self._fresh
        return block[place - 1] in (_LF, _CR) or block.endswith(self._delimiter, 0, place)

    def _count_closely(self, block: bytes, array: Bytes, marks: _Marks, quotes: Places) -> None:
        feeds, returns = (self._outside(np.flatnonzero(mask), quotes) for mask in (marks.feeds, marks.returns))
        pairs = np.count_nonzero(array[np.minimum(returns + 1, len(array) - 1)] == _LF) if len(feeds) else 0
        self._meet(len(feeds), len(returns), int(pairs))
        ends = returns if self._line_end == "\r" else feeds
        size = len(self._line_end or "\n")
        lengths = np.diff(ends, prepend=-1 - self._open)
        self._found += len(ends)
        self._blank += int(np.count_nonzero(lengths == size))
        self._longest = max(self._longest, int(lengths.max(initial=0)))
        left = len(block) - 1 - int(ends[-1]) if len(ends) else self._open + len(block)
        if self._open or left or marks.trailing():
            self._require_widths(block, array, ends - size + 1, quotes)
        self._open = left
        self._close(block, quotes, bool(len(ends)) and not left)

    def _outside(self, places: Places, quotes: Places) -> Places:
        """Those places that are not within quotes."""
        if not len(quotes):
            return places[:0] if self._quoted else places
        outside: Mask = (np.searchsorted(quotes, places) + self._quoted) % 2 == 0
        return places[outside]

    def _require_widths(self, block: bytes, array: Bytes, ends: Places, quotes: Places) -> None:
        """Refuse rows with an additional empty field at their end: some engines would drop it. `ends` is where their line ends begin."""
        at = np.flatnonzero(array == self._delimiter[-1]) - len(self._delimiter) + 1
        delimiters = self._outside(at[self._delimiters_at(array, at)], quotes)
        upto = np.searchsorted(delimiters, ends)
        counts = np.diff(upto, prepend=0)
        counts[:1] += self._delimiters
        for number in np.flatnonzero((counts >= self._width) & self._delimiters_at(array, ends - len(self._delimiter))):
            self._require_width(int(counts[number]), self._line(block, int(ends[number])))
        self._delimiters = len(delimiters) - int(upto[-1]) if len(ends) else len(delimiters) + self._delimiters

    def _require_width(self, delimiters: int, where: str) -> None:
        if delimiters >= self._width:
            raise DataError(f"the row has {delimiters + 1} columns where the header has {self._width}", where=where)

    def _close(self, block: bytes, quotes: Places, ended: bool) -> None:
        """What the next block begins with."""
        self._quoted = bool((len(quotes) + self._quoted) % 2)
        self._closed = not self._quoted and bool(len(quotes)) and int(quotes[-1]) == len(block) - 1
        self._fresh = not self._quoted and (ended or (not self._closed and self._begins(block, len(block))))

    def _meet(self, feeds: int, returns: int, pairs: int) -> None:
        """Refuse a file with line ends of two kinds: readers disagree about it."""
        if not feeds and not returns:
            return
        kind = "\n" if not returns else "\r" if not feeds else "\r\n"
        self._line_end = self._line_end or kind
        if kind != self._line_end or (returns and feeds and not feeds == returns == pairs):
            raise DataError(
                "the file has line ends of several kinds (LF, CRLF, CR); convert it to one of them",
                where=f"{self._where}, below line {self._lines}",
            )

    @property
    def _counted(self) -> bytes:
        """The byte by which lines are counted for messages."""
        return b"\r" if self._line_end == "\r" else b"\n"

    def _line(self, block: bytes, place: int) -> str:
        return f"{self._where}, line {self._lines + block.count(self._counted, 0, place) + 1}"

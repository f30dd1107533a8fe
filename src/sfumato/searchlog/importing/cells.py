"""The cells of a line, with quotation marks around them (RFC 4180) or as part of their texts. Only bytes of ASCII are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MARK = b'"'
_BLANK = b" "


@dataclass(frozen=True, slots=True)
class Cells:
    """What a line holds if marks around a cell are not part of it. `open`: a mark opens the last cell, and none closes it. `stray`: a mark
    is within a text that has none around it. `doubled`: somebody has doubled the marks of a text, and put others around it. `torn`: a line
    end is outside of marks; the lines that were put together are none."""

    values: Sequence[bytes]
    open: bool = False
    stray: bool = False
    doubled: bool = False
    torn: bool = False


def cells_of(text: bytes, delimiter: bytes) -> Cells:
    """The cells of a line, or of several that were put together.

    >>> cells_of(b'17,"say ""hi"", now",', b",").values
    [b'17', b'say "hi", now', b'']
    >>> cells_of(b'17,six" pipe,"new', b",").open
    True
    """
    values: list[bytes] = []
    stray = doubled = torn = False
    place = 0
    while True:
        begin = _after_blanks(text, place, delimiter)
        closing = closing_mark(text, begin + 1) if text.startswith(MARK, begin) else None
        if closing == -1:
            return Cells([*values, text[begin + 1 :]], True, stray, doubled, torn)
        end = len(text) if closing is None else _after_blanks(text, closing + 1, delimiter)
        if closing is not None and (end == len(text) or text.startswith(delimiter, end)):
            inner = text[begin + 1 : closing]
            values.append(inner.replace(b'""', MARK))
            doubled = doubled or MARK in inner
        else:
            end = text.find(delimiter, place)
            end = len(text) if end < 0 else end
            values.append(text[place:end])
            stray = stray or MARK in values[-1]
            torn = torn or b"\n" in values[-1]
        if end == len(text):
            return Cells(values, False, stray, doubled, torn)
        place = end + len(delimiter)


def _after_blanks(text: bytes, place: int, delimiter: bytes) -> int:
    while delimiter != _BLANK and text.startswith(_BLANK, place):
        place += 1
    return place


def closing_mark(text: bytes, place: int = 0) -> int:
    """Where the mark is that closes a cell, from a place within it on; -1 if there is none. Two marks are one that belongs to the text."""
    while (found := text.find(MARK, place)) >= 0 and text.startswith(MARK, found + 1):
        place = found + 2
    return found


def written(values: Sequence[bytes], delimiter: bytes) -> bytes:
    """A line with these cells, which every reader takes apart as they are."""
    return delimiter.join(_around(value, delimiter) for value in values) + b"\n"


def _around(value: bytes, delimiter: bytes) -> bytes:
    if MARK in value or delimiter in value or b"\n" in value or b"\r" in value:
        return MARK + value.replace(MARK, b'""') + MARK
    return value

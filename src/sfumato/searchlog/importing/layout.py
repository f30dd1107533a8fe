"""Where the fields of a search are in the lines of a text: the delimiter, how many cells a line has, and which of them is what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.engines.csvfile import DELIMITERS, named_columns
from sfumato.errors import UsageError, argument
from sfumato.searchlog.importing.cells import cells_of
from sfumato.searchlog.importing.columns import REQUIRED, plain, spelled
from sfumato.searchlog.importing.times import Times
from sfumato.vocabulary.dialect import Dialect

_LOOKED_AT = 1_000  # lines of a text without a header: the widest has all cells
_HEADER_LINES = 100  # a name may have several lines


@dataclass(frozen=True, slots=True)
class Layout:
    """How a text is divided. `fields` are the places of what is read, `header` its first bytes, which are no record."""

    delimiter: bytes
    width: int
    fields: Mapping[str, int]
    times: Times
    names: Sequence[bytes]
    header: bytes

    def fits(self, values: Sequence[bytes]) -> bool:
        """Whether these are the cells of a search: as many as there are names, with somebody, and with a time in its place."""
        user, time = self.fields["user"], self.fields["time"]
        if len(values) <= max(user, time) or not values[user].strip() or self.whole(values) is None:
            return False
        return self.times.fits(values[time].decode(errors="replace"))

    def searches(self, lines: Sequence[bytes]) -> tuple[int, int]:
        """How many lines are searches; and how wide they are, which counts if none is."""
        return sum(self.fits(cells_of(line, self.delimiter).values) for line in lines), self.width

    def whole(self, values: Sequence[bytes]) -> Sequence[bytes] | None:
        """As many cells as there are names: empty ones at the end may be missing, or too many. None if there are more."""
        if len(values) > self.width and any(values[self.width :]):
            return None
        return [*values[: self.width], *[b""] * (self.width - len(values))]


def layout_of(head: bytes, where: Path, mapping: Mapping[str, str], asked: Dialect, stated: str | None) -> Layout | None:
    """The layout of a text that begins so, under the delimiter that was asked for, or one under which every field that a search needs has a
    column. Without names of columns it is the one under which most lines are searches. None if there is none."""
    given = asked.delimiter or stated
    tried = (_under(sign.encode(), head, where, mapping, asked) for sign in ((given,) if given else DELIMITERS))
    if asked.header is not False:
        return next((layout for layout in tried if layout), None)
    lines = [line.removesuffix(b"\r") for line in head.split(b"\n", _LOOKED_AT)[:_LOOKED_AT]]
    return max((layout for layout in tried if layout), key=lambda layout: layout.searches(lines), default=None)


def _under(delimiter: bytes, head: bytes, where: Path, mapping: Mapping[str, str], asked: Dialect) -> Layout | None:
    """The layout under a delimiter, if it has the columns."""
    header, names = _named(head, delimiter) if asked.header is not False else (b"", _numbered(head, delimiter))
    texts = [name.decode(errors="replace") for name in names]
    found = spelled(mapping, [text if text.strip() else f"column_{place}" for place, text in enumerate(texts, start=1)])
    if any(field not in found for field in REQUIRED):
        return None
    have = texts if asked.header is False else named_columns(texts, str(where), certain=asked.header is True)
    fields = {field: have.index(column) for field, column in found.items()}
    return Layout(delimiter, len(names), fields, times_of(asked, found["time"]), names, header)


def _named(head: bytes, delimiter: bytes) -> tuple[bytes, Sequence[bytes]]:
    """The header, and the names in it."""
    lines = head.split(b"\n", _HEADER_LINES)[:_HEADER_LINES]
    for count in range(1, len(lines) + 1):
        text = b"\n".join(lines[:count])
        cells = cells_of(text.removesuffix(b"\r"), delimiter)
        if not cells.open:
            return head[: len(text) + 1], cells.values
    return head[: len(lines[0]) + 1], lines[0].removesuffix(b"\r").split(delimiter)  # a mark that is part of a name


def _numbered(head: bytes, delimiter: bytes) -> Sequence[bytes]:
    """Names of columns that have none, as engines call them."""
    lines = head.split(b"\n", _LOOKED_AT)[:_LOOKED_AT]
    width = max(len(cells_of(line.removesuffix(b"\r"), delimiter).values) for line in lines)
    return [f"column_{place}".encode() for place in range(1, width + 1)]


def times_of(asked: Dialect, column: str) -> Times:
    """How the times in a column are written, as far as somebody has said it; refuses what was said of another column."""
    usual, own = None, None
    for name, days in asked.days().items():
        if name is None:
            usual = days
        elif plain(name) == plain(column):
            own = days
        else:
            raise UsageError(f"the times are in column {column!r}, not in {name!r}", where=argument("dates"))
    return Times(own or usual)


def lines_of(block: bytes) -> Iterator[bytes]:
    """The lines of a block, without their ends."""
    lines = block.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return (line.removesuffix(b"\r") for line in lines)

"""Lines of an edge list: where they end, which are comments, what is between the names, and whether the first one has heads.

Lines that begin with # or % are comments, unless both names do, or the first is in quotation marks.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sfumato.errors import DataError, argument, raise_alone
from sfumato.graph.graph import composed
from sfumato.graph.heads import columns_of, is_heads
from sfumato.inputs.cells import cells_up_to

Numbered = tuple[int, tuple[str, str]]
_LONGEST = 10_000
_SIGNS = ("\t", ";", ",")  # a comma last: where there is another sign it is one of decimals, or of a name
_LOOKED_AT = 50
_QUOTED = re.compile(r'"[^"]*"')
_DATA = re.compile(r"""(.*\S[\s,;]+\S.*?)[\s,;]+\{(?:['"].*)?\}\s*$""")  # what networkx writes after the names
_DECIMAL = re.compile(r"[-+]?[0-9]+,[0-9]+")
_NUMBER = re.compile(r"[0-9]+([.][0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4}")
_WHOLE = re.compile(r"([0-9]+)(?:[.]0+)?")
_ARROWS = frozenset(("->", "<-", "<->", "--", "-", "=>", "→", "↔"))
_MATRIX = "%%MatrixMarket"
_ALL = -1  # of how many cells a line is divided into: as many as there are


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The lines of an edge list, with their numbers, that are neither blank nor comments; what is between cells (None for blanks); and
    whether the first line has no heads, whatever is in it."""

    path: Path
    numbered: list[tuple[int, str]]
    between: str | None
    headless: bool

    def cells(self, place: int, most: int = _ALL) -> Sequence[str]:
        """The cells of a line, of which those after the first `most` may be left in one."""
        number, line = self.numbered[place]
        if '"' in line or line.endswith("}"):
            return _cells(line, self.between, number, self.path)
        return line.split(self.between, most)


@dataclass(frozen=True, slots=True)
class Heads:
    """Whether the first line has heads, and which columns have the two people of an edge."""

    present: bool
    columns: tuple[int, int] = (0, 1)


def lines_of(text: str, path: Path) -> Lines:
    """The lines of a text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if "\r" in text else text.split("\n")
    wanted = [(number, line) for number, line in enumerate(lines, 1) if line and not _is_comment(line)]
    matrix = text.startswith(_MATRIX)
    if matrix:
        del wanted[:1]  # its size
    between = delimiter_of([line for _, line in wanted[:_LOOKED_AT]])
    with_data = bool(wanted) and _without_data(wanted[0][1]) != wanted[0][1]
    return Lines(path, wanted, between, matrix or with_data)


def edges_of(lines: Lines, header: bool | None) -> tuple[list[Numbered], Heads]:
    """The two names of each line, with its number; and what the first line is, which is decided by what is in it unless `header` says so.

    Refuses a first line that may be heads or an edge, and what is no edge list but looks like one.
    """
    if not lines.numbered:
        return [], Heads(present=False)
    first = [cell.strip() for cell in lines.cells(0)]
    known = [] if header is False or lines.headless else columns_of(first)
    if len(known) > 1:
        message = "several pairs of columns are called like the two people of an edge"
        raise DataError(f"{message}; let one pair be the first two columns", where=str(lines.path))
    columns = known[0] if known else (0, 1)
    pairs = list(_pairs_of(lines, columns))
    present = header if header is not None else _is_heads(lines, first, pairs, columns, known=bool(known))
    if present is None or (columns != (0, 1) and not present):
        say = f"{argument('header', 'True')} or {argument('header', 'False')} says which"
        raise DataError(f"the first line may be heads or an edge; {say}", where=str(lines.path))
    del pairs[: int(present)]
    _require_list_of_edges(lines, pairs, Heads(present, columns))
    return _as_whole(pairs), Heads(present, columns)


def _as_whole(pairs: list[Numbered]) -> list[Numbered]:
    """Numbers in one spelling: a frame writes a column that had gaps as 17.0, and the other one as 17, and both are the same person."""
    if not any(name.endswith(".0") for _, names in pairs for name in names):
        return pairs
    whole = [(number, (_WHOLE.fullmatch(one), _WHOLE.fullmatch(other))) for number, (one, other) in pairs]
    if all(found and found[0] != found[1] for _, both in whole for found in both):
        return pairs
    made = [(number, (one[1], other[1])) for number, (one, other) in whole if one and other]
    return made if len(made) == len(pairs) else pairs


def _is_heads(
    lines: Lines, first: Sequence[str], pairs: Sequence[Numbered], columns: tuple[int, int], *, known: bool
) -> bool | None:
    if lines.headless:
        return False
    places = [*columns, *(each for each in range(len(first)) if each not in columns)]
    rows = [first, *(lines.cells(place) for place in range(1, min(len(pairs), _LOOKED_AT)))]
    ordered = [[row[each] if each < len(row) else "" for each in places] for row in rows]
    return is_heads(ordered[0], [names for _, names in pairs], known, ordered[1:])


def _pairs_of(lines: Lines, columns: tuple[int, int]) -> Iterator[Numbered]:
    """The names in two columns of each line."""
    one, other = columns
    for place, (number, line) in enumerate(lines.numbered):
        cells = lines.cells(place, other + 1)
        if line.endswith("}") and len(cells) != 2 and _without_data(line) != line:
            message = f"line {number:,} is one of networkx, and has not two names before the braces, but parts of some"
            raise DataError(f"{message}; write it with a tab between (delimiter), or as GraphML", where=str(lines.path))
        names = (cells[one].strip(), cells[other].strip()) if len(cells) > other else ("", "")
        if not (names[0] and names[1]):
            raise DataError(_without_names(number, columns), where=str(lines.path))
        if lines.between is None and names[1] in _ARROWS:
            raise DataError(f"line {number:,} has a sign between two names; write a comma instead", where=str(lines.path))
        yield number, (composed(names[0]), composed(names[1]))


def _without_names(number: int, columns: tuple[int, int]) -> str:
    if columns != (0, 1):
        one, other = columns
        return f"line {number:,} does not have two names in columns {one + 1} and {other + 1}, as the first line has"
    between_them = "with a comma, semicolon, tab or blanks between"
    return f"line {number:,} does not have two names; an edge list has two in each, {between_them}"


def _require_list_of_edges(lines: Lines, pairs: Sequence[Numbered], heads: Heads) -> None:
    """Refuse lists of neighbors, of which only the first edges would be read, and names that are numbers of lines."""
    start = int(heads.present)
    if lines.between is None:
        counts = {len(lines.cells(place)) for place in range(start, len(lines.numbered))}
        if len(counts) > 1:
            message = f"lines have {min(counts):,} to {max(counts):,} cells with blanks between, as lists of neighbors have"
            raise DataError(
                f"{message}; write each edge into a line of its own, or a comma between two names", where=str(lines.path)
            )
    elif _has_neighbors(lines, pairs, start):
        message = "lines have different numbers of names, as lists of neighbors have"
        raise DataError(f"{message}; write each edge into a line of its own", where=str(lines.path))
    if pairs and pairs[0][1][0].startswith("(") and ")" not in pairs[0][1][0]:
        message = f"line {pairs[0][0]:,} has names with blanks or commas in brackets, which are divided"
        raise DataError(f"{message}; write a tab between two names", where=str(lines.path))
    if heads.columns == (0, 1) and len(pairs) > 2 and _counts_lines(lines, pairs, start):
        message = "the first column has the numbers of the lines, and the next two look like names"
        raise DataError(f"{message}; leave it out, or call those two source and target", where=str(lines.path))
    if heads.columns == (0, 1) and _begins_with_times(lines, pairs, start):
        message = "the first column looks like times or numbers of lines, and the next two have the names"
        raise DataError(f"{message}; leave it out, or call those two source and target", where=str(lines.path))


def _has_neighbors(lines: Lines, pairs: Sequence[Numbered], start: int) -> bool:
    """Whether lines have more or less cells, and all of them are names: of people who have a line of their own."""
    numbered = lines.numbered[start:]
    if len({line.count(lines.between or " ") for _, line in numbered}) < 2:
        return False
    own = {names[0] for _, names in pairs}
    rows = (lines.cells(place)[2:] for place in range(start, len(lines.numbered)))
    more = (composed(cell.strip()) for row in rows for cell in row if cell.strip())
    return next(more, None) in own and all(each in own for each in more)


def _counts_lines(lines: Lines, pairs: Sequence[Numbered], start: int) -> bool:
    first = pairs[0][1][0]
    if first not in ("0", "1") or any(names[0] != str(number) for number, (_, names) in enumerate(pairs, int(first))):
        return False
    rows = [lines.cells(place) for place in range(start, min(len(lines.numbered), _LOOKED_AT))]
    return all(len(row) > 2 and all(any(map(str.isalpha, cell)) for cell in row[1:3]) for row in rows)


def _begins_with_times(lines: Lines, pairs: Sequence[Numbered], start: int) -> bool:
    """Whether nobody in the first column is in the second one, and those in the second are in the third one, too: below dates, or numbers
    that never fall, as in lists of contacts and of calls."""
    some = [lines.cells(place) for place in range(start, min(len(lines.numbered), start + _LOOKED_AT))]
    firsts = [names[0] for _, names in pairs]
    if not some or min(map(len, some)) < 3:
        return False
    if all(map(_DATE.match, firsts[: len(some)])):
        return True
    if not all(map(_NUMBER.fullmatch, firsts[: len(some)])) or not _never_fall(firsts):
        return False
    rows = [lines.cells(place, 3) for place in range(start, len(lines.numbered))]
    if min(map(len, rows)) < 3:
        return False
    one, two, three = ({row[place].strip() for row in rows} for place in range(3))
    return 10 * len(one & two) <= len(one) and 2 * len(two & three) >= max(len(two), len(three))


def _never_fall(texts: Sequence[str]) -> bool:
    try:
        numbers = [float(each) for each in texts]
    except ValueError:
        return False
    return all(one <= other for one, other in pairwise(numbers))


def _is_comment(line: str) -> bool:
    start = line.lstrip()
    if start[:1] not in ("#", "%"):
        return not start
    parts = re.split(r"[\t,; ]+", start)
    return len(parts) < 2 or len(parts[0]) == 1 or not parts[1].startswith(start[0])


def delimiter_of(lines: Sequence[str]) -> str | None:
    """The sign between names; None for blanks."""
    plain = [_QUOTED.sub('""', _without_data(line)) for line in lines]
    for sign in _SIGNS:
        having = [line for line in plain if sign in line]
        if having and 2 * len(having) >= len(plain):
            return None if sign == "," and all(map(_has_decimals, having)) else sign
    return None


def _has_decimals(line: str) -> bool:
    """Whether there are two names with blanks between, and all commas are in numbers after them."""
    cells = line.split()
    return (
        len(cells) > 2 and "," not in cells[0] + cells[1] and all(_DECIMAL.fullmatch(each) for each in cells[2:] if "," in each)
    )


def _without_data(line: str) -> str:
    found = _DATA.match(line) if line.rstrip().endswith("}") else None
    return found[1] if found else line


def _cells(line: str, between: str | None, number: int, path: Path) -> Sequence[str]:
    line = _without_data(line)
    if '"' not in line:
        return line.split(between)
    if between is None:
        return rows_of(" ".join(line.split()), " ", path, number)[0]
    return rows_of(line, between, path, number, blanks=True)[0]


def rows_of(text: str, between: str, path: Path, start: int = 1, *, blanks: bool = False) -> list[list[str]]:
    """Lines of a CSV text as cells; `blanks` may be between a sign and a quotation mark."""
    try:
        with cells_up_to(_LONGEST):
            return list(csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True, skipinitialspace=blanks))
    except csv.Error:
        raise_alone(DataError(f"line {start:,} is no line of a CSV file: a quotation mark is open", where=str(path)))

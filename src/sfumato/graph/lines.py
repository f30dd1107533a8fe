"""Lines of an edge list: where they end, which are comments, what is between the names, and whether the first one is a header.

Lines that begin with # or % are comments, unless both names do, or the first is in quotation marks.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sfumato.errors import DataError, raise_alone
from sfumato.inputs.cells import cells_up_to

Numbered = tuple[int, Sequence[str]]
_LONGEST = 10_000
_SIGNS = ("\t", ";", ",")  # a comma last: where there is another sign it is one of decimals, or of a name
_LOOKED_AT = 50
_QUOTED = re.compile(r'"[^"]*"')
_DATA = re.compile(r"""(.*\S[\s,;]+\S.*?)[\s,;]+\{(?:['"].*)?\}\s*$""")  # what networkx writes after the names
_DECIMAL = re.compile(r"[-+]?[0-9]+,[0-9]+")
_ARROWS = frozenset(("->", "<-", "<->", "--", "-", "=>", "→", "↔"))
_MATRIX = "%%MatrixMarket"
# What columns of edge lists are called, in English, German, French and Spanish.
_HEADS = frozenset(
    (
        "source target from to node1 node2 node_1 node_2 id_1 id_2 id1 id2 src dst start end person friend user follower "
        "von nach quelle ziel knoten1 knoten2 freund de vers cible noeud1 noeud2 personne ami origen destino desde hasta nodo1 nodo2 "
        "persona amigo"
    ).split()
)
# The same with something added, as in from_id or user1: somebody may be called that.
_LIKE_HEADS = re.compile(
    r"(source|target|from|to|node|src|dst|person|user|name|follow(er|ee)|friend|id|vertex)_?(id|[0-9ab])?_?([0-9]?)"
)


def pairs_of(text: str, path: Path) -> Iterator[Numbered]:
    """The two names of each line, with its number."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if "\r" in text else text.split("\n")
    wanted = [(number, line) for number, line in enumerate(lines, 1) if line and not _is_comment(line)]
    if text.startswith(_MATRIX):
        del wanted[:1]  # its size
    between = delimiter_of([line for _, line in wanted[:_LOOKED_AT]])
    for number, line in wanted:
        cells: Sequence[str] = line.split(None, 2) if between is None else line.split(between, 2)
        if '"' in line or line.endswith("}"):
            cells = _cells(line, between, number, path)
        one, other = (cells[0].strip(), cells[1].strip()) if len(cells) > 1 else ("", "")
        if not (one and other):
            between_them = "with a comma, semicolon, tab or blanks between"
            raise DataError(
                f"line {number:,} does not have two names; an edge list has two in each, {between_them}", where=str(path)
            )
        if between is None and other in _ARROWS:
            raise DataError(f"line {number:,} has a sign between two names; write a comma instead", where=str(path))
        yield number, (one, other)


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
        return line.split(between, 2)
    if between is None:
        return rows_of(" ".join(line.split()), " ", path, number)[0]
    return rows_of(line, between, path, number, blanks=True)[0]


def is_header(pairs: Sequence[Numbered]) -> bool:
    """Whether the first line says what columns are called: by what they often are called, or because it is no number and all others are."""
    one, other = (each.lower() for each in pairs[0][1])
    if one.isdigit() or other.isdigit() or one == other:
        return False
    if one in _HEADS and other in _HEADS:
        return True
    if _LIKE_HEADS.fullmatch(one) and _LIKE_HEADS.fullmatch(other):
        return not any(_LIKE_HEADS.fullmatch(name.lower()) for _, names in pairs[1:] for name in names)
    return len(pairs) > 1 and all(a.isdigit() and b.isdigit() for _, (a, b) in pairs[1:])


def rows_of(text: str, between: str, path: Path, start: int = 1, *, blanks: bool = False) -> list[list[str]]:
    """Lines of a CSV text as cells; `blanks` may be between a sign and a quotation mark."""
    try:
        with cells_up_to(_LONGEST):
            return list(csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True, skipinitialspace=blanks))
    except csv.Error:
        raise_alone(DataError(f"line {start:,} is no line of a CSV file: a quotation mark is open", where=str(path)))

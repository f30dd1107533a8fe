"""Graphs from files: edge lists, and GraphML. Names become numbers at once, and no error shows one.

An edge list has two names per line, with a comma, a semicolon, a tab or spaces between; what comes after them is not read. Lines that begin
with # or % are comments. A first line is a header if its words are those that headers have, or if it is no number and all others are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from sfumato.errors import DataError, raise_alone, several
from sfumato.graph.graph import SIMPLIFY, Graph, Places
from sfumato.graph.graphml import read_graphml
from sfumato.graph.leak import Attribute
from sfumato.inputs.cells import cells_up_to
from sfumato.inputs.files import MB, content

LARGEST = 2048 * MB
GRAPHML = (".graphml", ".xml")
_LONGEST = 10_000
# What columns of edge lists are called, in English, German, French and Spanish.
_HEADS = frozenset(
    (
        "source target from to node1 node2 node_1 node_2 id_1 id_2 id1 id2 src dst start end person friend user follower "
        "von nach quelle ziel knoten1 knoten2 freund de vers cible noeud1 noeud2 personne ami origen destino desde hasta nodo1 nodo2 "
        "persona amigo"
    ).split()
)
Numbered = tuple[int, Sequence[str]]


def read(path: str | Path, *, header: bool | None = None, simplify: bool = False) -> Graph:
    """Read a graph.

    Parameters
    ----------
    path : str or Path
        An edge list, or a GraphML file (`.graphml`).
    header : bool, optional
        Whether the first line of an edge list names its columns; decided by what is in it unless it is given.
    simplify : bool
        Leave out self-loops and repeated edges instead of refusing them, and take a directed graph as undirected.

    Returns
    -------
    Graph
        The graph, with the names of its nodes.
    """
    path = Path(path)
    if path.suffix.lower() in GRAPHML:
        return _of_graphml(path, simplify=simplify)
    lines = _lines(text_of(path), path)
    pairs = list(lines)
    if pairs and (header if header is not None else _is_header(pairs)):
        del pairs[0]
    if not pairs:
        raise DataError("is empty: there is no edge in it", where=str(path))
    return _graph(pairs, path, simplify=simplify)


def _of_graphml(path: Path, *, simplify: bool) -> Graph:
    document = read_graphml(path, LARGEST)
    if document.directed and not simplify:
        raise DataError(f"a directed graph; {SIMPLIFY} takes its arcs as edges", where=str(path))
    if not document.names:
        raise DataError("is empty: there is no node in it", where=str(path))
    edges = np.array(document.edges, np.int64).reshape(-1, 2)
    if not simplify:
        require_simple(edges, range(1, len(edges) + 1), "edge", path)
    return Graph.of(len(document.names), edges, document.names, simplify=simplify)


def text_of(path: Path) -> str:
    """The text of a file in whatever encoding: names only have to differ where their bytes do."""
    raw = content(path, LARGEST)
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", errors="replace")
    if b"\0" in raw:
        raise DataError("not a text file; an edge list has two names per line", where=str(path))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _lines(text: str, path: Path) -> Iterator[Numbered]:
    """The two names of each line, with its number."""
    lines = text.splitlines() if "\r" in text else text.split("\n")
    wanted = [(number, line) for number, line in enumerate(lines, 1) if line and line[0] not in "#%" and line.strip()]
    between = _delimiter(wanted[0][1]) if wanted else None
    for number, line in wanted:
        cells = line.split(None, 2) if between is None else _cells(line, between, number, path)
        if len(cells) < 2 or not (cells[0] and cells[1]):
            raise DataError(f"line {number:,} does not have two names; an edge list has two in each", where=str(path))
        yield number, cells[:2]


def _cells(line: str, between: str, number: int, path: Path) -> Sequence[str]:
    if '"' not in line:
        return [each.strip() for each in line.split(between, 2)]
    return [each.strip() for each in rows_of(line, between, path, number)[0]]


def _delimiter(line: str) -> str | None:
    """The sign between names; None for spaces."""
    return next((sign for sign in "\t,;" if sign in line), None)


def _is_header(pairs: Sequence[Numbered]) -> bool:
    one, other = pairs[0][1]
    if one.lower() in _HEADS and other.lower() in _HEADS and one != other:
        return not (one.isdigit() or other.isdigit())
    return len(pairs) > 1 and not one.isdigit() and all(a.isdigit() and b.isdigit() for _, (a, b) in pairs[1:])


def _graph(pairs: Sequence[Numbered], path: Path, *, simplify: bool) -> Graph:
    number: dict[str, int] = {}
    edges = np.array([(number.setdefault(a, len(number)), number.setdefault(b, len(number))) for _, (a, b) in pairs], np.int64)
    if not simplify:
        require_simple(edges, [line for line, _ in pairs], "line", path)
    return Graph.of(len(number), edges, tuple(number), simplify=simplify)


def require_simple(edges: Places, numbers: Sequence[int], what: str, path: Path) -> None:
    """Refuse self-loops and repeated edges, by the number of the first."""
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if len(loops):
        message = f"{what} {numbers[loops[0]]:,} joins somebody to themselves ({several(len(loops), 'self-loop')})"
        raise DataError(f"{message}; {SIMPLIFY} leaves them out", where=str(path))
    keys = edges.min(axis=1) * np.int64(edges.max(initial=0) + 1) + edges.max(axis=1)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    before = first[place.ravel()]
    again = np.flatnonzero(before != np.arange(len(keys)))
    if len(again):
        message = f"{what} {numbers[again[0]]:,} repeats the edge of {what} {numbers[before[again[0]]]:,}"
        raise DataError(f"{message} ({several(len(again), 'parallel edge')}); {SIMPLIFY} counts each once", where=str(path))


def rows_of(text: str, between: str, path: Path, start: int = 1) -> list[list[str]]:
    """Lines of a CSV text as cells."""
    try:
        with cells_up_to(_LONGEST):
            return list(csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True))
    except csv.Error:
        raise_alone(DataError(f"line {start:,} is no line of a CSV file: a quotation mark is open", where=str(path)))


def read_people(path: str | Path, graph: Graph, *, attribute: str | None = None) -> Attribute:
    """Read an attribute of the people of a graph.

    Parameters
    ----------
    path : str or Path
        A CSV file: a line of heads, then the name of a node and its values in each line.
    graph : Graph
        The graph, with names.
    attribute : str, optional
        The column; the second by default.

    Returns
    -------
    Attribute
        A value for every node.
    """
    path = Path(path)
    text = text_of(path)
    first = text.partition("\n")[0]
    rows = [row for row in rows_of(text, _delimiter(first) or ",", path) if any(cell.strip() for cell in row)]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise DataError("a table of people has a line of heads, then a name and a value in each", where=str(path))
    heads = [cell.strip() for cell in rows[0]]
    column = _column(heads, attribute, path)
    place = {name: number for number, name in enumerate(graph.names or map(str, range(1, graph.nodes + 1)))}
    values = _values(rows[1:], column, place, path)
    if len(values) < graph.nodes:
        raise DataError(f"{several(graph.nodes - len(values), 'node')} of the graph not in the table", where=str(path))
    return Attribute.of(heads[column], [values[number] for number in range(graph.nodes)])


def _column(heads: Sequence[str], attribute: str | None, path: Path) -> int:
    if attribute is None:
        return 1
    if attribute not in heads[1:]:
        raise DataError(f"no column {attribute!r} among {', '.join(heads[1:])}", where=str(path))
    return heads.index(attribute, 1)


def _values(rows: Iterable[Sequence[str]], column: int, place: dict[str, int], path: Path) -> dict[int, str]:
    values: dict[int, str] = {}
    unknown = []
    for number, row in enumerate(rows, 2):
        if len(row) <= column:
            raise DataError(f"row {number:,} has {several(len(row), 'cell')}, the heads more", where=str(path))
        node = place.get(row[0].strip())
        if node is None:
            unknown.append(number)
        elif node in values:
            raise DataError(f"row {number:,} is about somebody who has a row already", where=str(path))
        else:
            values[node] = row[column].strip()
    if unknown:
        raise DataError(
            f"{several(len(unknown), 'person is', 'people are')} not in the graph, the first in row {unknown[0]:,}; "
            "a GraphML file can have nodes without edges",
            where=str(path),
        )
    return values

"""Graphs from files: edge lists, and GraphML. Names become numbers at once, and no error shows one.

An edge list has two names per line, with a comma, a semicolon, a tab or spaces between; what comes after them is not read. Heads may say
that the names are in other columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sfumato.errors import DataError, UsageError, argument, several
from sfumato.graph.graph import SIMPLIFY, Graph, Places, composed
from sfumato.graph.graphml import Document, read_graphml
from sfumato.graph.leak import Attribute
from sfumato.graph.lines import Heads, Numbered, delimiter_of, edges_of, lines_of, rows_of
from sfumato.inputs.files import MB, content

LARGEST = 2048 * MB
GRAPHML = (".graphml", ".xml")
_XML = ("<?xml", "<graphml", "<gexf")
_JSON = re.compile(r"\s*(\{\s*[\"}]|\[\s*[\[{])")
_PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")  # gzip, zip and workbooks, bzip2, xz, Zstandard


@dataclass(frozen=True, slots=True, eq=False)
class GraphFile:
    """A graph as it was read: what the first line of an edge list was taken for (None for GraphML), and what else is in a GraphML file."""

    path: Path
    graph: Graph
    heads: Heads | None = None
    document: Document | None = None

    def attribute(self, name: str) -> Attribute:
        """An attribute of the nodes of a GraphML file."""
        if self.document is None:
            raise UsageError("an edge list has no attributes; name the table that has it", where=argument("people"))
        return Attribute.of(name, self.document.attribute(name))


def read(path: str | Path, *, header: bool | None = None, names: str | None = None, simplify: bool = False) -> Graph:
    """Read a graph. Names are taken in Unicode's composed form.

    Parameters
    ----------
    path : str or Path
        An edge list, or a GraphML file (`.graphml`).
    header : bool, optional
        Whether the first line of an edge list has heads; decided by what is in it unless it is given, and refused where it may be either.
    names : str, optional
        The attribute of nodes in a GraphML file that has their names; their ids by default.
    simplify : bool
        Leave out self-loops and repeated edges instead of refusing them, and take a directed graph as undirected.

    Returns
    -------
    Graph
        The graph, with the names of its nodes.
    """
    return read_file(path, header=header, names=names, simplify=simplify).graph


def read_file(path: str | Path, *, header: bool | None = None, names: str | None = None, simplify: bool = False) -> GraphFile:
    """A graph as `read` has it, and how its file was understood."""
    path = Path(path)
    if path.suffix.lower() in GRAPHML:
        return _of_graphml(path, names, simplify=simplify)
    if names is not None:
        raise UsageError(
            "only nodes in GraphML have attributes; the names of an edge list are in its lines", where=argument("names")
        )
    text = text_of(path)
    if text.lstrip().startswith(_XML):
        raise DataError("is XML; what is read as GraphML has a name that ends in .graphml", where=str(path))
    if _JSON.match(text):
        raise DataError("is JSON; write an edge list, two names per line, or GraphML", where=str(path))
    pairs, heads = edges_of(lines_of(text, path), header)
    if not pairs:
        raise DataError("is empty: there is no edge in it", where=str(path))
    return GraphFile(path, _graph(pairs, path, simplify=simplify), heads)


def _of_graphml(path: Path, names: str | None, *, simplify: bool) -> GraphFile:
    document = read_graphml(content(path, LARGEST), path)
    if document.directed and not simplify:
        raise DataError(f"a directed graph; {SIMPLIFY} takes its arcs as edges", where=str(path))
    if not document.ids:
        raise DataError("is empty: there is no node in it", where=str(path))
    edges = np.array(document.edges, np.int64).reshape(-1, 2)
    if not simplify:
        require_simple(edges, range(1, len(edges) + 1), "edge", path)
    graph = Graph.of(len(document.ids), edges, document.names(names), simplify=simplify)
    return GraphFile(path, graph, document=document)


def text_of(path: Path) -> str:
    """The text of a file in whatever encoding: names only have to differ where their bytes do."""
    raw = content(path, LARGEST)
    if raw[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        return raw.decode("utf-32", errors="replace")
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", errors="replace")
    if raw.startswith(_PACKED):
        raise DataError("a packed file; unpack it first", where=str(path))
    if b"\0" in raw:
        raise DataError("not a text file; an edge list has two names per line", where=str(path))
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


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


def read_people(path: str | Path, graph: Graph, *, attribute: str | None = None, names: str | None = None) -> Attribute:
    """Read an attribute of the people of a graph.

    Parameters
    ----------
    path : str or Path
        A CSV file: a line of heads, then the name of a node and its values in each line. Or a GraphML file, such as that of the graph.
    graph : Graph
        The graph, with names.
    attribute : str, optional
        The column, the second by default; or the attribute of nodes.
    names : str, optional
        As in `read`: which attribute of a GraphML file has the names.

    Returns
    -------
    Attribute
        A value for every node.
    """
    path = Path(path)
    if path.suffix.lower() in GRAPHML:
        return _people_in_graphml(path, graph, attribute, names)
    text = text_of(path)
    first = text.partition("\n")[0]
    rows = [row for row in rows_of(text, delimiter_of([first]) or ",", path) if any(cell.strip() for cell in row)]
    if len(rows) < 2 or len(rows[0]) < 2:
        message = "a table of people has a line of heads, then a name and a value in each"
        raise DataError(f"{message}, with a comma, semicolon or tab between", where=str(path))
    heads = [cell.strip() for cell in rows[0]]
    column = _column(heads, attribute, path)
    return _attribute(heads[column], _values(rows[1:], column, _places(graph), path), graph, path)


def _people_in_graphml(path: Path, graph: Graph, attribute: str | None, names: str | None) -> Attribute:
    document = read_graphml(content(path, LARGEST), path)
    if attribute is None:
        have = ", ".join(document.attributes()) or "none"
        raise UsageError(f"name the attribute of nodes in GraphML (have: {have})", where=argument("attribute"))
    place = _places(graph)
    found = zip(document.names(names), document.attribute(attribute), strict=True)
    values = {place[name]: value for name, value in found if name in place}
    return _attribute(attribute, values, graph, path)


def _places(graph: Graph) -> dict[str, int]:
    return {name: number for number, name in enumerate(graph.names or map(str, range(1, graph.nodes + 1)))}


def _attribute(name: str, values: dict[int, str], graph: Graph, path: Path) -> Attribute:
    if len(values) < graph.nodes:
        raise DataError(f"{several(graph.nodes - len(values), 'node')} of the graph not in the table", where=str(path))
    return Attribute.of(name, [values[number] for number in range(graph.nodes)])


def _column(heads: Sequence[str], attribute: str | None, path: Path) -> int:
    """The place of an attribute. The heads are not listed: without heads they are the first person's values."""
    if attribute is None and not heads[1]:
        raise DataError("the second column has no name; name it in the first line", where=str(path))
    if attribute is None:
        return 1
    if heads[1:].count(attribute) > 1:
        raise DataError(f"several columns are called {attribute!r}; each needs a name of its own", where=str(path))
    if attribute not in heads[1:]:
        found = several(len(heads), "column")
        raise DataError(
            f"no column {attribute!r} among the {found} that the first line names; is it a line of heads?", where=str(path)
        )
    return heads.index(attribute, 1)


def _values(rows: Iterable[Sequence[str]], column: int, place: dict[str, int], path: Path) -> dict[int, str]:
    values: dict[int, str] = {}
    unknown = []
    for number, row in enumerate(rows, 2):
        if len(row) <= column:
            raise DataError(f"row {number:,} has {several(len(row), 'cell')}, the heads more", where=str(path))
        node = place.get(composed(row[0].strip()))
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

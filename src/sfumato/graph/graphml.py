"""GraphML, as far as it is needed: nodes, edges, and for a release one attribute. Document types are refused, so nothing is expanded."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from sfumato.errors import DataError, raise_alone
from sfumato.graph.graph import Graph
from sfumato.graph.leak import Attribute
from sfumato.inputs.files import content

_SPACE = "http://graphml.graphdrawing.org/xmlns"


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says: names of nodes, edges by their places, whether it is directed, and the values that nodes have by key."""

    names: tuple[str, ...]
    edges: list[tuple[int, int]]
    directed: bool
    values: list[dict[str, str]]
    keys: dict[str, str]


def read_graphml(path: Path, most: int) -> Document:
    """The document in a file of at most so many bytes."""
    raw = content(path, most)
    _require_graphml(raw, path)
    found = _Found()
    for element in _elements(raw, path):
        found.note(element.tag.rpartition("}")[2], element, path)
    try:
        pairs = [(found.number[one], found.number[other]) for one, other in found.edges]
    except KeyError:
        raise_alone(DataError("an edge names a node that is not declared", where=str(path)))
    return Document(tuple(found.number), pairs, found.directed, found.values, found.keys)


@dataclass(slots=True)
class _Found:
    """What was read so far."""

    number: dict[str, int] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)
    values: list[dict[str, str]] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    directed: bool = False

    def note(self, kind: str, element: ElementTree.Element, path: Path) -> None:
        """Note an element that is complete."""
        if kind == "graph":
            self.directed |= element.get("edgedefault") == "directed"
        elif kind == "hyperedge":
            raise DataError("has an edge of more than two people; an edge joins two", where=str(path))
        elif kind == "graphml" and sum(each.tag.rpartition("}")[2] == "graph" for each in element) > 1:
            raise DataError("has several graphs; write one into a file of its own", where=str(path))
        elif kind == "key":
            self.keys[element.get("id", "")] = element.get("attr.name", "")
        elif kind == "node":
            self._note_node(element, path)
        elif kind == "edge":
            self.edges.append((element.get("source", ""), element.get("target", "")))
            self.directed |= element.get("directed") in ("true", "1")
            element.clear()

    def _note_node(self, element: ElementTree.Element, path: Path) -> None:
        name = element.get("id", "")
        if not name:
            raise DataError(f"node {len(self.number) + 1:,} has no id", where=str(path))
        if name in self.number:
            raise DataError(f"node {len(self.number) + 1:,} has the name of an earlier one", where=str(path))
        self.number[name] = len(self.number)
        self.values.append({each.get("key", ""): each.text or "" for each in element if each.get("key")})
        element.clear()


class _Begun(Exception):
    """The first element of a document was reached."""


def _require_graphml(raw: bytes, path: Path) -> None:
    """Look at what is before the content, in whatever encoding: a document type is refused, and another kind of document."""
    roots: list[str] = []

    def begin(name: str, attributes: object) -> None:
        roots.append(name.rpartition(":")[2])
        raise _Begun

    def refuse(*_: object) -> None:
        raise DataError("GraphML with a document type, which is not read", where=str(path))

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.StartDoctypeDeclHandler = begin, refuse
    try:
        parser.Parse(raw, True)
    except _Begun:
        pass
    except (expat.ExpatError, LookupError, ValueError):  # it is read once more, and refused with the line
        return
    if roots != ["graphml"]:
        raise DataError("is XML, and no GraphML", where=str(path))


def _elements(raw: bytes, path: Path) -> Iterator[ElementTree.Element]:
    """The elements in turn, as they end."""
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(raw), ("end",)):  # noqa: S314  without a document type nothing expands
            yield element
    except ElementTree.ParseError as wrong:
        message = f"is no GraphML: line {wrong.position[0]:,} is no XML"
    except (LookupError, ValueError):
        message = "is in an encoding that is not read; save it as UTF-8"
    else:
        return
    raise DataError(message, where=str(path))


_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def not_in_xml(names: Iterable[str]) -> int:
    """How many names have a sign that XML does not have."""
    return sum(_NO_XML.search(name) is not None for name in names)


def write_graphml(graph: Graph, file: TextIO, attribute: Attribute | None = None, names: tuple[str, ...] | None = None) -> None:
    """Write a graph: nodes in the order of their numbers, from 1, then edges in theirs."""
    shown = names or tuple(map(str, range(1, graph.nodes + 1)))
    file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="{_SPACE}">\n')
    if attribute:
        file.write(f'<key id="a" for="node" attr.name={quoteattr(attribute.name)} attr.type="string"/>\n')
    file.write('<graph edgedefault="undirected">\n')
    for node, name in enumerate(shown):
        value = f'><data key="a">{escape(attribute.values[attribute.codes[node]])}</data></node>' if attribute else "/>"
        file.write(f"<node id={quoteattr(name)}{value}\n")
    file.writelines(
        f"<edge source={quoteattr(shown[one])} target={quoteattr(shown[other])}/>\n" for one, other in graph.edges.tolist()
    )
    file.write("</graph>\n</graphml>\n")

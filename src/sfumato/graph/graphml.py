"""GraphML, as far as it is needed: nodes, edges, and for a release one attribute. Document types are refused, so nothing is expanded."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO
from xml.etree import ElementTree
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
    if b"<!DOCTYPE" in raw or b"<!ENTITY" in raw:
        raise DataError("GraphML with a document type, which is not read", where=str(path))
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
        elif kind == "key":
            self.keys[element.get("id", "")] = element.get("attr.name", "")
        elif kind == "node":
            self._note_node(element, path)
        elif kind == "edge":
            self.edges.append((element.get("source", ""), element.get("target", "")))
            self.directed |= element.get("directed") == "true"
            element.clear()

    def _note_node(self, element: ElementTree.Element, path: Path) -> None:
        name = element.get("id", "")
        if name in self.number:
            raise DataError(f"node {len(self.number) + 1:,} has the name of an earlier one", where=str(path))
        self.number[name] = len(self.number)
        self.values.append({each.get("key", ""): each.text or "" for each in element if each.get("key")})
        element.clear()


def _elements(raw: bytes, path: Path) -> Iterator[ElementTree.Element]:
    """The elements in turn, as they end."""
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(raw), ("end",)):  # noqa: S314  without a document type nothing expands
            yield element
    except ElementTree.ParseError as wrong:
        line = wrong.position[0]
    else:
        return
    raise DataError(f"is no GraphML: line {line:,} is no XML", where=str(path))


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

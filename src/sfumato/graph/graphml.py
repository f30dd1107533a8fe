"""GraphML, as far as it is needed: nodes, edges, and for a release one attribute. Document types are refused, so nothing is expanded."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from sfumato.errors import DataError, UsageError, raise_alone
from sfumato.graph.graph import Graph
from sfumato.graph.leak import Attribute
from sfumato.inputs.files import content

_SPACE = "http://graphml.graphdrawing.org/xmlns"


def read_graphml(path: Path, *, simplify: bool = False) -> Graph:
    """The graph in a file, names included."""
    from sfumato.graph.reading import SIMPLIFY

    number, edges, directed = _parsed(path)
    if directed and not simplify:
        raise DataError(f"a directed graph; {SIMPLIFY} takes its arcs as edges", where=str(path))
    try:
        pairs = [(number[one], number[other]) for one, other in edges]
    except KeyError:
        raise_alone(DataError("an edge names a node that is not declared", where=str(path)))
    if not number:
        raise DataError("is empty: there is no node in it", where=str(path))
    try:
        return Graph.of(len(number), pairs, tuple(number), simplify=simplify)
    except UsageError as wrong:
        raise_alone(DataError(f"{wrong.message}".replace("simplify=True", SIMPLIFY), where=str(path)))


def _parsed(path: Path) -> tuple[dict[str, int], list[tuple[str, str]], bool]:
    from sfumato.graph.reading import LARGEST

    raw = content(path, LARGEST)
    if b"<!DOCTYPE" in raw or b"<!ENTITY" in raw:
        raise DataError("GraphML with a document type, which is not read", where=str(path))
    number: dict[str, int] = {}
    edges: list[tuple[str, str]] = []
    directed = False
    for element in _elements(raw, path):
        kind = element.tag.rpartition("}")[2]
        if kind == "graph":
            directed = directed or element.get("edgedefault") == "directed"
        elif kind == "node":
            name = element.get("id", "")
            if name in number:
                raise DataError(f"node {len(number) + 1:,} has the name of an earlier one", where=str(path))
            number[name] = len(number)
        elif kind == "edge":
            edges.append((element.get("source", ""), element.get("target", "")))
            directed = directed or element.get("directed") == "true"
    return number, edges, directed


def _elements(raw: bytes, path: Path) -> Iterator[ElementTree.Element]:
    """The elements in turn, as they begin."""
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(raw), ("start",)):  # noqa: S314  without a document type nothing expands
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

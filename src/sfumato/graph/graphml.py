"""GraphML, as far as it is needed: nodes with their attributes, and edges. Document types are refused, so nothing is expanded."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from sfumato.errors import DataError, UsageError, argument, raise_alone, several, unknown
from sfumato.graph.graph import composed

_COUNTED = re.compile(r"[a-z]?\d+")  # an id that a program has counted: n0, n1, …
_CALLED = ("name", "label", "id")  # where programs write who a node is


@dataclass(frozen=True, slots=True)
class Key:
    """What a file declares about the data of nodes: what they are called, and the value of a node that has none."""

    name: str
    default: str | None


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says: ids of nodes, edges by their places, whether it is directed, and the values that nodes have by key."""

    path: Path
    ids: tuple[str, ...]
    edges: list[tuple[int, int]]
    directed: bool
    values: list[dict[str, str]]
    keys: dict[str, Key]

    def attributes(self) -> list[str]:
        """The names of what nodes have."""
        return list(dict.fromkeys(each.name for each in self.keys.values() if each.name))

    def attribute(self, name: str, where: str = "attribute") -> list[str]:
        """The value of every node; refuses an attribute that there is not, and one that some nodes do not have."""
        keys = [(key, each.default) for key, each in self.keys.items() if each.name == name]
        if not keys or not name:
            raise UsageError(unknown("attribute of nodes", name, self.attributes(), within=str(self.path)), where=argument(where))
        if len(keys) > 1:
            raise DataError(f"several attributes of nodes are called {name!r}", where=str(self.path))
        (key, default) = keys[0]
        values = [each.get(key, default) for each in self.values]
        have = [value for value in values if value is not None]
        if len(have) < len(values):
            lacking = several(len(values) - len(have), "node does", "nodes do")
            message = f"{lacking} not have the attribute {name!r}, the first is node {values.index(None) + 1:,}"
            raise DataError(message, where=str(self.path))
        return have

    def names(self, attribute: str | None) -> tuple[str, ...]:
        """The names of the nodes: their ids, or the values of an attribute, which all differ."""
        if attribute is None:
            return self.ids
        names = [composed(each.strip()) for each in self.attribute(attribute, "names")]
        if not all(names):
            raise DataError(f"node {names.index('') + 1:,} has no name in the attribute {attribute!r}", where=str(self.path))
        if len(set(names)) < len(names):
            count = several(len(names) - len(set(names)), "node has", "nodes have")
            raise DataError(f"{count} the name of another one in the attribute {attribute!r}", where=str(self.path))
        return tuple(names)

    def better_names(self) -> str | None:
        """An attribute that says who nodes are where their ids do not: these were counted by a program."""
        if all(map(_COUNTED.fullmatch, self.ids)):
            for name in _CALLED:
                values = self._values(name)
                if values and all(values) and len(set(values)) == len(values) and not all(map(_COUNTED.fullmatch, values)):
                    return name
        return None

    def _values(self, name: str) -> list[str]:
        try:
            return self.attribute(name)
        except (DataError, UsageError):
            return []


def read_graphml(raw: bytes, path: Path) -> Document:
    """The document in a file of these bytes."""
    _require_graphml(raw, path)
    found = _Found()
    for element in _elements(raw, path):
        found.note(_kind(element), element, path)
    try:
        pairs = [(found.number[one], found.number[other]) for one, other in found.edges]
    except KeyError:
        raise_alone(DataError("an edge names a node that is not declared", where=str(path)))
    return Document(path, tuple(found.number), pairs, found.directed, found.values, found.keys)


def _kind(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


@dataclass(slots=True)
class _Found:
    """What was read so far."""

    number: dict[str, int] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)
    values: list[dict[str, str]] = field(default_factory=list)
    keys: dict[str, Key] = field(default_factory=dict)
    directed: bool = False

    def note(self, kind: str, element: ElementTree.Element, path: Path) -> None:
        """Note an element that is complete."""
        if kind == "graph":
            self.directed |= element.get("edgedefault") == "directed"
        elif kind == "hyperedge":
            raise DataError("has an edge of more than two people; an edge joins two", where=str(path))
        elif kind == "graphml" and sum(_kind(each) == "graph" for each in element) > 1:
            raise DataError("has several graphs; write one into a file of its own", where=str(path))
        elif kind == "key" and element.get("for", "all") in ("node", "all"):
            default = next((each.text or "" for each in element if _kind(each) == "default"), None)
            self.keys[element.get("id", "")] = Key(element.get("attr.name", ""), default)
        elif kind == "node":
            self._note_node(element, path)
        elif kind == "edge":
            self.edges.append((composed(element.get("source", "")), composed(element.get("target", ""))))
            self.directed |= element.get("directed") in ("true", "1")
            element.clear()

    def _note_node(self, element: ElementTree.Element, path: Path) -> None:
        name = composed(element.get("id", ""))
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

"""A node of the lattice: one level per QID, in schema order. Written `{"age": 2, "workclass": 1}`, `age=2,workclass=1` or `[2,1]`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

from sfumato.errors import NodeError, argument, raise_alone, several, unknown
from sfumato.vocabulary.schema import Schema

Levels = Mapping[str, int] | Sequence[int] | str


@dataclass(frozen=True, slots=True)
class Node:
    """Levels of the named attributes; as many levels as names, none negative."""

    attributes: tuple[str, ...]
    levels: tuple[int, ...]

    def as_dict(self) -> dict[str, int]:
        return dict(zip(self.attributes, self.levels, strict=True))

    def __getitem__(self, attribute: str) -> int:
        return self.levels[self.attributes.index(attribute)]

    def __str__(self) -> str:
        return ",".join(f"{name}={level}" for name, level in self.as_dict().items())

    def brief(self) -> str:
        """The levels alone.

        >>> Node(("age", "sex"), (2, 1)).brief()
        '[2,1]'
        """
        return "[" + ",".join(map(str, self.levels)) + "]"

    def covers(self, other: Node) -> bool:
        """Whether it is at least as general as `other` in every attribute."""
        return self.attributes == other.attributes and all(a >= b for a, b in zip(self.levels, other.levels, strict=True))

    @classmethod
    def bottom(cls, attributes: Sequence[str]) -> Node:
        """The node with every attribute at level 0."""
        return cls(tuple(attributes), (0,) * len(attributes))

    @classmethod
    def of(cls, levels: Levels, schema: Schema, attributes: Sequence[str]) -> Node:
        """A node of these attributes from any written form; refuses levels that the schema does not declare."""
        given = parse_levels(levels) if isinstance(levels, str) else levels
        named = given if isinstance(given, Mapping) else _by_position(given, attributes)
        for name in named:
            if name not in attributes:
                raise NodeError(unknown("attribute", name, attributes, within="the QIDs to publish"), where=argument("node"))
        for name in attributes:
            _require_level(name, named.get(name), schema)
        return cls(tuple(attributes), tuple(int(named[name]) for name in attributes))


def _by_position(levels: Sequence[int], attributes: Sequence[str]) -> dict[str, int]:
    if len(levels) != len(attributes):
        needed = f"{several(len(attributes), 'QID')} ({', '.join(attributes)})"
        raise NodeError(f"{several(len(levels), 'level')} for {needed}", where=argument("node"))
    return dict(zip(attributes, levels, strict=True))


def _require_level(name: str, level: object, schema: Schema) -> None:
    height = schema[name].height()
    if level is None:
        raise NodeError(
            f"no level for {name!r} (0 to {height}); to withhold it, leave it out of the QIDs", where=argument("node")
        )
    if isinstance(level, bool) or not isinstance(level, Integral) or not 0 <= int(level) <= height:
        raise NodeError(f"level {level} of {name!r} does not exist; it has 0 to {height}", where=argument("node"))


def parse_levels(text: str) -> Mapping[str, int] | list[int]:
    """Levels from the text on the command line."""
    try:
        if text.lstrip().startswith(("[", "{")):
            levels: Mapping[str, int] | list[int] = json.loads(text, object_pairs_hook=_named_once)
            return levels
        pairs = [_pair(part) for part in text.split(",")]
    except (ValueError, RecursionError):
        raise_alone(NodeError(f"cannot read {text!r}; write age=2,workclass=1 or [2,1]", where=argument("node")))
    return _named_once(pairs)


def _pair(part: str) -> tuple[str, int]:
    name, sign, level = part.rpartition("=")
    if not sign:
        raise ValueError
    return name.strip(), int(level)


def _named_once(pairs: list[tuple[str, int]]) -> dict[str, int]:
    if len(dict(pairs)) < len(pairs):
        raise NodeError("an attribute is named twice; name each once", where=argument("node"))
    return dict(pairs)

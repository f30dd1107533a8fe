"""What may be given as a release: levels, or a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import NodeError, argument, raise_alone
from sfumato.table import Table
from sfumato.vocabulary.node import Node


def is_node(given: Any) -> bool:
    """Whether levels are given and not a table: `[2,1]`, `age=2,sex=1`, a list, a dict of whole numbers, a Node."""
    if isinstance(given, str):
        return given.lstrip().startswith(("[", "{")) or (
            "=" in given and all(p.rpartition("=")[2].strip().isdigit() for p in given.split(","))
        )
    if isinstance(given, Mapping):
        return all(isinstance(level, int) for level in given.values())
    return isinstance(given, Node | list | tuple)


def node_of(given: Any, table: Table, quasi: Sequence[str] | None) -> Node:
    """The node of a table that is given; one of several, so that what is wrong with it is wrong with `nodes`."""
    try:
        return table.node(given.as_dict() if isinstance(given, Node) else given, quasi)
    except NodeError as error:
        raise_alone(NodeError(error.message, where=argument("nodes")))

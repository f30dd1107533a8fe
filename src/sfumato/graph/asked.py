"""What verbs on graphs are asked for: a single name or release needs no list, and what is of another kind is refused before any work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.errors import UsageError, argument, several
from sfumato.graph.graph import Graph
from sfumato.graph.methods import Changed


def listed(names: Any) -> list[Any]:
    """Names as a list, also if there is one."""
    return [names] if isinstance(names, str) or not hasattr(names, "__iter__") else list(names)


def releases_of(graph: Graph, releases: Changed | Sequence[Changed]) -> list[Changed]:
    """Releases of this graph as a list, also if there is one."""
    found = listed(releases)
    for each in found:
        if not isinstance(each, Changed):
            raise UsageError("a release is what changed, publish(…).changed or release_of returns", where=argument("releases"))
        if len(each.truth) != graph.nodes:
            raise UsageError(
                f"a release of another graph: it has {several(len(each.truth), 'node')}, this one {graph.nodes:,}",
                where=argument("releases"),
            )
    return found
